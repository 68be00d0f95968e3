//! The genetic solver of Takaki et al. 2010 (section 2.2): one-point crossover on the input vector,
//! mutation of one variable, the worst replaced, SAW fitness.
//!
//! [`GeneticOptions::published`] draws uniformly in a range, has no hint and keeps both children of a crossover. What
//! the paper leaves open: parents are winners of tournaments of two, every other child is mutated.
//! [`GeneticOptions::improved`] draws from the random solver's mixture, starts with the hint, and keeps the first child, so
//! that selection sees every individual before the next is made. A step is one evaluated individual.

use crate::error::Metric;
use crate::jit::JitCache;
use crate::random::{Draws, Range, Source};
use crate::saw::{Fitness, Saw};
use crate::search::Objective;
use crate::{Budget, Query, Solver, Verdict, Why};
use symcrete_term::{Rng, Seed};

/// The parameters.
#[derive(Clone, Copy, Debug)]
pub struct GeneticOptions {
    /// Individuals.
    pub population: usize,
    /// A child is mutated once in so many times.
    pub mutation_one_in: u64,
    /// Children of a crossover that are kept.
    pub children: Children,
    /// Where values come from.
    pub draws: Draws,
}

/// Which of the two combinations of a crossover live.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Children {
    /// The mother's beginning with the father's end.
    First,
    /// That and the other way round.
    Both,
}

impl GeneticOptions {
    /// As in the paper.
    pub fn published() -> GeneticOptions {
        let draws = Draws::Uniform(Range::DEFAULT);
        GeneticOptions { population: 20, mutation_one_in: 2, children: Children::Both, draws }
    }

    /// What we found better.
    pub fn improved() -> GeneticOptions {
        let draws = Draws::Mixed;
        GeneticOptions { population: 20, mutation_one_in: 2, children: Children::First, draws }
    }
}

/// Evolves inputs until the budget ends.
pub struct Genetic {
    name: &'static str,
    seed: Seed,
    options: GeneticOptions,
    cache: JitCache,
}

impl Genetic {
    /// A genetic solver; the same seed and query give the same evolution.
    pub fn new(name: &'static str, seed: Seed, options: GeneticOptions) -> Genetic {
        assert!(options.population >= 2, "crossover needs two parents");
        Genetic { name, seed: seed.derive("solver/genetic"), options, cache: JitCache::new() }
    }
}

impl Solver for Genetic {
    fn name(&self) -> &'static str {
        self.name
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        let objective = Objective::new(query, Metric::Absolute, &self.cache);
        let mut evolution = Evolution {
            saw: Saw::new(objective.n_literals()),
            rng: query.seed(self.seed).rng(),
            source: Source::new(query, self.options.draws),
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
    source: Source,
    options: GeneticOptions,
}

struct Individual {
    point: Vec<u64>,
    errors: Vec<f64>,
}

impl Evolution<'_> {
    fn run(&mut self, query: &Query<'_>, budget: &mut Budget) -> Result<Vec<u64>, Why> {
        let mut population = Vec::new();
        let first = self.source.first(&mut self.rng, query, self.objective.variables());
        let mut unborn = vec![self.objective.point(&first)];
        loop {
            let next = unborn.pop().expect("filled below when it is empty");
            let individual = self.born(next, budget)?;
            if individual.errors.iter().all(|&error| error == 0.0) {
                return Ok(individual.point);
            }
            population.push(individual);
            if !unborn.is_empty() {
                continue;
            }
            while population.len() > self.options.population {
                self.end_generation(&mut population);
            }
            unborn = if population.len() < self.options.population {
                vec![self.source.point(&mut self.rng, self.objective.variables())]
            } else {
                self.children(&population)
            };
        }
    }

