//! The registry: every solver by name.

use crate::Solver;
use crate::auto::Auto;
use crate::concolic_walk::ConcolicWalk;
use crate::decorate::Checked;
use crate::enumerate::Enumerate;
use crate::genetic::{Genetic, GeneticOptions};
use crate::hybrid::{Bvf, Dcf, Policy, Searcher, Ucf};
use crate::inspect::{Inspect, InspectOptions};
use crate::particle_swarm::{ParticleSwarm, SwarmOptions};
use crate::random::Random;
use crate::smt::{Backend, MissingSolver, SmtGroup, SmtSolver, Toolbox};
use std::fmt;
use std::str::FromStr;
use symcrete_term::Seed;

/// What solvers are built from.
pub struct Setup<'a> {
    /// Where SMT solvers are installed.
    pub toolbox: &'a Toolbox,
    /// The seed that every solver derives its own from.
    pub seed: Seed,
}

macro_rules! solver_kinds {
    ($($kind:ident = $name:literal, $proves_unsat:literal, $description:literal;)*) => {
        /// A solver, named.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum SolverKind {
            $(#[doc = $description] $kind,)*
        }

        impl SolverKind {
            /// All of them, the default first.
            pub const ALL: &'static [SolverKind] = &[$(SolverKind::$kind,)*];

            /// Its name in configuration, logs and reports.
            pub const fn name(self) -> &'static str {
                match self { $(SolverKind::$kind => $name,)* }
            }

            /// Whether it can answer `unsat`.
            pub const fn proves_unsat(self) -> bool {
                match self { $(SolverKind::$kind => $proves_unsat,)* }
            }

            /// What it is good at, in a line.
            pub const fn description(self) -> &'static str {
                match self { $(SolverKind::$kind => $description,)* }
            }
        }
    };
}

solver_kinds! {
    Auto = "auto", true, "a burst of random draws, then SMT solvers and Concolic Walk at once";
    Smt = "smt", true, "all SMT solvers at once, the first answer wins; no library calls";
    Bitwuzla = "bitwuzla", true, "SMT: the strongest on floating point and bit-vectors";
    Z3 = "z3", true, "SMT: the broadest; integers, reals and arrays too";
    Cvc5 = "cvc5", true, "SMT: strong on floating point and on integers";
    Random = "random", false, "draws inputs; library calls, wide conditions, instant answers";
    ConcolicWalk = "concolic-walk", true, "search: non-linear floats, library calls, exact equations; unsat only where plain order shows it";
    ConcolicWalkPublished = "concolic-walk-published", true, "search: Concolic Walk as the authors' code has it (FSE 2014), to compare with";
    Inspect = "inspect", false, "search: small integers, many easy conditions at once";
    Genetic = "genetic", false, "search: many loosely connected conditions, bit operations";
    ParticleSwarm = "particle-swarm", false, "search: smooth conditions over few numbers";
    Dcf = "dcf", true, "SMT for all but library calls, then random draws for those";
    DcfGenetic = "dcf-genetic", true, "SMT for all but library calls, then evolution";
    DcfParticleSwarm = "dcf-particle-swarm", true, "SMT for all but library calls, then a particle swarm";
    Ucf = "ucf", true, "random draws for library calls, then SMT for the rest";
    UcfGenetic = "ucf-genetic", true, "evolution for library calls, then SMT for the rest";
    UcfParticleSwarm = "ucf-particle-swarm", true, "a particle swarm for library calls, then SMT for the rest";
    Bvf = "bvf", true, "draws the arguments of library calls, SMT for all else";
    DcfLinear = "dcf-linear", true, "as dcf, with all that is not linear left to the search (the paper's partition)";
    DcfGeneticLinear = "dcf-genetic-linear", true, "as dcf-genetic, with all that is not linear left to the search";
    DcfParticleSwarmLinear = "dcf-particle-swarm-linear", true, "as dcf-particle-swarm, with all that is not linear left to the search";
    UcfLinear = "ucf-linear", true, "as ucf, with all that is not linear searched first (the paper's partition)";
    UcfGeneticLinear = "ucf-genetic-linear", true, "as ucf-genetic, with all that is not linear searched first";
    UcfParticleSwarmLinear = "ucf-particle-swarm-linear", true, "as ucf-particle-swarm, with all that is not linear searched first";
    BvfLinear = "bvf-linear", true, "draws every variable that occurs non-linearly, SMT for all else (the paper's partition)";
    Enumerate = "enumerate", true, "tries every input; complete up to 24 bits of input, refuses more";
}

impl SolverKind {
    /// Whether it uses all SMT solvers that are installed, and does without the others.
    pub fn uses_smt_group(self) -> bool {
        match self.smt_part() {
            SmtPart::Group | SmtPart::Partner => true,
            SmtPart::One(_) | SmtPart::Nothing => false,
        }
    }

