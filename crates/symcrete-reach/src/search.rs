//! Phase I: depth first from the target to the entries.
//!
//! Straight-line code is walked without queries. At each merge, and where a function starts, the solver is asked whether the state
//! can hold. The alternatives at a merge are the edges into it, the nearest to the start first. A loop is first treated as one
//! call (`loop_method.rs`), then unrolled. Loop bounds grow from round to round, so that few iterations come before many.

use crate::entry::{Entry, Runs};
use crate::initial::Initial;
use crate::loop_method::Exit;
use crate::reachability::{Bound, Counters, Reachability, Reached, Unsure};
use crate::relevance::{Interest, region};
use crate::state::{Frame, Pool, State};
use crate::step::{Stepped, Stepper};
use crate::target::{Place, Target};
use crate::view::{Body, View, Way};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;
use symcrete_program::cfg::{BlockId, Kind};
use symcrete_program::{Gap, Input};
use symcrete_solve::{Cancel, Solver};
use symcrete_term::{Literal, Value};

/// Nested choices on one path.
const CHOICES_MAX: u32 = 600;
/// Merges whose slicing is taken back because a run missed the target.
const RETRIES_MAX: u32 = 24;

/// How the search works.
#[derive(Clone, Debug)]
pub struct Options {
    /// Pass merges in one step if nothing before them matters.
    pub slicing: bool,
    /// Skip alternatives that a contradiction rules out too.
    pub back_jumping: bool,
    /// Turn branches that only choose between values into choices within terms.
    pub merging: bool,
    /// Do not enter calls that cannot affect the state.
    pub lazy_callees: bool,
    /// Treat loops as calls.
    pub loop_methods: bool,
    /// Iterations of one loop on one path.
    pub loop_bound: u32,
    /// Nested calls, and callers of callers.
    pub call_depth: u32,
    /// Path segments in all.
    pub segments: u64,
    /// Steps of one query of phase I.
    pub steps: u64,
    /// Steps of one search of phase II.
    pub phase_two_steps: u64,
    /// The safety net of one query.
    pub query_time: Duration,
    /// Ends queries early.
    pub cancel: Cancel,
}

/// What the search works with.
pub struct Parts<'p, 'a> {
    /// The module.
    pub view: &'p View<'a>,
    /// The entries.
    pub entries: &'p [Entry],
    /// The state in which entries are called.
    pub initial: &'p Initial,
    /// Decides path conditions.
    pub solver: &'p mut dyn Solver,
    /// Runs inputs.
    pub runs: &'p mut dyn Runs,
}

/// A search for inputs that reach targets.
pub struct Search<'p, 'a> {
    pub(crate) parts: Parts<'p, 'a>,
    pub(crate) options: Options,
    pub(crate) pool: Pool,
    pub(crate) counters: Counters,
    /// The bounds of what was refuted so far.
    pub(crate) bounds: BTreeSet<Bound>,
    /// Why something was not refuted.
    pub(crate) unsure: BTreeSet<Unsure>,
    pub(crate) limit_names: BTreeSet<String>,
    bodies: BTreeMap<u32, Rc<Body<'p>>>,
    /// Functions that entries lead to.
    useful: BTreeSet<u32>,
    loop_bound: u32,
    retries: u32,
    conditions: Vec<crate::reachability::Condition>,
    /// Whether no path of the last round came to a write, a call or the start of a function.
    pub(crate) is_local: bool,
}

/// What became of a state.
pub(crate) enum Found {
    /// This entry with this input reaches the target.
    Reached(u32, Input),
    /// No run can be in it. The literals that contradict each other, by index, unless that depends on the path.
    Refuted(Option<BTreeSet<usize>>),
    /// Neither.
    Open,
}

impl<'p, 'a> Search<'p, 'a> {
    /// A search that reuses the terms of earlier ones, for the same solver.
    pub fn new(parts: Parts<'p, 'a>, options: Options, pool: Pool) -> Search<'p, 'a> {
        let mut useful: BTreeSet<u32> = parts.entries.iter().map(|entry| entry.function).collect();
        let mut open: Vec<u32> = useful.iter().copied().collect();
        while let Some(function) = open.pop() {
            for callee in parts.view.calls.calls(function).flat_map(|site| site.callees.clone()) {
                if useful.insert(callee) {
                    open.push(callee);
                }
            }
        }
        let limits = parts.entries.iter().flat_map(|entry| &entry.limits);
        Search {
            limit_names: limits.map(|(name, _, _)| name.clone()).collect(),
            parts,
            options,
            pool,
            counters: Counters::default(),
            bounds: BTreeSet::new(),
            unsure: BTreeSet::new(),
            bodies: BTreeMap::new(),
            useful,
            loop_bound: 1,
            retries: 0,
            conditions: Vec::new(),
            is_local: false,
        }
    }

