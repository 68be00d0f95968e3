//! A search for inputs that take new sides, steered by distances.
//!
//! For each side that was not taken yet, but whose site was reached, the input that came nearest is
//! kept. From it the search tries what the operands of the comparison suggest (Aschermann and others,
//! "REDQUEEN: fuzzing with input-to-state correspondence", 2019), then steps of every size on each
//! variable. In between it changes inputs at random that once did something new.
//!
//! Deterministic: the finds follow from the seed and the order of the seeds.

use super::mutate::{Dictionary, calculated, converted, havoc, number, pattern, step};
use super::pieces::Arrays;
use super::words::Words;
use std::collections::{BTreeMap, BTreeSet};
use symcrete_exec::ExecError;
use symcrete_exec::fast::plan::Plan;
use symcrete_exec::fast::{FastMachine, News, Side};
use symcrete_program::{Edge, Outcome, Scalar};
use symcrete_term::{Rng, Seed};

/// Values that are put together before they are run: an input may have ten thousand.
const BATCH_MAX: usize = 1 << 20;
/// Random changes between attempts at single sides.
const HAVOC_RUNS: usize = 2048;
/// Inputs that did something new and are kept, the latest.
const KEPT_MAX: usize = 256;
/// Up to so many variables, pairs of them are tried at each attempt.
const PAIRED_MAX: usize = 12;

/// What a search may do.
#[derive(Clone, Copy)]
pub struct Effort<'a> {
    /// Fuel of one run.
    pub fuel: u32,
    /// Runs altogether.
    pub runs_max: u64,
    /// Where randomness starts.
    pub seed: Seed,
    /// Whether to end the search at once. A search that this ended is not reproducible.
    pub is_stopped: &'a dyn Fn() -> bool,
}

/// An input that did something new.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The values of the plan's variables.
    pub values: Vec<u64>,
    /// Sides that no run before had taken.
    pub edges: Vec<Edge>,
    /// How the run ended, if it did not return.
    pub ended: Option<Outcome>,
}

/// Searches for inputs that take the goals. Seeds are run first and are not found; an input is found if it
/// takes a goal that none before did, or ends in a way that none before did. Constants of the
/// code are tried as values; the dictionary has more.
pub fn search(
    machine: &mut FastMachine,
    plan: &Plan,
    seeds: &[Vec<u64>],
    goals: &BTreeSet<Edge>,
    dictionary: &[Scalar],
    effort: Effort<'_>,
) -> Result<Vec<Found>, ExecError> {
    machine.reset(Some(goals));
    machine.load(plan)?;
    let constants: Vec<Scalar> = dictionary.iter().chain(machine.constants()).copied().collect();
    let mut search = Search {
        dictionary: Dictionary::new(plan.variables(), &constants),
        arrays: Arrays::of(plan.variables(), Words::of(&constants)),
        rng: effort.seed.derive("burst").rng(),
        end: machine.work() + effort.runs_max,
        machine,
        plan,
        effort,
        batch: Vec::new(),
        news: Vec::new(),
        nearest: BTreeMap::new(),
        kept: Vec::new(),
        found: Vec::new(),
    };
    search.run(seeds)?;
    Ok(search.found)
}

/// The input that came nearest to a side.
struct Nearest {
    values: Vec<u64>,
    /// Whether nothing was tried from it yet.
    is_fresh: bool,
}

struct Search<'a> {
    machine: &'a mut FastMachine,
    plan: &'a Plan,
    effort: Effort<'a>,
    dictionary: Dictionary,
    arrays: Arrays,
    rng: Rng,
    end: u64,
    batch: Vec<u64>,
    news: Vec<News>,
    nearest: BTreeMap<Side, Nearest>,
    kept: Vec<Vec<u64>>,
    found: Vec<Found>,
}