    /// Builds the solver, checked. An SMT solver that is not installed is an error.
    pub fn build(self, setup: &Setup<'_>) -> Result<Box<dyn Solver>, MissingSolver> {
        let Setup { toolbox, seed } = *setup;
        let smt = |backend| SmtSolver::new(backend, toolbox).map(boxed);
        match self {
            SolverKind::Auto => Ok(boxed(Auto::new(setup))),
            SolverKind::Smt => SmtGroup::of_installed(toolbox).map(boxed),
            SolverKind::Bitwuzla => smt(Backend::Bitwuzla),
            SolverKind::Z3 => smt(Backend::Z3),
            SolverKind::Cvc5 => smt(Backend::Cvc5),
            SolverKind::Random => Ok(boxed(Random::new(seed))),
            SolverKind::ConcolicWalk => Ok(boxed(ConcolicWalk::improved(seed))),
            SolverKind::ConcolicWalkPublished => Ok(boxed(ConcolicWalk::published(seed))),
            SolverKind::Inspect => Ok(boxed(Inspect::new(seed, InspectOptions::published()))),
            SolverKind::Genetic => Ok(boxed(Genetic::new(seed, GeneticOptions::default()))),
            SolverKind::ParticleSwarm => {
                Ok(boxed(ParticleSwarm::new(seed, SwarmOptions::default())))
            }
            SolverKind::Dcf => dcf(setup, Searcher::Random, Policy::Supported),
            SolverKind::DcfGenetic => dcf(setup, Searcher::Genetic, Policy::Supported),
            SolverKind::DcfParticleSwarm => dcf(setup, Searcher::ParticleSwarm, Policy::Supported),
            SolverKind::Ucf => ucf(setup, Searcher::Random, Policy::Supported),
            SolverKind::UcfGenetic => ucf(setup, Searcher::Genetic, Policy::Supported),
            SolverKind::UcfParticleSwarm => ucf(setup, Searcher::ParticleSwarm, Policy::Supported),
            SolverKind::Bvf => bvf(setup, Policy::Supported),
            SolverKind::DcfLinear => dcf(setup, Searcher::Random, Policy::Linear),
            SolverKind::DcfGeneticLinear => dcf(setup, Searcher::Genetic, Policy::Linear),
            SolverKind::DcfParticleSwarmLinear => {
                dcf(setup, Searcher::ParticleSwarm, Policy::Linear)
            }
            SolverKind::UcfLinear => ucf(setup, Searcher::Random, Policy::Linear),
            SolverKind::UcfGeneticLinear => ucf(setup, Searcher::Genetic, Policy::Linear),
            SolverKind::UcfParticleSwarmLinear => {
                ucf(setup, Searcher::ParticleSwarm, Policy::Linear)
            }
            SolverKind::BvfLinear => bvf(setup, Policy::Linear),
            SolverKind::Enumerate => Ok(boxed(Enumerate)),
        }
    }
}

/// What of a solver is SMT.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SmtPart {
    /// All of it, with whatever is installed.
    Group,
    /// All of it, with this solver.
    One(Backend),
    /// What its search does not do.
    Partner,
    /// Nothing: it is a search.
    Nothing,
}

impl SolverKind {
    /// What of it is SMT.
    pub(crate) fn smt_part(self) -> SmtPart {
        match self {
            SolverKind::Auto | SolverKind::Smt => SmtPart::Group,
            SolverKind::Bitwuzla => SmtPart::One(Backend::Bitwuzla),
            SolverKind::Z3 => SmtPart::One(Backend::Z3),
            SolverKind::Cvc5 => SmtPart::One(Backend::Cvc5),
            SolverKind::Dcf
            | SolverKind::DcfGenetic
            | SolverKind::DcfParticleSwarm
            | SolverKind::Ucf
            | SolverKind::UcfGenetic
            | SolverKind::UcfParticleSwarm
            | SolverKind::Bvf
            | SolverKind::DcfLinear
            | SolverKind::DcfGeneticLinear
            | SolverKind::DcfParticleSwarmLinear
            | SolverKind::UcfLinear
            | SolverKind::UcfGeneticLinear
            | SolverKind::UcfParticleSwarmLinear
            | SolverKind::BvfLinear => SmtPart::Partner,
            SolverKind::Random
            | SolverKind::Enumerate
            | SolverKind::ConcolicWalk
            | SolverKind::ConcolicWalkPublished
            | SolverKind::Inspect
            | SolverKind::Genetic
            | SolverKind::ParticleSwarm => SmtPart::Nothing,
        }
    }
}

type Built = Result<Box<dyn Solver>, MissingSolver>;

fn dcf(setup: &Setup<'_>, searcher: Searcher, policy: Policy) -> Built {
    Ok(boxed(Dcf::new(symbolic(setup)?, searcher, policy, setup.seed)))
}

fn ucf(setup: &Setup<'_>, searcher: Searcher, policy: Policy) -> Built {
    Ok(boxed(Ucf::new(symbolic(setup)?, searcher, policy, setup.seed)))
}

fn bvf(setup: &Setup<'_>, policy: Policy) -> Built {
    Ok(boxed(Bvf::new(symbolic(setup)?, policy, setup.seed)))
}

/// The symbolic part of the hybrids: the SMT solvers that are installed.
fn symbolic(setup: &Setup<'_>) -> Built {
    SmtGroup::of_installed(setup.toolbox).map(boxed)
}

fn boxed(solver: impl Solver + 'static) -> Box<dyn Solver> {
    Box::new(Checked::new(solver))
}

impl fmt::Display for SolverKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SolverKind {
    type Err = UnknownSolver;

    fn from_str(name: &str) -> Result<SolverKind, UnknownSolver> {
        let known = SolverKind::ALL.iter().copied().find(|kind| kind.name() == name);
        known.ok_or_else(|| UnknownSolver { name: name.to_string() })
    }
}

/// A name that is no solver's.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no solver `{name}`; `symcrete solvers` lists them")]
pub struct UnknownSolver {
    /// What was asked for.
    pub name: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_distinct_and_parse_back() {
        let names: BTreeSet<_> = SolverKind::ALL.iter().map(|kind| kind.name()).collect();
        assert_eq!(names.len(), SolverKind::ALL.len());
        for &kind in SolverKind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
            let setup = Setup { toolbox: &Toolbox::new([]), seed: Seed(0) };
            if let Ok(solver) = kind.build(&setup) {
                assert_eq!(
                    solver.name(),
                    kind.name(),
                    "a solver is called what the registry calls it"
                );
            }
        }
        assert!("nosuch".parse::<SolverKind>().is_err());
    }
}
