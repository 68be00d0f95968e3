//! Float operators in other rounding directions than to nearest, which WebAssembly does not have: imports that the C front end's
//! runtime calls (`docs/adr/0031-rounding-directions.md`).

use symcrete_term::{Function, Op, Rounding, Sort};

/// What the operators' names end with.
const DIRECTIONS: [(&str, Rounding); 3] =
    [("down", Rounding::Down), ("up", Rounding::Up), ("zero", Rounding::ToZero)];

const FLOATS: [(&str, Sort); 2] = [("f32", Sort::F32), ("f64", Sort::F64)];

/// Operators on floats of one sort, with how many they take.
const ARITHMETIC: [(&str, Op, usize); 6] = [
    ("add", Op::FpAdd, 2),
    ("sub", Op::FpSub, 2),
    ("mul", Op::FpMul, 2),
    ("div", Op::FpDiv, 2),
    ("sqrt", Op::FpSqrt, 1),
    ("fma", Op::FpFma, 3),
];

/// Conversions that round.
const CONVERSIONS: [(&str, Op, Sort, Sort); 7] = [
    ("f32.convert_i32_s", Op::FpOfSbv, Sort::Bv(32), Sort::F32),
    ("f32.convert_i32_u", Op::FpOfUbv, Sort::Bv(32), Sort::F32),
    ("f32.convert_i64_s", Op::FpOfSbv, Sort::Bv(64), Sort::F32),
    ("f32.convert_i64_u", Op::FpOfUbv, Sort::Bv(64), Sort::F32),
    ("f64.convert_i64_s", Op::FpOfSbv, Sort::Bv(64), Sort::F64),
    ("f64.convert_i64_u", Op::FpOfUbv, Sort::Bv(64), Sort::F64),
    ("f32.demote_f64", Op::FpOfFp, Sort::F64, Sort::F32),
];

/// All of them: `f64.add.up` and its like.
pub(crate) fn operators() -> impl Iterator<Item = Function> {
    let arithmetic = FLOATS.into_iter().flat_map(|(float, sort)| {
        ARITHMETIC
            .map(|(name, op, n_params)| (format!("{float}.{name}"), op, 0, vec![sort; n_params]))
    });
    let conversions = CONVERSIONS
        .into_iter()
        .map(|(name, op, from, to)| (name.to_string(), op, to.bits() as u8, vec![from]));
    arithmetic.chain(conversions).flat_map(|(name, op, width, params)| {
        DIRECTIONS.map(|(direction, rounding)| {
            let indices = [rounding as u8, width];
            Function::of_operator(format!("{name}.{direction}"), op, indices, params.clone())
        })
    })
}
