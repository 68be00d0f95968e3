//! The C front end over the real compiler: `tests/cases/frontend/*.c` say in their first lines what is expected
//! of their modules; the rest is about the cache and about bad input.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "tests write cases, run compilers and look at parts of modules"
)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use symcrete_program::frontend::{
    self, Check, CompileOptions, Compiled, FrontendError, Toolchain, compile,
};
use wasmparser::{ExternalKind, KnownCustom, Name, Operator, Parser, Payload, TypeRef};

fn toolchain() -> Toolchain {
    Toolchain::find(&[PathBuf::from("/usr/bin"), PathBuf::from("/usr/local/bin")]).unwrap()
}

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/frontend")
}

/// One cache for all tests that do not test the cache.
fn shared_cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("frontend-cache")
}

fn options(file: impl Into<PathBuf>) -> CompileOptions {
    CompileOptions { files: vec![file.into()], ..CompileOptions::default() }
}

/// What a module has, by name.
#[derive(Default, Debug)]
struct Module {
    imports: BTreeSet<String>,
    exports: BTreeSet<String>,
    defines: BTreeSet<String>,
    n_imported: u32,
    names: Vec<(u32, String)>,
    /// By function: kinds that `__symcrete_check` is called with, and the number of conditional branches.
    checks: Vec<Check>,
    branches: Vec<(u32, usize)>,
}

impl Module {
    fn read(wasm: &[u8]) -> Module {
        wasmparser::validate(wasm).unwrap();
        let mut module = Module::default();
        let mut bodies = Vec::new();
        for payload in Parser::new(0).parse_all(wasm) {
            match payload.unwrap() {
                Payload::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        let import = import.unwrap();
                        module.imports.insert(format!("{}.{}", import.module, import.name));
                        module.n_imported += u32::from(matches!(import.ty, TypeRef::Func(_)));
                    }
                }
                Payload::ExportSection(exports) => {
                    for export in exports {
                        let export = export.unwrap();
                        assert_ne!(export.kind, ExternalKind::Tag);
                        module.exports.insert(export.name.to_owned());
                    }
                }
                Payload::CodeSectionEntry(body) => bodies.push(body),
                Payload::CustomSection(section) => {
                    if let KnownCustom::Name(names) = section.as_known() {
                        module.read_names(names);
                    }
                }
                _ => {}
            }
        }
        let check = module.names.iter().find(|(_, name)| name == "__symcrete_check");
        let check = check.map(|(index, _)| *index);
        for (i, body) in bodies.iter().enumerate() {
            let operators: Vec<Operator<'_>> =
                body.get_operators_reader().unwrap().into_iter().map(Result::unwrap).collect();
            let is_branch = |operator: &&Operator<'_>| {
                matches!(operator, Operator::BrIf { .. } | Operator::If { .. } | Operator::Select)
            };
            let n = operators.iter().filter(is_branch).count();
            module.branches.push((module.n_imported + i as u32, n));
            for pair in operators.windows(2) {
                if let [Operator::I32Const { value }, Operator::Call { function_index }] = pair
                    && Some(*function_index) == check
                {
                    module.checks.push(Check::of_kind(*value as u32).unwrap());
                }
            }
        }
        module
    }

    fn read_names(&mut self, names: wasmparser::NameSectionReader<'_>) {
        for name in names {
            if let Name::Function(map) = name.unwrap() {
                for naming in map {
                    let naming = naming.unwrap();
                    self.names.push((naming.index, naming.name.to_owned()));
                    if naming.index >= self.n_imported {
                        // What clang makes of main.
                        let name = match naming.name {
                            "__main_argc_argv" | "__original_main" => "main",
                            name => name,
                        };
                        self.defines.insert(name.to_owned());
                    }
                }
            }
        }
    }
}