    fn born(&mut self, point: Vec<u64>, budget: &mut Budget) -> Result<Individual, Why> {
        budget.charge(1)?;
        let errors = self.objective.errors(&point);
        Ok(Individual { point, errors })
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

    fn children(&mut self, population: &[Individual]) -> Vec<Vec<u64>> {
        let (mother, father) = (self.parent(population), self.parent(population));
        let cut = self.rng.below(mother.point.len() as u64 + 1) as usize;
        let combined = |a: &Individual, b: &Individual| [&a.point[..cut], &b.point[cut..]].concat();
        let mut children = vec![combined(mother, father)];
        if self.options.children == Children::Both {
            children.push(combined(father, mother));
        }
        for child in &mut children {
            let is_copy = [mother, father].iter().any(|parent| parent.point == *child);
            if !child.is_empty() && (self.rng.one_in(self.options.mutation_one_in) || is_copy) {
                let variable = self.rng.below(child.len() as u64) as usize;
                let sort = self.objective.sort(variable);
                child[variable] = self.source.value(&mut self.rng, sort);
            }
        }
        children
    }

    fn parent<'p>(&mut self, population: &'p [Individual]) -> &'p Individual {
        let (a, b) = (self.rng.choose(population), self.rng.choose(population));
        let (fit_a, fit_b) = (self.saw.fitness(&a.errors), self.saw.fitness(&b.errors));
        if fit_b.beats(&fit_a) { b } else { a }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_term::{Literal, Op, Sort, Terms, Valuation};

    #[test]
    fn both_forms_find_a_narrow_region_and_repeat_themselves() {
        let mut terms = Terms::new();
        let [x, y] = ["x", "y"].map(|name| terms.var(name, Sort::Bv(32)));
        let (sum, product) = (terms.app(Op::BvAdd, &[x, y]), terms.app(Op::BvMul, &[x, y]));
        let (ninety, k) = (terms.bv(32, 90), terms.bv(32, 1_000));
        let literals = [
            Literal::holds(terms.app(Op::BvSlt, &[ninety, sum])),
            Literal::holds(terms.app(Op::BvSlt, &[k, product])),
            Literal::holds(terms.app(Op::BvSlt, &[x, y])),
        ];
        let query = Query { terms: &terms, literals: &literals, hint: &Valuation::new() };
        for options in [GeneticOptions::published(), GeneticOptions::improved()] {
            let mut genetic = Genetic::new("genetic", Seed(1), options);
            let mut answer = || genetic.solve(&query, &mut Budget::of_steps(50_000));
            let verdict = answer();
            let Verdict::Sat(model) = &verdict else { panic!("{options:?}: {verdict:?}") };
            assert!(query.accepts(model));
            assert_eq!(verdict, answer(), "same seed, same answer");
        }
    }

    #[test]
    fn a_crossover_as_published_has_two_children_of_complementary_parts() {
        let mut terms = Terms::new();
        let all = ["a", "b", "c", "d"].map(|name| terms.var(name, Sort::Bv(32)));
        let hint = Valuation::new();
        let sum = all.into_iter().reduce(|a, b| terms.app(Op::BvXor, &[a, b])).unwrap();
        let never = terms.app(Op::BvUlt, &[sum, sum]);
        let other = terms.app(Op::BvUlt, &[sum, all[0]]);
        let literals = [Literal::holds(never), Literal::holds(other)];
        let query = Query { terms: &terms, literals: &literals, hint: &hint };
        let cache = JitCache::new();
        let objective = Objective::new(&query, Metric::Absolute, &cache);
        let options = GeneticOptions { mutation_one_in: u64::MAX, ..GeneticOptions::published() };
        let mut evolution = Evolution {
            saw: Saw::new(objective.n_literals()),
            rng: Seed(5).rng(),
            source: Source::new(&query, options.draws),
            options,
            objective,
        };
        let person = |value| Individual { point: vec![value; 4], errors: vec![1.0; 2] };
        let population = [person(1), person(2)];
        let mut n_mixed = 0;
        for _ in 0..50 {
            let children = evolution.children(&population);
            assert_eq!(children.len(), 2);
            let is_mixed = |child: &Vec<u64>| child.contains(&1) && child.contains(&2);
            if children.iter().all(is_mixed) {
                n_mixed += 1;
                let complementary = (0..4).all(|i| children[0][i] + children[1][i] == 3);
                assert!(complementary, "{children:?}");
            }
        }
        assert!(n_mixed > 5);
    }
}
