//! From one C file to one object.

use super::addresses;
use super::assembly;
use super::assets::Assets;
use super::cache::{self, Cache, Hash};
use super::counters;
use super::drivers::Drivers;
use super::effects;
use super::exits;
use super::externals::{self, Definable, Externals};
use super::ir::{self, Edited, LeftOut};
use super::jumps::{self, Plan};
use super::library_errors::LibraryErrors;
use super::machine;
use super::marks;
use super::narrow;
use super::operands;
use super::options::{Check, CompileOptions};
use super::overlaps;
use super::process::{Call, Finished};
use super::red_zones;
use super::rounding::Directions;
use super::strict;
use super::stubs;
use super::toolchain::{Linker, Toolchain};
use super::uninitialized;
use super::words;
use crate::conditions::Conditions;
use crate::frontend::FrontendError;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A compiled file.
pub(super) struct Object {
    pub(super) path: PathBuf,
    pub(super) left_out: Vec<LeftOut>,
    pub(super) warnings: String,
    pub(super) depends_on: BTreeMap<PathBuf, Hash>,
    /// The functions that the file defines or declares.
    pub(super) functions: BTreeSet<String>,
    /// The conditions that its marks name.
    pub(super) conditions: Conditions,
    /// The table that says where its variables are, if there is one.
    pub(super) table: Option<String>,
    /// What was added after its last line.
    behind: String,
    /// The variables that it declares and does not define.
    externals: Externals,
    /// Those of them that it may define, and the variables that it does define.
    definable: Definable,
    defined: BTreeSet<String>,
}

/// Clang's mapping from conditions to counters, as text that needs no decompression (`marks.rs`).
const COVERAGE: &[&str] =
    &["-fprofile-instr-generate", "-fcoverage-mapping", "-mllvm", "-enable-name-compression=false"];
/// Warnings about what older C allows and newer compilers refuse.
const TOLERATED: &[&str] = &[
    "implicit-function-declaration",
    "implicit-int",
    "int-conversion",
    "incompatible-function-pointer-types",
    "return-type",
    "return-mismatch",
];
/// The optimisation that lifts locals into registers and keeps every branch. Any pass that simplifies (`early-cse`,
/// `instsimplify`) also removes conditions that follow from earlier ones.
const PASSES: &str = "-passes=function(sroa)";
/// A file with more rounds of refused assembly than this has another problem.
const ROUNDS_MAX: usize = 50;

/// Flags with which every compiler accepts what caused these warnings here. Unlike `-Wno-error=`, this form may name
/// a warning that the compiler does not know.
pub(super) fn tolerating(warnings: &str) -> Vec<String> {
    let is_given = |warning: &&&str| warnings.contains(&format!("[-W{warning}]"));
    TOLERATED.iter().filter(is_given).map(|warning| format!("-Wno-{warning}")).collect()
}

/// The objects of all files.
pub(super) struct Objects {
    pub(super) all: Vec<Object>,
    whole: Whole,
}

/// What is known only once all files were read.
struct Whole {
    /// Where calls can be left by a jump, if there are any.
    plan: Option<Plan>,
    /// Whether functions run when `main` returns.
    runs_at_exit: bool,
    /// If the program can change the rounding direction: how to follow it.
    directions: Option<Directions>,
    /// If it uses `errno`: how functions set it where musl's do not.
    library_errors: Option<LibraryErrors>,
}

impl Whole {
    fn of(drafts: &[Draft]) -> Whole {
        let texts: Vec<&str> = drafts.iter().map(|draft| draft.text.as_str()).collect();
        let runs_at_exit = texts.iter().any(|text| exits::registers(text));
        let library_errors = LibraryErrors::of(&texts);
        Whole {
            plan: Plan::of(&texts),
            runs_at_exit,
            directions: Directions::of(&texts),
            library_errors,
        }
    }
}