    /// Its terms, for the next search.
    pub fn into_pool(self) -> Pool {
        self.pool
    }

    /// Looks for an input that reaches a target.
    pub fn reach(&mut self, target: &Target) -> (Reachability, Counters) {
        self.counters = Counters::default();
        let places = self.parts.view.places(target);
        let useful: Vec<Place> =
            places.into_iter().filter(|place| self.useful.contains(&place.function)).collect();
        // Code that no entry can call, or that no path within its function reaches.
        if useful.is_empty() {
            return (Reachability::Unreachable(BTreeSet::new()), self.counters);
        }
        if let Some(outcome) = self.look_around(target, &useful) {
            return (outcome, self.counters);
        }
        let mut outcome = Reachability::Unknown(BTreeSet::new());
        for bound in rounds(self.options.loop_bound) {
            outcome = self.round(target, &useful, bound);
            let is_cut = self.bounds.iter().any(|bound| matches!(bound, Bound::LoopPasses(_)));
            if matches!(outcome, Reachability::Reached(_)) || !is_cut || self.is_over() {
                break;
            }
        }
        (outcome, self.counters)
    }

    /// Looks for an input with at most so many iterations of each loop.
    pub(crate) fn round(&mut self, target: &Target, places: &[Place], bound: u32) -> Reachability {
        self.loop_bound = bound;
        self.bounds.clear();
        self.unsure.clear();
        self.retries = 0;
        self.is_local = true;
        for place in places {
            self.counters.segments += 1;
            let state = self.start(target, *place);
            if let Found::Reached(entry, input) = self.explore(state, 0) {
                let conditions = std::mem::take(&mut self.conditions);
                return Reachability::Reached(Box::new(Reached { entry, input, conditions }));
            }
        }
        if self.parts.view.has_unknown_tables {
            self.unsure.insert(Unsure::Hole(Gap::Unsupported));
        }
        match self.unsure.is_empty() {
            true => Reachability::Unreachable(self.bounds.clone()),
            false => Reachability::Unknown(self.unsure.clone()),
        }
    }

