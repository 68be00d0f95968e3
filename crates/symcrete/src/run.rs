//! `symcrete run`: one function on one input.

use crate::args::{RunArgs, ShapeArgs};
use crate::failure::Failure;
use crate::load::{self, Loaded};
use crate::{data, ui};
use std::path::Path;
use symcrete_exec::{Entry, Executor, Trace};
use symcrete_program::{Input, Program, Shape, ShapeOptions, Unit};
use symcrete_term::{Terms, print};

/// Runs the command.
pub(crate) fn run(args: &RunArgs) -> Result<(), Failure> {
    let loaded = load::load(&args.source)?;
    let program = &loaded.program;
    let unit = choose(&loaded, args.function.as_deref())?;
    let given = match &args.input {
        Some(text) => data::read_json(text)?,
        None => serde_json::Map::new(),
    };
    let mut options = shape_options(&args.shape);
    options.length = options.length.max(data::longest(&given));
    let shape = shape_of(program, unit, &options)?;
    let wrong = |wrong| Failure::WrongInput { function: unit.name.clone(), wrong };
    let input = data::input(&program.types, &shape, &given).map_err(wrong)?;
    let (terms, trace) = execute(args, program, unit, &shape, &input)?;
    if let Some(file) = &args.smt2 {
        write_smt2(file, &print::script(&terms, &trace.path.literals()))?;
        if file == Path::new("-") {
            return Ok(());
        }
    }
    let shown = ui::run::Run { program, unit, shape: &shape, input: &input, trace: &trace };
    ui::say(&if args.json { shown.json() } else { shown.text() })?;
    Ok(())
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

/// The options behind the arguments.
pub(crate) fn shape_options(args: &ShapeArgs) -> ShapeOptions {
    ShapeOptions { length: args.length, depth: args.pointer_depth, globals: args.globals }
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

fn execute(
    args: &RunArgs,
    program: &Program,
    unit: &Unit,
    shape: &Shape,
    input: &Input,
) -> Result<(Terms, Trace), Failure> {
    let executable = load::prepare(program, &args.source)?;
    let before = load::before(&executable);
    let mut executor = executable.executor(Entry { function: load::entry_name(unit), before })?;
    let mut terms = Terms::new();
    let image = shape.image(&program.types, input);
    let trace = executor.run(&mut terms, &image, args.fuel)?;
    Ok((terms, trace))
}

#[expect(clippy::disallowed_methods, reason = "the binary is where files are written")]
fn write_smt2(file: &Path, script: &str) -> Result<(), Failure> {
    if file == Path::new("-") {
        return Ok(ui::say(script.trim_end())?);
    }
    let unwritable = |source| Failure::Unwritable { file: file.to_owned(), source };
    std::fs::write(file, script).map_err(unwritable)
}