/// Compiles all files, several at a time.
pub(super) fn objects(
    toolchain: &Toolchain,
    options: &CompileOptions,
    files: &[PathBuf],
    assets: &Assets,
    cache: &Cache,
) -> Result<Objects, FrontendError> {
    let place = Place { toolchain, options, assets, cache };
    let drafts = place.each(files, |unit| unit.draft("")).into_iter();
    let drafts = drafts.collect::<Result<Vec<Draft>, _>>()?;
    let whole = Whole::of(&drafts);
    let objects = place.each(files, |unit| unit.finish(&drafts[unit.number], &whole));
    let mut objects = objects.into_iter().collect::<Result<Vec<Object>, _>>()?;
    let known = objects.iter().map(|object| (&object.definable, &object.defined));
    let missing = externals::missing(known);
    if missing.iter().all(BTreeMap::is_empty) {
        return Ok(Objects { all: objects, whole });
    }
    let again = place.each(files, |unit| {
        let missing = &missing[unit.number];
        // Where it cannot be defined, storage is reserved for it.
        let object = || unit.object(&externals::definitions(missing), &whole).ok();
        (!missing.is_empty()).then(object).flatten()
    });
    for (object, again) in objects.iter_mut().zip(again) {
        if let Some(again) = again {
            *object = again;
        }
    }
    Ok(Objects { all: objects, whole })
}

/// Compiles files again with their drivers. If the compiler accepts none of a file's drivers, its object stays as it is.
pub(super) fn add_drivers(
    toolchain: &Toolchain,
    options: &CompileOptions,
    (files, assets, cache): (&[PathBuf], &Assets, &Cache),
    drivers: &BTreeMap<usize, Drivers>,
    Objects { all: objects, whole }: &mut Objects,
) {
    let place = Place { toolchain, options, assets, cache };
    let again = place.each(files, |unit| {
        let mut drivers = drivers.get(&unit.number)?.clone();
        let behind = &objects[unit.number].behind;
        for _ in 0..ROUNDS_MAX {
            match unit.object(&format!("{behind}{}", drivers.text()), whole) {
                Ok(object) => return Some(object),
                Err(FrontendError::Compiler { message }) => {
                    drivers = drivers.without_refused(&message)?;
                }
                Err(_) => return None,
            }
        }
        None
    });
    for (object, again) in objects.iter_mut().zip(again) {
        if let Some(again) = again {
            *object = again;
        }
    }
}

/// A digest of the preprocessed text of all files; `None` if preprocessing does not get far
/// enough to tell.
pub(super) fn preprocessed(
    toolchain: &Toolchain,
    options: &CompileOptions,
    files: &[PathBuf],
    assets: &Assets,
    cache: &Cache,
) -> Option<Hash> {
    let place = Place { toolchain, options, assets, cache };
    let digests = place.each(files, |unit| unit.preprocessed());
    let digests: Vec<Hash> = digests.into_iter().collect::<Option<_>>()?;
    Some(cache::hash(&digests.concat()))
}

/// What is the same for all files.
#[derive(Clone, Copy)]
struct Place<'a> {
    toolchain: &'a Toolchain,
    options: &'a CompileOptions,
    assets: &'a Assets,
    cache: &'a Cache,
}

impl Place<'_> {
    /// Runs a function on every file, several at a time.
    fn each<T: Send>(
        &self,
        files: &[PathBuf],
        work: impl Fn(&TranslationUnit<'_>) -> T + Sync,
    ) -> Vec<T> {
        let next = AtomicUsize::new(0);
        let run = || {
            let mut done = Vec::new();
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                let Some(file) = files.get(i) else { return done };
                let Place { toolchain, options, assets, cache } = *self;
                let shown = &options.files[i];
                let unit =
                    TranslationUnit { toolchain, options, assets, cache, file, shown, number: i };
                done.push((i, work(&unit)));
            }
        };
        let n_cores = std::thread::available_parallelism().map_or(1, usize::from);
        let mut done: Vec<_> = std::thread::scope(|scope| {
            let workers: Vec<_> = (1..n_cores.min(files.len())).map(|_| scope.spawn(run)).collect();
            let mut done = run();
            for worker in workers {
                done.extend(worker.join().expect("compiling does not panic"));
            }
            done
        });
        done.sort_by_key(|(i, _)| *i);
        done.into_iter().map(|(_, result)| result).collect()
    }
}

/// An object with storage for variables that are declared but cannot be defined, if there are any.
pub(super) fn room(
    toolchain: &Toolchain,
    objects: &[Object],
    cache: &Cache,
) -> Result<Option<PathBuf>, FrontendError> {
    let mut all = Externals::new();
    for (name, &size) in objects.iter().flat_map(|object| &object.externals) {
        let known = all.entry(name.clone()).or_insert(size);
        *known = size.max(*known);
    }
    if all.is_empty() {
        return Ok(None);
    }
    assembled(toolchain, cache, "room", &externals::room(&all, toolchain.model())).map(Some)
}