    pub(crate) fn body(&mut self, function: u32) -> Option<Rc<Body<'p>>> {
        if !self.bodies.contains_key(&function) {
            let body = self.parts.view.body(function)?;
            self.bodies.insert(function, Rc::new(body));
        }
        self.bodies.get(&function).cloned()
    }

    pub(crate) fn stepper(&mut self) -> Stepper<'_, 'a> {
        Stepper { view: self.parts.view, pool: &mut self.pool, is_lazy: self.options.lazy_callees }
    }

    fn is_over(&self) -> bool {
        self.parts.runs.is_stopped() || self.counters.segments > self.options.segments
    }

    /// Decides a state: walks back until there is a choice, and then tries each.
    fn explore(&mut self, mut state: State, depth: u32) -> Found {
        loop {
            if self.parts.runs.is_stopped() {
                self.unsure.insert(Unsure::Stopped);
                return Found::Open;
            }
            if self.counters.segments > self.options.segments || depth > CHOICES_MAX {
                self.unsure.insert(Unsure::Segments(self.options.segments));
                return Found::Open;
            }
            if let Some(broken) = state.broken {
                return self.refuted(&state, BTreeSet::from([broken]));
            }
            let Some(body) = self.body(state.frame().function) else { return Found::Refuted(None) };
            if state.frame().position > 0 {
                match self.pass(&mut state, &body, depth) {
                    Some(found) => return found,
                    None => continue,
                }
            }
            if state.frame().block == BlockId::ENTRY {
                self.is_local = false;
                if state.frames.len() == 1 {
                    return self.at_start(state, depth);
                }
                let below = &state.frames[state.frames.len() - 2];
                let (block, position) = (below.block, below.position);
                let Some(caller) = self.body(below.function) else { return Found::Refuted(None) };
                let call = &caller.function.block(block).instructions[position];
                self.stepper().leave(&mut state, &body, &caller, call);
                continue;
            }
            let ways = ways(&state, &body);
            if let ([way], false) = (&ways[..], self.is_loop_exit(&state, &body, &ways)) {
                if !self.take(&mut state, &body, *way) {
                    return Found::Refuted(None);
                }
                continue;
            }
            if let Some(found) = self.check(&mut state) {
                return found;
            }
            return self.merge(state, &body, ways, depth);
        }
    }

    /// Goes back over one instruction. Returns the result if that ends the walk.
    fn pass(&mut self, state: &mut State, body: &Body<'_>, depth: u32) -> Option<Found> {
        let before = state.frames.len();
        let point = state.frame().position - 1;
        let kind = &body.function.block(state.frame().block).instructions[point].kind;
        let is_call = kind.is_call();
        self.note_effects(kind);
        let stepped = self.stepper().step(state, body);
        match stepped {
            Stepped::Back => {
                self.counters.skipped_calls += u64::from(is_call && state.frames.len() == before);
                None
            }
            Stepped::Never => Some(Found::Refuted(None)),
            Stepped::Entered => self.entered(state),
            Stepped::Either(choices) => {
                let mut is_open = false;
                let place = (state.frame().block, point);
                for (i, (function, literal)) in choices.into_iter().enumerate() {
                    self.counters.segments += u64::from(i > 0);
                    let mut next = state.clone();
                    next.hold(&self.pool.terms, literal);
                    let stepped = self.stepper().direct(&mut next, body, place, function);
                    let found = match stepped {
                        Stepped::Never => Found::Refuted(None),
                        Stepped::Back | Stepped::Entered | Stepped::Either(_) => {
                            match self.entered(&next) {
                                Some(found) => found,
                                None => self.explore(next, depth + 1),
                            }
                        }
                    };
                    match found {
                        Found::Reached(..) => return Some(found),
                        Found::Refuted(_) => {}
                        Found::Open => is_open = true,
                    }
                }
                Some(if is_open { Found::Open } else { Found::Refuted(None) })
            }
        }
    }

    /// Ends a path whose calls are nested too deeply.
    fn entered(&mut self, state: &State) -> Option<Found> {
        let limit = self.options.call_depth;
        if state.frames.len() <= limit as usize {
            return None;
        }
        self.bounds.insert(Bound::CallDepth(limit));
        Some(Found::Refuted(None))
    }

    /// Whether the only edge into a block leaves a loop.
    fn is_loop_exit(&self, state: &State, body: &Body<'_>, ways: &[Way]) -> bool {
        ways.iter().any(|way| left_loop(state, body, *way).is_some())
    }

    /// Follows an edge; `false` if it exceeds the loop bound.
    fn take(&mut self, state: &mut State, body: &Body<'_>, way: Way) -> bool {
        let to = state.frame().block;
        if body.loops.is_back_edge(way.from, to) {
            let passes = state.frame_mut().passes.entry((to, to)).or_insert(0);
            *passes += 1;
            if *passes > self.loop_bound {
                self.bounds.insert(Bound::LoopPasses(self.loop_bound));
                return false;
            }
        } else if body.loops.loops.iter().any(|found| found.header == to) {
            let frame = state.frame_mut();
            frame.passes.remove(&(to, to));
            frame.unrolled.remove(&to);
        }
        self.stepper().jump(state, body, way);
        true
    }

    /// Tries the edges into a block.
    fn merge(&mut self, state: State, body: &Body<'_>, ways: Vec<Way>, depth: u32) -> Found {
        let merge = state.frame().block;
        let dominator = body.dominators.immediate(merge).filter(|_| ways.len() > 1);
        let before = dominator.map(|from| (from, region(body, from, merge)));
        if let (Some((from, region)), true) = (&before, self.options.slicing) {
            let interest = Interest::of(&state);
            let view = self.parts.view;
            let place = (region, merge);
            if !interest.is_changed_between((view, body), &mut self.pool, state.level(), place) {
                self.counters.sliced += 1;
                let earlier = std::mem::take(&mut self.unsure);
                let found = self.explore(sliced(&state, body, *from), depth + 1);
                let is_missed = self.unsure.contains(&Unsure::Diverged);
                match found {
                    // The run may have missed the target because of what was left out.
                    Found::Open if is_missed && self.retries < RETRIES_MAX => {
                        self.retries += 1;
                        self.unsure = earlier;
                    }
                    Found::Open | Found::Reached(..) | Found::Refuted(_) => {
                        self.unsure.extend(earlier);
                        return found;
                    }
                }
            }
        }
        if let (Some((from, _)), true) = (&before, self.options.merging) {
            let mut merged = state.clone();
            if self.stepper().merge_sides(&mut merged, body, &ways, *from) {
                self.counters.merged += 1;
                return self.explore(merged, depth + 1);
            }
        }
        let n_literals = state.literals.len();
        let mut core = Some(BTreeSet::new());
        let mut is_open = false;
        for (i, way) in ways.iter().enumerate() {
            self.counters.segments += u64::from(i > 0);
            match self.way(state.clone(), body, *way, depth) {
                found @ Found::Reached(..) => return found,
                Found::Open => is_open = true,
                Found::Refuted(None) => core = None,
                // A contradiction with literals of this edge says nothing about the others.
                Found::Refuted(Some(own)) if own.iter().any(|i| *i >= n_literals) => core = None,
                Found::Refuted(Some(own)) => {
                    let is_final = before.as_ref().is_some_and(|(_, region)| {
                        self.rules_out_all((&state, body), &own, region)
                    });
                    if is_final && !is_open {
                        self.counters.back_jumps += (ways.len() - 1 - i) as u64;
                        return Found::Refuted(Some(own));
                    }
                    if let Some(core) = &mut core {
                        core.extend(own);
                    }
                }
            }
        }
        let core = core.filter(|core| !core.is_empty());
        if is_open { Found::Open } else { Found::Refuted(core) }
    }

    /// Whether the literals of a contradiction, all of which hold at a merge, are the same on every way from the block before it.
    /// Then the contradiction lies before that block, and all ways are refuted.
    fn rules_out_all(
        &mut self,
        (state, body): (&State, &Body<'_>),
        core: &BTreeSet<usize>,
        region: &BTreeSet<BlockId>,
    ) -> bool {
        if !self.options.back_jumping || core.is_empty() {
            return false;
        }
        let interest = Interest::of_literals(state, &self.pool, core);
        let (view, level, place) = (self.parts.view, state.level(), (region, state.frame().block));
        !interest.is_changed_between((view, body), &mut self.pool, level, place)
    }

    /// Tries one edge into a block; one that leaves a loop first with the loop as a call.
    fn way(&mut self, state: State, body: &Body<'_>, way: Way, depth: u32) -> Found {
        let mut state = state;
        if let Some(index) = left_loop(&state, body, way) {
            let found = &body.loops.loops[index];
            if self.options.loop_methods {
                self.is_local = false;
                let mut method = state.clone();
                self.stepper().jump(&mut method, body, way);
                let (header, blocks) = (found.header, &found.blocks);
                let exit = Exit { header, blocks, from: way.from, jump: way.jump };
                let n_before = method.literals.len();
                self.stepper().loop_method(&mut method, body, &exit);
                self.counters.loop_methods += 1;
                self.counters.skipped_constraints += (method.literals.len() - n_before) as u64;
                let unsure = self.unsure.clone();
                match self.explore(method, depth + 1) {
                    Found::Open => self.unsure = unsure,
                    Found::Refuted(_) => return Found::Refuted(None),
                    reached @ Found::Reached(..) => return reached,
                }
                self.counters.segments += 1;
            }
            state.frame_mut().unrolled.insert(found.header);
        }
        match self.take(&mut state, body, way) {
            true => self.explore(state, depth + 1),
            false => Found::Refuted(None),
        }
    }

    /// At the start of the outermost known function: it is an entry, or it has callers.
    fn at_start(&mut self, mut state: State, depth: u32) -> Found {
        if let Some(found) = self.check(&mut state) {
            return found;
        }
        let function = state.frame().function;
        let mut is_open = false;
        let entries = self.parts.entries;
        if let Some(entry) = entries.iter().find(|entry| entry.function == function) {
            let before = self.bounds.clone();
            let (view, initial) = (self.parts.view, self.parts.initial);
            let condition = entry.condition(view, &mut self.pool, initial, state.clone());
            match self.try_entry(entry, condition, &state.conditions) {
                Found::Reached(entry, input) => {
                    self.conditions = state.conditions.iter().rev().copied().collect();
                    return Found::Reached(entry, input);
                }
                Found::Open => is_open = true,
                // No caller can do more than an arbitrary one.
                Found::Refuted(_) if self.bounds == before => return Found::Refuted(None),
                Found::Refuted(_) => {}
            }
        }
        let callers = self.parts.view.callers(function);
        let callers = callers.into_iter().filter(|site| self.useful.contains(&site.caller));
        for (i, site) in callers.collect::<Vec<_>>().into_iter().enumerate() {
            if state.n_callers >= self.options.call_depth {
                self.bounds.insert(Bound::CallDepth(self.options.call_depth));
                break;
            }
            self.counters.segments += u64::from(i > 0);
            match self.caller(&state, &site, depth) {
                found @ Found::Reached(..) => return found,
                Found::Open => is_open = true,
                Found::Refuted(_) => {}
            }
        }
        if is_open { Found::Open } else { Found::Refuted(None) }
    }

    /// Continues at a call of the outermost known function.
    fn caller(
        &mut self,
        state: &State,
        site: &symcrete_program::cfg::CallSite,
        depth: u32,
    ) -> Found {
        let (Some(body), Some(caller)) =
            (self.body(state.frame().function), self.body(site.caller))
        else {
            return Found::Refuted(None);
        };
        let call = &caller.function.block(site.block).instructions[site.position];
        let mut next = state.clone();
        self.stepper().leave(&mut next, &body, &caller, call);
        next.frames = vec![Frame::new(site.caller, site.block, site.position)];
        next.n_callers += 1;
        let Kind::CallIndirect { table, .. } = call.kind else {
            return self.explore(next, depth + 1);
        };
        let entries = self.parts.view.tables[table as usize].clone();
        let slots = entries.iter().filter(|(_, function)| **function == body.function.index);
        let index = *call.args.last().expect("an indirect call has an index");
        let mut is_open = false;
        for (&slot, _) in slots {
            let mut next = next.clone();
            let index = self.stepper().value(&next, &caller, index);
            let sort = self.pool.terms.sort(index);
            let slot = self.pool.terms.constant(Value::from_bits(sort, slot.into()));
            let is_it = self.pool.terms.eq(index, slot);
            next.hold(&self.pool.terms, Literal::holds(is_it));
            match self.explore(next, depth + 1) {
                found @ Found::Reached(..) => return found,
                Found::Open => is_open = true,
                Found::Refuted(_) => {}
            }
        }
        if is_open { Found::Open } else { Found::Refuted(None) }
    }
}

