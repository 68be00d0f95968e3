//! The genetic solver of paper 003 (Takaki et al., section 2.2): one-point crossover on the input vector,
//! mutation of one variable, the worst replaced, SAW fitness.
//!
//! Deviations: parents are winners of tournaments of two (the paper does not say how they are chosen),
//! and drawn values come from the same mixture as the random solver's, not from a uniform range, which
//! meets no narrow condition. The population starts with the hint. A step is one evaluated individual.

use crate::error::Metric;
use crate::jit::JitCache;
use crate::random::{constants, draw, draw_point};
use crate::saw::{Fitness, Saw};
use crate::search::Objective;
use crate::{Budget, Query, Solver, Verdict, Why};
use symcrete_term::{Rng, Seed, Value};

/// The parameters.
#[derive(Clone, Copy, Debug)]
pub struct GeneticOptions {
    /// Individuals.
    pub population: usize,
    /// A child is mutated once in so many times.
    pub mutation_one_in: u64,
}

impl Default for GeneticOptions {
    fn default() -> GeneticOptions {
        GeneticOptions { population: 20, mutation_one_in: 2 }
    }
}

/// Evolves inputs until the budget ends.
pub struct Genetic {
    seed: Seed,
    options: GeneticOptions,
    cache: JitCache,
}

impl Genetic {
    /// A genetic solver; the same seed and query give the same evolution.
    pub fn new(seed: Seed, options: GeneticOptions) -> Genetic {
        assert!(options.population >= 2, "crossover needs two parents");
        Genetic { seed: seed.derive("solver/genetic"), options, cache: JitCache::new() }
    }
}

impl Solver for Genetic {
    fn name(&self) -> &'static str {
        "genetic"
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        let objective = Objective::new(query, Metric::Absolute, &self.cache);
        let mut evolution = Evolution {
            saw: Saw::new(objective.n_literals()),
            rng: query.seed(self.seed).rng(),
            constants: constants(query),
            options: self.options,
            objective,
        };
        match evolution.run(query, budget) {
            Ok(point) => Verdict::Sat(evolution.objective.model(&point)),
            Err(why) => Verdict::Unknown(why),
        }
    }
}

struct Evolution<'a> {
    objective: Objective<'a>,
    saw: Saw,
    rng: Rng,
    constants: Vec<Value>,
    options: GeneticOptions,
}

struct Individual {
    point: Vec<u64>,
    errors: Vec<f64>,
}

impl Evolution<'_> {
    fn run(&mut self, query: &Query<'_>, budget: &mut Budget) -> Result<Vec<u64>, Why> {
        let mut population = Vec::new();
        let mut next = self.objective.point(query.hint);
        loop {
            let individual = self.born(next, budget)?;
            if individual.errors.iter().all(|&error| error == 0.0) {
                return Ok(individual.point);
            }
            population.push(individual);
            if population.len() > self.options.population {
                self.end_generation(&mut population);
            }
            next = if population.len() < self.options.population {
                self.drawn()
            } else {
                self.child(&population)
            };
        }
    }

    fn born(&mut self, point: Vec<u64>, budget: &mut Budget) -> Result<Individual, Why> {
        budget.charge(1)?;
        let errors = self.objective.errors(&point);
        Ok(Individual { point, errors })
    }

    fn drawn(&mut self) -> Vec<u64> {
        draw_point(&mut self.rng, self.objective.variables(), &self.constants)
    }

    /// The worst dies; what the best leaves unsatisfied weighs more.
    fn end_generation(&mut self, population: &mut Vec<Individual>) {
        let fitness: Vec<Fitness> =
            population.iter().map(|one| self.saw.fitness(&one.errors)).collect();
        let better = |a: usize, b: usize| if fitness[b].beats(&fitness[a]) { b } else { a };
        let worse = |a: usize, b: usize| if fitness[a].beats(&fitness[b]) { b } else { a };
        let all = 0..population.len();
        let best = all.clone().reduce(better).expect("a population is not empty");
        let worst = all.reduce(worse).expect("a population is not empty");
        self.saw.learn(&population[best].errors);
        population.swap_remove(worst);
    }

    fn child(&mut self, population: &[Individual]) -> Vec<u64> {
        let (mother, father) = (self.parent(population), self.parent(population));
        let n_variables = mother.point.len();
        let cut = self.rng.below(n_variables as u64 + 1) as usize;
        let mut child = [&mother.point[..cut], &father.point[cut..]].concat();
        if n_variables > 0
            && (self.rng.one_in(self.options.mutation_one_in) || mother.point == child)
        {
            let variable = self.rng.below(n_variables as u64) as usize;
            let sort = self.objective.sort(variable);
            child[variable] = draw(&mut self.rng, sort, &self.constants);
        }
        child
    }

    fn parent<'p>(&mut self, population: &'p [Individual]) -> &'p Individual {
        let (a, b) = (self.rng.choose(population), self.rng.choose(population));
        let (fit_a, fit_b) = (self.saw.fitness(&a.errors), self.saw.fitness(&b.errors));
        if fit_b.beats(&fit_a) { b } else { a }
    }
}
