//! The arena: append-only, hash-consed, 16 bytes a node.
//!
//! **Invariant:** equal terms have equal ids, and a child's id is smaller than its parent's.
//!
//! [`Terms::app`] is the only way to build an application: it checks sorts, folds constants, applies the
//! rewrites of `rewrite.rs` and puts commutative arguments in order.

use crate::eval::{eval_bits, key_sort};
use crate::function::{Function, FunctionId};
use crate::index::{Index, Key};
use crate::op::{Indices, Op, Rounding};
use crate::rewrite::{self, Redex};
use crate::tape::Tape;
use crate::valuation::Valuation;
use crate::value::{Sort, Value};
use std::collections::BTreeMap;

/// Names a term within one [`Terms`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TermId(pub(crate) u32);

/// Names a variable within one [`Terms`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct VarId(pub(crate) u32);

/// Names a constant array within one [`Terms`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TableId(pub(crate) u32);

macro_rules! index_methods {
    ($($id:ident),*) => {$(
        impl $id {
            /// Position in order of creation, for dense side tables.
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The id at a position; the inverse of `index`.
            pub fn from_index(index: usize) -> $id {
                $id(u32::try_from(index).expect("ids are 32 bits wide"))
            }
        }
    )*};
}
index_methods!(TermId, VarId, TableId, FunctionId);

/// A boolean term and the value it must have: negating a branch allocates nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Literal {
    /// A term of sort [`Sort::Bool`].
    pub term: TermId,
    /// The value it must have.
    pub expected: bool,
}

impl Literal {
    /// The literal that says the term holds.
    pub fn holds(term: TermId) -> Literal {
        Literal { term, expected: true }
    }

    /// The opposite literal.
    #[must_use]
    pub fn negated(self) -> Literal {
        Literal { expected: !self.expected, ..self }
    }
}

/// A term, looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node<'a> {
    /// A constant.
    Const(Value),
    /// A variable.
    Var(VarId),
    /// An operator and its arguments.
    App {
        /// The operator.
        op: Op,
        /// Its indices.
        indices: Indices,
        /// Its arguments, as many as its arity.
        args: &'a [TermId],
    },
    /// An opaque call.
    Call {
        /// The function.
        function: FunctionId,
        /// Its arguments.
        args: &'a [TermId],
    },
    /// An entry of a constant array; zero beyond its end.
    Lookup {
        /// The array.
        table: TableId,
        /// A bit-vector.
        index: &'a TermId,
    },
}

impl<'a> Node<'a> {
    /// The terms directly below.
    pub fn children(self) -> &'a [TermId] {
        match self {
            Node::Const(_) | Node::Var(_) => &[],
            Node::App { args, .. } | Node::Call { args, .. } => args,
            Node::Lookup { index, .. } => std::slice::from_ref(index),
        }
    }
}

/// What a node is; applications carry their operator instead.
const CONST: u8 = 255;
const VAR: u8 = 254;
const CALL: u8 = 253;
const LOOKUP: u8 = 252;
const _: () = assert!(Op::ALL.len() < LOOKUP as usize);

const UNUSED: TermId = TermId(u32::MAX);

/// A node as stored. `payload` holds argument ids; of a constant the two halves of its bits; of a
/// variable its id; of a lookup the index term and the table; of a call the function, and where its
/// arguments start in the pool and how many they are.
#[derive(Clone, Copy, PartialEq, Eq)]
struct RawNode {
    kind: u8,
    sort: u8,
    indices: Indices,
    payload: [TermId; 3],
}
const _: () = assert!(size_of::<RawNode>() == 16);

struct Variable {
    name: String,
    term: TermId,
}

struct Table {
    sort: Sort,
    entries: Vec<u64>,
}

/// The arena of terms with its variables, functions and tables.
#[derive(Default)]
pub struct Terms {
    nodes: Vec<RawNode>,
    ids: Index,
    variables: Vec<Variable>,
    variable_names: BTreeMap<String, VarId>,
    functions: Vec<Function>,
    function_names: BTreeMap<String, FunctionId>,
    tables: Vec<Table>,
    table_ids: BTreeMap<(Sort, Vec<u64>), TableId>,
    call_args: Vec<TermId>,
}

impl Terms {
    /// An empty arena.
    pub fn new() -> Terms {
        Terms::default()
    }

