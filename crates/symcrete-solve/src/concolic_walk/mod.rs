//! Concolic Walk (Dinges and Agha 2014, algorithms 1 to 4): start in the polytope of
//! the linear constraints and walk inside it, one variable at a time, to where the others hold.
//!
//! [`Options::text`] is what the paper's text says, [`Options::published`] what the authors' own implementation does; they
//! differ in the tabu length, the steps and the interpolation. Both have these deviations:
//! - A linear literal that the starting point violates (rounding, wrap-around) joins the non-linear
//!   ones instead of ending the search.
//! - `unsat` is said where [`crate::linear::order`] or [`crate::linear::proof`] proves it of machine numbers, not
//!   when a linear program in floating point finds no point.
//! - Disjunctions and `ite` have errors of their own; their leading comparison is interpolated.
//!
//! [`Options::improved`] adds the [`Improvement`]s, each of which can be switched off alone. A step of
//! the budget is one evaluated neighbour, whatever the number of literals it touches.

mod descent;
mod moves;
mod neighbour;
mod newton;
mod polish;
mod walk;

use crate::error::Metric;
use crate::jit::JitCache;
use crate::linear::{Polytope, Rows, order, proof};
use crate::search::{Objective, domain};
use crate::{Budget, Query, Solver, Verdict, Why};
pub(crate) use newton::least_squares;
use symcrete_term::{Rng, Seed, Sort};
use walk::Walk;

/// How long a variable stays tabu after it failed to improve.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tabu {
    /// Never.
    Off,
    /// `min(3, |vars(N)| / 2)` improvements, with the variables of the non-linear constraints: the paper's text. A
    /// condition of one variable has none.
    Text,
    /// `max(3, round(|vars| / 2))` improvements: the authors' implementation.
    Implementation,
    /// That many improvements.
    Fixed(u32),
}

/// How far a random neighbour is, and where the interpolated one lies.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Steps {
    /// `Normal(0, S)`; the zero is looked for on the line through both points, all repaired variables included: the
    /// paper's text, which does not say what `S` is.
    Text {
        /// `S`.
        radius: f64,
    },
    /// Of all magnitudes between 2^-12 and 2^12, either sign; the zero is looked for along the one variable, and for
    /// other constraints than equations beyond it: the authors' implementation.
    Implementation,
}

/// What goes beyond the paper.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Improvement {
    /// Neighbours of all magnitudes: small steps, powers of two, bit flips, signs, exponents, other
    /// variables and the query's constants.
    Magnitudes,
    /// New starting points until the budget ends.
    Restarts,
    /// The query's hint, often an earlier model, is the first starting point.
    Hints,
    /// Doubling steps along a variable that improves, Gauss-Newton and quasi-Newton steps over all
    /// floats.
    LineSearch,
    /// Short numbers and last places near an almost-solution of float equations.
    Polish,
    /// Every other start measures floats in units in the last place.
    UlpErrors,
    /// In a local minimum violated constraints gain weight; only now and then all variables move.
    Weights,
}

impl Improvement {
    /// All of them.
    pub const ALL: [Improvement; 7] = [
        Improvement::Magnitudes,
        Improvement::Restarts,
        Improvement::Hints,
        Improvement::LineSearch,
        Improvement::Polish,
        Improvement::UlpErrors,
        Improvement::Weights,
    ];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Improvement::Magnitudes => "magnitudes",
            Improvement::Restarts => "restarts",
            Improvement::Hints => "hints",
            Improvement::LineSearch => "line-search",
            Improvement::Polish => "polish",
            Improvement::UlpErrors => "ulp-errors",
            Improvement::Weights => "weights",
        }
    }
}

/// A set of improvements.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Improvements(u8);

impl Improvements {
    /// None: the published algorithm.
    pub const NONE: Improvements = Improvements(0);

    /// All of them.
    pub fn all() -> Improvements {
        Improvement::ALL.into_iter().fold(Improvements::NONE, Improvements::with)
    }

    /// The set with one more.
    #[must_use]
    pub fn with(self, one: Improvement) -> Improvements {
        Improvements(self.0 | 1 << one as u8)
    }

    /// The set without one.
    #[must_use]
    pub fn without(self, one: Improvement) -> Improvements {
        Improvements(self.0 & !(1 << one as u8))
    }

    /// Whether one is in the set.
    pub fn has(self, one: Improvement) -> bool {
        self.0 & 1 << one as u8 != 0
    }
}

/// The parameters of the walk.
#[derive(Clone, Debug)]
pub struct Options {
    /// `I`: steps of a walk per non-linear constraint.
    pub steps_per_constraint: u64,
    /// `R`: pairs of neighbours looked at in a step.
    pub neighbours: u32,
    /// `T`: how long a variable is tabu.
    pub tabu: Tabu,
    /// `S` and the form of the bisection step.
    pub steps: Steps,
    /// Whether the second neighbour of a pair is interpolated.
    pub bisection: bool,
    /// `M`: draws of a step that must stay inside the polytope.
    pub tries: u32,
    /// What goes beyond the paper.
    pub improvements: Improvements,
}

