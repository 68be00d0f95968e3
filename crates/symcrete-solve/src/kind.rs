//! The registry: every solver by name. A new solver is its own file and one row here.

mod pattern_search;

use crate::Solver;
use crate::budget::STEPS_UNLIMITED;
use crate::concolic_walk::ConcolicWalk;
use crate::decorate::Checked;
use crate::enumerate::Enumerate;
use crate::genetic::{Genetic, GeneticOptions};
use crate::hybrid::{Abstraction, Bvf, Dcf, Hybrid, Policy, Searcher, Ucf};
use crate::inspect::{Inspect, InspectOptions};
use crate::interval::prune::BranchAndPrune;
use crate::inversion::Inversion;
use crate::narrow::Narrow;
use crate::particle_swarm::{ParticleSwarm, SwarmOptions};
use crate::portfolio::{Experience, Mode, Portfolio};
use crate::random::Random;
use crate::smt::{Backend, MissingSolver, SmtGroup, SmtSolver, Toolbox};
use crate::staged::Staged;
use crate::staged_descent::StagedDescent;
use pattern_search::PatternSearch;
use std::fmt;
use std::str::FromStr;
use symcrete_term::Seed;

/// What solvers are built from.
pub struct Setup<'a> {
    /// Where SMT solvers are installed.
    pub toolbox: &'a Toolbox,
    /// The seed that every solver derives its own from.
    pub seed: Seed,
    /// What earlier queries taught, to be used and added to; without it a portfolio learns for itself.
    pub experience: Option<&'a Experience>,
}

type Built = Result<Box<dyn Solver>, MissingSolver>;

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

/// Whether a solver can answer `unsat`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Proves {
    /// It can.
    Unsat,
    /// It finds models or nothing.
    Nothing,
}

/// A row: the kind, its name, what of it is SMT, whether it proves, how it is built, and what it is good at. The row
/// is all that lists, help, errors and tests know of a solver.
macro_rules! solver_kinds {
    ($($kind:ident = $name:literal, $smt:expr, $proves:expr, $build:expr, $description:literal;)*) => {
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
                matches!(match self { $(SolverKind::$kind => $proves,)* }, Proves::Unsat)
            }

            /// What it is good at, in a line.
            pub const fn description(self) -> &'static str {
                match self { $(SolverKind::$kind => $description,)* }
            }

            /// What of it is SMT.
            pub(crate) const fn smt_part(self) -> SmtPart {
                match self { $(SolverKind::$kind => $smt,)* }
            }

            /// Builds the solver, checked. An SMT solver that is not installed is an error.
            pub fn build(self, setup: &Setup<'_>) -> Built {
                let build: fn(&'static str, &Setup<'_>) -> Built =
                    match self { $(SolverKind::$kind => $build,)* };
                let solver = build(self.name(), setup)?;
                Ok(if self.proves_unsat() { solver } else { Box::new(Checked::finder(solver)) })
            }
        }
    };
}

use Proves::{Nothing as Finds, Unsat as Proofs};
use SmtPart::{Group, Nothing as Search, One, Partner};

