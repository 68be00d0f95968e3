//! The members of the portfolio, and in which order they are tried on which theory.

use super::features::Theory;
use crate::Solver;
use crate::concolic_walk::ConcolicWalk;
use crate::decorate::Checked;
use crate::enumerate::{self, Enumerate};
use crate::genetic::{Genetic, GeneticOptions};
use crate::hybrid::Abstraction;
use crate::interval::prune::BranchAndPrune;
use crate::inversion::Inversion;
use crate::kind::Setup;
use crate::narrow::Narrow;
use crate::particle_swarm::{ParticleSwarm, SwarmOptions};
use crate::smt::{Backend, SmtSolver};
use crate::staged_descent::StagedDescent;

/// A member: who it is, where it comes in, and how many steps a round gives it.
pub(super) struct Member {
    pub(super) name: &'static str,
    /// About a tenth of a second's worth of its steps.
    pub(super) first_steps: u64,
    /// Its place for each theory, in the order of [`Theory::ALL`]; zero if it takes no part.
    places: [u8; 4],
    /// The most bits of input that it takes.
    bits_max: u32,
}

impl Member {
    /// Its place for a theory and so many bits of input, the first is one. `None` if it takes no part.
    pub(super) fn place(&self, theory: Theory, bits: u32) -> Option<u8> {
        let place = self.places[theory as usize];
        (place > 0 && bits <= self.bits_max).then_some(place)
    }
}

type Row = (Member, Box<dyn Solver>);

/// All that can take part with what is installed.
pub(super) fn members(setup: &Setup<'_>) -> Vec<Row> {
    let seed = setup.seed;
    let mut rows: Vec<Row> = Vec::new();
    let mut add = |first_steps: u64, places: [u8; 4], solver: Box<dyn Solver>| {
        let member = Member { name: solver.name(), first_steps, places, bits_max: u32::MAX };
        rows.push((member, solver));
    };
    //                                           linear, integers, floats, calls
    for (backend, places) in [
        (Backend::Bitwuzla, [1, 1, 2, 0]),
        (Backend::Z3, [2, 3, 6, 0]),
        (Backend::Cvc5, [4, 5, 5, 0]),
    ] {
        if let Ok(solver) = SmtSolver::new(backend, setup.toolbox) {
            add(backend.turn_steps(), places, Box::new(Checked::new(solver)));
        }
    }
    let strongest = setup.toolbox.available().first().copied();
    if let Some(Ok(solver)) = strongest.map(|backend| SmtSolver::new(backend, setup.toolbox)) {
        let symbolic = Box::new(Checked::new(solver));
        add(300, [0, 0, 0, 3], Box::new(Checked::new(Abstraction::new(symbolic, seed))));
    }
    if let Some(Ok(solver)) = strongest.map(|backend| SmtSolver::new(backend, setup.toolbox)) {
        let symbolic = Box::new(Checked::new(solver));
        add(300, [0, 3, 0, 0], Box::new(Checked::new(Narrow::new(symbolic))));
    }
    let walk = ConcolicWalk::improved(seed);
    add(20_000, [3, 4, 1, 1], Box::new(Checked::new(walk)));
    let prune = BranchAndPrune::new();
    add(500, [0, 7, 3, 2], Box::new(Checked::new(prune)));
    let inversion = Inversion::new(seed.derive("portfolio"));
    add(2_000, [5, 2, 4, 4], Box::new(Checked::finder(inversion)));
    let descent = StagedDescent::new(seed.derive("portfolio"));
    add(20_000, [0, 0, 5, 4], Box::new(Checked::finder(descent)));
    let genetic = Genetic::new("genetic", seed, GeneticOptions::improved());
    add(20_000, [0, 6, 0, 6], Box::new(Checked::finder(genetic)));
    let swarm = ParticleSwarm::new("particle-swarm", seed, SwarmOptions::improved());
    add(20_000, [0, 2, 7, 5], Box::new(Checked::finder(swarm)));
    // Where a condition mixes the bits of few inputs beyond recognition, nothing beats trying them.
    let (name, places, bits_max) = (Enumerate.name(), [3, 1, 3, 2], enumerate::BITS_MAX);
    let member = Member { name, first_steps: 20_000, places, bits_max };
    rows.push((member, Box::new(Checked::new(Enumerate))));
    rows
}
