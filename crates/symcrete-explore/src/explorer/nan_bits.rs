//! Which conditions look at the bits of a NaN.

use std::collections::BTreeSet;
use symcrete_term::{Node, Op, TermId, Terms, Valuation, Value};

/// Which terms depend on the bits of a float that may be a NaN: there are many NaNs, and terms have one.
#[derive(Default)]
pub(super) struct NanBits {
    is_seen: Vec<bool>,
    is_number: Vec<bool>,
}

impl NanBits {
    /// Whether a term does.
    pub(super) fn is_in(&mut self, terms: &Terms, term: TermId) -> bool {
        for i in self.is_seen.len()..terms.len() {
            let node = terms.node(TermId::from_index(i));
            let is_number = self.is_never_nan(terms, &node);
            let guarded = guarded_number(terms, &node);
            let is_seen = |child: &&TermId| self.is_seen[child.index()] && Some(**child) != guarded;
            let of_children = node.children().iter().any(|child| is_seen(&child));
            let own = match node {
                Node::App { op: Op::FpBits, args, .. } => !self.is_number[args[0].index()],
                Node::App { .. }
                | Node::Const(_)
                | Node::Var(_)
                | Node::Call { .. }
                | Node::Lookup { .. } => false,
            };
            self.is_number.push(is_number);
            self.is_seen.push(own || of_children);
        }
        self.is_seen[term.index()]
    }

    /// Whether a term depends on the bits of a NaN that this input makes the program compute. Which NaN that is differs
    /// from machine to machine; one that is an input itself is written into the test.
    pub(super) fn is_met(&mut self, terms: &Terms, term: TermId, input: &Valuation) -> bool {
        let (mut open, mut is_known) = (vec![term], BTreeSet::from([term]));
        while let Some(term) = open.pop() {
            if !self.is_in(terms, term) {
                continue;
            }
            let node = terms.node(term);
            if let Node::App { op: Op::FpBits, args, .. } = node
                && !matches!(terms.node(args[0]), Node::Var(_))
                && is_nan(terms.evaluate(args[0], input))
            {
                return true;
            }
            open.extend(node.children().iter().filter(|child| is_known.insert(**child)));
        }
        false
    }

    /// Whether a float is a number on every input, as far as its operator tells.
    #[expect(clippy::wildcard_enum_match_arm, reason = "most operators can give a NaN")]
    fn is_never_nan(&self, terms: &Terms, node: &Node<'_>) -> bool {
        match node {
            Node::Const(value @ (Value::F32(_) | Value::F64(_))) => !is_nan(*value),
            Node::App { op: Op::FpOfSbv | Op::FpOfUbv, .. } => true,
            Node::App { op: Op::FpAbs | Op::FpNeg, args, .. } => self.is_number[args[0].index()],
            Node::App { op: Op::Ite, args, .. } => {
                terms.sort(args[1]).is_float()
                    && args[1..].iter().all(|arg| self.is_number[arg.index()])
            }
            _ => false,
        }
    }
}

fn is_nan(value: Value) -> bool {
    match value {
        Value::F32(bits) => f32::from_bits(bits).is_nan(),
        Value::F64(bits) => f64::from_bits(bits).is_nan(),
        Value::Bool(_) | Value::Bv { .. } => false,
    }
}

/// The bits of a float where they count only if it is a number: an input has its NaN's bits beside it.
fn guarded_number(terms: &Terms, node: &Node<'_>) -> Option<TermId> {
    let Node::App { op: Op::Ite, args: &[condition, _, number], .. } = *node else { return None };
    let of_float = |term: TermId, wanted: Op| match terms.node(term) {
        Node::App { op, args, .. } if op == wanted => Some(args[0]),
        Node::App { .. }
        | Node::Const(_)
        | Node::Var(_)
        | Node::Call { .. }
        | Node::Lookup { .. } => None,
    };
    let float = of_float(condition, Op::FpIsNan)?;
    (of_float(number, Op::FpBits)? == float).then_some(number)
}
