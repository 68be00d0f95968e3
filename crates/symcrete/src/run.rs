//! `symcrete run`: one function on one input.

use crate::answers::Answers;
use crate::args::{RunArgs, ShapeArgs};
use crate::failure::Failure;
use crate::load::{self, Additions, Loaded};
use crate::{data, defaults, ui};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use symcrete_exec::{Entry, Executor, ModuleExecutor, Trace};
use symcrete_program::api::{Driver, Maker};
use symcrete_program::runtime::INPUT_CAPACITY;
use symcrete_program::shape::Learnt;
use symcrete_program::{
    Datum, Global, Image, Obstacle, Program, Shape, ShapeOptions, Sizes, TypeKind, Unit,
    Unsupported, Write, shape,
};
use symcrete_term::{Terms, print};

/// Runs the command.
pub(crate) fn run(args: &RunArgs) -> Result<(), Failure> {
    let given = match &args.input {
        Some(text) => data::read_json(text)?,
        None => BTreeMap::new(),
    };
    let (loaded, number, driver) = enter(args, &given)?;
    let program = &loaded.program;
    let tested = &program.units[number];
    let unit = driver.map_or(tested, |driver| &program.drivers[driver].entry);
    let is_input = |global: &&Global| args.shape.globals && !global.is_const;
    let globals = program.globals.iter().filter(is_input).map(|global| &global.name);
    let slots: Vec<String> =
        unit.params.iter().map(|param| &param.name).chain(globals).cloned().collect();
    let (given, asked): (BTreeMap<_, _>, BTreeMap<_, _>) =
        given.into_iter().partition(|(name, _)| slots.contains(name));
    let mut options = shape_options(&args.shape);
    // The name of a value of an enumeration is no string.
    let is_name = |name: &String| {
        let mut params = unit.params.iter().filter(|param| param.name == *name);
        params.any(|param| matches!(program.types.get(param.ty).kind, TypeKind::Enum { .. }))
    };
    let long = given.iter().filter(|(name, _)| !is_name(name));
    let longest = long.map(|(_, datum)| shape::longest(datum) as u32).max();
    options.sizes.length = options.sizes.length.max(longest.unwrap_or(0));
    let longest = asked.values().map(|datum| shape::longest(datum) as u32).max();
    options.sizes.bytes = INPUT_CAPACITY.max(longest.unwrap_or(0));
    let before = driver.map(|driver| &program.drivers[driver]);
    let call_before = |(name, _): (&String, _)| before?.call_before(name);
    options.sizes.calls =
        given.iter().filter_map(call_before).max().map_or(0, |last| last as u32 + 1);
    let shape = shape_of(program, unit, &options)?;
    let wrong = |wrong| Failure::WrongInput { function: unit.name.clone(), wrong };
    let given: Vec<_> = given.into_iter().collect();
    let mut input = shape.read(&program.types, &given).map_err(wrong)?;
    let files = file_writes(program, &args.provided)?;
    let mut runs = Runs::prepare(args, program, unit)?;
    let mut answers = Answers::new(asked);
    let (terms, trace) = loop {
        let mut image = shape.image(&program.types, &input);
        image.writes.extend(files.iter().cloned());
        let (terms, trace) = runs.run(&image)?;
        if !answers.answer(program, &trace.drawn, &mut input).map_err(wrong)? {
            break (terms, trace);
        }
    };
    if let Some(unknown) = answers.unknown(program, &shape, &trace.drawn, &slots) {
        return Err(Failure::unknown_input(program, unit, unknown));
    }
    if let Some(file) = &args.smt2 {
        write_smt2(file, &print::script(&terms, &trace.path.literals()))?;
        if file == Path::new("-") {
            return Ok(());
        }
    }
    let shown = ui::run::ShownRun {
        program,
        unit: tested,
        shape: &shape,
        input: &input,
        trace: &trace,
        terms: &terms,
    };
    ui::say(&if args.json { shown.json() } else { shown.text() })?;
    Ok(())
}

/// The program and the function to run, by index, with its driver if the input has names that only the driver knows.
fn enter(
    args: &RunArgs,
    given: &BTreeMap<String, Datum>,
) -> Result<(Loaded, usize, Option<usize>), Failure> {
    let place = |loaded: &Loaded| -> Result<usize, Failure> {
        let unit = choose(loaded, args.function.as_deref())?;
        let units = &loaded.program.units;
        Ok(units.iter().position(|other| other == unit).unwrap_or_default())
    };
    let loaded = load::load(&args.source, Arc::default())?;
    let unit = place(&loaded)?;
    let program = &loaded.program;
    let is_known = |name: &String| {
        program.units[unit].params.iter().any(|param| param.name == *name)
            || program.globals.iter().any(|global| global.name == *name)
    };
    let unknown: Vec<&String> = given.keys().filter(|name| !is_known(name)).collect();
    let is_name = |datum: &Datum| matches!(datum, Datum::Text(_));
    if unknown.is_empty() && !given.values().any(is_name) {
        return Ok((loaded, unit, None));
    }
    let additions = Additions { drivers: true, ..Additions::default() };
    let with_drivers = load::load_with(&args.source, additions, Arc::default())?;
    let unit_there = place(&with_drivers)?;
    let drivers = &with_drivers.program.drivers;
    let is_it = |driver: &Driver| {
        let takes = |name: &String| driver.entry.params.iter().any(|param| param.name == *name);
        let chooses = |(name, datum): (&String, &Datum)| {
            let mut objects = driver.call.objects().into_iter();
            let object = objects.find(|object| object.name == *name);
            let Datum::Text(chosen) = datum else { return false };
            let is_chosen =
                |maker: &Maker| with_drivers.program.maker_name(maker).as_bytes() == chosen;
            object.is_some_and(|object| object.makers.iter().any(is_chosen))
        };
        driver.unit == unit_there
            && (unknown.iter().any(|name| takes(name)) || given.iter().any(chooses))
    };
    let driver = drivers.iter().position(is_it);
    match driver {
        Some(driver) => Ok((with_drivers, unit_there, Some(driver))),
        None => Ok((loaded, unit, None)),
    }
}

