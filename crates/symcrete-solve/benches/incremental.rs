//! What a session costs beside the same commands given to the solver directly.
//!
//! 1,000 queries share a prefix of 30 literals and differ in their last two, as the flips of one path do. Our side
//! does all that a driver needs: print terms, keep scopes, wait for each answer, read and check each model. The
//! other side reads one file. The figure asked for is a ratio of at most 1.3.

#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]
#![expect(clippy::disallowed_methods, reason = "a benchmark starts programs and reads the clock")]

#[path = "../tests/support/mod.rs"]
mod support;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use symcrete_solve::smt::{Backend, IncrementalSolver, Toolbox};
use symcrete_solve::{Budget, Query, Verdict};
use symcrete_term::print::{Printer, Style};
use symcrete_term::{Literal, Op, Sort, TermId, Terms, Valuation, Value};

const N_QUERIES: usize = 1000;
const N_REPEATS: usize = 3;

fn main() {
    let toolbox = support::toolbox();
    let problem = Problem::new();
    println!(
        "{:<10}{:>6}{:>12}{:>12}{:>8}{:>12}{:>12}{:>8}",
        "", "sat", "ours s", "direct s", "ratio", "ours cpu", "direct cpu", "ratio"
    );
    for backend in toolbox.available() {
        let file = std::env::temp_dir().join(format!("symcrete-incremental-{backend}.smt2"));
        std::fs::write(&file, problem.script(backend)).expect("the temporary folder is writable");
        let mut rows: Vec<[f64; 4]> = Vec::new();
        let mut n_sat = 0;
        for _ in 0..N_REPEATS {
            let (ours, counted) = timed(|| problem.solve(backend, &toolbox));
            let (direct, expected) = timed(|| direct(backend, &toolbox, &file));
            assert_eq!(counted, expected, "{backend}: both sides get the same answers");
            n_sat = counted;
            rows.push([ours.0, direct.0, ours.1, direct.1]);
        }
        let median = |i: usize| {
            let mut column: Vec<f64> = rows.iter().map(|row| row[i]).collect();
            column.sort_by(f64::total_cmp);
            column[column.len() / 2]
        };
        let [ours, direct, ours_cpu, direct_cpu] = [0, 1, 2, 3].map(median);
        println!(
            "{:<10}{n_sat:>6}{ours:>12.3}{direct:>12.3}{:>8.2}{ours_cpu:>12.2}{direct_cpu:>12.2}{:>8.2}",
            backend.name(),
            ours / direct,
            ours_cpu / direct_cpu
        );
    }
    println!("medians of {N_REPEATS} runs of {N_QUERIES} queries (asked: at most 1.3)");
}

struct Problem {
    terms: Terms,
    queries: Vec<Vec<Literal>>,
}

impl Problem {
    fn new() -> Problem {
        let mut terms = Terms::new();
        let t = &mut terms;
        let ints: Vec<TermId> = (0..8).map(|i| t.var(&format!("x{i}"), Sort::Bv(32))).collect();
        let floats: Vec<TermId> = (0..4).map(|i| t.var(&format!("f{i}"), Sort::F64)).collect();
        let mut prefix = Vec::new();
        for i in 0..24 {
            let k = t.bv(32, i as u64 * 77);
            let sum = t.app(Op::BvAdd, &[ints[i % 8], k]);
            let limit = t.bv(32, 0x4000_0000 + i as u64 * 1234);
            let other = t.app(Op::BvOr, &[ints[(i * 3 + 1) % 8], limit]);
            prefix.push(Literal::holds(t.app(Op::BvUlt, &[sum, other])));
        }
        for i in 0..6 {
            let limit = t.constant(Value::f64(i as f64 + 0.5));
            prefix.push(Literal::holds(t.app(Op::FpLt, &[floats[i % 4], limit])));
        }
        let queries = (0..N_QUERIES)
            .map(|i| {
                let mask = t.bv(32, 0xffff);
                let low = t.app(Op::BvAnd, &[ints[i % 8], mask]);
                let k = t.bv(32, i as u64);
                let limit = t.bv(32, 0xffff_fff0);
                let last = [t.eq(low, k), t.app(Op::BvUlt, &[ints[(i + 1) % 8], limit])];
                prefix.iter().copied().chain(last.map(Literal::holds)).collect()
            })
            .collect();
        Problem { terms, queries }
    }

