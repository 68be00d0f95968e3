//! The functions of the Core, FixedSizeBitVectors and FloatingPoint theories: by name, and how each
//! is built from our operators.
//!
//! `bit_vectors.rs` and `floats.rs` hold what one theory needs alone. Everything here is checked
//! before a term is built: [`symcrete_term::Terms`] takes wrong sorts for our bug, not the user's.

use super::bit_vectors::{self, Overflow};
use super::diagnostic::{Failure, Problem, Span};
use super::floats;
use super::names::{Meaning, SmtSort};
use super::sexpr::{SexprId, Tree};
use super::unspecified::Unspecified;
use symcrete_term::op::SortRule;
use symcrete_term::{Op, Rounding, Sort, TermId, Terms};

/// A function of the three theories.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Function {
    /// Exactly the operator.
    Plain(Op),
    /// Left-associative: `n` arguments, at least `n_min`.
    Folded { op: Op, n_min: usize },
    /// The complement of the operator.
    Complement(Op),
    /// True when the comparison holds between all neighbours; `swapped` ones read it backwards.
    Chain { op: Op, swapped: bool },
    /// A comparison of two, perhaps read backwards.
    Compare { op: Op, swapped: bool },
    /// Right-associative implication.
    Implies,
    /// Pairwise different.
    Distinct,
    /// Equality as a bit.
    BvComp,
    /// One of SMT-LIB 2.7's overflow predicates.
    Overflows(Overflow),
    /// A float operator whose first argument is the rounding mode.
    Rounded(Op),
    /// `fp.min` or `fp.max`, open for zeros of different sign.
    MinMax(Op),
    /// A float from sign, exponent and significand.
    FpTriple,
    /// `/` or `-` on constants.
    OnNumbers(Arithmetic),
    /// `(_ extract i j)` and the like, with their indices.
    Indexed(Indexed, [u64; 2]),
}

/// The arithmetic that constants of sort Real are written with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Arithmetic {
    Divide,
    Minus,
}

/// Functions with indices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Indexed {
    Extract,
    Extend(Op),
    Repeat,
    Rotate(Op),
    ToFp,
    ToFpUnsigned,
    FpToBv(Op),
}

impl Indexed {
    pub(crate) fn n_indices(self) -> usize {
        match self {
            Indexed::Extract | Indexed::ToFp | Indexed::ToFpUnsigned => 2,
            Indexed::Extend(_) | Indexed::Repeat | Indexed::Rotate(_) | Indexed::FpToBv(_) => 1,
        }
    }
}

