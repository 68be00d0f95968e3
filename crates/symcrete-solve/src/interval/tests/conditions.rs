//! Path conditions of the corpus that have no model.

use crate::Query;
use crate::interval::refutes;
use std::f64::consts::PI;
use symcrete_term::{Literal, Op, Sort, TermId, Terms, Valuation, Value};

/// Terms and a path condition over them.
#[derive(Default)]
struct Path {
    terms: Terms,
    literals: Vec<Literal>,
}

impl Path {
    fn double(&mut self, x: f64) -> TermId {
        self.terms.constant(Value::f64(x))
    }

    fn var(&mut self, name: &str, sort: Sort) -> TermId {
        self.terms.var(name, sort)
    }

    fn app(&mut self, op: Op, args: &[TermId]) -> TermId {
        self.terms.app(op, args)
    }

    fn call(&mut self, name: &str, args: &[TermId]) -> TermId {
        let function = self.terms.function_named(name).unwrap();
        self.terms.call(function, args)
    }

    fn assume(&mut self, term: TermId, expected: bool) {
        self.literals.push(Literal { term, expected });
    }

    fn is_refuted(&self) -> bool {
        let hint = Valuation::new();
        refutes(&Query { terms: &self.terms, literals: &self.literals, hint: &hint })
    }

    /// Whether the path is refuted if a term has that value.
    fn is_refuted_with(&mut self, term: TermId, expected: bool) -> bool {
        self.assume(term, expected);
        let refuted = self.is_refuted();
        self.literals.pop();
        refuted
    }
}

/// `PI / 2 - atan2(y0 - y1, x0 - x1)` of `tsafe.c`'s `turn_logic`.
fn heading(path: &mut Path, names: [&str; 4]) -> TermId {
    let [x0, y0, x1, y1] = names.map(|name| path.var(name, Sort::F64));
    let dx = path.app(Op::FpSub, &[x0, x1]);
    let dy = path.app(Op::FpSub, &[y0, y1]);
    let angle = path.call("atan2", &[dy, dx]);
    let quarter = path.double(PI / 2.0);
    path.app(Op::FpSub, &[quarter, angle])
}

#[test]
fn a_heading_is_at_most_a_full_circle() {
    for is_negative in [false, true] {
        let mut path = Path::default();
        let zero = path.double(0.0);
        let circle = path.double(2.0 * PI);
        for names in [["x0", "y0", "x1", "y1"], ["x1", "y1", "x2", "y2"]] {
            let heading = heading(&mut path, names);
            let below = path.app(Op::FpLt, &[heading, zero]);
            path.assume(below, is_negative);
            let turned = path.app(Op::FpAdd, &[heading, circle]);
            let normal = if is_negative { turned } else { heading };
            let beyond = path.app(Op::FpLt, &[circle, normal]);
            assert!(path.is_refuted_with(beyond, true));
            assert!(!path.is_refuted_with(beyond, false));
            path.assume(beyond, false);
        }
    }
}

/// `turn_logic` where a segment goes straight up or down: its heading is zero or half a circle, exactly.
#[test]
fn a_heading_along_an_axis_is_exact() {
    let mut path = Path::default();
    let heading = heading(&mut path, ["x0", "y0", "x1", "y1"]);
    let [x0, y0, x1, y1] = ["x0", "y0", "x1", "y1"].map(|name| path.var(name, Sort::F64));
    let dx = path.app(Op::FpSub, &[x0, x1]);
    let dy = path.app(Op::FpSub, &[y0, y1]);
    let (zero, half) = (path.double(0.0), path.double(PI));
    let is_negative = path.app(Op::FpLt, &[heading, zero]);
    let is_beyond = path.app(Op::FpLt, &[half, heading]);
    let is_vertical = path.app(Op::FpEq, &[dx, zero]);
    let is_nothing = path.app(Op::FpEq, &[dy, zero]);
    assert!(!path.is_refuted_with(is_negative, true));
    path.assume(is_vertical, true);
    // Minus zero is zero too, and then no distance has the heading of `atan2(0, -0)`.
    assert!(!path.is_refuted_with(is_negative, true));
    let down = path.app(Op::FpLt, &[dy, zero]);
    let up = path.app(Op::FpLt, &[zero, dy]);
    for (side, other) in [(up, down), (down, up)] {
        path.assume(side, true);
        assert!(path.is_refuted_with(is_negative, true));
        assert!(path.is_refuted_with(is_beyond, true));
        assert!(path.is_refuted_with(other, true));
        assert!(path.is_refuted_with(is_nothing, true));
        assert!(!path.is_refuted_with(is_negative, false));
        path.literals.pop();
    }
    path.assume(is_nothing, false);
    assert!(path.is_refuted_with(is_negative, true));
    assert!(path.is_refuted_with(is_beyond, true));
    assert!(!path.is_refuted_with(is_beyond, false));
}

