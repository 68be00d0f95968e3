//! The variables of terms, each term looked at once.
//!
//! A term's set of variables is mostly one that another term has already: sets are numbered, and a term keeps a
//! number. Sets of up to `FEW_MAX` variables are exact; a greater one is the union of two others, so that a
//! hundred thousand inputs added up take linear space.
//!
//! One arena only; it may grow between calls.

use super::arena::OneArena;
use std::collections::{BTreeMap, VecDeque};
use symcrete_term::{Node, TermId, Terms, VarId};

/// Greater sets are kept as unions.
const FEW_MAX: usize = 64;
/// How many parts of a union are looked at to see that another set is in it already.
const PARTS_LOOKED_AT: usize = 16;

/// Numbers a set of variables.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct SetId(u32);

impl SetId {
    pub(crate) const EMPTY: SetId = SetId(0);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of variables.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Set {
    /// Exactly these, in order.
    Few(Vec<VarId>),
    /// All of both sets.
    Union(SetId, SetId),
}

/// The variables of all terms of an arena.
pub(crate) struct Supports {
    arena: OneArena,
    of_term: Vec<SetId>,
    sets: Vec<Set>,
    ids: BTreeMap<Set, SetId>,
    unions: BTreeMap<(SetId, SetId), SetId>,
}

impl Supports {
    pub(crate) fn new() -> Supports {
        let empty = Set::Few(Vec::new());
        Supports {
            arena: OneArena::default(),
            of_term: Vec::new(),
            sets: vec![empty.clone()],
            ids: BTreeMap::from([(empty, SetId::EMPTY)]),
            unions: BTreeMap::new(),
        }
    }

    /// Looks at the terms that are new.
    pub(crate) fn update(&mut self, terms: &Terms) {
        self.arena.check(terms);
        for index in self.of_term.len()..terms.len() {
            let set = match terms.node(TermId::from_index(index)) {
                Node::Const(_) => SetId::EMPTY,
                Node::Var(var) => self.intern(Set::Few(vec![var])),
                node @ (Node::App { .. } | Node::Call { .. } | Node::Lookup { .. }) => {
                    let children = node.children().iter();
                    children.fold(SetId::EMPTY, |set, child| {
                        self.union(set, self.of_term[child.index()])
                    })
                }
            };
            self.of_term.push(set);
        }
    }

    /// The variables of a term that `update` has seen.
    pub(crate) fn of(&self, term: TermId) -> SetId {
        self.of_term[term.index()]
    }

    pub(crate) fn set(&self, set: SetId) -> &Set {
        &self.sets[set.index()]
    }

    /// How many sets there are; their numbers count up from zero.
    pub(crate) fn n_sets(&self) -> usize {
        self.sets.len()
    }

    fn intern(&mut self, set: Set) -> SetId {
        let next = SetId(u32::try_from(self.sets.len()).expect("fewer sets than terms"));
        let id = *self.ids.entry(set.clone()).or_insert(next);
        if id == next {
            self.sets.push(set);
        }
        id
    }

    fn union(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b || b == SetId::EMPTY {
            return a;
        }
        if a == SetId::EMPTY {
            return b;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&union) = self.unions.get(&key) {
            return union;
        }
        let union = self.new_union(a, b);
        self.unions.insert(key, union);
        union
    }

    fn new_union(&mut self, a: SetId, b: SetId) -> SetId {
        if let (Set::Few(few), Set::Few(more)) = (self.set(a), self.set(b)) {
            let mut all: Vec<VarId> = few.iter().chain(more).copied().collect();
            all.sort_unstable();
            all.dedup();
            if all.len() <= FEW_MAX {
                return self.intern(Set::Few(all));
            }
        }
        match (self.is_seen_in(a, b), self.is_seen_in(b, a)) {
            (_, true) => a,
            (true, false) => b,
            (false, false) => self.intern(Set::Union(a.min(b), a.max(b))),
        }
    }

    /// Whether a short look shows that a set is part of another.
    fn is_seen_in(&self, part: SetId, whole: SetId) -> bool {
        let mut to_see = VecDeque::from([whole]);
        for _ in 0..PARTS_LOOKED_AT {
            // Breadth first: what was added last is near the top, and the likeliest to be met again.
            let Some(set) = to_see.pop_front() else { return false };
            if set == part {
                return true;
            }
            match (self.set(set), self.set(part)) {
                (&Set::Union(a, b), _) => to_see.extend([a, b]),
                (Set::Few(whole), Set::Few(part)) => {
                    if part.iter().all(|var| whole.binary_search(var).is_ok()) {
                        return true;
                    }
                }
                (Set::Few(_), Set::Union(..)) => {}
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use symcrete_term::{Op, Sort};

    fn variables(supports: &Supports, set: SetId) -> BTreeSet<VarId> {
        let mut all = BTreeSet::new();
        let mut to_see = vec![set];
        while let Some(set) = to_see.pop() {
            match supports.set(set) {
                Set::Few(few) => all.extend(few.iter().copied()),
                &Set::Union(a, b) => to_see.extend([a, b]),
            }
        }
        all
    }

    #[test]
    fn large_sums_stay_linear_and_exact() {
        let mut terms = Terms::new();
        let inputs: Vec<TermId> =
            (0..3_000).map(|i| terms.var(&format!("x{i}"), Sort::Bv(32))).collect();
        let mut supports = Supports::new();
        let mut sum = inputs[0];
        for round in 0..3 {
            for &input in &inputs {
                sum = terms.app(Op::BvAdd, &[sum, input]);
                sum = terms.app(Op::BvXor, &[sum, input]);
            }
            supports.update(&terms);
            assert_eq!(variables(&supports, supports.of(sum)).len(), 3_000, "round {round}");
        }
        assert!(supports.n_sets() < 16_000, "{} sets", supports.n_sets());
    }

    #[test]
    fn another_arena_is_noticed() {
        let (mut one, mut other) = (Terms::new(), Terms::new());
        one.var("x", Sort::Bool);
        other.bool(true);
        let mut supports = Supports::new();
        supports.update(&one);
        let second = std::panic::AssertUnwindSafe(|| supports.update(&other));
        assert!(std::panic::catch_unwind(second).is_err());
    }
}