/// The words after `// key:` in a case, one list per line that has it.
fn expected(text: &str, key: &str) -> Vec<Vec<String>> {
    let lines = text.lines().take_while(|line| line.starts_with("//"));
    let lines = lines.filter_map(|line| line[2..].trim().strip_prefix(key)?.strip_prefix(':'));
    lines.map(|words| words.split_whitespace().map(str::to_owned).collect()).collect()
}

fn case_options(file: &Path, text: &str) -> CompileOptions {
    let mut options = options(file.file_name().unwrap());
    options.directory = Some(cases());
    let words: Vec<String> = expected(text, "options").concat();
    for pair in words.chunks(2) {
        match pair[0].as_str() {
            "--stub" => options.stubs.push(pair[1].clone()),
            "--check" => {
                options.checks = pair[1].split(',').map(|name| name.parse().unwrap()).collect();
            }
            other => panic!("unknown option {other}"),
        }
    }
    options
}

fn check_case(file: &Path) {
    let text = std::fs::read_to_string(file).unwrap();
    let result = compile(&toolchain(), &case_options(file, &text), &shared_cache());
    let errors = expected(&text, "error");
    if !errors.is_empty() {
        let error = result.expect_err("an error is expected");
        assert!(!error.is_environment());
        for words in errors {
            assert!(error.to_string().contains(&words.join(" ")), "{error}");
        }
        return;
    }
    let compiled = result.unwrap_or_else(|error| panic!("{error}"));
    check_module(&text, &compiled);
}

fn check_module(text: &str, compiled: &Compiled) {
    let module = Module::read(&compiled.wasm);
    for name in expected(text, "defines").concat() {
        assert!(module.defines.contains(&name), "{name} is not defined: {:?}", module.defines);
    }
    for name in expected(text, "absent").concat() {
        assert!(!module.defines.contains(&name), "{name} is defined");
    }
    for name in expected(text, "exports").concat() {
        assert!(module.exports.contains(&name), "{name} is not exported");
    }
    for name in expected(text, "imports").concat() {
        assert!(module.imports.contains(&name), "{name} is not in {:?}", module.imports);
    }
    for import in &module.imports {
        assert!(!import.starts_with("wasi"), "{import} is not ours");
    }
    let mut left_out: Vec<String> = compiled
        .left_out
        .iter()
        .map(|left_out| format!("{}:{}", left_out.function, left_out.line))
        .collect();
    let mut expected_left_out = expected(text, "left out").concat();
    left_out.sort();
    expected_left_out.sort();
    assert_eq!(left_out, expected_left_out);
    if let [checks] = &expected(text, "checks")[..] {
        let mut found: Vec<&str> = module.checks.iter().map(|check| check.name()).collect();
        let mut checks: Vec<&str> = checks.iter().map(String::as_str).collect();
        found.sort_unstable();
        checks.sort_unstable();
        assert_eq!(found, checks);
    }
    for words in expected(text, "branches") {
        let index = module.names.iter().find(|(_, name)| *name == words[0]).unwrap().0;
        let n = module.branches.iter().find(|(function, _)| *function == index).unwrap().1;
        assert_eq!(n, words[1].parse::<usize>().unwrap(), "branches of {}", words[0]);
    }
}

#[test]
fn cases_are_as_they_say() {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(cases()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 10);
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "c")) {
        eprintln!("{}", file.display());
        check_case(file);
    }
}

