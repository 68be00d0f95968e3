//! What the host keeps during one run: terms, path condition, symbolic bytes.
//!
//! The methods here are called from host functions whenever an operand or a byte is symbolic. They know
//! shadows, terms and plain slices of memory, nothing of Wasmtime.
//!
//! **Invariant:** every constraint that is recorded holds on the input of this run.

use crate::limits::Limits;
use crate::lower::{constant, guards, lower, nonzero};
use crate::margins::Margins;
use crate::memory::ShadowBytes;
use crate::noting::Noted;
use crate::ties::TiedArray;
use crate::trace::{Constraint, Met, Origin};
use crate::uninitialized::Uninitialized;
use crate::wasm_op::{Num, WasmOp};
use crate::window::Knowledge;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use symcrete_program::module::{AddressType, Sites};
use symcrete_program::{
    Arguments, Callee, Drawn, Gap, Input, Outcome, Resource, SiteId, Trap, TrapKind,
};
use symcrete_term::{Literal, Node, Op, TermId, Terms, Value};

/// The portion of fuel that the program gets at a time; the stop flag is checked in between.
const FUEL_PORTION: u64 = 1 << 16;

/// Why the host ended a run.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum Stop {
    #[error("out of {0}")]
    Exhausted(Resource),
    #[error("assumption failed")]
    Rejected,
    #[error("{0}")]
    Trap(TrapKind),
    #[error("exit {0}")]
    Exit(i32),
}

impl Stop {
    /// The same as the end of a run, at a site.
    pub(crate) fn outcome(self, site: Option<SiteId>) -> Outcome {
        match self {
            Stop::Exhausted(resource) => Outcome::Exhausted(resource),
            Stop::Rejected => Outcome::Rejected(site.unwrap_or(SiteId::at(0))),
            Stop::Trap(kind) => Outcome::Trapped(Trap { kind, site }),
            Stop::Exit(code) => Outcome::Exited(code),
        }
    }
}

/// A symbolic value's term as the program carries it: its index plus one; zero is concrete.
pub(crate) type ShadowId = i32;

/// An address as the program computed it, of 32 or 64 bits.
#[derive(Clone, Copy)]
pub(crate) struct Address {
    pub(crate) shadow: ShadowId,
    pub(crate) value: u64,
    pub(crate) offset: u32,
}

/// The lower 32 bits of an address, which are all of it if it is in memory. The path says so.
#[derive(Clone, Copy)]
pub(crate) struct LowAddress {
    pub(crate) shadow: ShadowId,
    pub(crate) value: u32,
    pub(crate) offset: u32,
}