/// Every function without indices.
#[rustfmt::skip]
pub(crate) const FUNCTIONS: &[(&str, Function)] = {
    use Function::*;
    const fn chain(op: Op) -> Function { Chain { op, swapped: false } }
    const fn backwards(op: Op) -> Function { Chain { op, swapped: true } }
    const fn two(op: Op) -> Function { Compare { op, swapped: false } }
    const fn two_backwards(op: Op) -> Function { Compare { op, swapped: true } }
    const fn folded(op: Op) -> Function { Folded { op, n_min: 2 } }
    &[
        ("not", Plain(Op::Not)), ("and", Folded { op: Op::And, n_min: 1 }),
        ("or", Folded { op: Op::Or, n_min: 1 }), ("xor", folded(Op::Xor)), ("=>", Implies),
        ("=", chain(Op::Eq)), ("distinct", Distinct), ("ite", Plain(Op::Ite)),

        ("bvnot", Plain(Op::BvNot)), ("bvneg", Plain(Op::BvNeg)), ("bvand", folded(Op::BvAnd)),
        ("bvor", folded(Op::BvOr)), ("bvxor", folded(Op::BvXor)), ("bvadd", folded(Op::BvAdd)),
        ("bvmul", folded(Op::BvMul)), ("bvnand", Complement(Op::BvAnd)),
        ("bvnor", Complement(Op::BvOr)), ("bvxnor", Complement(Op::BvXor)),
        ("bvsub", Plain(Op::BvSub)), ("bvudiv", Plain(Op::BvUdiv)), ("bvurem", Plain(Op::BvUrem)),
        ("bvsdiv", Plain(Op::BvSdiv)), ("bvsrem", Plain(Op::BvSrem)),
        ("bvsmod", Plain(Op::BvSmod)), ("bvshl", Plain(Op::BvShl)), ("bvlshr", Plain(Op::BvLshr)),
        ("bvashr", Plain(Op::BvAshr)), ("concat", folded(Op::Concat)), ("bvcomp", BvComp),
        ("bvult", two(Op::BvUlt)), ("bvule", two(Op::BvUle)), ("bvugt", two_backwards(Op::BvUlt)),
        ("bvuge", two_backwards(Op::BvUle)), ("bvslt", two(Op::BvSlt)), ("bvsle", two(Op::BvSle)),
        ("bvsgt", two_backwards(Op::BvSlt)), ("bvsge", two_backwards(Op::BvSle)),
        ("bvnego", Overflows(Overflow::Neg)), ("bvuaddo", Overflows(Overflow::UnsignedAdd)),
        ("bvsaddo", Overflows(Overflow::SignedAdd)), ("bvumulo", Overflows(Overflow::UnsignedMul)),
        ("bvsmulo", Overflows(Overflow::SignedMul)), ("bvusubo", Overflows(Overflow::UnsignedSub)),
        ("bvssubo", Overflows(Overflow::SignedSub)), ("bvsdivo", Overflows(Overflow::SignedDiv)),

        ("fp", FpTriple), ("fp.abs", Plain(Op::FpAbs)), ("fp.neg", Plain(Op::FpNeg)),
        ("fp.add", Rounded(Op::FpAdd)), ("fp.sub", Rounded(Op::FpSub)),
        ("fp.mul", Rounded(Op::FpMul)), ("fp.div", Rounded(Op::FpDiv)),
        ("fp.fma", Rounded(Op::FpFma)), ("fp.sqrt", Rounded(Op::FpSqrt)),
        ("fp.rem", Plain(Op::FpRem)), ("fp.roundToIntegral", Rounded(Op::FpRoundToIntegral)),
        ("fp.min", MinMax(Op::FpMin)), ("fp.max", MinMax(Op::FpMax)),
        ("fp.leq", chain(Op::FpLe)), ("fp.lt", chain(Op::FpLt)), ("fp.geq", backwards(Op::FpLe)),
        ("fp.gt", backwards(Op::FpLt)), ("fp.eq", chain(Op::FpEq)),
        ("fp.isNormal", Plain(Op::FpIsNormal)), ("fp.isSubnormal", Plain(Op::FpIsSubnormal)),
        ("fp.isZero", Plain(Op::FpIsZero)), ("fp.isInfinite", Plain(Op::FpIsInfinite)),
        ("fp.isNaN", Plain(Op::FpIsNan)), ("fp.isNegative", Plain(Op::FpIsNegative)),
        ("fp.isPositive", Plain(Op::FpIsPositive)),

        ("/", OnNumbers(Arithmetic::Divide)), ("-", OnNumbers(Arithmetic::Minus)),
    ]
};

/// Every function with indices.
pub(crate) const INDEXED: &[(&str, Indexed)] = &[
    ("extract", Indexed::Extract),
    ("zero_extend", Indexed::Extend(Op::ZeroExtend)),
    ("sign_extend", Indexed::Extend(Op::SignExtend)),
    ("repeat", Indexed::Repeat),
    ("rotate_left", Indexed::Rotate(Op::BvRotl)),
    ("rotate_right", Indexed::Rotate(Op::BvRotr)),
    ("to_fp", Indexed::ToFp),
    ("to_fp_unsigned", Indexed::ToFpUnsigned),
    ("fp.to_ubv", Indexed::FpToBv(Op::FpToUbv)),
    ("fp.to_sbv", Indexed::FpToBv(Op::FpToSbv)),
];