/// The object of a file that we have written as LLVM's text.
pub(super) fn assembled(
    toolchain: &Toolchain,
    cache: &Cache,
    name: &str,
    text: &str,
) -> Result<PathBuf, FrontendError> {
    let file = |extension: &str| cache.scratch().join(format!("{name}.{extension}"));
    let (source, object) = (file("ll"), file("o"));
    write(&source, text.as_bytes())?;
    let mut call = compiler(toolchain).words(["-O1", "-Wno-override-module", "-c"]);
    if toolchain.has_typed_pointers() {
        call = call.words(["-mllvm", "-opaque-pointers"]);
    }
    succeed(&call.word(source).word("-o").word(&object))?;
    Ok(object)
}

/// A file before edits that depend on others.
struct Draft {
    text: String,
    edited: Edited,
    conditions: Conditions,
    warnings: String,
    /// What was put behind its last line.
    behind: String,
}

/// One file while it is compiled.
struct TranslationUnit<'a> {
    toolchain: &'a Toolchain,
    options: &'a CompileOptions,
    assets: &'a Assets,
    cache: &'a Cache,
    file: &'a Path,
    /// The file as the user names it.
    shown: &'a Path,
    number: usize,
}

impl TranslationUnit<'_> {
    /// Compiles the file, with some text added after its last line.
    fn object(&self, behind: &str, whole: &Whole) -> Result<Object, FrontendError> {
        self.finish(&self.draft(behind)?, whole)
    }

    /// Makes LLVM's text of the file, with the edits that depend on this file alone.
    fn draft(&self, behind: &str) -> Result<Draft, FrontendError> {
        let warnings = self.make_text(behind)?;
        let text = self.scratch("c.ll");
        let text =
            std::fs::read(&text).map_err(|source| FrontendError::Io { path: text, source })?;
        let mut text = strict::relax(&String::from_utf8_lossy(&text));
        text = narrow::edit(&text).unwrap_or(text);
        if !self.is_wrapping() {
            text = ir::wrapping(&text);
        }
        if self.sees_null() {
            text = ir::with_null(&text);
        }
        let marked = marks::mark(&words::mark(&text), self.number, &self.options.targets);
        let separated = operands::separate(&marked.text);
        let mut edited = ir::edit(&separated, self.shown, self.number, self.options);
        edited.text = stubs::imported(edited.text, &self.options.stubs);
        let text = uninitialized::mark(&edited.text);
        let (conditions, behind) = (marked.conditions, behind.to_owned());
        Ok(Draft { text, edited, conditions, warnings, behind })
    }

    /// Makes the object of a file.
    fn finish(&self, draft: &Draft, whole: &Whole) -> Result<Object, FrontendError> {
        let Draft { text, edited, conditions, warnings, behind } = draft;
        let exiting = whole.runs_at_exit.then(|| exits::edit(text)).flatten();
        let text = exiting.as_ref().unwrap_or(text);
        let returning = whole.plan.as_ref().map(|plan| jumps::edit(text, self.number, plan));
        let guarded = red_zones::guard(returning.as_ref().unwrap_or(text), self.number);
        let directed = whole.directions.as_ref().map(|directions| directions.edit(&guarded.text));
        let directed = directed.as_ref().unwrap_or(&guarded.text);
        let failing = whole.library_errors.as_ref().map(|errors| errors.edit(directed));
        let failing = failing.as_ref().unwrap_or(directed);
        let asking = overlaps::edit(failing, machine::word(self.toolchain.model()));
        let lifted = self.lift(asking.as_ref().unwrap_or(failing))?;
        let path = self.scratch("o");
        let mut call = compiler(self.toolchain);
        if self.toolchain.has_typed_pointers() {
            call = call.words(["-mllvm", "-opaque-pointers"]);
        }
        let call = call
            .words(["-O2", "-Xclang", "-disable-llvm-passes", "-Wno-override-module", "-c"])
            // A load stays where the source has it, even if only one side of a branch uses it.
            .words(["-mllvm", "-disable-machine-sink"])
            .word(lifted)
            .word("-o")
            .word(&path);
        succeed(&call)?;
        let externals = externals::declared(&edited.text);
        let definable = externals::definable(&edited.text);
        let defined = externals::defined(&edited.text);
        Ok(Object {
            path,
            left_out: edited.left_out.clone(),
            warnings: warnings.clone(),
            depends_on: self.depends_on(),
            functions: edited.functions.clone(),
            conditions: conditions.clone(),
            table: guarded.has_table.then(|| format!("{}{}", red_zones::TABLE, self.number)),
            behind: behind.clone(),
            externals,
            definable,
            defined,
        })
    }

    /// Makes LLVM's text of the file, without assembly that clang refuses. Returns the warnings.
    fn make_text(&self, behind: &str) -> Result<String, FrontendError> {
        let mut replaced: BTreeMap<PathBuf, String> = BTreeMap::new();
        if !behind.is_empty() {
            let unreadable = |source| FrontendError::Io { path: self.file.to_path_buf(), source };
            let bytes = std::fs::read(self.file).map_err(unreadable)?;
            let text = String::from_utf8(bytes)
                .map_err(|error| unreadable(std::io::Error::other(error)))?;
            let file = super::absolute(self.file, self.options.directory.as_ref());
            replaced.insert(file, text + behind);
        }
        for _ in 0..ROUNDS_MAX {
            let overlay = self.overlay(&replaced)?;
            let front = self.front(overlay.as_deref());
            let with_rule = |call: Call| call.words(["-MD", "-MF"]).word(self.scratch("d"));
            let finished = match self.toolchain.linker {
                Linker::WasmLd { .. } => with_rule(front).run()?,
                Linker::Zig => front.run()?,
            };
            if finished.is_success {
                if self.toolchain.linker == Linker::Zig {
                    // Zig writes the rule or the text, never both.
                    with_rule(self.front(overlay.as_deref())).run()?;
                }
                return Ok(finished.stderr);
            }
            if !self.take_out(&finished.stderr, &mut replaced) {
                return Err(self.refusal(finished.stderr));
            }
        }
        Err(self.refusal("assembly for another machine in too many places".to_owned()))
    }

    /// A digest of what the compiler sees of the file.
    fn preprocessed(&self) -> Option<Hash> {
        let finished = self.clang(&["-E", "-w"], None, "i").run().ok()?;
        finished.is_success.then(|| cache::hash_file(&self.scratch("i")))?
    }

    /// The compiler call that makes LLVM's text of the file.
    fn front(&self, overlay: Option<&Path>) -> Call {
        self.clang(&["-S", "-emit-llvm"], overlay, "c.ll")
    }

    /// A compiler call with every flag that affects the meaning of the source.
    fn clang(&self, mode: &[&str], overlay: Option<&Path>, output: &str) -> Call {
        let mut call = compiler(self.toolchain)
            .words([
                "-g",
                "-gdwarf-4",
                "-O1",
                "-Xclang",
                "-disable-llvm-passes",
                "-femit-all-decls",
            ])
            .word("-ffp-contract=off")
            // `#pragma STDC FENV_ACCESS` is respected, as natively.
            .words(["-Xclang", "-fexperimental-strict-floating-point"])
            .words(COVERAGE)
            .words(machine::defines(self.toolchain.model()))
            .words(TOLERATED.iter().map(|warning| format!("-Wno-error={warning}")));
        // Older ones leave out conditions in macros of system headers.
        if self.toolchain.version.is_none_or(|version| version >= 18) {
            call = call.words(["-mllvm", "-system-headers-coverage"]);
        }
        call = call.word(if self.is_wrapping() { "-fwrapv" } else { "-fno-wrapv" });
        let no = if self.sees_null() { "" } else { "no-" };
        call = call.word(format!("-f{no}delete-null-pointer-checks"));
        let names: Vec<&str> =
            self.options.checks.iter().filter_map(|check| check.sanitizer()).collect();
        if !names.is_empty() {
            call = call
                .word(format!("-fsanitize={}", names.join(",")))
                .word("-fno-sanitize-recover=all");
            // The small runtime has no handler for conversions; ours has one for all, whatever they are called.
            if !self.options.checks.contains(&Check::Conversion) {
                call = call.word("-fsanitize-minimal-runtime");
            }
        }
        call = call.words(self.options.defines.iter().map(|define| format!("-D{define}")));
        call = call.word("-I").word(self.assets.harness());
        for directory in &self.options.include {
            call = call.word("-I").word(directory);
        }
        // Aliasing metadata says what is read through a union (`words.rs`); nothing else uses it.
        call = call.words(&self.options.cflags).word("-fstrict-aliasing");
        if let Some(overlay) = overlay {
            call = call.word("-ivfsoverlay").word(overlay);
        }
        system_headers(call, self.toolchain, self.assets)
            .words(mode)
            .words(["-x", "c", "-o"])
            .word(self.scratch(output))
            .word(self.shown)
            .directory(self.options.directory.as_deref())
    }

    /// Whether clang is told that arithmetic wraps. Then it checks neither left shifts of negative numbers nor moved pointers,
    /// and before version 19 no overflow.
    fn is_wrapping(&self) -> bool {
        let sees_overflow = self.toolchain.version.is_none_or(|version| version >= 19);
        let is_seen = |check: &Check| sees_overflow && *check == Check::Overflow;
        !self.options.checks.iter().any(|check| check.needs_no_wrapping() && !is_seen(check))
    }

    /// Whether clang is to check offsets from null, which it does only if null is not an object.
    fn sees_null(&self) -> bool {
        self.options.checks.contains(&Check::PointerOverflow)
    }

    /// Locals into registers, where the toolchain can.
    fn lift(&self, text: &str) -> Result<PathBuf, FrontendError> {
        let edited = self.scratch("ll");
        let Some(opt) = &self.toolchain.opt else {
            write(&edited, lifted_text(text).as_bytes())?;
            return Ok(edited);
        };
        write(&edited, text.as_bytes())?;
        let lifted = self.scratch("lifted.ll");
        let mut call = Call::new(&[opt.clone().into()], &self.toolchain.stop);
        call = call.word("-S").word(PASSES).word(edited);
        if self.toolchain.has_typed_pointers() {
            call = call.word("-opaque-pointers");
        }
        succeed(&call.word("-o").word(&lifted))?;
        let bytes = std::fs::read(&lifted);
        let bytes = bytes.map_err(|source| FrontendError::Io { path: lifted.clone(), source })?;
        write(&lifted, lifted_text(&String::from_utf8_lossy(&bytes)).as_bytes())?;
        Ok(lifted)
    }

    /// Replaces what the message complains about, if that is assembly. Returns whether anything was replaced.
    fn take_out(&self, message: &str, replaced: &mut BTreeMap<PathBuf, String>) -> bool {
        let Some(places) = assembly::refused(message) else { return false };
        let mut by_file: BTreeMap<PathBuf, Vec<(usize, usize)>> = BTreeMap::new();
        for place in places {
            let file = super::absolute(&place.file, self.options.directory.as_ref());
            by_file.entry(file).or_default().push((place.line, place.column));
        }
        for (file, places) in by_file {
            let text = match replaced.get(&file) {
                Some(text) => Some(text.clone()),
                None => std::fs::read(&file).ok().and_then(|bytes| String::from_utf8(bytes).ok()),
            };
            let Some(text) = text.and_then(|text| assembly::replace(&text, &places)) else {
                return false;
            };
            replaced.insert(file, text);
        }
        true
    }

    /// Tells the compiler to see the replaced texts in place of the files.
    fn overlay(
        &self,
        replaced: &BTreeMap<PathBuf, String>,
    ) -> Result<Option<PathBuf>, FrontendError> {
        if replaced.is_empty() {
            return Ok(None);
        }
        let mut roots = Vec::new();
        for (i, (file, text)) in replaced.iter().enumerate() {
            let copy = self.scratch(&format!("{i}.c"));
            write(&copy, text.as_bytes())?;
            roots.push(format!(
                "{{\"type\": \"file\", \"name\": {}, \"external-contents\": {}}}",
                json(file),
                json(&copy)
            ));
        }
        let path = self.scratch("yaml");
        let text = format!(
            "{{\"version\": 0, \"use-external-names\": false, \"roots\": [{}]}}\n",
            roots.join(", ")
        );
        write(&path, text.as_bytes())?;
        Ok(Some(path))
    }

    /// What a message of the compiler means.
    fn refusal(&self, message: String) -> FrontendError {
        let message = message.trim_end().to_owned();
        if message.contains("unable to create target") || message.contains("unknown target triple")
        {
            return FrontendError::NoWasmTarget { clang: self.toolchain.compiler().to_path_buf() };
        }
        let missing = message.lines().find_map(|line| {
            let (_, rest) = line.split_once("fatal error: '")?;
            Some(rest.strip_suffix("' file not found")?.to_owned())
        });
        match missing {
            Some(header) => FrontendError::MissingHeader { header, message },
            None => FrontendError::Compiler { message },
        }
    }

    /// The files that were read, with the digests of what they contain.
    fn depends_on(&self) -> BTreeMap<PathBuf, Hash> {
        let rule = std::fs::read(self.scratch("d")).unwrap_or_default();
        let mut paths = prerequisites(&String::from_utf8_lossy(&rule));
        paths.push(self.file.to_path_buf());
        let absolute = |path: PathBuf| super::absolute(&path, self.options.directory.as_ref());
        let hashed = |path: PathBuf| Some((path.clone(), cache::hash_file(&path)?));
        paths.into_iter().map(absolute).filter_map(hashed).collect()
    }

    fn scratch(&self, extension: &str) -> PathBuf {
        self.cache.scratch().join(format!("{}.{extension}", self.number))
    }
}

