//! The SMT-LIB corpus: how many files each solver decides, and whether it is right.
//!
//! Every file is solved by the real binary, `symcrete solve --json`. A `sat` counts only because the
//! binary has checked its model. The folder's `MANIFEST.tsv` has the expected answers.

use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Instant;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The folder with `MANIFEST.tsv`
    folder: PathBuf,
    /// Seconds for each file and solver
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// The solvers; those before `smt` are its members and are compared with it
    #[arg(long, value_delimiter = ',', default_values_t = ["z3", "bitwuzla", "cvc5", "smt", "auto"].map(String::from))]
    solvers: Vec<String>,
    /// Where the raw data go
    #[arg(long)]
    out: Option<PathBuf>,
}

struct Case {
    file: String,
    expected: String,
}

#[derive(Clone)]
struct Run {
    verdicts: Vec<String>,
    credit: String,
    seconds: f64,
}

/// Members of the group are single-threaded: two of them fill two cores. The rest run alone.
const MEMBERS: [&str; 3] = ["z3", "bitwuzla", "cvc5"];

pub(crate) fn run(options: &Options) -> Result<()> {
    let cases = read_manifest(&options.folder)?;
    let binary = build_binary()?;
    let mut runs: BTreeMap<(String, String), Run> = BTreeMap::new();
    for solver in &options.solvers {
        let n_threads = if MEMBERS.contains(&solver.as_str()) { 2 } else { 1 };
        for (file, run) in run_all(&binary, options, &cases, solver, n_threads)? {
            runs.insert((solver.clone(), file), run);
        }
        println!("{solver}: done");
    }
    let summary = summarize(options, &cases, &runs);
    println!("{summary}");
    if let Some(out) = &options.out {
        std::fs::create_dir_all(out)?;
        std::fs::write(out.join("raw.csv"), raw(&cases, &runs))?;
        std::fs::write(out.join("summary.txt"), &summary)?;
    }
    Ok(())
}

fn read_manifest(folder: &Path) -> Result<Vec<Case>> {
    let file = folder.join("MANIFEST.tsv");
    let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    let case = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [file, _, _, expected] = fields[..] else { bail!("bad line in the manifest: {line}") };
        Ok(Case { file: file.to_string(), expected: expected.to_string() })
    };
    text.lines().skip(1).filter(|line| !line.is_empty()).map(case).collect()
}

fn build_binary() -> Result<PathBuf> {
    let status = Command::new("cargo").args(["build", "--release", "-p", "symcrete"]).status()?;
    anyhow::ensure!(status.success(), "the build failed");
    let target = std::env::var("CARGO_TARGET_DIR").unwrap_or_else(|_| "target".to_string());
    Ok(PathBuf::from(target).join("release/symcrete"))
}

fn run_all(
    binary: &Path,
    options: &Options,
    cases: &[Case],
    solver: &str,
    n_threads: usize,
) -> Result<Vec<(String, Run)>> {
    let queue = Mutex::new(cases.iter());
    let done = Mutex::new(Vec::new());
    let work = || -> Result<()> {
        loop {
            let next = queue.lock().expect("no thread panics").next();
            let Some(case) = next else { return Ok(()) };
            let run = run_one(binary, options, &case.file, solver)?;
            done.lock().expect("no thread panics").push((case.file.clone(), run));
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..n_threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("no thread panics"))
    })?;
    Ok(done.into_inner().expect("no thread panics"))
}

fn run_one(binary: &Path, options: &Options, file: &str, solver: &str) -> Result<Run> {
    let start = Instant::now();
    let output = Command::new(binary)
        .args(["solve", "--json", "--solver", solver, "--timeout", &options.seconds.to_string()])
        .arg(options.folder.join(file))
        .output()
        .with_context(|| format!("{} does not run", binary.display()))?;
    let seconds = start.elapsed().as_secs_f64();
    let mut run = Run { verdicts: Vec::new(), credit: String::new(), seconds };
    if !output.status.success() {
        run.verdicts.push(format!("exit {}", output.status));
    }
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let answer: serde_json::Value = serde_json::from_str(line)?;
        let text = |key: &str| answer[key].as_str().unwrap_or_default().to_string();
        if run.verdicts.is_empty() {
            run.credit = text("solver");
        }
        run.verdicts.push(text("verdict"));
    }
    Ok(run)
}

impl Run {
    /// The answer to a file's first question, which is what the manifest expects.
    fn answer(&self) -> &str {
        self.verdicts.first().map_or("none", String::as_str)
    }

    fn is_decided(&self) -> bool {
        matches!(self.answer(), "sat" | "unsat")
    }
}

fn is_wrong(case: &Case, run: &Run) -> bool {
    let opposite = match run.answer() {
        "sat" => "unsat",
        "unsat" => "sat",
        _ => return false,
    };
    // An expectation may carry a remark: `unknown(label); sat found by …`.
    case.expected.starts_with(opposite) || case.expected.contains(&format!("; {opposite} "))
}

fn summarize(options: &Options, cases: &[Case], runs: &BTreeMap<(String, String), Run>) -> String {
    let mut out = format!("{} files, {} s each\n", cases.len(), options.seconds);
    let _ = writeln!(
        out,
        "{:<16}{:>6}{:>7}{:>9}{:>7}{:>10}",
        "solver", "sat", "unsat", "unknown", "wrong", "seconds"
    );
    let of = |solver: &str, case: &Case| &runs[&(solver.to_string(), case.file.clone())];
    for solver in &options.solvers {
        let count =
            |answer: &str| cases.iter().filter(|case| of(solver, case).answer() == answer).count();
        let (n_sat, n_unsat) = (count("sat"), count("unsat"));
        let wrong: Vec<&Case> =
            cases.iter().filter(|case| is_wrong(case, of(solver, case))).collect();
        let seconds: f64 = cases.iter().map(|case| of(solver, case).seconds).sum();
        let n_unknown = cases.len() - n_sat - n_unsat;
        let n_wrong = wrong.len();
        let _ = writeln!(
            out,
            "{solver:<16}{n_sat:>6}{n_unsat:>7}{n_unknown:>9}{n_wrong:>7}{seconds:>10.1}"
        );
        for case in wrong {
            let _ = writeln!(out, "  WRONG {} says {}", case.file, of(solver, case).answer());
        }
    }
    let members: Vec<&String> =
        options.solvers.iter().filter(|solver| MEMBERS.contains(&solver.as_str())).collect();
    let together = |case: &&Case| members.iter().any(|member| of(member, case).is_decided());
    let n_together = cases.iter().filter(together).count();
    for group in options.solvers.iter().filter(|solver| !MEMBERS.contains(&solver.as_str())) {
        let n_group = cases.iter().filter(|case| of(group, case).is_decided()).count();
        let share = 100.0 * n_group as f64 / n_together.max(1) as f64;
        let _ = writeln!(
            out,
            "{group} decides {n_group}, its members alone together {n_together}: {share:.1} % (asked: 95 %)"
        );
        for case in cases.iter().filter(together).filter(|case| !of(group, case).is_decided()) {
            let _ = writeln!(out, "  missed by {group}: {}", case.file);
        }
    }
    out
}

fn raw(cases: &[Case], runs: &BTreeMap<(String, String), Run>) -> String {
    let mut out = String::from("solver,file,expected,answer,credit,seconds\n");
    for ((solver, file), run) in runs {
        let expected =
            cases.iter().find(|case| case.file == *file).map_or("", |case| &case.expected);
        let _ = writeln!(
            out,
            "{solver},{file},{expected},{},{},{:.3}",
            run.answer(),
            run.credit,
            run.seconds
        );
    }
    out
}