#[test]
fn the_cache_knows_files_headers_and_options() {
    let directory = tempfile::tempdir().unwrap();
    let cache = directory.path().join("cache");
    let file = directory.path().join("a.c");
    let header = directory.path().join("a.h");
    std::fs::write(&file, "#include \"a.h\"\nint f(int a) { return a > LIMIT; }\n").unwrap();
    std::fs::write(&header, "#define LIMIT 3\n").unwrap();
    let toolchain = toolchain();
    let options = options(&file);
    let run = |options: &CompileOptions| compile(&toolchain, options, &cache).unwrap();

    let first = run(&options);
    assert!(!first.is_cached);
    let second = run(&options);
    assert!(second.is_cached);
    assert_eq!(first.wasm, second.wasm);

    std::fs::write(&header, "#define LIMIT 4\n").unwrap();
    let third = run(&options);
    assert!(!third.is_cached);
    assert_ne!(first.wasm, third.wasm);
    assert!(run(&options).is_cached);

    let checked = CompileOptions { checks: vec![Check::Overflow], ..options.clone() };
    assert!(!run(&checked).is_cached);
    let defined = CompileOptions { defines: vec!["X".to_owned()], ..options.clone() };
    assert!(!run(&defined).is_cached);
    assert!(run(&options).is_cached);

    // A broken entry is not there.
    for entry in std::fs::read_dir(&cache).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "module") {
            std::fs::write(&path, b"symcrete front end 2 and then nothing").unwrap();
        }
    }
    let again = run(&options);
    assert!(!again.is_cached);
    assert_eq!(again.wasm, third.wasm);
    let leftovers = std::fs::read_dir(&cache).unwrap().filter(|entry| {
        entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("scratch")
    });
    assert_eq!(leftovers.count(), 0);
}

/// A program in a folder with a cache of its own.
struct Cached {
    directory: tempfile::TempDir,
    options: CompileOptions,
}