/// The same where the first condition is a choice of values, as an optimiser writes it.
#[test]
fn a_heading_is_at_most_a_full_circle_without_branches() {
    let mut path = Path::default();
    let zero = path.double(0.0);
    let circle = path.double(2.0 * PI);
    let heading = heading(&mut path, ["x0", "y0", "x1", "y1"]);
    let below = path.app(Op::FpLt, &[heading, zero]);
    let turned = path.app(Op::FpAdd, &[heading, circle]);
    let normal = path.terms.ite(below, turned, heading);
    let beyond = path.app(Op::FpLt, &[circle, normal]);
    assert!(path.is_refuted_with(beyond, true));
    assert!(!path.is_refuted_with(beyond, false));
}

#[test]
fn own_is_not_both_below_and_above_other() {
    let mut path = Path::default();
    let [own, other, sep] = ["own", "other", "sep"].map(|name| path.var(name, Sort::Bv(32)));
    let below = path.app(Op::BvSlt, &[own, other]);
    let above = path.app(Op::BvSlt, &[other, own]);
    let (min, max) = (path.terms.bv(32, 300), path.terms.bv(32, 600));
    let enabled = path.app(Op::BvSlt, &[max, sep]);
    let separated = path.app(Op::BvSle, &[min, sep]);
    path.assume(enabled, true);
    path.assume(below, true);
    assert!(path.is_refuted_with(separated, false));
    assert!(path.is_refuted_with(above, true));
    assert!(path.is_refuted_with(below, false));
    assert!(!path.is_refuted_with(above, false));
}

/// `ray.c`'s `intersect`: a hit beyond `FLT_MAX`.
#[test]
fn a_ray_does_not_hit_beyond_the_largest_float() {
    let mut path = Path::default();
    let names = ["radius", "dx", "dy", "dz", "x", "y", "z"];
    let [radius, dx, dy, dz, x, y, z] = names.map(|name| path.var(name, Sort::F32));
    let dot = |path: &mut Path, a: [TermId; 3], b: [TermId; 3]| {
        let products = [0, 1, 2].map(|i| path.app(Op::FpMul, &[a[i], b[i]]));
        let sum = path.app(Op::FpAdd, &[products[0], products[1]]);
        path.app(Op::FpAdd, &[sum, products[2]])
    };
    let v = dot(&mut path, [x, y, z], [dx, dy, dz]);
    let max = path.terms.constant(Value::f32(f32::MAX));
    let near = path.app(Op::FpSub, &[v, radius]);
    let misses = path.app(Op::FpLt, &[max, near]);
    path.assume(misses, false);
    let squares = [radius, v].map(|x| path.app(Op::FpMul, &[x, x]));
    let sum = path.app(Op::FpAdd, &squares);
    let distance = dot(&mut path, [dx, dy, dz], [dx, dy, dz]);
    let square = path.app(Op::FpSub, &[sum, distance]);
    let zero = path.terms.constant(Value::f32(0.0));
    let is_negative = path.app(Op::FpLt, &[square, zero]);
    path.assume(is_negative, false);
    let wide = path.terms.app_indexed(Op::FpOfFp, [0, 64], &[square]);
    let root = path.call("sqrt", &[wide]);
    let root = path.terms.app_indexed(Op::FpOfFp, [0, 32], &[root]);
    let t = path.app(Op::FpSub, &[v, root]);
    let beyond = path.app(Op::FpLt, &[max, t]);
    assert!(path.is_refuted_with(beyond, true));
    assert!(!path.is_refuted_with(beyond, false));
}

