//! Makes a runnable program from the files on the command line.

use crate::args::SourceArgs;
use crate::code_files::CodeFiles;
use crate::failure::Failure;
use crate::{compile_commands, defaults, paths, toolchain, ui};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use symcrete_emit::flags::{is_header, with_paths};
use symcrete_emit::{allocation, verifiers};
use symcrete_exec::{Config, Engine, Executable, ImportAction, Limits};
use symcrete_program::debug::{ReadOptions, read_program};
use symcrete_program::frontend::{
    self, Check, CompileOptions, Compiled, FrontendError, LeftOut, Toolchain,
};
use symcrete_program::runtime::INITIALISER;
use symcrete_program::{Gap, Global, Program, StubResult, TypeId, Undefined, Unit};

/// A program, and the compiler's messages.
pub(crate) struct Loaded {
    pub(crate) program: Program,
    pub(crate) left_out: Vec<LeftOut>,
    /// Flags that tests of this program need as well.
    pub(crate) flags: Vec<String>,
}

/// Compiles or reads the files. Setting the flag stops the compiler.
pub(crate) fn load(args: &SourceArgs, stop: Arc<AtomicBool>) -> Result<Loaded, Failure> {
    load_with(args, Additions::default(), stop)
}

/// Additions to a program beyond its files.
#[derive(Default)]
pub(crate) struct Additions {
    /// Places that become sites of their own.
    pub(crate) targets: Vec<frontend::TargetPlace>,
    /// Whether objects can be made by calls of the program's own functions.
    pub(crate) drivers: bool,
}

/// The same, with additions.
pub(crate) fn load_with(
    args: &SourceArgs,
    Additions { targets, drivers }: Additions,
    stop: Arc<AtomicBool>,
) -> Result<Loaded, Failure> {
    let is_module = |file: &PathBuf| {
        matches!(file.extension().and_then(|name| name.to_str()), Some("wasm" | "wat"))
    };
    if let [file] = &args.files[..]
        && is_module(file)
    {
        let wasm = frontend::read_module(file)?;
        let mut program = read(wasm, Vec::new())?;
        // Without debug information, only the module can be named.
        for unknown in program.files.iter_mut().filter(|known| known.path.as_os_str().is_empty()) {
            unknown.path.clone_from(file);
        }
        check_opaque(&program, args)?;
        check_module_options(args)?;
        return Ok(Loaded { program, left_out: Vec::new(), flags: Vec::new() });
    }
    let options = CompileOptions { targets, drivers, ..compile_options(args)? };
    let toolchain = toolchain::find(args.data_model, &stop)?.stopped_by(stop);
    let (options, compiled) = compile(&toolchain, options)?;
    if !compiled.is_cached && !compiled.warnings.is_empty() {
        tracing::info!("{}", compiled.warnings.trim_end());
    }
    let tolerating = compiled.tolerating();
    let mut program = read(compiled.wasm, options.files.clone())?;
    program.has_own_size = compiled.has_own_size;
    if !program.has_conditions && !program.branches.is_empty() {
        let compiler = toolchain.compiler().display();
        ui::tell(&format!(
            "{compiler} does not say which conditions branches decide: they are named by WebAssembly's operators"
        ));
    }
    check_opaque(&program, args)?;
    let flags = flags(&options).into_iter().chain(tolerating).collect();
    Ok(Loaded { program, left_out: compiled.left_out, flags })
}

/// What programs for CBMC and ESBMC use without a declaration, and flags with which every compiler takes it as they mean it.
const UNDECLARED: &[(&str, &[&str])] = &[
    ("assert", &["-include", "assert.h"]),
    (
        "__CPROVER_assert",
        &["-include", "assert.h", "-D__CPROVER_assert(condition,...)=assert(condition)"],
    ),
    (
        "__CPROVER_precondition",
        &["-include", "assert.h", "-D__CPROVER_precondition(condition,...)=assert(condition)"],
    ),
    (
        "__CPROVER_postcondition",
        &["-include", "assert.h", "-D__CPROVER_postcondition(condition,...)=assert(condition)"],
    ),
    (
        "__ESBMC_assert",
        &["-include", "assert.h", "-D__ESBMC_assert(condition,...)=assert(condition)"],
    ),
];

/// Types that CBMC knows without a declaration.
const TYPES: &[(&str, &str)] = &[
    ("__CPROVER_size_t", "-D__CPROVER_size_t=__SIZE_TYPE__"),
    ("__CPROVER_bool", "-D__CPROVER_bool=_Bool"),
];

