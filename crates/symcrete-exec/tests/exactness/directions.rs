//! Rounding directions: random C programs that change the direction and compute with floats, against the same programs natively.
//!
//! Each function gives a number that depends on every bit of every float it has. It is run with symbolic arguments, with concrete ones,
//! and behind a long loop, which is in the concrete form; each time it must give what this machine gives.

use crate::differential::ENGINE;
use crate::long::LONG;
use crate::polarity::build;
use libtest_mimic::{Failed, Trial};
use std::fmt::Write as _;
use std::path::Path;
use symcrete_exec::{Config, Entry, Executable, Executor};
use symcrete_program::{Gap, Image, Outcome, Scalar};
use symcrete_term::{Literal, Rng, Seed, Sort, Terms, Valuation, Value};

const N_FUNCTIONS: u64 = 40;
/// Runs of each function.
const N_RUNS: u64 = 12;
const FUEL: u64 = 100_000;
const DIRECTIONS: [u32; 4] = [0, 0x400, 0x800, 0xc00];

const START: &str = "#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
static uint64_t bits(double x) { uint64_t b; if (x != x) return 0x7ff8; memcpy(&b, &x, 8); return b; }
";

/// Arguments as numbers in, results as numbers out.
const MAIN: &str = "
#include <stdio.h>
int main(void)
{
    unsigned k, mode, n;
    uint64_t a, b, i, u;
    uint32_t c, e;

    while (scanf(\"%u %u %llx %llx %x %x %llx %llx\", &k, &mode, &a, &b, &c, &e, &i, &u) == 8) {
        double x, y;
        float z, w;
        memcpy(&x, &a, 8), memcpy(&y, &b, 8), memcpy(&z, &c, 4), memcpy(&w, &e, 4);
        fesetround(FE_TONEAREST);
        printf(\"%llx\\n\", functions[k](0, mode, x, y, z, w, i, u));
    }
}
";

/// What a run is given: the direction, two doubles, two floats, two integers.
#[derive(Clone, Copy, Debug)]
struct Arguments {
    mode: u32,
    doubles: [u64; 2],
    floats: [u32; 2],
    integers: [u64; 2],
}

pub(crate) fn trials() -> Vec<Trial> {
    let strict = "#pragma STDC FENV_ACCESS ON\n";
    [("by_default", ""), ("with_the_pragma", strict)]
        .map(|(name, pragma)| Trial::test(format!("directions::{name}"), move || check(pragma)))
        .into()
}

fn check(pragma: &str) -> Result<(), Failed> {
    let mut rng = Seed(31).rng();
    let mut text = format!("{pragma}{START}");
    for k in 0..N_FUNCTIONS {
        text += &function(&mut rng, k);
    }
    let runs: Vec<(u64, Arguments)> = (0..N_FUNCTIONS)
        .flat_map(|k| (0..N_RUNS).map(move |_| k))
        .map(|k| (k, Arguments::random(&mut rng)))
        .collect();
    let folder = tempfile::tempdir()?;
    let expected = native(folder.path(), &text, &runs)?;
    let source = folder.path().join("model.c");
    write(&source, &text)?;
    let program = build::program(&source, &[]);
    let entry = |unit: &symcrete_program::Unit| (unit.name.clone(), unit.function);
    let entries = program.units.iter().map(entry).collect();
    let executable = ENGINE.prepare(&program.wasm, &Config { entries, ..Config::standard() })?;
    let mut n_different = 0;
    for (i, ((k, arguments), expected)) in runs.iter().zip(&expected).enumerate() {
        let is_long = (i as u64).is_multiple_of(N_RUNS);
        let ours = run(&executable, *k, arguments, is_long);
        let ours = ours.map_err(|error| Failed::from(format!("f{k} {arguments:x?}: {error}")))?;
        assert_eq!(ours, *expected, "f{k} {arguments:x?}\n{text}");
        let nearest = Arguments { mode: 0, ..*arguments };
        n_different += usize::from(run(&executable, *k, &nearest, false)? != ours);
    }
    assert!(n_different > runs.len() / 4, "the direction mattered in {n_different} runs");
    Ok(())
}

/// What a function gives, in every way to run it.
fn run(
    executable: &Executable,
    k: u64,
    arguments: &Arguments,
    is_long: bool,
) -> Result<u64, String> {
    let before = vec!["_initialize".to_string()];
    let entry = Entry { before, ..Entry::new(format!("f{k}")) };
    let mut executor = executable.executor(entry).map_err(|error| error.to_string())?;
    let mut value = |image: Image, fuel: u64| {
        let mut terms = Terms::new();
        let trace = executor.run(&mut terms, &image, fuel).map_err(|error| error.to_string())?;
        let Outcome::Returned(results) = &trace.outcome else {
            return Err(trace.outcome.to_string());
        };
        let &[result] = &results[..] else { return Err("one result is expected".to_string()) };
        assert!(trace.gaps.iter().all(|met| met.gap == Gap::State), "{:?}", trace.gaps);
        let valuation = valuation(&mut terms, arguments);
        let literals: Vec<Literal> = trace.path.literals();
        assert!(terms.satisfies(&literals, &valuation), "the path does not hold");
        if let [Some(term)] = trace.results[..] {
            assert_eq!(terms.evaluate(term, &valuation).bits(), result.bits(), "f{k}: the term");
        }
        Ok(result.bits())
    };
    let symbolic = value(Image::of_symbolic_args(arguments.scalars(0)), FUEL)?;
    let concrete = value(Image::of_args(arguments.scalars(0)), FUEL)?;
    assert_eq!(symbolic, concrete, "f{k}");
    if is_long {
        let behind_a_loop = Image::of_args(arguments.scalars(LONG));
        assert_eq!(
            value(behind_a_loop, 100 * u64::from(LONG))?,
            symbolic,
            "f{k}: the concrete form"
        );
    }
    Ok(symbolic)
}

fn valuation(terms: &mut Terms, arguments: &Arguments) -> Valuation {
    let mut valuation = Valuation::new();
    for (i, scalar) in arguments.scalars(0).into_iter().enumerate() {
        if let Some(var) = terms.find_var(&format!("arg{i}")) {
            let sort = scalar.sort().unwrap_or(Sort::Bool);
            valuation.set(var, Value::from_bits(sort, scalar.bits()));
        }
    }
    valuation
}

impl Arguments {
    fn random(rng: &mut Rng) -> Arguments {
        Arguments {
            mode: *rng.choose(&DIRECTIONS),
            doubles: [(); 2].map(|()| double(rng).to_bits()),
            floats: [(); 2].map(|()| (double(rng) as f32).to_bits()),
            integers: [(); 2].map(|()| rng.next_u64() >> rng.below(64)),
        }
    }

    /// As arguments of a function that runs through a loop first.
    fn scalars(&self, n_passes: u32) -> Vec<Scalar> {
        let [a, b] = self.doubles.map(Scalar::F64);
        let [c, e] = self.floats.map(Scalar::F32);
        let [i, u] = self.integers.map(Scalar::I64);
        vec![Scalar::I32(n_passes), Scalar::I32(self.mode), a, b, c, e, i, u]
    }
}

/// A number of every size: round ones, tiny ones, and those where results overflow.
fn double(rng: &mut Rng) -> f64 {
    let digits = (rng.next_u64() as i64) as f64;
    match rng.below(8) {
        0 => (rng.below(200) as f64 - 100.0) / 2.0,
        1 => f64::from_bits(rng.next_u64() >> 12),
        2 => digits * 1e289,
        3 => digits * 1e-25,
        4 => digits * 1e19,
        5 => f64::from_bits((rng.next_u64() & !(2047 << 52)) | (870 + rng.below(40)) << 52),
        _ => digits / 1e18,
    }
}

fn function(rng: &mut Rng, k: u64) -> String {
    let mut text = format!(
        "uint64_t f{k}(int n, int mode, double a, double b, float c, float e, int64_t i, uint64_t u)\n{{\n    \
         double d = 0.1, g = a;\n    float h = 0.1f, o = c;\n    fenv_t env;\n    int s = (int)i;\n    \
         for (int j = 0; j < n; j++)\n        ;\n    fesetround(mode);\n    fegetenv(&env);\n"
    );
    for _ in 0..8 + rng.below(8) {
        text += &statement(rng, 2);
    }
    text += "    fesetround(FE_TONEAREST);\n    return (((bits(d) * 31 + bits(g)) * 31 + bits(a)) * 31 + bits(b)) * 31 \
             + bits(h) * 7 + bits(o) * 5 + bits(c) * 3 + bits(e) + i;\n}\n";
    text
}

fn statement(rng: &mut Rng, depth: u32) -> String {
    let (to, x, y) = (
        *rng.choose(&["d", "g", "a", "b"]),
        one_of(rng, &["d", "g", "a", "b"]),
        *rng.choose(&["d", "g", "a", "b"]),
    );
    let (to32, x32, y32) = (
        *rng.choose(&["h", "o", "c", "e"]),
        one_of(rng, &["h", "o", "c", "e"]),
        *rng.choose(&["h", "o", "c", "e"]),
    );
    let op = *rng.choose(&["+", "-", "*", "/"]);
    let line = match rng.below(if depth > 0 { 22 } else { 20 }) {
        0..=3 => format!("{to} = {x} {op} {y};"),
        4..=6 => format!("{to32} = {x32} {op} {y32};"),
        7 => format!("{to} {op}= 1.0 / 3.0;"),
        8 => format!("{to} = sqrt(fabs({x}));"),
        9 => format!("{to32} = sqrtf(fabsf({x32}));"),
        10 => format!("{to} = fma({x}, {y}, {to});"),
        11 => format!("{to32} = fmaf({x32}, {y32}, {to32});"),
        12 => format!("{to32} = {x};"),
        13 => format!("{to} = {}({x32});", rng.choose(&["rint", "nearbyint", "floor", "round"])),
        14 => format!("{to} = i; {to32} = {};", rng.choose(&["i", "u", "s", "(unsigned)s"])),
        // Clang's code for x86-64 makes -0.0 of an unsigned 0 when rounding down.
        15 => format!("{to} = u | 1;"),
        16 => format!("i += llrint({x}) + llrintf({x32});"),
        17 => format!(
            "fesetround({});",
            rng.choose(&["mode", "FE_DOWNWARD", "FE_UPWARD", "FE_TOWARDZERO", "FE_TONEAREST"])
        ),
        18 => (*rng.choose(&["fesetenv(&env);", "fegetenv(&env);", "fesetenv(FE_DFL_ENV);"]))
            .to_string(),
        19 => "s += fegetround() + s * 3;".to_string(),
        _ => {
            let (then, otherwise) = (statement(rng, depth - 1), statement(rng, depth - 1));
            format!("if ({x} < {y}) {{\n    {then}    }} else {{\n    {otherwise}    }}")
        }
    };
    format!("    {line}\n")
}

/// A variable, or now and then its opposite.
fn one_of(rng: &mut Rng, names: &[&str]) -> String {
    let name = *rng.choose(names);
    if rng.one_in(6) { format!("-{name}") } else { name.to_string() }
}

/// What this machine gives for all runs.
fn native(folder: &Path, text: &str, runs: &[(u64, Arguments)]) -> Result<Vec<u64>, Failed> {
    let names: Vec<String> = (0..N_FUNCTIONS).map(|k| format!("f{k}")).collect();
    let table = format!(
        "uint64_t (*functions[])(int, int, double, double, float, float, int64_t, uint64_t) = {{ {} }};",
        names.join(", ")
    );
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let (source, program, input) = (path("native.c"), path("native"), path("input"));
    write(Path::new(&source), &format!("{text}{table}{MAIN}"))?;
    let mut lines = String::new();
    for (k, Arguments { mode, doubles: [a, b], floats: [c, e], integers: [i, u] }) in runs {
        writeln!(lines, "{k} {mode} {a:x} {b:x} {c:x} {e:x} {i:x} {u:x}")?;
    }
    write(Path::new(&input), &lines)?;
    build::run("clang-19", &["-O0", "-w", &source, "-o", &program, "-lm"]);
    let output = build::run("sh", &["-c", &format!("'{program}' < '{input}'")]);
    let output = String::from_utf8(output)?;
    let numbers: Vec<u64> =
        output.lines().map(|line| u64::from_str_radix(line, 16)).collect::<Result<_, _>>()?;
    assert_eq!(numbers.len(), runs.len());
    Ok(numbers)
}

#[expect(clippy::disallowed_methods, reason = "a test writes to a temporary folder")]
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    std::fs::write(path, text)
}