/// Loop bounds, from a few iterations to the maximum.
fn rounds(most: u32) -> Vec<u32> {
    let mut rounds: Vec<u32> = [1, 3].into_iter().filter(|n| *n < most).collect();
    rounds.push(most);
    rounds
}

/// The edges into a state's block, the nearest to the start first.
fn ways(state: &State, body: &Body<'_>) -> Vec<Way> {
    let frame = state.frame();
    let is_inside = |way: &Way| {
        frame.outside_of == Some(frame.block) && body.loops.is_back_edge(way.from, frame.block)
    };
    let mut ways: Vec<Way> =
        body.ways[frame.block.index()].iter().filter(|way| !is_inside(way)).copied().collect();
    ways.sort_by_key(|way| {
        (body.loops.is_back_edge(way.from, frame.block), body.distance[way.from.index()], *way)
    });
    ways
}

/// The outermost loop that an edge leaves, unless it is being unrolled, by index.
fn left_loop(state: &State, body: &Body<'_>, way: Way) -> Option<usize> {
    let frame = state.frame();
    let left = |found: &symcrete_program::cfg::Loop| {
        found.blocks.contains(&way.from)
            && !found.blocks.contains(&frame.block)
            && !frame.unrolled.contains(&found.header)
    };
    body.loops.loops.iter().position(left)
}

/// The same state at the end of an earlier block, without constraints on the path from there.
fn sliced(state: &State, body: &Body<'_>, from: BlockId) -> State {
    let mut next = state.clone();
    let frame = next.frame_mut();
    frame.block = from;
    frame.position = body.function.block(from).instructions.len();
    frame.outside_of = None;
    next
}