impl Search<'_> {
    fn run(&mut self, seeds: &[Vec<u64>]) -> Result<(), ExecError> {
        let template = self.plan.template_values();
        self.kept.push(template.clone());
        // Seeds that show nothing new are left out: random changes are for those that came far.
        for seed in seeds.iter().chain([&template]).filter(|seed| seed.len() == template.len()) {
            self.batch.extend_from_slice(seed);
        }
        self.run_batch()?;
        self.found.clear();
        if template.is_empty() {
            return Ok(());
        }
        self.try_dictionary(&template)?;
        while self.may_go_on() {
            // Sides that nothing takes must not use up all runs.
            let turn_end = self.machine.work() + HAVOC_RUNS as u64;
            while let Some(side) = self.freshest().filter(|_| self.machine.work() < turn_end) {
                if !self.may_go_on() {
                    return Ok(());
                }
                self.attempt(side)?;
            }
            if self.may_go_on() {
                self.random_round()?;
            }
        }
        Ok(())
    }

    fn may_go_on(&self) -> bool {
        let is_stopped = (self.effort.is_stopped)();
        let is_done =
            (0..self.machine.n_sides()).all(|s| self.machine.distance(Side(s)) == Some(0));
        !is_stopped && !is_done && self.machine.work() < self.end
    }

    /// Tries a run that differs from another in one variable. What was put together is run when it is much.
    fn try_with(&mut self, values: &[u64], variable: usize, bits: u64) -> Result<(), ExecError> {
        if values[variable] == bits {
            return Ok(());
        }
        let at = self.batch.len() + variable;
        self.batch.extend_from_slice(values);
        self.batch[at] = bits;
        if self.batch.len() < BATCH_MAX { Ok(()) } else { self.run_batch() }
    }

    /// Runs what was put together.
    fn run_batch(&mut self) -> Result<(), ExecError> {
        let batch = std::mem::take(&mut self.batch);
        let mut news = std::mem::take(&mut self.news);
        let Effort { fuel, is_stopped, .. } = self.effort;
        self.machine.run_batch_until(self.plan, &batch, fuel, &mut news, is_stopped)?;
        let n = self.plan.variables().len();
        for news in news.drain(..) {
            self.note(&batch[news.run * n..(news.run + 1) * n], news);
        }
        (self.batch, self.news) = (batch, news);
        self.batch.clear();
        Ok(())
    }

    fn note(&mut self, values: &[u64], news: News) {
        let mut edges = Vec::new();
        for &(side, distance) in &news.sides {
            if distance == 0 {
                self.nearest.remove(&side);
                edges.extend(self.machine.edge(side));
            } else {
                let values = values.to_vec();
                self.nearest.insert(side, Nearest { values, is_fresh: true });
            }
        }
        let is_rejected = matches!(news.ended, Some(Outcome::Rejected(_)));
        let is_kept = (!edges.is_empty() || news.loops) && !is_rejected;
        if is_kept {
            if self.kept.len() >= KEPT_MAX {
                self.kept.remove(0);
            }
            self.kept.push(values.to_vec());
        }
        if !is_rejected && (!edges.is_empty() || news.is_new_end) {
            self.found.push(Found { values: values.to_vec(), edges, ended: news.ended });
        }
    }

    /// Each variable takes each value that may matter, from the first seed.
    fn try_dictionary(&mut self, template: &[u64]) -> Result<(), ExecError> {
        let mut n_left = (self.effort.runs_max / 4).max(1);
        for i in 0..template.len() {
            for at in 0..self.dictionary.values(i).len() {
                let bits = self.dictionary.values(i)[at];
                if n_left == 0 || (self.effort.is_stopped)() {
                    return self.run_batch();
                }
                n_left -= u64::from(template[i] != bits);
                self.try_with(template, i, bits)?;
            }
        }
        self.run_batch()
    }

    /// A side from whose nearest input nothing was tried yet.
    fn freshest(&self) -> Option<Side> {
        self.nearest.iter().find(|(_, nearest)| nearest.is_fresh).map(|(side, _)| *side)
    }

    /// Tries to come nearer to a side. A batch that does brings fresh inputs, so that this comes again.
    fn attempt(&mut self, side: Side) -> Result<(), ExecError> {
        let Some(nearest) = self.nearest.get_mut(&side) else { return Ok(()) };
        nearest.is_fresh = false;
        let values = nearest.values.clone();
        let before = self.machine.distance(side);
        if let Some(operands) = self.machine.operands(side) {
            self.try_operands(&values, operands)?;
            self.run_batch()?;
        }
        for i in 0..values.len() {
            if self.machine.distance(side) != before || !self.may_go_on() {
                return Ok(());
            }
            let variable = &self.plan.variables()[i];
            let mut tried: Vec<u64> = Vec::new();
            pattern(variable, values[i], |bits| tried.push(bits));
            for bits in tried {
                self.try_with(&values, i, bits)?;
            }
            if values.len() <= PAIRED_MAX {
                self.try_others(&values, i)?;
            }
            self.run_batch()?;
        }
        Ok(())
    }

    /// Makes one operand of the comparison the other, wherever a variable may have become an operand; or
    /// moves a variable by what the operands differ.
    fn try_operands(&mut self, values: &[u64], [a, b]: [Scalar; 2]) -> Result<(), ExecError> {
        let plan = self.plan;
        for (i, variable) in plan.variables().iter().enumerate() {
            if (self.effort.is_stopped)() {
                break;
            }
            for (from, to) in [(a, b), (b, a)] {
                let [from, to] = [from, to].map(|x| variable.normal(converted(variable.kind, x)));
                let is_float = variable.kind.sort().is_float();
                let moved = match is_float {
                    true => {
                        let difference = number(variable.kind, to) - number(variable.kind, from);
                        calculated(variable, values[i], |value| value + difference)
                    }
                    false => variable.normal(values[i].wrapping_add(to.wrapping_sub(from))),
                };
                let mut near = vec![moved];
                if is_float || values[i] == from {
                    near.push(to);
                }
                for bits in near {
                    for by in [0, 1, -1] {
                        self.try_with(values, i, step(variable, bits, by))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// A variable becomes another one, or a bit more or less.
    fn try_others(&mut self, values: &[u64], i: usize) -> Result<(), ExecError> {
        let plan = self.plan;
        let variables = plan.variables();
        for (j, &other) in values.iter().enumerate() {
            if j != i && variables[j].kind == variables[i].kind {
                for by in [-1, 0, 1] {
                    self.try_with(values, i, step(&variables[i], other, by))?;
                }
            }
        }
        Ok(())
    }

    fn random_round(&mut self) -> Result<(), ExecError> {
        let plan = self.plan;
        let n_max = HAVOC_RUNS.min(BATCH_MAX / plan.variables().len().max(1));
        let n_runs = self.end.saturating_sub(self.machine.work()).min(n_max.max(1) as u64);
        let n_kept = self.kept.len() as u64;
        let nearest: Vec<&Vec<u64>> =
            self.nearest.values().map(|nearest| &nearest.values).collect();
        for _ in 0..n_runs {
            let from = match !nearest.is_empty() && self.rng.one_in(2) {
                true => *self.rng.choose(&nearest),
                false => {
                    let (a, b) = (self.rng.below(n_kept), self.rng.below(n_kept));
                    &self.kept[a.max(b) as usize]
                }
            };
            let other = self.rng.choose(&self.kept);
            let at = self.batch.len();
            self.batch.extend_from_slice(from);
            let values = &mut self.batch[at..];
            let has_piece = !self.arrays.is_empty() && self.rng.one_in(2);
            if has_piece {
                let known = (plan.variables(), &self.dictionary);
                self.arrays.change(&mut self.rng, known, other, values);
            }
            if !has_piece || self.rng.one_in(2) {
                havoc(&mut self.rng, plan.variables(), &self.dictionary, other, values);
            }
        }
        self.run_batch()
    }
}