/// Compiles the files, once more with other flags where they use what nobody declares.
fn compile(
    toolchain: &Toolchain,
    options: CompileOptions,
) -> Result<(CompileOptions, Compiled), FrontendError> {
    let (options, compiled) = compile_tolerantly(toolchain, options)?;
    let is_used =
        |name: &str| compiled.warnings.contains(&format!("call to undeclared function '{name}'"));
    let used = UNDECLARED.iter().filter(|(name, _)| is_used(name));
    let flags = used.flat_map(|(_, flags)| *flags).map(|&word| word.to_string());
    let flags: Vec<String> = flags.chain(verifiers::declaring(is_used)).collect();
    if flags.is_empty() {
        return Ok((options, compiled));
    }
    let mut again = options.clone();
    again.cflags.extend(flags);
    // A program with such a function of its own stays as it is.
    match frontend::compile(toolchain, &again, &cache_folder()) {
        Ok(compiled) => Ok((again, compiled)),
        Err(_) => Ok((options, compiled)),
    }
}

/// Compiles the files; if that fails for a reason that flags can fix, compiles them again with these flags.
fn compile_tolerantly(
    toolchain: &Toolchain,
    options: CompileOptions,
) -> Result<(CompileOptions, Compiled), FrontendError> {
    let error = match frontend::compile(toolchain, &options, &cache_folder()) {
        Ok(compiled) => return Ok((options, compiled)),
        Err(error) => error,
    };
    let FrontendError::Compiler { message } = &error else { return Err(error) };
    let flags = mending(message);
    if flags.is_empty() {
        return Err(error);
    }
    let mut again = options;
    again.cflags.extend(flags);
    let compiled = frontend::compile(toolchain, &again, &cache_folder()).map_err(|second| {
        // If the compiler refuses the files with our flags too, its first message is reported.
        let is_refusal = matches!(second, FrontendError::Compiler { .. });
        if is_refusal { error } else { second }
    })?;
    Ok((again, compiled))
}

/// Flags with which the compiler takes what it has refused: CBMC's types, and variables that are called like functions that
/// clang has built in (`int index;`), which the C standard leaves to the program.
fn mending(message: &str) -> Vec<String> {
    const BEFORE: &str = "redefinition of '";
    const AFTER: &str = "' as different kind of symbol";
    let used = TYPES.iter().filter(|(name, _)| message.contains(name));
    let mut flags: Vec<String> = used.map(|(_, flag)| (*flag).to_string()).collect();
    let redefined = message.split(BEFORE).skip(1).filter_map(|rest| rest.split_once(AFTER));
    let names: BTreeSet<&str> = redefined.map(|(name, _)| name).collect();
    let is_name = |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    flags.extend(names.into_iter().filter(is_name).map(|name| format!("-fno-builtin-{name}")));
    flags
}

/// Rewrites and compiles a program so that every unit of it can be called.
pub(crate) fn prepare(program: &Program, args: &SourceArgs) -> Result<Executable, Failure> {
    let config = config(program, args)?;
    let mut engine = Engine::new(Limits::STANDARD)?;
    // In a folder that others can write to, they could put code that we would run.
    if let Some(folder) = own_cache_folder() {
        engine = engine.with_code_cache(Arc::new(CodeFiles { folder }));
    }
    Ok(engine.prepare(&program.wasm, &config)?)
}