#[test]
fn a_number_is_not_on_both_sides_of_one() {
    let mut path = Path::default();
    let y = path.var("y", Sort::F64);
    let one = path.double(1.0);
    let above = path.app(Op::FpLt, &[one, y]);
    let below = path.app(Op::FpLt, &[y, one]);
    path.assume(above, true);
    assert!(path.is_refuted_with(below, true));
    assert!(!path.is_refuted_with(below, false));
}

/// `unreach.c` where the conditions are choices of values.
#[test]
fn a_sum_of_ones_and_twos_is_positive() {
    let mut path = Path::default();
    let [zero, one, two] = [0, 1, 2].map(|k| path.terms.bv(32, k));
    let mut sum = zero;
    for i in 0..10 {
        let x = path.var(&format!("x{i}"), Sort::Bv(32));
        let positive = path.app(Op::BvSlt, &[zero, x]);
        let more = path.terms.ite(positive, one, two);
        sum = path.app(Op::BvAdd, &[sum, more]);
    }
    let positive = path.app(Op::BvSlt, &[zero, sum]);
    let is_zero = path.terms.eq(sum, zero);
    assert!(path.is_refuted_with(positive, false));
    assert!(path.is_refuted_with(is_zero, true));
    assert!(!path.is_refuted_with(positive, true));
}

#[test]
fn library_functions_stay_in_their_ranges() {
    let cases: &[(&str, Op, f64)] = &[
        ("sin", Op::FpLt, 1.0),
        ("cos", Op::FpLt, 1.0),
        ("tanh", Op::FpLt, 1.01),
        ("atan", Op::FpLt, 1.58),
        ("acos", Op::FpLt, 3.15),
    ];
    for &(name, op, bound) in cases {
        let mut path = Path::default();
        let x = path.var("x", Sort::F64);
        let value = path.call(name, &[x]);
        let bound = path.double(bound);
        let beyond = path.app(op, &[bound, value]);
        assert!(path.is_refuted_with(beyond, true), "{name}");
        assert!(!path.is_refuted_with(beyond, false), "{name}");
    }
    for name in ["exp", "exp2", "cosh", "erfc", "fabs", "sqrt"] {
        let mut path = Path::default();
        let x = path.var("x", Sort::F64);
        let value = path.call(name, &[x]);
        let zero = path.double(0.0);
        let is_negative = path.app(Op::FpLt, &[value, zero]);
        assert!(path.is_refuted_with(is_negative, true), "{name}");
    }
}

/// `exp(x) > 2` and `x < 0` meet in the argument: sets shrink through calls, downwards.
#[test]
fn a_call_narrows_its_argument() {
    let mut path = Path::default();
    let x = path.var("x", Sort::F64);
    let (zero, two) = (path.double(0.0), path.double(2.0));
    let exp = path.call("exp", &[x]);
    let large = path.app(Op::FpLt, &[two, exp]);
    let negative = path.app(Op::FpLt, &[x, zero]);
    path.assume(large, true);
    assert!(path.is_refuted_with(negative, true));
    assert!(!path.is_refuted_with(negative, false));
}

/// Of two numbers one is at most the other; NaN is not a number.
#[test]
fn two_floats_need_not_be_in_order() {
    let mut path = Path::default();
    let [x, y] = ["x", "y"].map(|name| path.var(name, Sort::F64));
    let below = path.app(Op::FpLt, &[x, y]);
    let above = path.app(Op::FpLe, &[y, x]);
    path.assume(below, false);
    path.assume(above, false);
    assert!(!path.is_refuted());
    for number in [x, y] {
        let is_nan = path.app(Op::FpIsNan, &[number]);
        path.assume(is_nan, false);
    }
    assert!(path.is_refuted());
}

/// `z < y`, and `x` neither below `y` nor above `z`: only NaN is such an `x`.
#[test]
fn a_float_may_be_nowhere() {
    for op in [Op::FpLt, Op::FpLe] {
        let mut path = Path::default();
        let [x, y, z] = ["x", "y", "z"].map(|name| path.var(name, Sort::F32));
        for (op, args, expected) in
            [(Op::FpLt, [z, y], true), (op, [x, y], false), (op, [z, x], false)]
        {
            let term = path.app(op, &args);
            path.assume(term, expected);
        }
        assert!(!path.is_refuted());
        let is_nan = path.app(Op::FpIsNan, &[x]);
        assert!(path.is_refuted_with(is_nan, false));
    }
}