/// The state of one run.
pub(crate) struct Recording {
    pub(crate) terms: Terms,
    pub(crate) path: Vec<Constraint>,
    pub(crate) bytes: ShadowBytes,
    pub(crate) fuel_left: u64,
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) tainted: bool,
    /// Whether accesses to constants are reported to the host.
    pub(crate) watches_constants: bool,
    /// Whether a run in the concrete form has met something unusual.
    pub(crate) is_form_left: bool,
    /// In the concrete form: gaps that the run meets, as an earlier try has shown.
    pub(crate) foreseen: Vec<Gap>,
    /// Variables of the image and their values, by term once all are known.
    pub(crate) given: Vec<(TermId, Value)>,
    /// Conditions that give arrays another size than their lengths, until they are recorded.
    pub(crate) resizing: Vec<Literal>,
    /// Variables that say whether a pointer is null, and whether it is in this run.
    pub(crate) pointers: BTreeMap<TermId, bool>,
    /// Those of them that belong to function pointers.
    pub(crate) functions: BTreeSet<TermId>,
    /// What the functions behind pointers of the input do, by number.
    pub(crate) callbacks: BTreeMap<u32, Callee>,
    /// Arrays whose length is a variable.
    pub(crate) ties: Vec<TiedArray>,
    /// The arguments of a variadic function beyond those that it declares.
    pub(crate) arguments: Arguments,
    /// The variables that choose the argument list of a variadic function: decisions by its address do not count.
    pub(crate) lists: BTreeSet<TermId>,
    /// The address at which it accessed bytes of no object.
    pub(crate) stray: Option<u32>,
    /// Where the host was last asked about an access, and what its address and length depend on.
    pub(crate) accessed: (u32, [ShadowId; 2]),
    /// Values of cells that the program may ask for.
    pub(crate) provided: Input,
    /// How often each name was asked for.
    pub(crate) asked: BTreeMap<String, u32>,
    /// The cells that were asked for.
    pub(crate) drawn: Vec<Drawn>,
    /// How often functions were called that write through their arguments.
    pub(crate) calls: BTreeMap<String, u32>,
    /// Cells that such functions have written.
    pub(crate) n_filled: u32,
    /// Calls that a test may check.
    pub(crate) noted: Noted,
    /// Whether the entry has not been called yet.
    pub(crate) is_starting: bool,
    /// Gaps of the model that it has met.
    pub(crate) gaps: Vec<Met>,
    /// How near it has come to the ends of objects.
    pub(crate) margins: Margins,
    /// Objects of the input that it has written to, by their addresses.
    pub(crate) written: BTreeSet<u32>,
    /// Whether there are variables that outlive the call, and whether it has written to one.
    pub(crate) has_state: bool,
    pub(crate) is_state_written: bool,
    /// Bytes whose flags say that they are state, which they no longer are.
    pub(crate) stale: Vec<std::ops::Range<u32>>,
    /// Bytes that the operator at hand reads at once, and how many constraints the path had by then.
    pub(crate) reads: Vec<(std::ops::Range<u32>, usize)>,
    /// What it did with uninitialised values.
    pub(crate) uninitialized: Uninitialized,
    pub(crate) knowledge: Knowledge,
    /// Guards and pins that are in the path already.
    settled: BTreeSet<Literal>,
    /// Bytes and table cells made by bulk operations and windows; they count as terms do.
    pub(crate) cells: usize,
    pub(crate) limits: Limits,
    /// How wide addresses are.
    pub(crate) address: AddressType,
    /// Numbers of functions that pointers may have are below this.
    pub(crate) functions_end: u32,
}

impl Recording {
    pub(crate) fn new(limits: Limits, address: AddressType, stop: Arc<AtomicBool>) -> Recording {
        Recording {
            terms: Terms::new(),
            path: Vec::new(),
            bytes: ShadowBytes::of(address),
            fuel_left: 0,
            stop,
            tainted: false,
            is_form_left: false,
            watches_constants: false,
            foreseen: Vec::new(),
            given: Vec::new(),
            resizing: Vec::new(),
            pointers: BTreeMap::new(),
            functions: BTreeSet::new(),
            callbacks: BTreeMap::new(),
            ties: Vec::new(),
            arguments: Arguments::default(),
            lists: BTreeSet::new(),
            stray: None,
            accessed: (0, [0; 2]),
            provided: Input::default(),
            asked: BTreeMap::new(),
            drawn: Vec::new(),
            calls: BTreeMap::new(),
            n_filled: 0,
            noted: Noted::default(),
            is_starting: false,
            gaps: Vec::new(),
            margins: Margins::default(),
            written: BTreeSet::new(),
            has_state: false,
            is_state_written: false,
            stale: Vec::new(),
            reads: Vec::new(),
            uninitialized: Uninitialized::default(),
            knowledge: Knowledge::default(),
            settled: BTreeSet::new(),
            cells: 0,
            limits,
            address,
            functions_end: 0,
        }
    }

    /// Resets the state for another run with these terms.
    pub(crate) fn begin(&mut self, terms: Terms, fuel: u64) {
        self.terms = terms;
        self.fuel_left = fuel;
        self.tainted = false;
        self.is_form_left = false;
        self.watches_constants = false;
        self.foreseen.clear();
        self.path.clear();
        self.bytes.reset();
        self.given.clear();
        self.resizing.clear();
        self.pointers.clear();
        self.functions.clear();
        self.callbacks.clear();
        self.ties.clear();
        self.arguments = Arguments::default();
        self.lists.clear();
        self.stray = None;
        self.accessed = (0, [0; 2]);
        self.provided.values.clear();
        self.asked.clear();
        self.drawn.clear();
        self.calls.clear();
        self.n_filled = 0;
        self.noted.take();
        self.gaps.clear();
        self.margins.reset();
        self.written.clear();
        self.has_state = false;
        self.is_state_written = false;
        self.stale.clear();
        self.reads.clear();
        self.uninitialized.reset();
        self.knowledge.reset();
        self.settled.clear();
        self.cells = 0;
    }

