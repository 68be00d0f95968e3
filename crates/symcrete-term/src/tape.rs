//! Terms flattened for fast repeated evaluation.
//!
//! A tape is a list of instructions over slots of raw bits: first the variables, then the constants,
//! then one slot per instruction. It has no semantics of its own: each instruction is
//! `eval_bits`, general or instantiated for one operator and sort ("hot").

use crate::arena::{Node, TermId, Terms, VarId, entry_at};
use crate::eval::eval_bits;
use crate::function::Function;
use crate::op::{Indices, Op};
use crate::reachable::reachable;
use crate::valuation::Valuation;
use crate::value::Sort;
use std::collections::BTreeMap;

/// A compiled set of terms.
#[derive(Clone, Debug)]
pub struct Tape {
    variables: Vec<(VarId, Sort)>,
    constants: Vec<u64>,
    code: Vec<Instruction>,
    calls: Vec<Call>,
    tables: Vec<Vec<u64>>,
    roots: Vec<u32>,
}

/// The slots of a tape: one evaluation's memory, to be reused.
#[derive(Clone, Debug)]
pub struct TapeState {
    slots: Vec<u64>,
    call_args: Vec<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Instruction {
    code: Code,
    op: Op,
    sort: u8,
    indices: Indices,
    args: [u32; 3],
}

#[derive(Clone, Debug)]
struct Call {
    function: Function,
    args: Vec<u32>,
}

macro_rules! hot {
    ($($code:ident = $op:ident $sort:expr;)*) => {
        /// How an instruction is run: instantiated for one operator and sort, or in general.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        enum Code { $($code,)* General, Call, Lookup }

        impl Code {
            fn of(op: Op, sort: Sort, indices: Indices) -> Code {
                match (op, sort) {
                    $((Op::$op, s) if s == $sort && indices == [0, 0] => Code::$code,)*
                    _ => Code::General,
                }
            }
        }

        /// The value of an instruction that is neither a call nor a lookup.
        #[inline(always)]
        fn step(instruction: &Instruction, a: u64, b: u64, c: u64) -> u64 {
            match instruction.code {
                $(Code::$code => eval_bits(Op::$op, $sort, [0, 0], a, b, c),)*
                Code::General | Code::Call | Code::Lookup => {
                    let Instruction { op, sort, indices, .. } = *instruction;
                    eval_bits(op, Sort::from_code(sort), indices, a, b, c)
                }
            }
        }
    };
}

// What path conditions are full of. Index zero is round-to-nearest-even.
hot! {
    AddF64 = FpAdd Sort::F64;
    SubF64 = FpSub Sort::F64;
    MulF64 = FpMul Sort::F64;
    DivF64 = FpDiv Sort::F64;
    SqrtF64 = FpSqrt Sort::F64;
    NegF64 = FpNeg Sort::F64;
    LeF64 = FpLe Sort::F64;
    LtF64 = FpLt Sort::F64;
    EqF64 = FpEq Sort::F64;
    AddF32 = FpAdd Sort::F32;
    SubF32 = FpSub Sort::F32;
    MulF32 = FpMul Sort::F32;
    DivF32 = FpDiv Sort::F32;
    LeF32 = FpLe Sort::F32;
    LtF32 = FpLt Sort::F32;
    EqF32 = FpEq Sort::F32;
    Add32 = BvAdd Sort::Bv(32);
    Sub32 = BvSub Sort::Bv(32);
    Mul32 = BvMul Sort::Bv(32);
    Eq32 = Eq Sort::Bv(32);
    Ult32 = BvUlt Sort::Bv(32);
    Ule32 = BvUle Sort::Bv(32);
    Slt32 = BvSlt Sort::Bv(32);
    Sle32 = BvSle Sort::Bv(32);
    Add64 = BvAdd Sort::Bv(64);
    Sub64 = BvSub Sort::Bv(64);
    Mul64 = BvMul Sort::Bv(64);
    Eq64 = Eq Sort::Bv(64);
    Not = Not Sort::Bool;
    And = And Sort::Bool;
    Or = Or Sort::Bool;
}

impl Tape {
    /// Flattens the roots and all they depend on.
    pub fn compile(terms: &Terms, roots: &[TermId]) -> Tape {
        let order = reachable(terms, roots);
        let mut tape = Tape::with_leaves(terms, &order);
        let mut slots = tape.leaf_slots(terms, &order);
        let mut next = (tape.variables.len() + tape.constants.len()) as u32;
        for term in order {
            if let Some(instruction) = tape.instruction(terms, term, &slots) {
                tape.code.push(instruction);
                slots.insert(term, next);
                next += 1;
            }
        }
        tape.roots = roots.iter().map(|root| slots[root]).collect();
        tape
    }