impl Cached {
    /// `a.c` with this text, and the folders `first` and `second` in the search path.
    fn new(text: &str) -> Cached {
        let directory = tempfile::tempdir().unwrap();
        let mut options = options(directory.path().join("a.c"));
        options.include = ["first", "second"].map(|name| directory.path().join(name)).to_vec();
        let cached = Cached { directory, options };
        std::fs::create_dir(cached.path("first")).unwrap();
        cached.write("a.c", text);
        cached
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn compile(&self) -> Compiled {
        compile(&toolchain(), &self.options, &self.path("cache")).unwrap()
    }

    /// Compiles twice; the second time comes from the cache.
    fn settle(&self) -> Vec<u8> {
        let first = self.compile();
        assert!(!first.is_cached, "it has changed");
        let second = self.compile();
        assert!(second.is_cached, "nothing has changed");
        assert_eq!(first.wasm, second.wasm);
        first.wasm
    }
}

#[test]
fn a_header_that_comes_first_now_is_noticed() {
    // By quotes, by brackets, beside the file, through another header, by a name that is a macro.
    for include in ["\"limit.h\"", "<limit.h>", "NAME"] {
        let text = format!(
            "#define NAME <limit.h>\n#include {include}\nint f(int a) {{ return a > LIMIT; }}\n"
        );
        let cached = Cached::new(&text);
        cached.write("second/limit.h", "#define LIMIT 3\n");
        let before = cached.settle();
        cached.write("first/limit.h", "#define LIMIT 4\n");
        let after = cached.settle();
        assert_ne!(before, after, "{include}");
        if include.starts_with('"') {
            cached.write("limit.h", "#define LIMIT 5\n");
            assert_ne!(after, cached.settle(), "{include}");
        }
        // And back: what was compiled before the last change is not what the cache has.
        std::fs::remove_file(cached.path("first/limit.h")).unwrap();
        let _ = std::fs::remove_file(cached.path("limit.h"));
        assert_eq!(before, cached.settle(), "{include}");
    }
    let cached = Cached::new("#include \"outer.h\"\nint f(int a) { return a > LIMIT; }\n");
    cached.write("second/outer.h", "#include <limit.h>\n");
    cached.write("second/limit.h", "#define LIMIT 3\n");
    let before = cached.settle();
    cached.write("first/limit.h", "#define LIMIT 4\n");
    assert_ne!(before, cached.settle());
}

#[test]
fn a_question_for_a_header_is_asked_again() {
    for operand in ["<extra.h>", "\"extra.h\"", "EXTRA"] {
        let text = format!(
            "#define EXTRA <extra.h>\n#if __has_include({operand})\nint f(int a) {{ return a > 3; }}\n\
             #else\nint f(int a) {{ return a > 4; }}\n#endif\n"
        );
        let cached = Cached::new(&text);
        let before = cached.settle();
        cached.write("second/extra.h", "");
        assert_ne!(before, cached.settle(), "{operand}");
        std::fs::remove_file(cached.path("second/extra.h")).unwrap();
        assert_eq!(before, cached.settle(), "{operand}");
    }
}

#[test]
fn a_header_that_is_gone_is_an_error_and_not_the_old_module() {
    let cached = Cached::new("#include <limit.h>\nint f(int a) { return a > LIMIT; }\n");
    cached.write("second/limit.h", "#define LIMIT 3\n");
    cached.settle();
    std::fs::remove_file(cached.path("second/limit.h")).unwrap();
    let error = compile(&toolchain(), &cached.options, &cached.path("cache")).unwrap_err();
    assert!(matches!(error, FrontendError::MissingHeader { .. }), "{error}");
}

#[test]
fn blanks_and_comments_count_because_columns_do() {
    let cached = Cached::new("int f(int a) { return a > 3; }\n");
    let before = cached.settle();
    cached.write("a.c", "int f(int a) { return /* three */ a > 3; }\n");
    assert_ne!(before, cached.settle());
}

#[test]
fn what_the_text_takes_from_the_clock_is_never_cached() {
    let cached = Cached::new("const char *f(void) { return __TIME__; }\n");
    cached.compile();
    std::thread::sleep(std::time::Duration::from_millis(1100));
    assert!(!cached.compile().is_cached);
}

#[test]
fn damaged_files_of_the_cache_are_made_again() {
    let cached = Cached::new("#include <netdb.h>\nint f(int a) { return a > 3; }\n");
    let whole = cached.settle();
    let in_cache = || {
        let mut files = Vec::new();
        let mut pending = vec![cached.path("cache")];
        while let Some(folder) = pending.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => pending.push(path),
                    false => files.push(path),
                }
            }
        }
        files
    };
    assert!(in_cache().len() > 10);
    let damages: [fn(&Path); 3] = [
        |file| std::fs::write(file, b"nonsense").unwrap(),
        |file| {
            let bytes = std::fs::read(file).unwrap();
            std::fs::write(file, &bytes[..bytes.len() / 2]).unwrap();
        },
        |file| std::fs::remove_file(file).unwrap(),
    ];
    for damage in damages {
        in_cache().iter().for_each(|file| damage(file));
        // Also where only the runtime or the headers are damaged, and another program needs them.
        let other = CompileOptions { defines: vec!["OTHER".to_owned()], ..cached.options.clone() };
        assert_eq!(
            compile(&toolchain(), &other, &cached.path("cache")).unwrap().wasm.len(),
            whole.len()
        );
        assert_eq!(cached.settle(), whole);
        for file in in_cache() {
            if file.extension().is_some_and(|extension| extension == "module") {
                std::fs::remove_file(file).unwrap();
            }
        }
    }
}

#[test]
fn a_cache_that_cannot_be_written_costs_only_the_caching() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a.c");
    std::fs::write(&file, "int f(int a) { return a > 3; }\n").unwrap();
    let not_a_directory = file.join("cache");
    for _ in 0..2 {
        assert!(!compile(&toolchain(), &options(&file), &not_a_directory).unwrap().is_cached);
    }
}

#[test]
fn several_files_are_one_program() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = directory.path().join(name);
        std::fs::write(&file, text).unwrap();
        file
    };
    let a = write(
        "a.c",
        "int g(int);\nstatic int h(int a) { return a; }\nint f(int a) { return g(a) + h(a); }\nint main(void) { return f(1); }\n",
    );
    let b = write("b.c", "static int h(int a) { return -a; }\nint g(int a) { return h(a) > 1; }\n");
    let c = write("c.c", "int main(void) { return 0; }\n");
    let both = CompileOptions { files: vec![a.clone(), b], ..CompileOptions::default() };
    let module = Module::read(&compile(&toolchain(), &both, &shared_cache()).unwrap().wasm);
    assert_eq!(
        module.names.iter().filter(|(_, name)| name.starts_with('h') && name.len() < 5).count(),
        2
    );
    let is_host = |import: &String| import.starts_with("symcrete.");
    assert!(module.imports.iter().all(is_host), "{:?}", module.imports);

    let clash = CompileOptions { files: vec![a, c], ..CompileOptions::default() };
    let error = compile(&toolchain(), &clash, &shared_cache()).unwrap_err();
    assert!(matches!(error, FrontendError::Linker { .. }) && !error.is_environment());
    assert!(error.to_string().contains("duplicate symbol"), "{error}");
}