solver_kinds! {
    Auto = "auto", Group, Proofs, |name, setup| Ok(boxed(Portfolio::new(name, setup, Mode::Race))),
        "the portfolio: cheap attempts first, then SMT solvers and searches in parallel; the first answer wins";
    AutoReproducible = "auto-reproducible", Group, Proofs,
        |name, setup| Ok(boxed(Portfolio::new(name, setup, Mode::Rounds))),
        "the portfolio in turns by steps: the same seed gives the same answer on every machine";
    Smt = "smt", Group, Proofs, |_, setup| SmtGroup::of_installed(setup.toolbox).map(boxed),
        "all SMT solvers in parallel, the first answer wins; no library calls";
    Bitwuzla = "bitwuzla", One(Backend::Bitwuzla), Proofs, |_, setup| smt(setup, Backend::Bitwuzla),
        "SMT: the strongest on floating point and bit-vectors";
    Z3 = "z3", One(Backend::Z3), Proofs, |_, setup| smt(setup, Backend::Z3),
        "SMT: the broadest; integers, reals and arrays too";
    Cvc5 = "cvc5", One(Backend::Cvc5), Proofs, |_, setup| smt(setup, Backend::Cvc5),
        "SMT: strong on floating point and on integers";
    Random = "random", Search, Finds, |_, setup| Ok(boxed(Random::new(setup.seed))),
        "draws inputs; library calls, wide conditions, instant answers";
    RandomPublished = "random-published", Search, Finds,
        |name, setup| Ok(boxed(Random::drawing(name, setup.seed, Hybrid::published().draws))),
        "draws every variable between -100 and 100 (Takaki et al. 2010), for comparison";
    ConcolicWalk = "concolic-walk", Search, Proofs, |_, setup| Ok(boxed(ConcolicWalk::improved(setup.seed))),
        "search: non-linear floats, library calls, exact equations; unsat where order or linear integers show it";
    ConcolicWalkPublished = "concolic-walk-published", Search, Proofs,
        |_, setup| Ok(boxed(ConcolicWalk::published(setup.seed))),
        "search: Concolic Walk as the authors' code has it (Dinges and Agha 2014), for comparison";
    ConcolicWalkText = "concolic-walk-text", Search, Proofs,
        |_, setup| Ok(boxed(ConcolicWalk::text(setup.seed))),
        "search: Concolic Walk as the paper's text has it (Dinges and Agha 2014), for comparison";
    Inversion = "inversion", Search, Finds, |_, setup| Ok(boxed(Inversion::new(setup.seed))),
        "search: propagates wanted values down to the inputs; equations through mixing, tables, conversions, library calls";
    Inspect = "inspect", Search, Finds,
        |_, setup| Ok(boxed(Inspect::new(setup.seed, InspectOptions::published()))),
        "search: small integers, many easy conditions at once";
    InspectThenSmt = "inspect-then-smt", Partner, Proofs, inspect_then_smt,
        "InSPeCT first, then the SMT solvers for the rest, as Chen et al. 2019 propose";
    Genetic = "genetic", Search, Finds,
        |name, setup| Ok(boxed(Genetic::new(name, setup.seed, GeneticOptions::improved()))),
        "search: many loosely connected conditions, bit operations";
    GeneticPublished = "genetic-published", Search, Finds,
        |name, setup| Ok(boxed(Genetic::new(name, setup.seed, GeneticOptions::published()))),
        "search: the genetic algorithm of Takaki et al. 2010, for comparison";
    ParticleSwarm = "particle-swarm", Search, Finds,
        |name, setup| Ok(boxed(ParticleSwarm::new(name, setup.seed, SwarmOptions::improved()))),
        "search: smooth conditions over few numbers";
    ParticleSwarmPublished = "particle-swarm-published", Search, Finds,
        |name, setup| Ok(boxed(ParticleSwarm::new(name, setup.seed, SwarmOptions::published()))),
        "search: the particle swarm of Takaki et al. 2010, for comparison";
    PatternSearch = "pattern-search", Search, Finds, |_, setup| Ok(boxed(PatternSearch::new(setup.seed))),
        "search: the direct search of Hooke and Jeeves 1961, for comparison";
    StagedDescent = "staged-descent", Search, Finds,
        |_, setup| Ok(boxed(StagedDescent::new(setup.seed))),
        "search: floats by residuals, then by last places, then on their lattice; linear equations are kept";
    Dcf = "dcf", Partner, Proofs, |name, setup| dcf(name, setup, Searcher::Random, calls_searched()),
        "SMT for all but library calls, then random draws for those";
    DcfGenetic = "dcf-genetic", Partner, Proofs,
        |name, setup| dcf(name, setup, Searcher::Genetic, calls_searched()),
        "SMT for all but library calls, then evolution";
    DcfParticleSwarm = "dcf-particle-swarm", Partner, Proofs,
        |name, setup| dcf(name, setup, Searcher::ParticleSwarm, calls_searched()),
        "SMT for all but library calls, then a particle swarm";
    Ucf = "ucf", Partner, Proofs, |name, setup| ucf(name, setup, Searcher::Random, calls_searched()),
        "random draws for library calls, then SMT for the rest";
    UcfGenetic = "ucf-genetic", Partner, Proofs,
        |name, setup| ucf(name, setup, Searcher::Genetic, calls_searched()),
        "evolution for library calls, then SMT for the rest";
    UcfParticleSwarm = "ucf-particle-swarm", Partner, Proofs,
        |name, setup| ucf(name, setup, Searcher::ParticleSwarm, calls_searched()),
        "a particle swarm for library calls, then SMT for the rest";
    Bvf = "bvf", Partner, Proofs, |name, setup| bvf(name, setup, calls_searched()),
        "draws the arguments of library calls, SMT for the rest";
    Abstraction = "abstraction", Partner, Proofs,
        |_, setup| Ok(boxed(Abstraction::new(symbolic(setup)?, setup.seed))),
        "SMT with library calls as uninterpreted functions, sampled where a model needs them; proofs through calls";
    Narrow = "narrow", Partner, Proofs, |_, setup| Ok(boxed(Narrow::new(symbolic(setup)?))),
        "SMT with as few bits as the ranges of integers need; products and quotients of small numbers in wide words";
    DcfLinear = "dcf-linear", Partner, Proofs,
        |name, setup| dcf(name, setup, Searcher::Random, linear_solved()),
        "as dcf, but everything non-linear is searched (the paper's partition)";
    DcfGeneticLinear = "dcf-genetic-linear", Partner, Proofs,
        |name, setup| dcf(name, setup, Searcher::Genetic, linear_solved()),
        "as dcf-genetic, but everything non-linear is searched";
    DcfParticleSwarmLinear = "dcf-particle-swarm-linear", Partner, Proofs,
        |name, setup| dcf(name, setup, Searcher::ParticleSwarm, linear_solved()),
        "as dcf-particle-swarm, but everything non-linear is searched";
    UcfLinear = "ucf-linear", Partner, Proofs,
        |name, setup| ucf(name, setup, Searcher::Random, linear_solved()),
        "as ucf, but everything non-linear is searched first (the paper's partition)";
    UcfGeneticLinear = "ucf-genetic-linear", Partner, Proofs,
        |name, setup| ucf(name, setup, Searcher::Genetic, linear_solved()),
        "as ucf-genetic, but everything non-linear is searched first";
    UcfParticleSwarmLinear = "ucf-particle-swarm-linear", Partner, Proofs,
        |name, setup| ucf(name, setup, Searcher::ParticleSwarm, linear_solved()),
        "as ucf-particle-swarm, but everything non-linear is searched first";
    BvfLinear = "bvf-linear", Partner, Proofs, |name, setup| bvf(name, setup, linear_solved()),
        "draws every variable that occurs non-linearly, SMT for the rest (the paper's partition)";
    DcfPublished = "dcf-published", Partner, Proofs,
        |name, setup| dcf(name, setup, Searcher::Random, Hybrid::published()),
        "DCF of Takaki et al. 2010: linear first, then draws between -100 and 100, for comparison";
    DcfGeneticPublished = "dcf-genetic-published", Partner, Proofs,
        |name, setup| dcf(name, setup, Searcher::Genetic, Hybrid::published()),
        "DCF+GA of Takaki et al. 2010, for comparison";
    DcfParticleSwarmPublished = "dcf-particle-swarm-published", Partner, Proofs,
        |name, setup| dcf(name, setup, Searcher::ParticleSwarm, Hybrid::published()),
        "DCF+PSO of Takaki et al. 2010, for comparison";
    UcfPublished = "ucf-published", Partner, Proofs,
        |name, setup| ucf(name, setup, Searcher::Random, Hybrid::published()),
        "UCF of Takaki et al. 2010: draws between -100 and 100 for everything non-linear, then the rest, for comparison";
    UcfGeneticPublished = "ucf-genetic-published", Partner, Proofs,
        |name, setup| ucf(name, setup, Searcher::Genetic, Hybrid::published()),
        "UCF+GA of Takaki et al. 2010, for comparison";
    UcfParticleSwarmPublished = "ucf-particle-swarm-published", Partner, Proofs,
        |name, setup| ucf(name, setup, Searcher::ParticleSwarm, Hybrid::published()),
        "UCF+PSO of Takaki et al. 2010, for comparison";
    BvfPublished = "bvf-published", Partner, Proofs, |name, setup| bvf(name, setup, Hybrid::published()),
        "BVF of Takaki et al. 2010, for comparison";
    BranchAndPrune = "branch-and-prune", Search, Proofs, |_, _| Ok(boxed(BranchAndPrune::new())),
        "halves the ranges of the inputs; proofs and models of bounded floats, library calls included";
    Enumerate = "enumerate", Search, Proofs, |_, _| Ok(boxed(Enumerate)),
        "tries every input; complete up to 32 bits of input, refuses more";
}

