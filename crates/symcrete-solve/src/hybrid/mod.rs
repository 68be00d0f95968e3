//! The hybrid solvers of paper 003 (Takaki et al., section 2.3): a symbolic solver for what it can
//! express, a search for the rest.
//!
//! [`Dcf`] solves the decidable constraints first and searches the rest under that solution; [`Ucf`]
//! searches the undecidable ones first; [`Bvf`] draws the variables that make a constraint
//! undecidable. What counts as undecidable is a [`Policy`]. With three searchers for the first two
//! these are seven; the paper's other four are random, genetic, particle swarm and symbolic alone.

mod bvf;
mod dcf;
mod partition;
mod substitute;
mod ucf;

pub use bvf::Bvf;
pub use dcf::Dcf;
pub use partition::{Policy, Split};
pub use substitute::Substituted;
pub use ucf::Ucf;

use crate::Solver;
use crate::genetic::{Genetic, GeneticOptions};
use crate::particle_swarm::{ParticleSwarm, SwarmOptions};
use crate::random::Random;
use symcrete_term::Seed;

/// Who searches.
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

    fn build(self, seed: Seed) -> Box<dyn Solver> {
        match self {
            Searcher::Random => Box::new(Random::new(seed)),
            Searcher::Genetic => Box::new(Genetic::new(seed, GeneticOptions::default())),
            Searcher::ParticleSwarm => Box::new(ParticleSwarm::new(seed, SwarmOptions::default())),
        }
    }
}

#[cfg(test)]
mod tests;
