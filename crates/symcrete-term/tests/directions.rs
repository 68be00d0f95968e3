//! Every operator that rounds, in four directions, against this machine: the same bits.

#![expect(clippy::disallowed_methods, reason = "a test compiles a program and runs it")]
#![expect(clippy::unwrap_used, reason = "all of this is test code")]

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use symcrete_term::eval::eval;
use symcrete_term::{Op, Rng, Rounding, Seed, Sort, Value};

const DIRECTIONS: [(Rounding, &str); 4] = [
    (Rounding::NearestEven, "FE_TONEAREST"),
    (Rounding::Down, "FE_DOWNWARD"),
    (Rounding::Up, "FE_UPWARD"),
    (Rounding::ToZero, "FE_TOWARDZERO"),
];

/// Operators with what they mean in C, the sort that they take, and the float sort that they give.
const OPERATORS: &[(Op, &str, Sort, Sort)] = &[
    (Op::FpAdd, "a + b", Sort::F64, Sort::F64),
    (Op::FpSub, "a - b", Sort::F64, Sort::F64),
    (Op::FpMul, "a * b", Sort::F64, Sort::F64),
    (Op::FpDiv, "a / b", Sort::F64, Sort::F64),
    (Op::FpFma, "fma(a, b, c)", Sort::F64, Sort::F64),
    (Op::FpSqrt, "sqrt(a)", Sort::F64, Sort::F64),
    (Op::FpRoundToIntegral, "rint(a)", Sort::F64, Sort::F64),
    (Op::FpAdd, "a + b", Sort::F32, Sort::F32),
    (Op::FpSub, "a - b", Sort::F32, Sort::F32),
    (Op::FpMul, "a * b", Sort::F32, Sort::F32),
    (Op::FpDiv, "a / b", Sort::F32, Sort::F32),
    (Op::FpFma, "fmaf(a, b, c)", Sort::F32, Sort::F32),
    (Op::FpSqrt, "sqrtf(a)", Sort::F32, Sort::F32),
    (Op::FpRoundToIntegral, "rintf(a)", Sort::F32, Sort::F32),
    (Op::FpOfFp, "a", Sort::F64, Sort::F32),
    (Op::FpOfSbv, "(int32_t)a", Sort::Bv(32), Sort::F32),
    (Op::FpOfUbv, "a", Sort::Bv(32), Sort::F32),
    (Op::FpOfSbv, "(int64_t)a", Sort::Bv(64), Sort::F32),
    (Op::FpOfUbv, "a", Sort::Bv(64), Sort::F32),
    (Op::FpOfSbv, "(int64_t)a", Sort::Bv(64), Sort::F64),
    (Op::FpOfUbv, "a", Sort::Bv(64), Sort::F64),
];

/// Operands of each operator in each direction.
const N_ROWS: usize = 1500;

/// Floats at the edge of something.
const EDGES: [f64; 18] = [
    0.0,
    1.0,
    1.0 + f64::EPSILON,
    1.0 - f64::EPSILON / 2.0,
    0.5,
    1.5,
    2.5,
    1.0 / 3.0,
    f64::MIN_POSITIVE,
    5e-324,
    f64::MAX,
    f64::INFINITY,
    f64::NAN,
    9_007_199_254_740_991.0,
    4_503_599_627_370_495.5,
    3.402_823_466_385_288_6e38,
    3.402_823_5e38,
    1e-45,
];

/// One operator in one direction on some operands.
struct Row {
    operator: usize,
    direction: usize,
    args: [u64; 3],
}

#[test]
fn operators_round_as_this_machine_does() {
    let mut rng = Seed(31).rng();
    let mut rows = Vec::new();
    for (operator, &(_, _, sort, _)) in OPERATORS.iter().enumerate() {
        for direction in 0..DIRECTIONS.len() {
            let row = |_| Row { operator, direction, args: [(); 3].map(|()| bits(&mut rng, sort)) };
            rows.extend((0..N_ROWS).map(row));
        }
    }
    for (row, native) in rows.iter().zip(native(&rows)) {
        let (op, text, sort, result) = OPERATORS[row.operator];
        let (rounding, direction) = DIRECTIONS[row.direction];
        let is_conversion = matches!(op, Op::FpOfFp | Op::FpOfSbv | Op::FpOfUbv);
        let width = if is_conversion { result.bits() as u8 } else { 0 };
        let args = row.args.map(|bits| Value::from_bits(sort, bits));
        let ours = eval(op, [rounding as u8, width], &args[..op.info().arity]);
        // Clang's code for x86-64 makes -0.0 of an unsigned 0 when rounding down.
        let is_known = op == Op::FpOfUbv
            && rounding == Rounding::Down
            && args[0].bits() == 0
            && ours.bits() == 0;
        let native = Value::from_bits(result, native);
        assert!(ours == native || is_known, "{text} {direction} {args:?}: {ours:?}, {native:?}");
    }
}