#[test]
fn bad_input_is_named() {
    let compile = |file: &str| compile(&toolchain(), &options(file), &shared_cache()).unwrap_err();
    assert!(matches!(compile("nowhere.c"), FrontendError::FileNotFound { .. }));
    let cpp = compile("a.cpp");
    assert!(matches!(cpp, FrontendError::NotC { .. }) && cpp.to_string().contains("only C"));
    let none = CompileOptions::default();
    let error = frontend::compile(&toolchain(), &none, &shared_cache()).unwrap_err();
    assert!(matches!(error, FrontendError::NoFiles));
    assert!("overlow".parse::<Check>().unwrap_err().contains("overflow"));
}

#[cfg(unix)]
#[test]
fn what_is_missing_of_a_toolchain_is_named() {
    let error = Toolchain::find(&[]).unwrap_err();
    assert!(matches!(error, FrontendError::NoCompiler) && error.is_environment());
    for package in ["clang-19", "lld-19", "llvm-19", "wasi-libc", "libclang-rt-19-dev-wasm32"] {
        assert!(error.to_string().contains(package), "{error}");
    }
    // A clang that is alone.
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("clang-19"), "").unwrap();
    let error = Toolchain::find(&[directory.path().to_path_buf()]).unwrap_err();
    assert!(error.is_environment() && error.to_string().contains("llvm-19"), "{error}");
}

#[test]
fn a_command_keeps_what_changes_the_meaning() {
    let words = "/usr/bin/cc -DA=1 -D B -Iinclude -I /abs -UX -isystem sys -include pre.h -std=c11 -O2 -g -Wall -m64 \
                 -march=native -fPIC -MD -MF a.d -c -o a.o src/a.c";
    let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    let options = CompileOptions::from_command(&words, Path::new("/project"));
    let strings = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    assert_eq!(options.files, [PathBuf::from("src/a.c")]);
    assert_eq!(options.defines, strings(&["A=1", "B"]));
    assert_eq!(options.include, [PathBuf::from("include"), PathBuf::from("/abs")]);
    let cflags = ["-U", "X", "-isystem", "sys", "-include", "pre.h", "-std=c11"];
    assert_eq!(options.cflags, strings(&cflags));
    assert_eq!(options.directory, Some(PathBuf::from("/project")));
}

#[test]
fn modules_are_read_as_they_are() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("m.wat");
    std::fs::write(&file, "(module (func (export \"f\")))").unwrap();
    let wasm = frontend::read_module(&file).unwrap();
    assert!(wasm.starts_with(b"\0asm"));
    std::fs::write(&file, "(module (fun").unwrap();
    assert!(matches!(frontend::read_module(&file), Err(FrontendError::BadModule { .. })));
    let missing = frontend::read_module(&directory.path().join("none.wasm"));
    assert!(matches!(missing, Err(FrontendError::FileNotFound { .. })));
}

#[test]
fn the_harness_header_also_compiles_natively() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("symcrete.h"), frontend::HARNESS_HEADER).unwrap();
    std::fs::copy(cases().join("own.c"), directory.path().join("own.c")).unwrap();
    let status = std::process::Command::new("cc")
        .args(["-Wall", "-Wextra", "-Werror", "-I.", "own.c", "-o", "own"])
        .current_dir(directory.path())
        .status()
        .unwrap();
    assert!(status.success());
}
