//! Runs every input of a small function, fast, on the fast machine. That goes on where the engine sees a bad access, so
//! what contradicts a claim there is looked at again by the engine.

use crate::cache;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use symcrete_exec::fast::FastMachine;
use symcrete_exec::{Config, Engine, Entry, Executable, Executor, Limits};
use symcrete_explore::Goals;
use symcrete_program::debug::{ReadOptions, read_program};
use symcrete_program::frontend::{CompileOptions, Toolchain, compile};
use symcrete_program::shape::{Shape, ShapeOptions};
use symcrete_program::{CellKind, Edge, Input, Program, Sizes};
use symcrete_term::{Sort, Terms, Value};

/// More inputs than this are no small function's.
const INPUTS_MAX: u64 = 1 << 17;
const FUEL: u64 = 100_000;

/// A program and what runs it.
pub(super) struct Oracle {
    program: Program,
    config: Config,
    executable: Executable,
    length: u32,
    /// By function.
    known: BTreeMap<String, Truth>,
    exactly_known: BTreeMap<String, Truth>,
}

/// What all inputs of a function do together.
#[derive(Default)]
pub(super) struct Truth {
    pub(super) sides: BTreeSet<Edge>,
    /// Whether no cell was so wide that only some of its values were tried.
    pub(super) has_all_inputs: bool,
    n_inputs: u64,
}

/// The compiler that the binary takes.
fn toolchain(directories: &[PathBuf]) -> Toolchain {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let data = variable("XDG_DATA_HOME");
    let data = data.or_else(|| Some(variable("HOME")?.join(".local/share"))).unwrap_or_default();
    let library = variable("SYMCRETE_LIBC").unwrap_or_else(|| data.join("symcrete/lp64"));
    match variable("SYMCRETE_DATA_MODEL").is_some_and(|model| model == Path::new("ilp32")) {
        true => None,
        false => Toolchain::find_lp64(directories, &library).ok(),
    }
    .unwrap_or_else(|| Toolchain::find(directories).expect("a compiler"))
}

impl Oracle {
    /// Compiles a file as the binary does.
    #[expect(clippy::disallowed_methods, reason = "tests do what the binary does")]
    pub(super) fn of(file: &Path, length: u32) -> Oracle {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let directories: Vec<_> = std::env::split_paths(&path).collect();
        let toolchain = toolchain(&directories);
        let files = vec![std::path::absolute(file).expect("a path")];
        let options = CompileOptions { files: files.clone(), ..CompileOptions::default() };
        let compiled = compile(&toolchain, &options, cache()).expect("the file compiles");
        let load = |file: &Path| std::fs::read_to_string(file).ok();
        let reading = ReadOptions { user_files: files, load: &load };
        let program = read_program(compiled.wasm, &reading).expect("a program");
        let mut config = Config::standard();
        let entries = program.units.iter().map(|unit| (unit.name.clone(), unit.function));
        config.entries = entries.collect();
        let engine = Engine::new(Limits::STANDARD).expect("an engine");
        let executable = engine.prepare(&program.wasm, &config).expect("the module can be run");
        let (known, exactly_known) = (BTreeMap::new(), BTreeMap::new());
        Oracle { program, config, executable, length, known, exactly_known }
    }

    fn unit(&self, name: &str) -> usize {
        let known = self.program.units.iter().position(|unit| unit.name == name);
        known.expect("the program has it")
    }

    /// The sides of a function's own branches.
    pub(super) fn goals(&self, function: &str) -> BTreeSet<Edge> {
        Goals::of(&self.program, &BTreeSet::from([self.unit(function)])).all().clone()
    }

    /// What a function does on all its inputs, and maybe a bit more.
    pub(super) fn run_all(&mut self, function: &str) -> &Truth {
        if !self.known.contains_key(function) {
            let truth =
                self.on_the_fast_machine(function).unwrap_or_else(|| self.in_the_engine(function));
            self.known.insert(function.to_string(), truth);
        }
        &self.known[function]
    }

    /// What a function does on all its inputs, exactly.
    pub(super) fn run_all_exactly(&mut self, function: &str) -> &Truth {
        if !self.exactly_known.contains_key(function) {
            let truth = self.in_the_engine(function);
            self.exactly_known.insert(function.to_string(), truth);
        }
        &self.exactly_known[function]
    }

    fn shape(&self, function: &str) -> Shape {
        let options = ShapeOptions {
            sizes: Sizes { length: self.length, depth: 3, bytes: 64, calls: 0 },
            globals: false,
            learnt: Default::default(),
        };
        let unit = &self.program.units[self.unit(function)];
        Shape::of(&self.program, unit, &options).expect("a shape")
    }