/// A value: at the edge of something, a neighbour of that, or any.
fn bits(rng: &mut Rng, sort: Sort) -> u64 {
    let edge = *rng.choose(&EDGES);
    let edge = if rng.one_in(2) { -edge } else { edge };
    let plain = rng.next_u64() as i64 as f64 / 1e18;
    match (sort, rng.below(4)) {
        (Sort::Bool | Sort::Bv(_), 0) => {
            sort.mask() & (1u64 << rng.below(64)).wrapping_sub(rng.below(3))
        }
        (Sort::Bool | Sort::Bv(_), _) => sort.mask() & (rng.next_u64() >> rng.below(64)),
        (Sort::F32, 0) => u64::from((edge as f32).to_bits()),
        (Sort::F32, 1) => u64::from((edge as f32).to_bits().wrapping_add(1)),
        (Sort::F32, 2) => u64::from((plain as f32).to_bits()),
        (Sort::F32, _) => rng.next_u64() >> 32,
        (Sort::F64, 0) => edge.to_bits(),
        (Sort::F64, 1) => edge.to_bits().wrapping_add(1),
        (Sort::F64, 2) => plain.to_bits(),
        (Sort::F64, _) => rng.next_u64(),
    }
}

/// The results of a C program.
fn native(rows: &[Row]) -> Vec<u64> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, program) = (folder.join("directions.c"), folder.join("directions"));
    std::fs::write(&source, text()).unwrap();
    let mut compiler = Command::new("cc");
    compiler.arg("-O0").arg(&source).arg("-o").arg(&program).arg("-lm");
    assert!(compiler.status().unwrap().success());
    let mut command = Command::new(&program);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = String::new();
    for Row { operator, direction, args: [a, b, c] } in rows {
        writeln!(lines, "{operator} {direction} {a:x} {b:x} {c:x}").unwrap();
    }
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let numbers = String::from_utf8(output.stdout).unwrap();
    let numbers: Vec<u64> =
        numbers.lines().map(|line| u64::from_str_radix(line, 16).unwrap()).collect();
    assert_eq!(numbers.len(), rows.len());
    numbers
}

/// The program: a function for each operator.
fn text() -> String {
    let name = |sort: Sort| match sort {
        Sort::F32 => "float",
        Sort::F64 => "double",
        Sort::Bv(32) => "uint32_t",
        Sort::Bv(_) | Sort::Bool => "uint64_t",
    };
    let headers = ["fenv", "math", "stdint", "stdio", "string"];
    let mut text: String = headers.iter().map(|name| format!("#include <{name}.h>\n")).collect();
    let mut functions = String::new();
    for (i, (_, operation, sort, result)) in OPERATORS.iter().enumerate() {
        let (from, to) = (name(*sort), name(*result));
        writeln!(
            text,
            "static uint64_t f{i}(const uint64_t *args) {{ {from} a, b, c; {to} result; uint64_t bits = 0; \
             memcpy(&a, args, sizeof a), memcpy(&b, args + 1, sizeof b), memcpy(&c, args + 2, sizeof c); \
             result = {operation}; memcpy(&bits, &result, sizeof result); return bits; }}"
        )
        .unwrap();
        write!(functions, "f{i}, ").unwrap();
    }
    let directions = DIRECTIONS.map(|(_, direction)| direction).join(", ");
    let main = "int main(void) { int op, direction; unsigned long long a, b, c; \
        while (scanf(\"%d %d %llx %llx %llx\", &op, &direction, &a, &b, &c) == 5) { \
        uint64_t args[] = { a, b, c }, result; fesetround(directions[direction]); \
        result = operators[op](args); fesetround(FE_TONEAREST); \
        printf(\"%llx\\n\", (unsigned long long)result); } }\n";
    format!(
        "{text}static int directions[] = {{ {directions} }};\n\
         static uint64_t (*operators[])(const uint64_t *) = {{ {functions} }};\n{main}"
    )
}