    /// The next portion of fuel, given what is at hand (negative: owed).
    pub(crate) fn refuel(&mut self, at_hand: i32) -> Result<i32, Stop> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Stop::Exhausted(Resource::Time));
        }
        let mut at_hand = i64::from(at_hand);
        while at_hand < 0 {
            let portion = self.fuel_left.min(FUEL_PORTION);
            if portion == 0 {
                return Err(Stop::Exhausted(Resource::Fuel));
            }
            self.fuel_left -= portion;
            at_hand += portion as i64;
        }
        Ok(at_hand as i32)
    }

    /// Ends a run in the concrete form, which cannot go on: its end says nothing.
    pub(crate) fn leave_concrete_form(&mut self) -> Result<(), Stop> {
        self.is_form_left = true;
        Err(Stop::Exhausted(Resource::Model))
    }

    /// The shadow of a term. A term that folded to a constant is concrete.
    #[inline]
    pub(crate) fn shadow(&self, term: TermId) -> Result<ShadowId, Stop> {
        if self.terms.len() + self.cells > self.limits.terms as usize {
            return Err(Stop::Exhausted(Resource::Terms));
        }
        // Where much is symbolic, a portion of fuel can last for minutes.
        if self.stop.load(Ordering::Relaxed) {
            return Err(Stop::Exhausted(Resource::Time));
        }
        Ok(if self.terms.as_const(term).is_some() { 0 } else { term.index() as i32 + 1 })
    }

    /// The term of a value, symbolic or not.
    #[inline]
    pub(crate) fn term(&mut self, num: Num, shadow: ShadowId, bits: u64) -> TermId {
        match shadow {
            0 => constant(&mut self.terms, num, bits),
            shadow => TermId::from_index(shadow as usize - 1),
        }
    }

    pub(crate) fn unary(&mut self, op: WasmOp, s: ShadowId, v: u64) -> Result<ShadowId, Stop> {
        let a = self.term(op.params()[0], s, v);
        self.note_addresses(op, &[(a, v)]);
        let term = lower(&mut self.terms, op, &[a]);
        self.shadow(term)
    }

    pub(crate) fn binary(
        &mut self,
        op: WasmOp,
        shadows: [ShadowId; 2],
        values: [u64; 2],
    ) -> Result<ShadowId, Stop> {
        let a = self.term(op.params()[0], shadows[0], values[0]);
        let b = self.term(op.params()[1], shadows[1], values[1]);
        self.note_addresses(op, &[(a, values[0]), (b, values[1])]);
        let term = lower(&mut self.terms, op, &[a, b]);
        self.shadow(term)
    }

    /// An operator that can trap: its guards go into the path first, and say what is about to happen.
    pub(crate) fn guarded(
        &mut self,
        op: WasmOp,
        site: u32,
        operands: &[(ShadowId, u64)],
    ) -> Result<ShadowId, Stop> {
        let nums = op.params().iter();
        let concrete: Vec<TermId> = nums
            .clone()
            .zip(operands)
            .map(|(&num, &(_, bits))| constant(&mut self.terms, num, bits))
            .collect();
        let args: Vec<TermId> = nums
            .zip(operands)
            .map(|(&num, &(shadow, bits))| self.term(num, shadow, bits))
            .collect();
        let holds = guards(&mut self.terms, op, &concrete);
        for (guard, holds) in guards(&mut self.terms, op, &args).into_iter().zip(holds) {
            let holds = self.terms.as_const(holds) == Some(Value::Bool(true));
            self.settle(site, Literal { term: guard, expected: holds }, Origin::TrapGuard)?;
            if !holds {
                return Ok(0);
            }
        }
        let values = operands.iter().map(|&(_, bits)| bits);
        let known: Vec<(TermId, u64)> = args.iter().copied().zip(values).collect();
        self.note_addresses(op, &known);
        let term = lower(&mut self.terms, op, &args);
        self.shadow(term)
    }

    /// A condition that decided where to go.
    pub(crate) fn decide(
        &mut self,
        site: u32,
        shadow: ShadowId,
        value: u32,
        origin: Origin,
    ) -> Result<(), Stop> {
        let number = self.term(Num::I32, shadow, u64::from(value));
        let condition = nonzero(&mut self.terms, number);
        let literal = Literal { term: condition, expected: value != 0 };
        self.record(SiteId::at(site), literal, origin)
    }

    /// A `br_table`: one condition per distinct target, up to the one that was taken.
    pub(crate) fn switch(
        &mut self,
        sites: &Sites,
        site: u32,
        shadow: ShadowId,
        index: u32,
    ) -> Result<(), Stop> {
        let term = self.term(Num::I32, shadow, u64::from(index));
        let switch = &sites.switches[&site];
        let last = switch.cases.case_of_index.len() - 1;
        let taken = switch.cases.case_of_index[last.min(index as usize)];
        for (case, ranges) in switch.ranges.iter().enumerate() {
            let parts = ranges.iter().map(|&(low, high)| within(&mut self.terms, term, low, high));
            let parts: Vec<TermId> = parts.collect();
            let never = self.terms.bool(false);
            let condition =
                parts.into_iter().fold(never, |any, part| self.terms.app(Op::Or, &[any, part]));
            let expected = case == usize::from(taken);
            let site = SiteId { offset: site, case: case as u16 };
            self.record(site, Literal { term: condition, expected }, Origin::Branch)?;
            if expected {
                break;
            }
        }
        Ok(())
    }

    /// Pins a symbolic value to its concrete one.
    pub(crate) fn pin(&mut self, site: u32, shadow: ShadowId, bits: u64) -> Result<(), Stop> {
        if shadow == 0 {
            return Ok(());
        }
        let term = TermId::from_index(shadow as usize - 1);
        let value = self.terms.constant(Value::from_bits(self.terms.sort(term), bits));
        let equal = self.terms.eq(term, value);
        self.settle(site, Literal::holds(equal), Origin::Concretized)
    }

    /// An index that the machine checks against a limit, and that is then pinned. A function pointer of the input is
    /// one, and is followed like any other pointer.
    pub(crate) fn bounded(
        &mut self,
        site: u32,
        shadow: ShadowId,
        index: u64,
        limit: u32,
    ) -> Result<(), Stop> {
        let followed = self.follow(site, Address { shadow, value: index, offset: 0 })?;
        let Some(term) = (followed.0.shadow as usize).checked_sub(1) else { return Ok(()) };
        let term = TermId::from_index(term);
        let limit_term = self.terms.constant(Value::from_bits(self.terms.sort(term), limit.into()));
        let below = self.terms.app(Op::BvUlt, &[term, limit_term]);
        let literal = Literal { term: below, expected: index < u64::from(limit) };
        self.settle(site, literal, Origin::TrapGuard)?;
        self.pin(site, followed.0.shadow, index)
    }

    /// The program assumes a condition.
    pub(crate) fn assume(&mut self, site: u32, shadow: ShadowId, value: u32) -> Result<(), Stop> {
        if shadow != 0 {
            self.decide(site, shadow, value, Origin::Assumed)?;
        }
        if value == 0 { Err(Stop::Rejected) } else { Ok(()) }
    }

    /// Records a gap of the model. What comes after its first occurrence comes after all others too.
    pub(crate) fn meet(&mut self, gap: Gap) {
        self.meet_at(gap, self.path.len());
    }

    /// The same, after so many constraints.
    pub(crate) fn meet_at(&mut self, gap: Gap, n_constraints: usize) {
        if self.gaps.iter().all(|met| met.gap != gap) {
            self.gaps.push(Met { gap, n_constraints });
        }
    }

    /// Records a guard or pin, once.
    pub(crate) fn settle(
        &mut self,
        site: u32,
        literal: Literal,
        origin: Origin,
    ) -> Result<(), Stop> {
        if self.settled.insert(literal) {
            self.record(SiteId::at(site), literal, origin)?;
        }
        Ok(())
    }

    /// Whether a guard or pin is in the path already.
    pub(crate) fn is_settled(&self, literal: Literal) -> bool {
        self.settled.contains(&literal)
    }

    /// A branch that has looked whether a pointer is there has said what its guard would say, and one that
    /// has compared a length says something about it.
    fn settle_branch(&mut self, mut literal: Literal) {
        if self.pointers.is_empty() && self.ties.is_empty() {
            return;
        }
        if let Node::App { op: Op::Not, args, .. } = self.terms.node(literal.term) {
            literal = Literal { term: args[0], expected: !literal.expected };
        }
        let is_of_length = match self.terms.node(literal.term) {
            Node::App { op: Op::Eq, args, .. } => self.ties.iter().any(|tie| tie.is_one_of(args)),
            Node::App { .. }
            | Node::Const(_)
            | Node::Var(_)
            | Node::Call { .. }
            | Node::Lookup { .. } => false,
        };
        if is_of_length || self.pointers.contains_key(&literal.term) {
            self.settled.insert(literal);
        } else if let Some(present) = self.null_check(literal.term) {
            self.settled.insert(Literal { term: present, expected: !literal.expected });
        }
    }

    /// The variable that says whether the pointer is there that a condition compares with null. Of a pointer with one
    /// object the condition is that variable already.
    fn null_check(&self, term: TermId) -> Option<TermId> {
        let Node::App { op: Op::Eq, args: &[a, b], .. } = self.terms.node(term) else {
            return None;
        };
        let is_null =
            |term: TermId| self.terms.as_const(term).is_some_and(|value| value.bits() == 0);
        let pointer = match (is_null(a), is_null(b)) {
            (true, false) => b,
            (false, true) => a,
            (true, true) | (false, false) => return None,
        };
        let (present, mut there, null) = self.choice(pointer)?;
        // Whichever object it points to, its address is not null.
        while let Some((_, other, rest)) = self.choice(there) {
            let is_address = self.terms.as_const(other).is_some() && !is_null(other);
            there = is_address.then_some(rest)?;
        }
        let is_address = self.terms.as_const(there).is_some() && !is_null(there);
        (is_null(null) && is_address).then_some(present)
    }

    /// A choice of a pointer, and its two outcomes.
    fn choice(&self, term: TermId) -> Option<(TermId, TermId, TermId)> {
        match self.terms.node(term) {
            Node::App { op: Op::Ite, args: &[condition, then, otherwise], .. } => {
                self.pointers.contains_key(&condition).then_some((condition, then, otherwise))
            }
            Node::App { .. }
            | Node::Const(_)
            | Node::Var(_)
            | Node::Call { .. }
            | Node::Lookup { .. } => None,
        }
    }

    pub(crate) fn record(
        &mut self,
        site: SiteId,
        literal: Literal,
        origin: Origin,
    ) -> Result<(), Stop> {
        if self.terms.as_const(literal.term).is_some() {
            return Ok(());
        }
        if self.path.len() >= self.limits.constraints as usize {
            return Err(Stop::Exhausted(Resource::Constraints));
        }
        self.note_decision(site, literal.term);
        self.knowledge.learn(&self.terms, literal);
        self.settle_branch(literal);
        self.margins.decide(site.offset, self.path.len());
        self.path.push(Constraint { literal, site, origin });
        Ok(())
    }
}

/// `low <= term <= high`
fn within(terms: &mut Terms, term: TermId, low: u32, high: u32) -> TermId {
    let (low_term, high_term) = (terms.bv(32, u64::from(low)), terms.bv(32, u64::from(high)));
    if low == high {
        return terms.eq(term, low_term);
    }
    let above = terms.app(Op::BvUle, &[low_term, term]);
    let below = terms.app(Op::BvUle, &[term, high_term]);
    terms.app(Op::And, &[above, below])
}
