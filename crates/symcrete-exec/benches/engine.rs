//! How fast the engine is: kernels against native code, term building, complete runs.
//!
//! ```text
//! cargo bench -p symcrete-exec            # the figures
//! cargo bench -p symcrete-exec -- --test  # everything once, on tiny inputs
//! ```
//!
//! All ratios are of one run on one machine: the native side is compiled and timed here. Of each
//! measurement the best of several is taken; what takes long is measured in processor time. "shadowed" has one symbolic byte that the kernel never reads,
//! so that nothing runs in the concrete form.

#![expect(clippy::print_stdout, reason = "prints its figures")]
#![expect(clippy::disallowed_methods, reason = "runs the C compiler, reads the clock")]

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use symcrete_exec::{Config, Engine, Entry, Executable, Executor, Limits};
use symcrete_program::{Cell, Image, Outcome, Scalar};
use symcrete_term::Terms;

const KERNELS: [(&str, u32); 5] = [
    ("sieve", 2_000_000),
    ("matrix", 200),
    ("parser", 2_000),
    ("trigonometry", 400_000),
    ("heapsort", 100_000),
];

fn main() {
    let tiny = std::env::args().any(|arg| arg == "--test");
    let repeats = if tiny { 1 } else { 7 };
    let engine = Engine::new(Limits { terms: 200_000_000, ..Limits::STANDARD }).unwrap_or_exit();
    kernels(&engine, tiny, repeats);
    for passes in if tiny { [1_000, 2_000] } else { [200_000, 2_000_000] } {
        term_building(&engine, passes);
    }
    println!("asked: at least 10 million nodes/s, at most 32 bytes/node");
    complete_runs(&engine, if tiny { 100 } else { 50_000 });
}

/// Ends the benchmark with a message.
trait OrExit<T> {
    fn unwrap_or_exit(self) -> T;
}

impl<T, E: std::fmt::Display> OrExit<T> for Result<T, E> {
    fn unwrap_or_exit(self) -> T {
        self.unwrap_or_else(|error| {
            println!("error: {error}");
            std::process::exit(1)
        })
    }
}

fn kernels(engine: &Engine, tiny: bool, repeats: u32) {
    let folder = tempfile::tempdir().unwrap_or_exit();
    let native = folder.path().join("kernels");
    compile(&["-O2", "-DNATIVE"], &native, &["-lm"]);
    let wasm = folder.path().join("kernels.wasm");
    let mut flags: Vec<String> =
        ["--target=wasm32-wasi", "-O2", "-mexec-model=reactor"].map(String::from).to_vec();
    flags.extend(KERNELS.iter().map(|(name, _)| format!("-Wl,--export={name}")));
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    compile(&flags, &wasm, &[]);
    let wasm = std::fs::read(&wasm).unwrap_or_exit();
    let executable = engine.prepare(&wasm, &Config::standard()).unwrap_or_exit();
    println!("kernel         native ms   plain   clean  shadowed   (times native)");
    let mut logs = [0.0; 3];
    for (name, n) in KERNELS {
        let n = if tiny { n / 100 + 2 } else { n };
        let (expected, native) = best(repeats, || native_run(&native, name, n));
        let ratio = |(result, time): (u32, Duration)| {
            assert_eq!(result, expected, "{name} computes something else");
            time.as_secs_f64() / native.as_secs_f64()
        };
        let ratios = [
            ratio(best(repeats, || plain_run(&wasm, name, n))),
            ratio(best(repeats, || engine_run(&executable, name, n, false))),
            ratio(best(repeats, || engine_run(&executable, name, n, true))),
        ];
        logs.iter_mut().zip(ratios).for_each(|(log, ratio)| *log += f64::ln(ratio));
        let [plain, clean, shadowed] = ratios;
        println!(
            "{name:<14} {:>9.2} {plain:>7.2} {clean:>7.2} {shadowed:>9.2}",
            native.as_secs_f64() * 1e3
        );
    }
    let [plain, clean, shadowed] = logs.map(|log| f64::exp(log / KERNELS.len() as f64));
    println!("geometric mean           {plain:>7.2} {clean:>7.2} {shadowed:>9.2}");
    println!("asked: at most 3.5 with nothing symbolic (clean)");
}

fn best(repeats: u32, mut run: impl FnMut() -> (u32, Duration)) -> (u32, Duration) {
    (0..repeats).map(|_| run()).min_by_key(|(_, time)| *time).expect("at least one repeat")
}

fn compile(flags: &[&str], target: &Path, libraries: &[&str]) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/kernels.c");
    let status = Command::new("clang-19")
        .args(flags)
        .arg(source)
        .arg("-o")
        .arg(target)
        .args(libraries)
        .status();
    assert!(status.unwrap_or_exit().success(), "clang-19 failed");
}