/// What is edited once locals are in registers.
fn lifted_text(text: &str) -> String {
    counters::note(&effects::keep(&addresses::mark(text)))
}

/// The compiler, set to WebAssembly.
pub(super) fn compiler(toolchain: &Toolchain) -> Call {
    let call = Call::new(&toolchain.compiler, &toolchain.stop);
    match toolchain.linker {
        Linker::WasmLd { .. } => {
            call.word(format!("--target={}", machine::triple(toolchain.model())))
        }
        // Zig adds checks unless it is told otherwise, and arguments that clang does not need.
        Linker::Zig => call
            .words(["-target", "wasm32-wasi", "-fno-sanitize=undefined"])
            .word("-Wno-unused-command-line-argument"),
    }
}

/// Our headers, then those of the C library, and none of the host's.
pub(super) fn system_headers(call: Call, toolchain: &Toolchain, assets: &Assets) -> Call {
    let ours = assets.include(toolchain.model());
    let with = |call: Call, option: &str| {
        ours.iter().fold(call, |call, folder| call.word(option).word(folder))
    };
    match &toolchain.linker {
        Linker::WasmLd { libc, .. } => {
            with(call, "-isystem").words(["-nostdlibinc", "-isystem"]).word(&libc.include)
        }
        // Zig puts its own headers before all others of the system.
        Linker::Zig => with(call, "-I"),
    }
}