/// Names of other theories and of solvers' extensions: not wrong, but not ours.
const FOREIGN: &[&str] = &[
    "+",
    "*",
    "<",
    "<=",
    ">",
    ">=",
    "div",
    "mod",
    "abs",
    "to_real",
    "to_int",
    "is_int",
    "divisible",
    "select",
    "store",
    "forall",
    "exists",
    "lambda",
    "match",
    "choice",
    "as",
    "is",
    "update",
    "bv2nat",
    "nat2bv",
    "int2bv",
    "bv2int",
    "ubv_to_int",
    "sbv_to_int",
    "int_to_bv",
    "fp.to_real",
    "fp.to_ieee_bv",
    "to_fp_bv",
    "bvredor",
    "bvredand",
    "bvinc",
    "bvdec",
    "ext_rotate_left",
    "ext_rotate_right",
    "bvumul_noovfl",
    "bvsmul_noovfl",
    "bvsmul_noudfl",
    "char",
    "map",
    "^",
    "**",
    "implies",
    "iff",
    "if",
    "tuple",
];
const FOREIGN_PREFIXES: &[&str] = &["str.", "re.", "seq.", "set.", "bag.", "rel.", "ff.", "int."];

/// Whether a name that we do not know is known elsewhere.
pub(crate) fn is_foreign(name: &str) -> bool {
    FOREIGN.contains(&name) || FOREIGN_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether no script may declare that name.
pub(crate) fn is_reserved(name: &str) -> bool {
    let core = ["true", "false", "not", "and", "or", "xor", "=>", "=", "distinct", "ite"];
    let prefixed = name.starts_with("bv") || name.starts_with("fp.");
    core.contains(&name) || (prefixed && FUNCTIONS.iter().any(|(known, _)| *known == name))
}

/// The rounding mode of that name, in either spelling.
pub(crate) fn rounding_named(name: &str) -> Option<Rounding> {
    Rounding::ALL
        .into_iter()
        .find(|&rounding| name == rounding.smtlib() || name == rounding_long_name(rounding))
}

/// SMT-LIB's long name, which models use.
pub(crate) fn rounding_long_name(rounding: Rounding) -> &'static str {
    match rounding {
        Rounding::NearestEven => "roundNearestTiesToEven",
        Rounding::NearestAway => "roundNearestTiesToAway",
        Rounding::Up => "roundTowardPositive",
        Rounding::Down => "roundTowardNegative",
        Rounding::ToZero => "roundTowardZero",
    }
}

/// One application: where it stands, and what its arguments mean.
pub(crate) struct Application<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) sexpr: SexprId,
    pub(crate) args: &'a [Meaning],
}

impl Application<'_> {
    pub(crate) fn span(&self) -> Span {
        self.tree.span(self.sexpr)
    }

    fn head(&self) -> SexprId {
        self.tree.children(self.sexpr).next().expect("an application has a head")
    }

    /// The function as written, indices included.
    pub(crate) fn symbol(&self) -> String {
        self.tree.text(self.head()).to_owned()
    }

    pub(crate) fn arg_span(&self, arg: usize) -> Span {
        let sexpr = self.tree.children(self.sexpr).nth(arg + 1);
        self.tree.span(sexpr.unwrap_or(self.sexpr))
    }

    pub(crate) fn wrong_arity(&self, expected: &str) -> Failure {
        let (symbol, expected) = (self.symbol(), expected.to_owned());
        Problem::WrongArity { symbol, expected, found: self.args.len() }.at(self.span()).into()
    }

    pub(crate) fn check_arity(&self, n: usize) -> Result<(), Failure> {
        let plural = if n == 1 { "" } else { "s" };
        let fits = self.args.len() == n;
        fits.then_some(()).ok_or_else(|| self.wrong_arity(&format!("{n} argument{plural}")))
    }

    pub(crate) fn wrong_sort(&self, terms: &Terms, arg: usize, expected: &str) -> Failure {
        let (symbol, expected) = (self.symbol(), expected.to_owned());
        let found = self.args[arg].sort(terms).to_string();
        Problem::WrongSort { symbol, expected, found }.at(self.arg_span(arg)).into()
    }

    pub(crate) fn wrong_index(&self, expected: String) -> Failure {
        Problem::WrongIndex { symbol: self.symbol(), expected }
            .at(self.tree.span(self.head()))
            .into()
    }

    /// The argument, which must be a term that `accepts` takes.
    pub(crate) fn term(
        &self,
        terms: &Terms,
        arg: usize,
        expected: &str,
        accepts: impl Fn(Sort) -> bool,
    ) -> Result<TermId, Failure> {
        match self.args[arg] {
            Meaning::Term(term) if accepts(terms.sort(term)) => Ok(term),
            Meaning::Term(_)
            | Meaning::Rounding(_)
            | Meaning::RoundingTerm(_)
            | Meaning::Number(_) => Err(self.wrong_sort(terms, arg, expected)),
        }
    }

    /// All arguments from `first` on, which must have one sort that `accepts` takes.
    pub(crate) fn terms_of_one_sort(
        &self,
        terms: &Terms,
        first: usize,
        expected: &str,
        accepts: impl Fn(Sort) -> bool,
    ) -> Result<Vec<TermId>, Failure> {
        let leader = self.term(terms, first, expected, accepts)?;
        let sort = terms.sort(leader);
        let wanted = sort.to_string();
        (first..self.args.len())
            .map(|arg| self.term(terms, arg, &wanted, |found| found == sort))
            .collect()
    }

    /// All arguments, of any one sort, rounding modes included; and that sort.
    fn same_sort(
        &self,
        terms: &mut Terms,
        first: usize,
    ) -> Result<(Vec<TermId>, SmtSort), Failure> {
        let sort = self.args[first].sort(terms);
        if let Some(stranger) =
            (first..self.args.len()).find(|&arg| self.args[arg].sort(terms) != sort)
        {
            return Err(self.wrong_sort(terms, stranger, &sort.to_string()));
        }
        let found: Option<Vec<TermId>> =
            self.args[first..].iter().map(|arg| arg.term(terms)).collect();
        let found =
            found.ok_or_else(|| Failure::unsupported("arithmetic on Int and Real", self.span()))?;
        Ok((found, sort))
    }
}

