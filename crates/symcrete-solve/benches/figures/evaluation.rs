//! How fast the coral conditions are evaluated: on the tape, as machine code, and by `cc -O2`.
//!
//! All three stop at the first conjunct that does not hold, as `&&` does in C.

use super::{Effort, Report, cpu_seconds, median};
use crate::corpus::{self, Problem};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hint::black_box;
use symcrete_solve::jit::JitCache;
use symcrete_term::{Seed, Sort, Tape};

/// Points that are evaluated in turn.
const POINTS: usize = 1024;

/// Rates of each condition and the ratio that is asked for.
pub(crate) fn measure(effort: &Effort) -> Report {
    let mut report = Report::new(
        "Evaluations per second on coral, in millions",
        "condition,tape_per_s,jit_per_s,cc_per_s,compile_micros,break_even_runs",
    );
    let problems: Vec<Problem> = corpus::coral().into_iter().step_by(effort.every).collect();
    let native = native_rates(&problems, effort.evaluations);
    let (mut tapes, mut jits, mut ccs) = (Vec::new(), Vec::new(), Vec::new());
    let (mut ratios, mut even) = (Vec::new(), Vec::new());
    for problem in &problems {
        let points = points(problem);
        let tape = tape_rate(problem, &points, effort.evaluations);
        let (jit, compile_seconds) = jit_rate(problem, &points, effort.evaluations);
        let saved = 1.0 / tape - 1.0 / jit;
        let runs = if saved > 0.0 { compile_seconds / saved } else { f64::INFINITY };
        let cc = native.get(problem.name.as_str()).copied();
        report.row(&format!(
            "{},{tape:.0},{jit:.0},{},{:.1},{runs:.0}",
            problem.name,
            cc.map_or("".to_string(), |cc| format!("{cc:.0}")),
            compile_seconds * 1e6
        ));
        tapes.push(tape / 1e6);
        jits.push(jit / 1e6);
        even.push(runs);
        if let Some(cc) = cc {
            ccs.push(cc / 1e6);
            ratios.push(jit / cc);
        }
    }
    report.line("| | median |");
    report.line("|---|---|");
    for (name, mut numbers) in [
        ("tape, M/s", tapes),
        ("machine code, M/s", jits),
        ("`cc -O2`, M/s", ccs),
        ("machine code / `cc -O2` (asked: at least 0.5)", ratios),
        ("runs until compiling pays", even),
    ] {
        report.line(&format!("| {name} | {:.2} |", median(&mut numbers)));
    }
    report
}

/// Points between -10 and 10, one vector for each.
fn points(problem: &Problem) -> Vec<Vec<u64>> {
    let mut rng = Seed(1).derive("bench/evaluation").rng();
    let variables = problem.query().variables();
    let sorts: Vec<Sort> = variables.iter().map(|&var| problem.terms.var_sort(var)).collect();
    let mut draw = |sort: &Sort| match sort {
        Sort::Bool | Sort::Bv(_) => rng.below(21).wrapping_sub(10) & sort.mask(),
        Sort::F32 | Sort::F64 => (rng.fraction() * 20.0 - 10.0).to_bits(),
    };
    (0..POINTS).map(|_| sorts.iter().map(&mut draw).collect()).collect()
}

/// For each conjunct, which variables it reads.
fn inputs(problem: &Problem) -> Vec<Vec<usize>> {
    let all: Vec<_> = problem.query().variables().into_iter().collect();
    let of_literal = |literal: &symcrete_term::Literal| {
        let tape = Tape::compile(&problem.terms, &[literal.term]);
        let position = |var| all.binary_search(&var).expect("a variable of the query");
        tape.variables().iter().map(|&(var, _)| position(var)).collect()
    };
    problem.literals.iter().map(of_literal).collect()
}

fn tape_rate(problem: &Problem, points: &[Vec<u64>], n: u64) -> f64 {
    let inputs = inputs(problem);
    let tapes: Vec<Tape> =
        problem.literals.iter().map(|l| Tape::compile(&problem.terms, &[l.term])).collect();
    let mut states: Vec<_> = tapes.iter().map(Tape::state).collect();
    let begin = cpu_seconds();
    for run in 0..n as usize {
        let point = &points[run % POINTS];
        for (i, tape) in tapes.iter().enumerate() {
            for (slot, &variable) in inputs[i].iter().enumerate() {
                states[i].set(slot, point[variable]);
            }
            tape.run(&mut states[i]);
            if (tape.root(&states[i], 0) == 1) != problem.literals[i].expected {
                break;
            }
        }
        black_box(&states);
    }
    n as f64 / (cpu_seconds() - begin)
}