    fn with_leaves(terms: &Terms, order: &[TermId]) -> Tape {
        let mut tape = Tape {
            variables: Vec::new(),
            constants: Vec::new(),
            code: Vec::new(),
            calls: Vec::new(),
            tables: Vec::new(),
            roots: Vec::new(),
        };
        for &term in order {
            match terms.node(term) {
                Node::Var(var) => tape.variables.push((var, terms.sort(term))),
                Node::Const(value) => tape.constants.push(value.bits()),
                Node::App { .. } | Node::Call { .. } | Node::Lookup { .. } => {}
            }
        }
        tape
    }

    fn leaf_slots(&self, terms: &Terms, order: &[TermId]) -> BTreeMap<TermId, u32> {
        let (mut var, mut constant) = (0, self.variables.len() as u32);
        let mut slots = BTreeMap::new();
        for &term in order {
            let next = match terms.node(term) {
                Node::Var(_) => &mut var,
                Node::Const(_) => &mut constant,
                Node::App { .. } | Node::Call { .. } | Node::Lookup { .. } => continue,
            };
            slots.insert(term, *next);
            *next += 1;
        }
        slots
    }

    fn instruction(
        &mut self,
        terms: &Terms,
        term: TermId,
        slots: &BTreeMap<TermId, u32>,
    ) -> Option<Instruction> {
        let plain = Instruction {
            code: Code::General,
            op: Op::Not,
            sort: 0,
            indices: [0, 0],
            args: [0; 3],
        };
        match terms.node(term) {
            Node::Const(_) | Node::Var(_) => None,
            Node::App { op, indices, args: children } => {
                let sort = terms.sort(children[children.len() - 1]);
                let mut args = [0; 3];
                for (slot, child) in args.iter_mut().zip(children) {
                    *slot = slots[child];
                }
                let code = Code::of(op, sort, indices);
                Some(Instruction { code, op, sort: sort.code(), indices, args })
            }
            Node::Call { function, args } => {
                let args: Vec<u32> = args.iter().map(|arg| slots[arg]).collect();
                self.calls.push(Call { function: terms.function(function).clone(), args });
                let call = (self.calls.len() - 1) as u32;
                Some(Instruction { code: Code::Call, args: [call, 0, 0], ..plain })
            }
            Node::Lookup { table, index } => {
                self.tables.push(terms.table_entries(table).1.to_vec());
                let args = [slots[index], (self.tables.len() - 1) as u32, 0];
                Some(Instruction { code: Code::Lookup, args, ..plain })
            }
        }
    }

    /// The variables it reads, in slot order: the `i`-th is set by [`TapeState::set`] with `i`.
    pub fn variables(&self) -> &[(VarId, Sort)] {
        &self.variables
    }

    /// How many operators, calls and lookups one run evaluates.
    pub fn n_operators(&self) -> usize {
        self.code.len()
    }

    /// Fresh slots with the constants in place and all variables zero.
    pub fn state(&self) -> TapeState {
        let mut slots = vec![0; self.variables.len()];
        slots.extend_from_slice(&self.constants);
        slots.resize(slots.len() + self.code.len(), 0);
        TapeState { slots, call_args: Vec::new() }
    }

    /// Sets all variables; absent ones are zero.
    pub fn load(&self, state: &mut TapeState, valuation: &Valuation) {
        for (i, &(var, sort)) in self.variables.iter().enumerate() {
            let value = valuation.get(var);
            debug_assert!(
                value.is_none_or(|value| value.sort() == sort),
                "wrong sort in valuation"
            );
            state.slots[i] = value.map_or(0, |value| value.bits());
        }
    }

    /// Evaluates everything.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all other codes are operators")]
    pub fn run(&self, state: &mut TapeState) {
        let slots = state.slots.as_mut_slice();
        let first = self.variables.len() + self.constants.len();
        for (i, instruction) in self.code.iter().enumerate() {
            let value = match instruction.code {
                Code::Call => {
                    let call = &self.calls[instruction.args[0] as usize];
                    state.call_args.clear();
                    state.call_args.extend(call.args.iter().map(|&arg| slots[arg as usize]));
                    call.function.call_bits(&state.call_args)
                }
                Code::Lookup => {
                    let [index, table, _] = instruction.args;
                    entry_at(&self.tables[table as usize], slots[index as usize])
                }
                _ => {
                    let [a, b, c] = instruction.args.map(|arg| slots[arg as usize]);
                    step(instruction, a, b, c)
                }
            };
            slots[first + i] = value;
        }
    }

    /// The bits of the `i`-th root after a run. A float may be any NaN.
    #[inline]
    pub fn root(&self, state: &TapeState, i: usize) -> u64 {
        state.slots[self.roots[i] as usize]
    }
}

impl TapeState {
    /// Sets the `i`-th variable to the bits of a value of its sort.
    #[inline]
    pub fn set(&mut self, i: usize, bits: u64) {
        self.slots[i] = bits;
    }

    /// The bits of the `i`-th variable.
    #[inline]
    pub fn get(&self, i: usize) -> u64 {
        self.slots[i]
    }
}