    /// How many distinct terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether no term was built yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Bytes the arena holds for nodes and their index.
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<RawNode>()
            + self.ids.bytes()
            + self.call_args.capacity() * size_of::<TermId>()
    }

    /// The sort of a term.
    #[inline]
    pub fn sort(&self, term: TermId) -> Sort {
        Sort::from_code(self.nodes[term.index()].sort)
    }

    /// A term, looked at.
    #[inline]
    pub fn node(&self, term: TermId) -> Node<'_> {
        let node = &self.nodes[term.index()];
        let [first, second, third] = node.payload;
        match node.kind {
            CONST => Node::Const(Value::from_bits(Sort::from_code(node.sort), const_bits(node))),
            VAR => Node::Var(VarId(first.0)),
            CALL => {
                let start = second.index();
                let args = &self.call_args[start..start + third.index()];
                Node::Call { function: FunctionId(first.0), args }
            }
            LOOKUP => Node::Lookup { table: TableId(second.0), index: &node.payload[0] },
            code => {
                let op = Op::from_code(code);
                Node::App { op, indices: node.indices, args: &node.payload[..op.info().arity] }
            }
        }
    }

    /// The value of a constant term.
    #[inline]
    pub fn as_const(&self, term: TermId) -> Option<Value> {
        let node = &self.nodes[term.index()];
        (node.kind == CONST).then(|| Value::from_bits(Sort::from_code(node.sort), const_bits(node)))
    }

    /// A constant.
    pub fn constant(&mut self, value: Value) -> TermId {
        let bits = value.bits();
        let halves = [TermId(bits as u32), TermId((bits >> 32) as u32), UNUSED];
        self.intern(CONST, value.sort(), [0, 0], halves)
    }

    /// `true` or `false`.
    pub fn bool(&mut self, truth: bool) -> TermId {
        self.constant(Value::Bool(truth))
    }

    /// A bit-vector constant.
    pub fn bv(&mut self, width: u8, bits: u64) -> TermId {
        self.constant(Value::bv(width, bits))
    }

    /// The variable of that name, declared if it is new. Panics if it exists with another sort.
    pub fn var(&mut self, name: &str, sort: Sort) -> TermId {
        if let Some(&var) = self.variable_names.get(name) {
            let term = self.var_term(var);
            assert_eq!(self.sort(term), sort, "variable {name} already has another sort");
            return term;
        }
        let var = VarId::from_index(self.variables.len());
        let term = self.intern(VAR, sort, [0, 0], [TermId(var.0), UNUSED, UNUSED]);
        self.variables.push(Variable { name: name.to_string(), term });
        self.variable_names.insert(name.to_string(), var);
        term
    }

    /// The variable of that name.
    pub fn find_var(&self, name: &str) -> Option<VarId> {
        self.variable_names.get(name).copied()
    }

    /// How many variables there are; their ids count up from zero.
    pub fn n_vars(&self) -> usize {
        self.variables.len()
    }

    /// The name of a variable.
    pub fn var_name(&self, var: VarId) -> &str {
        &self.variables[var.index()].name
    }

    /// The term of a variable.
    pub fn var_term(&self, var: VarId) -> TermId {
        self.variables[var.index()].term
    }

    /// The sort of a variable.
    pub fn var_sort(&self, var: VarId) -> Sort {
        self.sort(self.var_term(var))
    }

    /// Makes an opaque function known. One of the same name is replaced for later calls only.
    pub fn register(&mut self, function: Function) -> FunctionId {
        let id = FunctionId::from_index(self.functions.len());
        self.function_names.insert(function.name().to_string(), id);
        self.functions.push(function);
        id
    }

    /// The function of that name: one that was registered, or else one of the C math library.
    pub fn function_named(&mut self, name: &str) -> Option<FunctionId> {
        if let Some(&id) = self.function_names.get(name) {
            return Some(id);
        }
        Function::of_math_library(name).map(|function| self.register(function))
    }

    /// A known function.
    pub fn function(&self, function: FunctionId) -> &Function {
        &self.functions[function.index()]
    }

    /// A call: opaque, unless the function is an operator, which is applied as it is: a machine's operator makes every NaN
    /// canonical, also where simplifying would give back an argument. Panics if the arguments do not fit the signature.
    pub fn call(&mut self, function: FunctionId, args: &[TermId]) -> TermId {
        let signature = self.functions[function.index()].signature();
        let sorts = args.iter().map(|&arg| self.sort(arg));
        assert!(
            signature.params.iter().copied().eq(sorts),
            "wrong arguments for {}",
            self.functions[function.index()].name()
        );
        let result = signature.result;
        if let Some(bits) = self.all_const(args) {
            let value = self.functions[function.index()].call_bits(&bits);
            return self.constant(Value::from_bits(result, value));
        }
        if let Some((op, indices)) = self.functions[function.index()].operator() {
            return self.app_unsimplified(op, indices, args);
        }
        self.intern_call(function, result, args)
    }

    /// A constant array of one sort. Panics if it is empty or the sorts differ.
    pub fn table(&mut self, values: &[Value]) -> TableId {
        let sort = values.first().expect("a table has at least one entry").sort();
        assert!(values.iter().all(|value| value.sort() == sort), "a table has one sort");
        let entries: Vec<u64> = values.iter().map(|value| value.bits()).collect();
        let next = TableId::from_index(self.tables.len());
        let id = *self.table_ids.entry((sort, entries.clone())).or_insert(next);
        if id == next {
            self.tables.push(Table { sort, entries });
        }
        id
    }

    /// The sort of a table's entries and their bits.
    pub fn table_entries(&self, table: TableId) -> (Sort, &[u64]) {
        let table = &self.tables[table.index()];
        (table.sort, &table.entries)
    }

    /// The entry of a table at an index; zero beyond the table's end.
    pub fn lookup(&mut self, table: TableId, index: TermId) -> TermId {
        assert!(self.sort(index).width().is_some(), "a table is indexed by a bit-vector");
        let (sort, entries) = self.table_entries(table);
        if let Some(value) = self.as_const(index) {
            let entry = entry_at(entries, value.bits());
            return self.constant(Value::from_bits(sort, entry));
        }
        self.intern(LOOKUP, sort, [0, 0], [index, TermId(table.0), UNUSED])
    }

    /// An application without indices. Panics if the sorts do not fit.
    #[inline]
    pub fn app(&mut self, op: Op, args: &[TermId]) -> TermId {
        self.app_indexed(op, [0, 0], args)
    }

    /// A rounded float operation.
    pub fn rounded(&mut self, op: Op, rounding: Rounding, args: &[TermId]) -> TermId {
        self.app_indexed(op, [rounding as u8, 0], args)
    }

    /// An application with indices. Panics if sorts or indices do not fit.
    pub fn app_indexed(&mut self, op: Op, indices: Indices, args: &[TermId]) -> TermId {
        let sort = self.result_sort(op, indices, args);
        let mut ordered = [UNUSED; 3];
        ordered[..args.len()].copy_from_slice(args);
        if op.info().commutative && self.order(args[1]) < self.order(args[0]) {
            ordered.swap(0, 1);
        }
        let args = &ordered[..args.len()];
        if let Some(value) = self.fold(op, sort, indices, args) {
            return self.constant(value);
        }
        rewrite::apply(self, Redex { op, indices, args })
            .unwrap_or_else(|| self.intern(op as u8, sort, indices, ordered))
    }

    /// An application exactly as written: no folding, no rewriting. For proofs of the rewrites.
    pub fn app_unsimplified(&mut self, op: Op, indices: Indices, args: &[TermId]) -> TermId {
        let sort = self.result_sort(op, indices, args);
        let mut payload = [UNUSED; 3];
        payload[..args.len()].copy_from_slice(args);
        self.intern(op as u8, sort, indices, payload)
    }

    /// Negation.
    pub fn not(&mut self, term: TermId) -> TermId {
        self.app(Op::Not, &[term])
    }

    /// Equality.
    pub fn eq(&mut self, a: TermId, b: TermId) -> TermId {
        self.app(Op::Eq, &[a, b])
    }

    /// Choice.
    pub fn ite(&mut self, condition: TermId, then: TermId, otherwise: TermId) -> TermId {
        self.app(Op::Ite, &[condition, then, otherwise])
    }

    /// The value of a term. For many evaluations of the same term, keep a [`Tape`].
    pub fn evaluate(&self, term: TermId, valuation: &Valuation) -> Value {
        let tape = Tape::compile(self, &[term]);
        let mut state = tape.state();
        tape.load(&mut state, valuation);
        tape.run(&mut state);
        Value::from_bits(self.sort(term), tape.root(&state, 0))
    }

    /// Whether all literals hold.
    pub fn satisfies(&self, literals: &[Literal], valuation: &Valuation) -> bool {
        let roots: Vec<TermId> = literals.iter().map(|literal| literal.term).collect();
        let tape = Tape::compile(self, &roots);
        let mut state = tape.state();
        tape.load(&mut state, valuation);
        tape.run(&mut state);
        let mut values = literals.iter().enumerate();
        values.all(|(i, literal)| (tape.root(&state, i) == 1) == literal.expected)
    }

    fn result_sort(&self, op: Op, indices: Indices, args: &[TermId]) -> Sort {
        let mut sorts = [Sort::Bool; 3];
        assert!(args.len() <= 3, "{op:?} takes at most three arguments");
        for (sort, &arg) in sorts.iter_mut().zip(args) {
            *sort = self.sort(arg);
        }
        op.result_sort(indices, &sorts[..args.len()]).unwrap_or_else(|| {
            panic!("{op:?} {indices:?} does not apply to {:?}", &sorts[..args.len()])
        })
    }

    /// Where an argument of a commutative operator goes: constants last, the rest by age.
    fn order(&self, term: TermId) -> (bool, TermId) {
        (self.nodes[term.index()].kind == CONST, term)
    }

    fn fold(&self, op: Op, sort: Sort, indices: Indices, args: &[TermId]) -> Option<Value> {
        let mut bits = [0; 3];
        for (bits, &arg) in bits.iter_mut().zip(args) {
            let node = &self.nodes[arg.index()];
            if node.kind != CONST {
                return None;
            }
            *bits = const_bits(node);
        }
        let key = self.sort(args[args.len() - 1]);
        debug_assert_eq!(
            key,
            key_sort(op, &args.iter().map(|&a| self.sort(a)).collect::<Vec<_>>())
        );
        Some(Value::from_bits(sort, eval_bits(op, key, indices, bits[0], bits[1], bits[2])))
    }

    fn all_const(&self, args: &[TermId]) -> Option<Vec<u64>> {
        args.iter().map(|&arg| self.as_const(arg).map(Value::bits)).collect()
    }

    fn intern(&mut self, kind: u8, sort: Sort, indices: Indices, payload: [TermId; 3]) -> TermId {
        let node = RawNode { kind, sort: sort.code(), indices, payload };
        self.make_room();
        let (key, nodes) = (key_of_node(&node), &self.nodes);
        match self.ids.find(key, |id| nodes[id as usize] == node) {
            Ok(id) => TermId(id),
            Err(vacancy) => {
                let id = self.push(node);
                self.ids.insert(vacancy, key, id.0);
                id
            }
        }
    }

    /// Calls keep their arguments in a pool, so hash and equality look there.
    fn intern_call(&mut self, function: FunctionId, sort: Sort, args: &[TermId]) -> TermId {
        self.make_room();
        let key = key_of_call(function, args);
        match self.ids.find(key, |id| self.node(TermId(id)) == Node::Call { function, args }) {
            Ok(id) => TermId(id),
            Err(vacancy) => {
                let start = TermId::from_index(self.call_args.len());
                self.call_args.extend_from_slice(args);
                let payload = [TermId(function.0), start, TermId::from_index(args.len())];
                let node = RawNode { kind: CALL, sort: sort.code(), indices: [0, 0], payload };
                let id = self.push(node);
                self.ids.insert(vacancy, key, id.0);
                id
            }
        }
    }

    fn push(&mut self, node: RawNode) -> TermId {
        let id = TermId::from_index(self.nodes.len());
        if self.nodes.len() == self.nodes.capacity() {
            // A quarter more, not twice as much: memory is what limits how long a path can be.
            self.nodes.reserve_exact((self.nodes.len() / 4).max(1024));
        }
        self.nodes.push(node);
        id
    }

    #[inline]
    fn make_room(&mut self) {
        if !self.ids.has_room() {
            let (nodes, pool) = (&self.nodes, &self.call_args);
            self.ids.grow(nodes.iter().map(|node| match node.kind {
                CALL => {
                    let [function, start, n] = node.payload;
                    key_of_call(FunctionId(function.0), &pool[start.index()..][..n.index()])
                }
                _ => key_of_node(node),
            }));
        }
    }
}