/// How the engine treats functions that the program does not define.
pub(crate) fn config(program: &Program, args: &SourceArgs) -> Result<Config, Failure> {
    let mut config = Config::standard();
    config.executed.clone_from(&args.opaque);
    config.uninitialized = program.uninitialized.clone();
    config.variables = program.variables.as_slice().into();
    config.initial_pointers = program.initial_pointers.as_slice().into();
    config.frames = program.frames.clone();
    let drivers = program.drivers.iter().map(|driver| &driver.entry);
    let entered = program.units.iter().chain(drivers);
    config.entries = entered.map(|unit| (entry_name(unit), unit.function)).collect();
    if args.check.contains(&Check::Alloc) {
        config.let_allocation_fail(&format!("{}()", allocation::DRAW));
    }
    if args.check.contains(&Check::Leaks) {
        let mains = program.units.iter().filter(|unit| unit.name == "main");
        config.leaks = mains.map(entry_name).collect();
    }
    for (name, undefined) in &program.undefined {
        let key = ("env".to_string(), name.clone());
        let draw = format!("{name}()");
        check_signature(program, name, undefined)?;
        let action = undefined.result.map_or(ImportAction::Ignore, |ty| stub(program, draw, ty));
        // Functions that the engine knows by name, such as the math library, are executed by it.
        if symcrete_term::Function::of_math_library(name).is_none() {
            if let Some(gap) = undefined_gap(program, name, undefined) {
                config.gaps.insert(key.clone(), gap);
            }
            let fills = undefined.fills(program, name);
            if let Some(noted) = undefined.noted(program, &fills) {
                config.noted.insert(key.clone(), noted);
            }
            config.fills.insert(key.clone(), fills);
            config.imports.insert(key, action);
        }
    }
    for number in 0..program.callbacks.len() as u32 {
        let key = (frontend::CALLBACKS.to_string(), number.to_string());
        // The caller's function may know every object of the input, whatever is passed to it.
        config.gaps.insert(key.clone(), Gap::Undefined);
        config.imports.insert(key, ImportAction::Callback(number));
    }
    Ok(config)
}

/// What a stub leaves out of a function: it writes nothing through its pointers, and leaves variables alone that
/// the function could know.
fn undefined_gap(program: &Program, name: &str, undefined: &Undefined) -> Option<Gap> {
    if let Some(gap) = Gap::of_library(name) {
        return Some(gap);
    }
    // By convention of several tools these are inputs, and do nothing but return one.
    let takes_nothing = undefined.machine.params.is_empty();
    let is_input = name.starts_with("nondet_") || name.starts_with("__VERIFIER_nondet_");
    if takes_nothing && is_input {
        return None;
    }
    // Of arguments that no declaration shows anything may be a pointer.
    let takes_pointers = undefined.is_variadic
        || !(undefined.has_prototype || takes_nothing)
        || undefined.params.iter().any(|param| program.types.has_pointers(param.ty));
    let is_known = |global: &Global| !global.is_const && !global.is_static;
    (takes_pointers || program.globals.iter().any(is_known)).then_some(Gap::Undefined)
}

/// What a declaration says about a function must be what the module has.
fn check_signature(program: &Program, name: &str, undefined: &Undefined) -> Result<(), Failure> {
    let machine = &undefined.machine;
    match program.language.contradiction(&program.types, undefined) {
        None => Ok(()),
        Some(expected) => Err(Failure::Usage {
            message: format!(
                "`{name}` is declared as {expected} and called as {machine}: its declarations contradict each other"
            ),
        }),
    }
}

/// A function that is to be executed without analysis must exist.
fn check_opaque(program: &Program, args: &SourceArgs) -> Result<(), Failure> {
    match args.opaque.iter().find(|name| program.unit(name).is_none()) {
        Some(name) => Err(Failure::no_function(program, name)),
        None => Ok(()),
    }
}

/// A module is already compiled: options for the compiler would be ignored.
fn check_module_options(args: &SourceArgs) -> Result<(), Failure> {
    let given = [
        ("--stub", !args.stub.is_empty()),
        ("--check", !args.check.is_empty()),
        ("-I", !args.include.is_empty()),
        ("-D", !args.define.is_empty()),
        ("--cflag", !args.cflag.is_empty()),
        ("--compile-commands", args.compile_commands.is_some()),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(Failure::Usage {
            message: format!("{option} is for C files: a module is compiled already"),
        }),
        None => Ok(()),
    }
}

/// A stub that returns fresh inputs of a type.
fn stub(program: &Program, name: String, ty: TypeId) -> ImportAction {
    match program.language.stub_result(&program.types, ty) {
        StubResult::Nothing => ImportAction::Ignore,
        StubResult::Value(kind) => ImportAction::Draw { name, kind },
        StubResult::Pointer { size } => ImportAction::DrawPointer { name, size },
        StubResult::Memory { size } => ImportAction::DrawResult { name, size },
        StubResult::Impossible => ImportAction::Missing,
    }
}

/// What a unit is called by inside the engine: names of static functions need not be unique.
pub(crate) fn entry_name(unit: &Unit) -> String {
    format!("unit:{}:{}", unit.function, unit.name)
}