impl SolverKind {
    /// Whether it is many solvers, searches among them.
    pub(crate) fn is_portfolio(self) -> bool {
        matches!(self, SolverKind::Auto | SolverKind::AutoReproducible)
    }

    /// Whether it uses all SMT solvers that are installed, and does without the others.
    pub fn uses_smt_group(self) -> bool {
        match self.smt_part() {
            SmtPart::Group | SmtPart::Partner => true,
            SmtPart::One(_) | SmtPart::Nothing => false,
        }
    }
}

fn smt(setup: &Setup<'_>, backend: Backend) -> Built {
    SmtSolver::new(backend, setup.toolbox).map(boxed)
}

/// Only calls are searched: an SMT solver expresses all else.
fn calls_searched() -> Hybrid {
    Hybrid::improved(Policy::Supported)
}

/// Only what is linear is solved.
fn linear_solved() -> Hybrid {
    Hybrid::improved(Policy::Linear)
}

fn dcf(name: &'static str, setup: &Setup<'_>, searcher: Searcher, hybrid: Hybrid) -> Built {
    Ok(boxed(Dcf::new(name, symbolic(setup)?, searcher, hybrid, setup.seed)))
}

fn ucf(name: &'static str, setup: &Setup<'_>, searcher: Searcher, hybrid: Hybrid) -> Built {
    Ok(boxed(Ucf::new(name, symbolic(setup)?, searcher, hybrid, setup.seed)))
}

fn bvf(name: &'static str, setup: &Setup<'_>, hybrid: Hybrid) -> Built {
    Ok(boxed(Bvf::new(name, symbolic(setup)?, hybrid, setup.seed)))
}

fn inspect_then_smt(name: &'static str, setup: &Setup<'_>) -> Built {
    let inspect = Inspect::new(setup.seed, InspectOptions::published());
    let mut staged = Staged::new(name);
    staged.add(Box::new(Checked::finder(inspect)), STEPS_UNLIMITED);
    staged.add(symbolic(setup)?, STEPS_UNLIMITED);
    Ok(boxed(staged))
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
            let setup = Setup { toolbox: &Toolbox::new([]), seed: Seed(0), experience: None };
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

    #[test]
    fn the_manual_has_every_solver() {
        let manual = include_str!("../../../docs/solvers.md");
        for kind in SolverKind::ALL {
            let word = format!("`{}`", kind.name());
            assert!(manual.contains(&word), "docs/solvers.md does not have {word}");
        }
    }
}