#[inline]
fn const_bits(node: &RawNode) -> u64 {
    u64::from(node.payload[0].0) | u64::from(node.payload[1].0) << 32
}

/// A table's entry at an index; zero beyond its end.
#[inline]
pub(crate) fn entry_at(entries: &[u64], index: u64) -> u64 {
    usize::try_from(index).ok().and_then(|index| entries.get(index)).copied().unwrap_or(0)
}

fn key_of_node(node: &RawNode) -> Key {
    let [first, second, third] = node.payload.map(|id| u64::from(id.0));
    let head =
        u64::from_le_bytes([node.kind, node.sort, node.indices[0], node.indices[1], 0, 0, 0, 0]);
    let hash = mix(mix(0, head << 32 | first), second << 32 | third);
    let newest_child = match node.kind {
        CONST | VAR | CALL => None,
        LOOKUP => Some(node.payload[0].0),
        // Places that are not used hold the greatest number.
        _ => node.payload.iter().filter(|&&id| id != UNUSED).map(|id| id.0).max(),
    };
    Key { hash, newest_child }
}

fn key_of_call(function: FunctionId, args: &[TermId]) -> Key {
    let mix_in = |hash, arg: &TermId| mix(hash, u64::from(arg.0));
    let hash = args.iter().fold(u64::from(function.0), mix_in);
    Key { hash, newest_child: args.iter().map(|arg| arg.0).max() }
}

