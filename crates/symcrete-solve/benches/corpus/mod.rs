//! The conditions of the corpus of Dinges and Agha 2014, as queries.

#![allow(dead_code, reason = "each benchmark uses a part of the corpus")]

mod infix;

use symcrete_solve::Query;
use symcrete_term::{Literal, Op, Rounding, Sort, TermId, Terms, Valuation, Value};

/// A named conjunction in an arena of its own.
pub(crate) struct Problem {
    /// The program of the corpus and the condition's name in it.
    pub(crate) program: &'static str,
    /// Its name there.
    pub(crate) name: String,
    /// The arena.
    pub(crate) terms: Terms,
    /// The condition.
    pub(crate) literals: Vec<Literal>,
    /// The text it was read from.
    pub(crate) source: Option<Source>,
    hint: Valuation,
}

/// A condition in C notation.
pub(crate) struct Source {
    /// Declared names, separated by commas; doubles unless `int` stands before.
    pub(crate) variables: String,
    /// The condition.
    pub(crate) condition: String,
}

impl Problem {
    /// A problem from declared variables and a condition in C notation.
    fn parsed(program: &'static str, name: &str, variables: &str, condition: &str) -> Problem {
        let mut terms = Terms::new();
        for declared in variables.split(',').map(str::trim) {
            match declared.strip_prefix("int ") {
                Some(name) => terms.var(name, Sort::Bv(32)),
                None => terms.var(declared, Sort::F64),
            };
        }
        let literals = infix::parse(&mut terms, condition);
        let source =
            Some(Source { variables: variables.to_string(), condition: condition.to_string() });
        Problem { source, ..Problem::new(program, name, terms, literals) }
    }

    fn new(program: &'static str, name: &str, terms: Terms, literals: Vec<Literal>) -> Problem {
        Problem {
            program,
            name: name.to_string(),
            terms,
            literals,
            source: None,
            hint: Valuation::new(),
        }
    }

    /// The query.
    pub(crate) fn query(&self) -> Query<'_> {
        Query { terms: &self.terms, literals: &self.literals, hint: &self.hint }
    }
}

/// The 65 conditions of coral.
pub(crate) fn coral() -> Vec<Problem> {
    listed("coral", include_str!("../../../../bench/suites/coral.txt"))
}

/// Conditions of the same kind that no choice in a solver was made for.
pub(crate) fn kin() -> Vec<Problem> {
    listed("kin", include_str!("../../../../bench/suites/kin.txt"))
}

/// The conditions of a file: a line each, `id; variables; condition`.
fn listed(program: &'static str, text: &str) -> Vec<Problem> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let problem = |line: &str| {
        let fields: Vec<&str> = line.split("; ").collect();
        Problem::parsed(program, fields[0], fields[1], fields[2])
    };
    lines.map(problem).collect()
}

/// The six functions of opti.
pub(crate) fn opti() -> Vec<Problem> {
    let parsed = |name, variables, condition| Problem::parsed("opti", name, variables, condition);
    let freudenstein =
        "(-13 + x1 + ((5 - x2)*x2 - 2)*x2) + (-29 + x1 + ((x2 + 1)*x2 - 14)*x2) == 0";
    let powell = "pow(10,4)*x1*x2 - 1 == 0 && pow(M_E,-x1) + pow(M_E,-x2) - 1.0001 == 0";
    let wood = "10*(x2 - x1*x1) == 0 && 1 - x1 == 0 && sqrt(90)*(x4 - x3*x3) == 0 && 1 - x3 == 0 \
        && sqrt(10)*(x2 + x4 - 2) == 0 && pow(10,-0.5)*(x2 - x4) == 0";
    vec![
        parsed("beale", "x1, x2", "1.5 - x1*(1 - x2) == 0"),
        parsed("freudenstein-roth", "x1, x2", freudenstein),
        helical_valley(),
        parsed("powell", "x1, x2", powell),
        parsed("rosenbrock", "x1, x2", "pow(1 - x1,2) + 100*pow(x2 - x1*x1,2) == 0"),
        parsed("wood", "x1, x2, x3, x4", wood),
    ]
}