/// Called before every run, where the program has it.
pub(crate) fn before(executable: &Executable) -> Vec<String> {
    executable.functions().filter(|name| *name == INITIALISER).map(str::to_string).collect()
}

fn compile_options(args: &SourceArgs) -> Result<CompileOptions, Failure> {
    let mut options = match &args.compile_commands {
        Some(database) => compile_commands::options(database, &args.files)?,
        None => CompileOptions::default(),
    };
    options.files = distinct(&args.files);
    options.include.extend(args.include.iter().map(|folder| absolute(folder)));
    options.defines.extend(args.define.iter().cloned());
    options.cflags.extend(args.cflag.iter().cloned());
    options.stubs.clone_from(&args.stub);
    options.checks.clone_from(&args.check);
    options.files.iter().chain(&options.include).try_for_each(|path| paths::check(path))?;
    Ok(options)
}

/// The flags that matter to whoever compiles tests of the same files. Their paths start in the working directory,
/// whatever folder a compilation database has them start in.
fn flags(options: &CompileOptions) -> Vec<String> {
    let includes = options.include.iter().map(|folder| format!("-I{}", folder.display()));
    let defines = options.defines.iter().map(|define| format!("-D{define}"));
    let mut all: Vec<String> =
        includes.chain(defines).chain(options.cflags.iter().cloned()).collect();
    if options.checks.contains(&Check::Alloc) {
        all.extend(allocation::flags());
    }
    let directory = options.directory.clone().unwrap_or_default();
    with_paths(&all, |flag, path| {
        let place = absolute(&directory.join(path));
        if is_header(flag) && !place.is_file() {
            // It is in one of the folders of headers.
            return path.to_string();
        }
        match shortened(&place) {
            // A bare name would be looked for elsewhere too.
            below if is_header(flag) && below.is_relative() => format!("./{}", below.display()),
            place => place.display().to_string(),
        }
    })
}

/// Absolute paths of files, each file once: `a.c` and `./a.c` are one.
fn distinct(files: &[PathBuf]) -> Vec<PathBuf> {
    let mut seen = BTreeSet::new();
    let files = files.iter().map(|file| absolute(file));
    files.filter(|file| seen.insert(file.canonicalize().unwrap_or_else(|_| file.clone()))).collect()
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

/// Adds the checks that a harness implies: KLEE looks for shifts by too much unless it is told not to.
pub(crate) fn imply_checks(args: &mut SourceArgs) {
    let is_of_klee = |file: &PathBuf| {
        let text = std::fs::read(file).unwrap_or_default();
        String::from_utf8_lossy(&text).contains("klee_make_symbolic")
    };
    let is_asked = args.check.iter().any(|check| matches!(check, Check::Shift | Check::Overshift));
    let is_source = |file: &&PathBuf| file.extension().is_some_and(|extension| extension == "c");
    if !is_asked && args.files.iter().filter(is_source).any(is_of_klee) {
        args.check.push(Check::Overshift);
    }
}

fn read(wasm: Vec<u8>, user_files: Vec<PathBuf>) -> Result<Program, Failure> {
    let load = |file: &Path| {
        let bytes = std::fs::read(file).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    let options = ReadOptions { user_files, load: &load };
    let mut program = read_program(wasm, &options)?;
    shorten_paths(&mut program);
    Ok(program)
}

/// Paths below the working directory are shown relative to it.
fn shorten_paths(program: &mut Program) {
    for file in &mut program.files {
        file.path = shortened(&file.path);
    }
}

fn shortened(path: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    match path.strip_prefix(&here) {
        Ok(below) if below.as_os_str().is_empty() => PathBuf::from("."),
        Ok(below) => below.to_path_buf(),
        Err(_) => path.to_path_buf(),
    }
}

/// The directories in which programs are looked for.
pub(crate) fn path_directories() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).collect()
}

/// Where compiled programs are kept.
pub(crate) fn cache_folder() -> PathBuf {
    own_cache_folder().unwrap_or_else(|| std::env::temp_dir().join("symcrete-cache"))
}

/// The user's own folder for compiled programs, if there is one.
fn own_cache_folder() -> Option<PathBuf> {
    let named = std::env::var_os(defaults::CACHE_VARIABLE).map(PathBuf::from);
    let of_desktop = || Some(PathBuf::from(std::env::var_os("XDG_CACHE_HOME")?).join("symcrete"));
    let of_home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache/symcrete"));
    named.or_else(of_desktop).or_else(of_home)
}