/// Runs a step that should not fail once the front end has accepted the file.
pub(super) fn succeed(call: &Call) -> Result<Finished, FrontendError> {
    let finished = call.run()?;
    if finished.is_success {
        return Ok(finished);
    }
    Err(FrontendError::Compiler { message: finished.stderr.trim_end().to_owned() })
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), FrontendError> {
    cache::write(path, bytes)
        .map_err(|source| FrontendError::Io { path: path.to_path_buf(), source })
}

fn json(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{text}\"")
}

/// The files a rule of a makefile depends on.
fn prerequisites(rule: &str) -> Vec<PathBuf> {
    let list = rule.split_once(": ").map_or("", |(_, list)| list);
    let mut paths = Vec::new();
    let mut path = String::new();
    let mut characters = list.chars().peekable();
    while let Some(c) = characters.next() {
        match (c, characters.peek()) {
            ('\\', Some('\n')) => {}
            ('\\', Some(' ' | '#' | '\\')) | ('$', Some('$')) => path.extend(characters.next()),
            (c, _) if c.is_whitespace() => paths.push(std::mem::take(&mut path)),
            (c, _) => path.push(c),
        }
    }
    paths.push(path);
    paths.into_iter().filter(|path| !path.is_empty()).map(PathBuf::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_makefiles_are_read() {
        let rule = "a.o: a.c \\\n  with\\ space.h dir/$$x.h\n";
        let expected: Vec<PathBuf> =
            ["a.c", "with space.h", "dir/$x.h"].into_iter().map(PathBuf::from).collect();
        assert_eq!(prerequisites(rule), expected);
    }
}