impl Options {
    /// The paper's text.
    pub fn text() -> Options {
        let steps = Steps::Text { radius: 10.0 };
        Options { tabu: Tabu::Text, steps, ..Options::published() }
    }

    /// The authors' implementation.
    pub fn published() -> Options {
        Options {
            steps_per_constraint: 150,
            neighbours: 10,
            tabu: Tabu::Implementation,
            steps: Steps::Implementation,
            bisection: true,
            tries: 25,
            improvements: Improvements::NONE,
        }
    }

    /// With all improvements.
    pub fn improved() -> Options {
        Options { improvements: Improvements::all(), ..Options::published() }
    }
}

/// The solver.
pub struct ConcolicWalk {
    name: &'static str,
    seed: Seed,
    options: Options,
    cache: JitCache,
}

impl ConcolicWalk {
    /// The paper's text.
    pub fn text(seed: Seed) -> ConcolicWalk {
        ConcolicWalk::new("concolic-walk-text", seed, Options::text())
    }

    /// The authors' implementation.
    pub fn published(seed: Seed) -> ConcolicWalk {
        ConcolicWalk::new("concolic-walk-published", seed, Options::published())
    }

    /// With all improvements.
    pub fn improved(seed: Seed) -> ConcolicWalk {
        ConcolicWalk::new("concolic-walk", seed, Options::improved())
    }

    /// With other parameters, under a name of its own.
    pub fn new(name: &'static str, seed: Seed, options: Options) -> ConcolicWalk {
        ConcolicWalk {
            name,
            seed: seed.derive("solver/concolic-walk"),
            options,
            cache: JitCache::new(),
        }
    }
}

impl Solver for ConcolicWalk {
    fn name(&self) -> &'static str {
        self.name
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        if order::contradicts(query) || proof::refutes(query) {
            return Verdict::Unsat;
        }
        let objective = Objective::new(query, Metric::Absolute, &self.cache);
        let mut search = Search {
            rng: query.seed(self.seed).rng(),
            linear: Linear::of(query, &objective),
            constants: crate::random::constants(query),
            options: &self.options,
            objective,
        };
        match search.run(query, budget) {
            Ok(point) => Verdict::Sat(search.objective.model(&point)),
            Err(why) => Verdict::Unknown(why),
        }
    }
}

/// The polytope of a query and which literals it stands for.
struct Linear {
    polytope: Option<Polytope>,
    is_linear: Vec<bool>,
}

impl Linear {
    fn of(query: &Query<'_>, objective: &Objective<'_>) -> Linear {
        let Rows { rows, is_linear } = Rows::of(query, objective.variables());
        match Polytope::new(rows, objective.variables().len()) {
            Some(polytope) => Linear { polytope: Some(polytope), is_linear },
            None => Linear { polytope: None, is_linear: vec![false; is_linear.len()] },
        }
    }
}

/// One query's search: walks from one or more starting points.
struct Search<'o, 'a> {
    options: &'o Options,
    objective: Objective<'a>,
    linear: Linear,
    constants: Vec<symcrete_term::Value>,
    rng: Rng,
}

impl Search<'_, '_> {
    /// A point where all errors are zero.
    fn run(&mut self, query: &Query<'_>, budget: &mut Budget) -> Result<Vec<u64>, Why> {
        let improvements = self.options.improvements;
        for n_start in 0u64.. {
            budget.charge(1)?;
            let ulps = improvements.has(Improvement::UlpErrors) && n_start % 2 == 1;
            self.objective.set_metric(if ulps { Metric::Ulp } else { Metric::Absolute });
            let hinted = n_start == 0 && improvements.has(Improvement::Hints);
            let start =
                if hinted { self.objective.point(query.hint) } else { self.start(n_start)? };
            if let Some(point) = Walk::new(self, start).run(budget)? {
                return Ok(point);
            }
            if !improvements.has(Improvement::Restarts) {
                break;
            }
        }
        Err(Why::GaveUp)
    }

    /// A point of the polytope, random where that leaves it free.
    fn start(&mut self, n_start: u64) -> Result<Vec<u64>, Why> {
        let sorts: Vec<Sort> = self.objective.variables().iter().map(|&(_, sort)| sort).collect();
        let mut point: Vec<u64> =
            sorts.iter().map(|&sort| domain::start(&mut self.rng, sort)).collect();
        let polytope = self.linear.polytope.as_ref();
        let placed = polytope.is_none_or(|p| p.place(&mut self.rng, &sorts, &mut point));
        // The paper ends here; with restarts, the linear constraints are left to the walk.
        let goes_on = self.options.improvements.has(Improvement::Restarts) || n_start > 0;
        if placed || goes_on { Ok(point) } else { Err(Why::GaveUp) }
    }
}

#[cfg(test)]
mod tests;