fn native_run(native: &Path, name: &str, n: u32) -> (u32, Duration) {
    let output = Command::new(native).args([name, &n.to_string()]).output().unwrap_or_exit();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let numbers: Vec<u64> = text.split_whitespace().filter_map(|x| x.parse().ok()).collect();
    let [result, nanoseconds] = numbers[..] else { panic!("native printed {text}") };
    (result as u32, Duration::from_nanos(nanoseconds.max(1)))
}

/// Wasmtime alone, math library and all inside the module.
fn plain_run(wasm: &[u8], name: &str, n: u32) -> (u32, Duration) {
    let engine = wasmtime::Engine::default();
    let module = wasmtime::Module::new(&engine, wasm).unwrap_or_exit();
    let mut store = wasmtime::Store::new(&engine, ());
    let instance = wasmtime::Instance::new(&mut store, &module, &[]).unwrap_or_exit();
    let function = instance.get_typed_func::<u32, u32>(&mut store, name).unwrap_or_exit();
    let start = Instant::now();
    let result = function.call(&mut store, n).unwrap_or_exit();
    (result, start.elapsed())
}

fn engine_run(executable: &Executable, name: &str, n: u32, shadowed: bool) -> (u32, Duration) {
    let mut executor = executable.executor(Entry::new(name)).unwrap_or_exit();
    let byte = shadowed.then_some("byte");
    let image = Image::of_args([Scalar::I32(n)]).with_bytes(8, &[0], byte);
    let start = Instant::now();
    let trace = executor.run(&mut Terms::new(), &image, u64::MAX).unwrap_or_exit();
    let time = start.elapsed();
    let Outcome::Returned(results) = &trace.outcome else { panic!("{}", trace.outcome) };
    (results[0].bits() as u32, time)
}

/// Time this thread has been on a processor: other work on the machine does not count. The kernel keeps
/// it to a few milliseconds.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_exit();
    let nanoseconds = text.split(' ').next().and_then(|first| first.parse::<f64>().ok());
    nanoseconds.unwrap_or(0.0) / 1e9
}

/// A loop in which every operator is symbolic and makes new terms.
fn term_building(engine: &Engine, passes: u32) {
    let wat = r#"(module (func (export "f") (param $x i32) (param $y i32) (param $n i32) (result i32)
        (loop
          (local.set $x (i32.sub (i32.mul (local.get $x) (local.get $y)) (local.get $x)))
          (local.set $y (i32.xor (i32.add (local.get $y) (local.get $x)) (local.get $y)))
          (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
        (i32.add (local.get $x) (local.get $y))))"#;
    let executable =
        engine.prepare(&wat::parse_str(wat).unwrap_or_exit(), &Config::standard()).unwrap_or_exit();
    let mut executor = executable.executor(Entry::new("f")).unwrap_or_exit();
    let mut image = Image::of_symbolic_args([3, 5, passes].map(Scalar::I32));
    image.args[2] = Cell::of_scalar(Scalar::I32(passes));
    let mut terms = Terms::new();
    let start = cpu_seconds();
    let trace = executor.run(&mut terms, &image, u64::MAX).unwrap_or_exit();
    let seconds = cpu_seconds() - start;
    assert!(matches!(trace.outcome, Outcome::Returned(_)), "{}", trace.outcome);
    let per_second = terms.len() as f64 / seconds / 1e6;
    let bytes = terms.bytes() as f64 / terms.len() as f64;
    let n = terms.len();
    println!("term building: {n} nodes, {per_second:.1} million nodes/s, {bytes:.1} bytes/node");
}

/// A function with twenty branches on three symbolic integers.
fn complete_runs(engine: &Engine, runs: u32) {
    let branch = |i: u32| {
        let variable = ["$x", "$y", "$z"][i as usize % 3];
        format!(
            "(if (i32.gt_s (i32.add (local.get {variable}) (local.get $s)) (i32.const {}))
               (then (local.set $s (i32.add (local.get $s) (i32.const {})))))",
            i * 7,
            i + 1
        )
    };
    let branches: String = (0..20).map(branch).collect();
    let wat = format!(
        r#"(module (func (export "f") (param $x i32) (param $y i32) (param $z i32) (result i32)
            (local $s i32) {branches} (local.get $s)))"#
    );
    let executable =
        engine.prepare(&wat::parse_str(wat).unwrap_or_exit(), &Config::standard()).unwrap_or_exit();
    let mut executor = executable.executor(Entry::new("f")).unwrap_or_exit();
    let mut terms = Terms::new();
    let start = cpu_seconds();
    for i in 0..runs {
        let values = [i % 200, i / 7 % 200, i / 31 % 200].map(Scalar::I32);
        let image = Image::of_symbolic_args(values);
        let trace = executor.run(&mut terms, &image, 1_000_000).unwrap_or_exit();
        assert_eq!(trace.path.constraints.len(), 20);
    }
    let per_second = f64::from(runs) / (cpu_seconds() - start);
    println!("complete runs: {per_second:.0} per second");
    println!("asked: at least 20000 per second");
}