/// A multiply-and-fold step: all bits of both operands reach all bits of the result.
#[inline]
fn mix(hash: u64, word: u64) -> u64 {
    let product = u128::from(hash ^ word ^ 0x2d35_8dcc_aa6c_78a5) * 0x8bb8_4b93_962e_acc9;
    (product as u64) ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_terms_have_equal_ids() {
        let mut terms = Terms::new();
        let x = terms.var("x", Sort::Bv(32));
        let y = terms.var("y", Sort::Bv(32));
        let (xy, yx) = (terms.app(Op::BvAdd, &[x, y]), terms.app(Op::BvAdd, &[y, x]));
        assert_eq!(xy, yx);
        assert!(x < xy && y < xy);
        assert_ne!(terms.app(Op::BvSub, &[x, y]), terms.app(Op::BvSub, &[y, x]));
    }

    #[test]
    fn constants_fold() {
        let mut terms = Terms::new();
        let (a, b) = (terms.bv(8, 200), terms.bv(8, 100));
        let sum = terms.app(Op::BvAdd, &[a, b]);
        assert_eq!(terms.as_const(sum), Some(Value::bv(8, 44)));
        let sin = terms.function_named("sin").unwrap();
        let zero = terms.constant(Value::f64(0.0));
        let call = terms.call(sin, &[zero]);
        assert_eq!(terms.as_const(call), Some(Value::f64(0.0)));
    }

    #[test]
    fn calls_are_shared_by_function_and_arguments() {
        let mut terms = Terms::new();
        let pow = terms.function_named("pow").unwrap();
        let (x, y) = (terms.var("x", Sort::F64), terms.var("y", Sort::F64));
        let (a, b, c) =
            (terms.call(pow, &[x, y]), terms.call(pow, &[x, y]), terms.call(pow, &[y, x]));
        assert_eq!(a, b);
        assert_ne!(a, c);
        assert_eq!(terms.node(a), Node::Call { function: pow, args: &[x, y] });
    }

    #[test]
    fn tables_are_total() {
        let mut terms = Terms::new();
        let table = terms.table(&[Value::bv(8, 7), Value::bv(8, 9)]);
        let index = terms.var("i", Sort::Bv(8));
        let entry = terms.lookup(table, index);
        let i = terms.find_var("i").unwrap();
        let at = |bits| terms.evaluate(entry, &Valuation::from_iter([(i, Value::bv(8, bits))]));
        assert_eq!([at(0), at(1), at(2), at(255)].map(Value::bits), [7, 9, 0, 0]);
    }

    #[test]
    fn a_popular_child_does_not_slow_down_or_hide_its_parents() {
        let mut terms = Terms::new();
        let constants: Vec<TermId> = (0..20_000).map(|k| terms.bv(32, k)).collect();
        let x = terms.var("x", Sort::Bv(32));
        let parents: Vec<TermId> = constants.iter().map(|&k| terms.eq(x, k)).collect();
        let again: Vec<TermId> = constants.iter().map(|&k| terms.eq(x, k)).collect();
        assert_eq!(parents, again);
        assert!(parents.windows(2).all(|pair| pair[0] < pair[1]), "all are different");
    }

    #[test]
    fn a_million_nodes_stay_small_and_findable() {
        let mut terms = Terms::new();
        let x = terms.var("x", Sort::Bv(32));
        let mut sum = x;
        let square = terms.app(Op::BvMul, &[x, x]);
        for _ in 0..500_000 {
            let y = terms.app(Op::BvXor, &[sum, square]);
            sum = terms.app(Op::BvSub, &[y, x]);
        }
        assert!(terms.len() > 1_000_000);
        assert!(terms.bytes() / terms.len() <= 32, "{} bytes", terms.bytes());
        let n_terms = terms.len();
        assert_eq!(terms.app(Op::BvMul, &[x, x]), square);
        assert_eq!(terms.len(), n_terms);
    }
}
