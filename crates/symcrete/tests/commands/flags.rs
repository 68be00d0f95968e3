//! Sources that need flags: the tests of them are built with the same.

use super::{Done, command, file, finish, folder};
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

const SOURCE: &str = "\
#include \"limit.h\"
#include <scale.h>

#if !defined(OFFSET) || __STDC_VERSION__ != 201112L || WORDS != 2
#error \"a flag is missing\"
#endif

int above(int x)
{
    if (x * SCALE + OFFSET > LIMIT)
        return 1;
    return helper(x);
}
";
const OTHER: &str = "\
#include \"limit.h\"

int helper(int x)
{
    return x == LIMIT ? 2 : OFFSET;
}

int main(void)
{
    return 0;
}
";

/// Headers in three places, and the sources that need them.
fn project() -> TempDir {
    let project = folder();
    for name in ["include", "system", "build"] {
        std::fs::create_dir(project.path().join(name)).expect("the folder is ours");
    }
    file(&project, "include/limit.h", "#define LIMIT 10\nint helper(int x);\n");
    file(&project, "include/config.h", "#define WORDS 2\n");
    file(&project, "system/scale.h", "#define SCALE 3\n");
    file(&project, "above.c", SOURCE);
    file(&project, "other.c", OTHER);
    project
}

/// All tests are proved, and the command in the comment of the test file builds and passes.
#[expect(clippy::disallowed_methods, reason = "the command is for people, who have a shell")]
fn proved(project: &Path, done: &Done) {
    let found = done.json();
    let native = &found["native"];
    assert!(
        native["passed"].as_u64() > Some(1) && native["failed"] == serde_json::json!([]),
        "{native}"
    );
    let tests = project.join("symcrete-out/tests");
    for name in ["test_above", "test_helper"] {
        let text = std::fs::read_to_string(tests.join(format!("{name}.c"))).expect("tests");
        let lines = text.lines().take_while(|line| !line.ends_with("*/"));
        let script: Vec<&str> = lines.filter_map(|line| line.strip_prefix(" *     ")).collect();
        let script = script.join(" && ");
        let output = Command::new("sh").args(["-ec", &script]).current_dir(&tests).output();
        let output = output.expect("there is a shell");
        let shown = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{script}: {shown}");
    }
}

fn generate(project: &Path, words: &[&str]) -> Done {
    let mut command = command(&["gen", "above.c", "other.c", "--json"]);
    command.args(words).current_dir(project);
    finish(command)
}

#[test]
fn flags_of_the_command_line_are_kept() {
    let project = project();
    let words = [
        "-Iinclude",
        "-DOFFSET=(1 + 1)",
        "--cflag=-std=c11",
        "--cflag=-isystem",
        "--cflag=system",
        "--cflag=-include",
        "--cflag=config.h",
    ];
    proved(project.path(), &generate(project.path(), &words));
    // The same with a header that is named by its path.
    let mut words = words.to_vec();
    words.pop();
    words.extend(["--cflag=include/config.h", "--force"]);
    proved(project.path(), &generate(project.path(), &words));
}

#[test]
fn flags_of_a_compilation_database_are_kept() {
    let project = project();
    let build = project.path().join("build");
    let entry = |file: &str| {
        format!(
            r#"{{"directory": "{}", "file": "../{file}", "command":
            "cc -I../include -isystem ../system '-DOFFSET=(1 + 1)' -std=c11 -include ../include/config.h -O2 -c ../{file}"}}"#,
            build.display()
        )
    };
    let text = format!("[{}, {}]", entry("above.c"), entry("other.c"));
    file(&project, "build/compile_commands.json", &text);
    let words = ["--compile-commands", "build/compile_commands.json"];
    proved(project.path(), &generate(project.path(), &words));
}