/// The function that was named, or the only one.
pub(crate) fn choose<'a>(loaded: &'a Loaded, name: Option<&str>) -> Result<&'a Unit, Failure> {
    let program = &loaded.program;
    match (name, &program.units[..]) {
        (Some(name), _) => match loaded.left_out.iter().find(|left| left.function == name) {
            Some(left) => Err(Failure::Usage { message: left_out_text(left) }),
            None => program.unit(name).ok_or_else(|| Failure::no_function(program, name)),
        },
        (None, [only]) => Ok(only),
        (None, []) => Err(Failure::NoFunctions),
        (None, units) => {
            match program.unit("main").or_else(|| program.unit("LLVMFuzzerTestOneInput")) {
                Some(entry) => Ok(entry),
                None => Err(Failure::WhichFunction {
                    known: units.iter().map(|unit| unit.name.clone()).collect(),
                }),
            }
        }
    }
}

/// Why a function cannot be run at all.
pub(crate) fn left_out_text(left: &symcrete_program::frontend::LeftOut) -> String {
    format!("{}:{}: `{}` is left out: {}", left.file.display(), left.line, left.function, left.why)
}

/// Why a function cannot be tested, with the options that may help.
pub(crate) fn unsupported_text(unsupported: &Unsupported) -> String {
    match unsupported.why {
        Obstacle::TooLarge => format!("{unsupported}: lower --length or --pointer-depth"),
        Obstacle::Type(_) | Obstacle::NoRoom => unsupported.to_string(),
    }
}

/// The options behind the arguments.
pub(crate) fn shape_options(args: &ShapeArgs) -> ShapeOptions {
    ShapeOptions {
        sizes: Sizes {
            length: args.length,
            depth: args.pointer_depth,
            bytes: defaults::INPUT_BYTES,
            calls: 0,
        },
        globals: args.globals,
        learnt: Learnt::default(),
    }
}

/// The shape of a unit's input.
pub(crate) fn shape_of(
    program: &Program,
    unit: &Unit,
    options: &ShapeOptions,
) -> Result<Shape, Failure> {
    let unsupported = |reason| Failure::Unsupported { function: unit.name.clone(), reason };
    Shape::of(program, unit, options).map_err(unsupported)
}

/// What makes the files of the command line those of the program.
fn file_writes(program: &Program, files: &[String]) -> Result<Vec<Write>, Failure> {
    let usage = |message: String| Failure::Usage { message };
    let read = |text: &String| {
        let wrong = || usage(format!("--file takes NAME=FILE, not `{text}`"));
        let (name, file) = text.split_once('=').ok_or_else(wrong)?;
        let unreadable = |source| Failure::Unreadable { file: file.into(), source };
        Ok((name.to_string(), std::fs::read(file).map_err(unreadable)?))
    };
    let files = files.iter().map(read).collect::<Result<Vec<_>, Failure>>()?;
    match &program.runtime {
        _ if files.is_empty() => Ok(Vec::new()),
        Some(runtime) => runtime.files(&files).map_err(|error| usage(error.to_string())),
        None => Err(usage("--file is for C programs: a module has no files".to_string())),
    }
}

/// One function that is run several times.
struct Runs {
    executor: ModuleExecutor,
    fuel: u64,
}

impl Runs {
    fn prepare(args: &RunArgs, program: &Program, unit: &Unit) -> Result<Runs, Failure> {
        let executable = load::prepare(program, &args.source)?;
        let before = load::before(&executable);
        let executor = executable.executor(Entry { function: load::entry_name(unit), before })?;
        Ok(Runs { executor, fuel: args.fuel })
    }

    fn run(&mut self, image: &Image) -> Result<(Terms, Trace), Failure> {
        let mut terms = Terms::new();
        let trace = self.executor.run(&mut terms, image, self.fuel)?;
        Ok((terms, trace))
    }
}

#[expect(clippy::disallowed_methods, reason = "the binary is where files are written")]
fn write_smt2(file: &Path, script: &str) -> Result<(), Failure> {
    if file == Path::new("-") {
        return Ok(ui::say(script.trim_end())?);
    }
    let unwritable = |source| Failure::Unwritable { file: file.to_owned(), source };
    std::fs::write(file, script).map_err(unwritable)
}