/// Builds the application of `function`.
pub(crate) fn apply(
    terms: &mut Terms,
    unspecified: &mut Unspecified,
    function: Function,
    call: &Application<'_>,
) -> Result<Meaning, Failure> {
    let term = match function {
        Function::Plain(Op::Ite) => return ite(terms, call),
        Function::Plain(op) => plain(terms, op, call)?,
        Function::Folded { op: Op::Concat, .. } => bit_vectors::concat(terms, call)?,
        Function::Folded { op, n_min } => folded(terms, op, n_min, call)?,
        Function::Complement(op) => {
            call.check_arity(2)?;
            let args = operands(terms, op, call)?;
            let term = terms.app(op, &args);
            terms.app(Op::BvNot, &[term])
        }
        Function::Chain { op, swapped } => chain(terms, op, swapped, call)?,
        Function::Compare { op, swapped } => {
            call.check_arity(2)?;
            chain(terms, op, swapped, call)?
        }
        Function::Implies => implies(terms, call)?,
        Function::Distinct => distinct(terms, call)?,
        Function::BvComp => bit_vectors::compare(terms, call)?,
        Function::Overflows(overflow) => bit_vectors::overflows(terms, overflow, call)?,
        Function::Rounded(op) => floats::rounded(terms, op, call)?,
        Function::MinMax(op) => floats::min_max(terms, unspecified, op, call)?,
        Function::FpTriple => floats::triple(terms, call)?,
        Function::OnNumbers(arithmetic) => return floats::on_numbers(terms, arithmetic, call),
        Function::Indexed(indexed, indices) => match indexed {
            Indexed::Extract => bit_vectors::extract(terms, indices, call)?,
            Indexed::Extend(op) => bit_vectors::extend(terms, op, indices[0], call)?,
            Indexed::Repeat => bit_vectors::repeat(terms, indices[0], call)?,
            Indexed::Rotate(op) => bit_vectors::rotate(terms, op, indices[0], call)?,
            Indexed::ToFp => floats::to_fp(terms, indices, call)?,
            Indexed::ToFpUnsigned => floats::to_fp_unsigned(terms, indices, call)?,
            Indexed::FpToBv(op) => floats::to_bv(terms, unspecified, op, indices[0], call)?,
        },
    };
    Ok(Meaning::Term(term))
}