    fn solve(&self, backend: Backend, toolbox: &Toolbox) -> usize {
        let mut solver = IncrementalSolver::new(backend, toolbox).expect("it is installed");
        let hint = Valuation::new();
        let mut n_sat = 0;
        for literals in &self.queries {
            let query = Query { terms: &self.terms, literals, hint: &hint };
            match solver.solve(&query, &mut Budget::of_steps(u64::MAX)) {
                Verdict::Sat(_) => n_sat += 1,
                Verdict::Unsat => {}
                Verdict::Unknown(why) => panic!("{backend}: {why}"),
            }
        }
        n_sat
    }

    /// The same conversation as text, scope by scope.
    fn script(&self, backend: Backend) -> String {
        let mut text = String::from("(set-option :produce-models true)\n");
        if backend == Backend::Cvc5 {
            text.push_str("(set-option :incremental true)\n");
        }
        text.push_str("(set-option :produce-unsat-cores true)\n(set-logic QF_BVFP)\n");
        let mut printer = Printer::new(Style::Solver);
        let n_prefix = self.queries[0].len() - 2;
        let tell = |printer: &mut Printer, i: usize, literal: &Literal, text: &mut String| {
            text.push_str("(push 1)\n");
            let formula = printer.literal(&self.terms, *literal, text).expect("no calls");
            text.push_str(&format!("(assert (! {formula} :named literal!{i}))\n"));
        };
        for (i, literal) in self.queries[0][..n_prefix].iter().enumerate() {
            tell(&mut printer, i, literal, &mut text);
        }
        let names: Vec<String> = (0..self.terms.n_vars()).map(|i| format!("v{i}")).collect();
        for query in &self.queries {
            let checkpoint = printer.checkpoint();
            for (i, literal) in query.iter().enumerate().skip(n_prefix) {
                tell(&mut printer, i, literal, &mut text);
            }
            text.push_str(&format!("(check-sat)\n(get-value ({}))\n(pop 2)\n", names.join(" ")));
            printer.rollback(checkpoint);
        }
        text
    }
}

/// The solver on a file, with no process of ours in between.
fn direct(backend: Backend, toolbox: &Toolbox, file: &Path) -> usize {
    let program = toolbox.location(backend).expect("it is installed");
    let mut command = Command::new(&program);
    match backend {
        Backend::Z3 => command.arg(file),
        Backend::Bitwuzla => command.args(["-I", "-c", BITWUZLA]).arg(file),
        Backend::Cvc5 => command.args(["-I", "-c", CVC5]).arg(file),
    };
    let output = command.output().expect("it can be started");
    String::from_utf8_lossy(&output.stdout).lines().filter(|line| *line == "sat").count()
}

const BITWUZLA: &str = "import bitwuzla, os, sys
parser = bitwuzla.Parser(bitwuzla.TermManager(), bitwuzla.Options())
parser.parse(sys.argv[1], False, True)
os._exit(0)";

const CVC5: &str = "import cvc5, os, sys
solver = cvc5.Solver()
symbols = cvc5.SymbolManager(solver)
parser = cvc5.InputParser(solver, symbols)
parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, sys.argv[1])
while True:
    command = parser.nextCommand()
    if command.isNull(): break
    response = command.invoke(solver, symbols)
    if response: os.write(1, response.encode())";

/// Wall-clock and CPU seconds, children included.
fn timed(work: impl FnOnce() -> usize) -> ((f64, f64), usize) {
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let result = work();
    let wall = start.elapsed().as_secs_f64();
    // Children count once they are reaped, which happens in the background.
    std::thread::sleep(Duration::from_millis(200));
    ((wall, cpu_seconds() - cpu), result)
}

fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let fields: Vec<&str> = stat.rsplit(')').next().expect("a name").split_whitespace().collect();
    // User and system time of this process and of its reaped children, in hundredths of a second.
    fields[11..15].iter().filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / 100.0
}