fn helical_valley() -> Problem {
    let mut terms = Terms::new();
    let t = &mut terms;
    let [x1, x2, x3] = ["x1", "x2", "x3"].map(|name| t.var(name, Sort::F64));
    let number = |t: &mut Terms, x: f64| t.constant(Value::f64(x));
    let float = |t: &mut Terms, op, args: &[TermId]| t.rounded(op, Rounding::NearestEven, args);
    let (zero, half, one, ten) = (number(t, 0.0), number(t, 0.5), number(t, 1.0), number(t, 10.0));
    let circle = number(t, 2.0 * std::f64::consts::PI);
    let atan = t.function_named("atan").expect("atan is known");
    let ratio = float(t, Op::FpDiv, &[x2, x1]);
    let angle = t.call(atan, &[ratio]);
    let turn = float(t, Op::FpDiv, &[angle, circle]);
    let half_turn = float(t, Op::FpAdd, &[turn, half]);
    let (right, left) = (t.app(Op::FpLt, &[zero, x1]), t.app(Op::FpLt, &[x1, zero]));
    let otherwise = t.ite(left, half_turn, zero);
    let theta = t.ite(right, turn, otherwise);
    let ten_theta = float(t, Op::FpMul, &[ten, theta]);
    let height = float(t, Op::FpSub, &[x3, ten_theta]);
    let first = float(t, Op::FpMul, &[ten, height]);
    let (a, b) = (float(t, Op::FpMul, &[x1, x1]), float(t, Op::FpMul, &[x2, x2]));
    let sum = float(t, Op::FpAdd, &[a, b]);
    let radius = float(t, Op::FpSqrt, &[sum]);
    let off = float(t, Op::FpSub, &[radius, one]);
    let second = float(t, Op::FpMul, &[ten, off]);
    let literals = [first, second, x3].map(|x| Literal::holds(t.app(Op::FpEq, &[x, zero])));
    Problem::new("opti", "helical-valley", terms, literals.to_vec())
}

/// The one path of blind that matters, both failures of dart, the four paths of power.
pub(crate) fn paths() -> Vec<Problem> {
    let ints = |program, name, condition| Problem::parsed(program, name, "int a, int b", condition);
    vec![
        ints("blind", "error", "b > 2 && b == a*b"),
        ints("dart", "first", "a*a*a > 0 && a > 0 && b == 10"),
        ints("dart", "second", "a*a*a <= 0 && a > 0 && b == 20"),
        ints("power", "1", "a > 0 && b == a*a && b > 8"),
        ints("power", "2", "a > 0 && b == a*a && b <= 8"),
        ints("power", "3", "a > 0 && b != a*a && b > 8"),
        ints("power", "4", "a > 0 && b != a*a && b <= 8"),
    ]
}

/// The five collisions of hash.
pub(crate) fn hash() -> Vec<Problem> {
    let bits = Some(3.14159e123f64.to_bits());
    let fixed = |x: u64, y: Option<u64>, z: Option<u64>| [Some(x), y, z];
    let collisions = [
        ([None; 3], [None; 3]),
        (fixed(1, None, None), fixed(2, None, None)),
        (fixed(1234, None, Some(3141)), fixed(5678, None, Some(3141))),
        (fixed(1234, bits, Some(3141)), [None; 3]),
        (fixed(1234, bits, Some(3141)), fixed(5678, None, None)),
    ];
    let problem = |(i, (left, right))| {
        let mut terms = Terms::new();
        let (left, right) = (hashed(&mut terms, 1, left), hashed(&mut terms, 2, right));
        let equal = terms.eq(left, right);
        Problem::new("hash", &format!("collision{}", i + 1), terms, vec![Literal::holds(equal)])
    };
    collisions.into_iter().enumerate().map(problem).collect()
}

/// `h = x; h = h*31 + (int)(y ^ (y >>> 32)); h = h*31 + z`; an absent argument is a variable.
fn hashed(terms: &mut Terms, n: u32, args: [Option<u64>; 3]) -> TermId {
    let [x, y, z] =
        [("x", 32, args[0]), ("y", 64, args[1]), ("z", 32, args[2])].map(|(name, width, value)| {
            match value {
                Some(bits) => terms.bv(width, bits),
                None => terms.var(&format!("{name}{n}"), Sort::Bv(width)),
            }
        });
    let (half, factor) = (terms.bv(64, 32), terms.bv(32, 31));
    let high = terms.app(Op::BvLshr, &[y, half]);
    let mixed = terms.app(Op::BvXor, &[y, high]);
    let folded = terms.app_indexed(Op::Extract, [31, 0], &[mixed]);
    let first = terms.app(Op::BvMul, &[x, factor]);
    let sum = terms.app(Op::BvAdd, &[first, folded]);
    let second = terms.app(Op::BvMul, &[sum, factor]);
    terms.app(Op::BvAdd, &[second, z])
}