/// The arguments of an operator whose arguments all have one sort of its theory.
fn operands(terms: &Terms, op: Op, call: &Application<'_>) -> Result<Vec<TermId>, Failure> {
    match op.info().sort_rule {
        SortRule::Bool => call.terms_of_one_sort(terms, 0, "Bool", |sort| sort == Sort::Bool),
        SortRule::Bv | SortRule::BvTest => {
            call.terms_of_one_sort(terms, 0, "a bit-vector", |sort| sort.width().is_some())
        }
        SortRule::Fp | SortRule::FpTest => {
            call.terms_of_one_sort(terms, 0, "a floating-point number", Sort::is_float)
        }
        SortRule::Equal
        | SortRule::Ite
        | SortRule::Concat
        | SortRule::Extract
        | SortRule::Extend
        | SortRule::FpRounded
        | SortRule::FpOfBits
        | SortRule::FpBits
        | SortRule::FpOfFp
        | SortRule::FpOfBv
        | SortRule::BvOfFp => panic!("{op:?} has a builder of its own"),
    }
}

fn plain(terms: &mut Terms, op: Op, call: &Application<'_>) -> Result<TermId, Failure> {
    call.check_arity(op.info().arity)?;
    let args = operands(terms, op, call)?;
    Ok(terms.app(op, &args))
}

fn folded(
    terms: &mut Terms,
    op: Op,
    n_min: usize,
    call: &Application<'_>,
) -> Result<TermId, Failure> {
    if call.args.len() < n_min {
        return Err(call.wrong_arity(&format!("at least {n_min} arguments")));
    }
    let args = operands(terms, op, call)?;
    Ok(args[1..].iter().fold(args[0], |sum, &arg| terms.app(op, &[sum, arg])))
}

fn ite(terms: &mut Terms, call: &Application<'_>) -> Result<Meaning, Failure> {
    call.check_arity(3)?;
    let condition = call.term(terms, 0, "Bool", |sort| sort == Sort::Bool)?;
    let (branches, sort) = call.same_sort(terms, 1)?;
    let term = terms.ite(condition, branches[0], branches[1]);
    Ok(Meaning::of_term(terms, term, sort))
}

fn conjunction(terms: &mut Terms, parts: impl IntoIterator<Item = TermId>) -> TermId {
    let truth = terms.bool(true);
    parts.into_iter().fold(truth, |sum, part| terms.app(Op::And, &[sum, part]))
}

fn chain(
    terms: &mut Terms,
    op: Op,
    swapped: bool,
    call: &Application<'_>,
) -> Result<TermId, Failure> {
    if call.args.len() < 2 {
        return Err(call.wrong_arity("at least 2 arguments"));
    }
    let args = if op == Op::Eq { call.same_sort(terms, 0)?.0 } else { operands(terms, op, call)? };
    let links: Vec<TermId> = args
        .windows(2)
        .map(|pair| {
            let (a, b) = if swapped { (pair[1], pair[0]) } else { (pair[0], pair[1]) };
            terms.app(op, &[a, b])
        })
        .collect();
    Ok(conjunction(terms, links))
}

fn implies(terms: &mut Terms, call: &Application<'_>) -> Result<TermId, Failure> {
    if call.args.len() < 2 {
        return Err(call.wrong_arity("at least 2 arguments"));
    }
    let args = call.terms_of_one_sort(terms, 0, "Bool", |sort| sort == Sort::Bool)?;
    let (&conclusion, premises) = args.split_last().expect("there are at least two");
    Ok(premises.iter().rev().fold(conclusion, |rest, &premise| {
        let denied = terms.not(premise);
        terms.app(Op::Or, &[denied, rest])
    }))
}

fn distinct(terms: &mut Terms, call: &Application<'_>) -> Result<TermId, Failure> {
    /// Half a million pairs; beyond that a solver's own encoding is better than ours.
    const ARGS_MAX: usize = 1_000;
    if call.args.len() < 2 {
        return Err(call.wrong_arity("at least 2 arguments"));
    }
    let (args, _) = call.same_sort(terms, 0)?;
    if args.len() > ARGS_MAX {
        return Err(Failure::unsupported("distinct with so many arguments", call.span()));
    }
    let mut sum = terms.bool(true);
    for (i, &a) in args.iter().enumerate() {
        for &b in &args[i + 1..] {
            let equal = terms.eq(a, b);
            let different = terms.not(equal);
            sum = terms.app(Op::And, &[sum, different]);
        }
    }
    Ok(sum)
}
