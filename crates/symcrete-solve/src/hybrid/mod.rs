//! The hybrid solvers of Takaki et al. 2010 (section 2.3): a symbolic solver for what it can
//! express, a search for the rest.
//!
//! [`Dcf`] solves the decidable constraints first and searches the rest under that solution; [`Ucf`]
//! searches the undecidable ones first; [`Bvf`] draws the variables that make a constraint
//! undecidable. What counts as undecidable is a [`Policy`]. With three searchers for the first two
//! these are seven; the paper's other four are random, genetic, particle swarm and symbolic alone.
//!
//! `Abstraction` is ours: calls as unknown functions, sampled where an SMT solver's model needs them.
//!
//! [`Hybrid::published`] is the paper's form: all that is not linear is searched, and the searchers are the published
//! ones. Its symbolic solver was CVC3; ours are the installed SMT solvers on bit-vectors.

mod abstraction;
mod bvf;
mod dcf;
mod partition;
mod substitute;
mod ucf;

pub use bvf::Bvf;
pub use dcf::Dcf;
pub use partition::Policy;
pub use ucf::Ucf;

use partition::Split;

pub(crate) use abstraction::Abstraction;
pub(crate) use substitute::Substituted;

use crate::Solver;
use crate::genetic::{Genetic, GeneticOptions};
use crate::particle_swarm::{ParticleSwarm, SwarmOptions};
use crate::random::{Draws, Random, Range};
use symcrete_term::Seed;

/// The searcher.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Searcher {
    /// Random draws.
    Random,
    /// Evolution.
    Genetic,
    /// A particle swarm.
    ParticleSwarm,
}

impl Searcher {
    /// All of them.
    pub const ALL: [Searcher; 3] = [Searcher::Random, Searcher::Genetic, Searcher::ParticleSwarm];
}

/// How the two parts share a query.
#[derive(Clone, Copy, Debug)]
pub struct Hybrid {
    /// What goes to which part.
    pub policy: Policy,
    /// Where the search draws its values from.
    pub draws: Draws,
}

impl Hybrid {
    /// As in the paper.
    pub fn published() -> Hybrid {
        Hybrid { policy: Policy::Linear, draws: Draws::Uniform(Range::DEFAULT) }
    }

    /// Our searchers, with a partition.
    pub fn improved(policy: Policy) -> Hybrid {
        Hybrid { policy, draws: Draws::Mixed }
    }

    fn searcher(self, searcher: Searcher, seed: Seed) -> Box<dyn Solver> {
        let is_published = self.draws != Draws::Mixed;
        match searcher {
            Searcher::Random => Box::new(Random::drawing("random", seed, self.draws)),
            Searcher::Genetic => {
                let form =
                    if is_published { GeneticOptions::published } else { GeneticOptions::improved };
                let options = GeneticOptions { draws: self.draws, ..form() };
                Box::new(Genetic::new("genetic", seed, options))
            }
            Searcher::ParticleSwarm => {
                let form =
                    if is_published { SwarmOptions::published } else { SwarmOptions::improved };
                let options = SwarmOptions { draws: self.draws, ..form() };
                Box::new(ParticleSwarm::new("particle-swarm", seed, options))
            }
        }
    }
}

#[cfg(test)]
mod tests;