fn jit_rate(problem: &Problem, points: &[Vec<u64>], n: u64) -> (f64, f64) {
    let inputs = inputs(problem);
    // The first compilation of a process also looks at the machine.
    let warm = JitCache::new().compile(&problem.terms, &[problem.literals[0].term]);
    black_box(&warm.is_some());
    let cache = JitCache::new();
    let begin = cpu_seconds();
    let code: Vec<_> = problem
        .literals
        .iter()
        .map(|l| cache.compile(&problem.terms, &[l.term]).expect("the host is known"))
        .collect();
    let compile_seconds = cpu_seconds() - begin;
    let mut buffer = Vec::new();
    let begin = cpu_seconds();
    for run in 0..n as usize {
        let point = &points[run % POINTS];
        for (i, code) in code.iter().enumerate() {
            buffer.clear();
            buffer.extend(inputs[i].iter().map(|&variable| point[variable]));
            let mut root = [0];
            code.run(&buffer, &mut root);
            if (black_box(root[0]) == 1) != problem.literals[i].expected {
                break;
            }
        }
    }
    (n as f64 / (cpu_seconds() - begin), compile_seconds)
}

/// The rates of the same conditions as C functions, by name; empty without a C compiler.
#[expect(clippy::disallowed_methods, reason = "a benchmark compiles and runs a C program")]
fn native_rates(problems: &[Problem], n: u64) -> BTreeMap<String, f64> {
    let folder = tempfile::tempdir().expect("a folder for the C program");
    let (source, program) = (folder.path().join("coral.c"), folder.path().join("coral"));
    std::fs::write(&source, c_program(problems, n)).expect("the C program can be written");
    let compiled = std::process::Command::new("cc")
        .args(["-O2", "-o"])
        .args([&program, &source])
        .arg("-lm")
        .status();
    if !compiled.is_ok_and(|status| status.success()) {
        return BTreeMap::new();
    }
    let output = std::process::Command::new(&program).output().expect("the C program runs");
    let text = String::from_utf8(output.stdout).expect("the C program prints text");
    let rate = |line: &str| {
        let (name, rate) = line.split_once(' ')?;
        Some((name.to_string(), rate.parse().ok()?))
    };
    text.lines().filter_map(rate).collect()
}

fn c_program(problems: &[Problem], n: u64) -> String {
    let mut text = String::from(
        "#include <math.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <time.h>\n\
         #ifndef M_E\n#define M_E 2.718281828459045\n#endif\n\
         static double points[1024][32];\n",
    );
    for problem in problems {
        let source = problem.source.as_ref().expect("coral conditions are C");
        let _ = writeln!(
            text,
            "__attribute__((noinline)) static int f{}(const double *point) {{",
            problem.name
        );
        for (i, declared) in source.variables.split(',').map(str::trim).enumerate() {
            let declared = match declared.strip_prefix("int ") {
                Some(name) => format!("int {name} = (int)point[{i}]"),
                None => format!("double {declared} = point[{i}]"),
            };
            let _ = writeln!(text, "  {declared};");
        }
        let _ = writeln!(text, "  return {};\n}}", source.condition);
    }
    let _ = writeln!(
        text,
        "typedef int (*condition)(const double *);\n\
         static void rate(const char *name, condition f) {{\n\
         \x20 struct timespec a, b; volatile int sum = 0; condition volatile g = f;\n\
         \x20 clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);\n\
         \x20 for (long i = 0; i < {n}; i++) sum += g(points[i % {POINTS}]);\n\
         \x20 clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);\n\
         \x20 printf(\"%s %f\\n\", name, {n} / (b.tv_sec - a.tv_sec + 1e-9 * (b.tv_nsec - a.tv_nsec)));\n\
         }}\n\
         int main(void) {{\n\
         \x20 uint64_t x = 88172645463325252u;\n\
         \x20 for (int i = 0; i < {POINTS}; i++) for (int j = 0; j < 32; j++) {{\n\
         \x20   x ^= x << 13; x ^= x >> 7; x ^= x << 17;\n\
         \x20   points[i][j] = (double)(x >> 11) / 9007199254740992.0 * 20 - 10;\n\
         \x20 }}"
    );
    for problem in problems {
        let _ = writeln!(text, "  rate(\"{0}\", f{0});", problem.name);
    }
    text.push_str("}\n");
    text
}