    /// `None` if the machine cannot run the function.
    fn on_the_fast_machine(&self, function: &str) -> Option<Truth> {
        let (wasm, index) = (&self.program.wasm, self.program.units[self.unit(function)].function);
        let mut machine =
            FastMachine::prepare(wasm, &self.config, &Limits::STANDARD, index, &[]).ok()?;
        let shape = self.shape(function);
        let mut truth = Truth { has_all_inputs: true, ..Truth::default() };
        // Pointers and lengths decide which cells there are. What is left then are plain numbers, all run together.
        let decides = |sort| !matches!(sort, Sort::Bv(..=8));
        self.vary(&shape, &decides, &mut Input::default(), &mut truth, &mut |input| {
            self.run_batch(&mut machine, &shape, input)
        });
        let taken = machine.edges().filter(|(side, _)| machine.distance(*side) == Some(0));
        truth.sides = taken.map(|(_, edge)| edge).collect();
        Some(truth)
    }

    /// Runs all inputs that have these values; says how many.
    fn run_batch(&self, machine: &mut FastMachine, shape: &Shape, input: &Input) -> u64 {
        let plan = machine
            .plan(&shape.image(&self.program.types, input), &BTreeMap::new())
            .expect("a plan");
        let mut runs: Vec<Vec<u64>> = vec![Vec::new()];
        for variable in plan.variables() {
            let values = match input.get(&variable.name) {
                Some(value) => vec![value.bits()],
                None => (0..1 << variable.width).collect(),
            };
            let longer = |run: Vec<u64>| {
                let append = move |value| run.iter().copied().chain([value]).collect();
                values.clone().into_iter().map(append).collect::<Vec<_>>()
            };
            runs = runs.into_iter().flat_map(longer).collect();
        }
        machine.load(&plan).expect("the cells are in memory");
        machine
            .run_batch(&plan, &runs.concat(), FUEL as u32, &mut Vec::new())
            .expect("the machine runs");
        runs.len() as u64
    }

    fn in_the_engine(&self, function: &str) -> Truth {
        let before = self.executable.functions().filter(|name| *name == "_initialize");
        let entry =
            Entry { function: function.to_string(), before: before.map(str::to_string).collect() };
        let mut executor = self.executable.executor(entry).expect("an executor");
        let (shape, mut sides) = (self.shape(function), BTreeSet::new());
        let mut truth = Truth { has_all_inputs: true, ..Truth::default() };
        self.vary(&shape, &|_| true, &mut Input::default(), &mut truth, &mut |input| {
            let image = shape.image(&self.program.types, input);
            let trace = executor.run(&mut Terms::new(), &image, FUEL).expect("a run");
            sides.extend(trace.coverage.edges());
            1
        });
        truth.sides = sides;
        truth
    }

    /// Hands over all inputs that have values for the cells of these sorts. Which cells there are depends on values: a
    /// pointer may be null.
    fn vary(
        &self,
        shape: &Shape,
        is_varied: &dyn Fn(Sort) -> bool,
        input: &mut Input,
        truth: &mut Truth,
        run: &mut dyn FnMut(&Input) -> u64,
    ) {
        let leaves = shape.leaves(input).into_iter();
        let is_next = |(name, _, value): &(String, CellKind, Value)| {
            is_varied(value.sort()) && input.get(name).is_none()
        };
        let Some((name, _, value)) = { leaves }.find(is_next) else {
            truth.n_inputs += run(input);
            assert!(truth.n_inputs <= INPUTS_MAX, "the function has too many inputs");
            return;
        };
        let (values, is_all) = self.values(value.sort());
        truth.has_all_inputs &= is_all;
        for value in values {
            input.set(name.clone(), value);
            self.vary(shape, is_varied, input, truth, run);
        }
        input.values.remove(&name);
    }

    /// The values of a cell, and whether these are all.
    fn values(&self, sort: Sort) -> (Vec<Value>, bool) {
        match sort {
            Sort::Bool => (vec![Value::Bool(false), Value::Bool(true)], true),
            Sort::Bv(width @ ..=8) => {
                ((0..1 << width).map(|bits| Value::bv(width, bits)).collect(), true)
            }
            // A length: too small, and up to too large.
            Sort::Bv(width) => {
                let numbers = -2..=i64::from(self.length) + 1;
                (numbers.map(|number| Value::bv(width, number as u64)).collect(), false)
            }
            Sort::F32 | Sort::F64 => unreachable!("the functions have no floats"),
        }
    }
}
