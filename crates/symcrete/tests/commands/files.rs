//! Files that a program opens: where they are, whether they are there, and whether they can be written.

use super::other_tools::{failures, generate, inputs, native};
use super::{Json, file, folder, function, symcrete};

/// All sides of `main` are covered by tests that do the same here.
fn all_is_tested(found: &Json) {
    let branches = &function(found, "main")["branches"];
    assert_eq!(branches["covered"], branches["total"], "{found}");
    let native = &found["native"];
    assert_eq!(native["failed"], Json::Array(Vec::new()), "{native}");
    assert_eq!(native["warnings"], Json::Array(Vec::new()), "{native}");
    assert_eq!(native["sides_differ"], 0, "{native}");
}

fn reading(name: &str) -> String {
    format!(
        "#include <stdio.h>\n\
        int main(void)\n\
        {{\n\
            FILE *f = fopen(\"{name}\", \"r\");\n\
            if (!f)\n        return 1;\n\
            int first = getc(f);\n\
            fclose(f);\n\
            return first == '#' ? 2 : 3;\n\
        }}\n"
    )
}

#[test]
fn files_lie_anywhere() {
    for name in ["plain.txt", "data/in/file.txt", "/etc/our-app/app.conf", "/tmp/file.txt"] {
        all_is_tested(&generate("main.c", &reading(name)));
    }
}

/// What the system has a test cannot have.
#[test]
fn devices_are_no_inputs() {
    let found = generate("main.c", &reading("/dev/our-device"));
    assert_eq!(function(&found, "main")["branches"]["covered"], 1, "{found}");
    assert_eq!(found["native"]["failed"], Json::Array(Vec::new()), "{found}");
}

#[test]
fn files_cannot_always_be_written() {
    for (name, mode) in [("out.txt", "w"), ("logs/today/out.txt", "a"), ("/var/log/our.log", "w+")]
    {
        let text = format!(
            "#include <errno.h>\n#include <stdio.h>\n\
            int main(void)\n\
            {{\n\
                FILE *f = fopen(\"{name}\", \"{mode}\");\n\
                if (!f)\n        return errno == 0;\n\
                fputs(\"text\", f);\n\
                return fclose(f);\n\
            }}\n"
        );
        let found = generate("main.c", &text);
        assert_eq!(function(&found, "main")["branches"]["covered"], 2, "{name}: {found}");
        assert_eq!(found["native"]["passed"], 2, "{name}: {found}");
        let unchecked = text.replace("if (!f)", "if (0)");
        let found = generate("main.c", &unchecked);
        assert_eq!(failures(&found)[0].2, "native", "{name}: {found}");
        assert_eq!(found["native"]["passed"], 1, "{name}: the way on is a test too: {found}");
    }
}

/// A name may be an input. What a test writes lies in its folder, under a name that people would use: never in `/`.
#[test]
fn tests_write_no_files_of_made_up_names() {
    let text = "#include <stdio.h>\n\
        int save(const char *path)\n\
        {\n\
            FILE *f = fopen(path, \"wb\");\n\
            if (!f)\n        return -1;\n\
            fputs(\"text\", f);\n\
            fclose(f);\n\
            return path[0] == '/';\n\
        }\n";
    let found = generate("save.c", text);
    let branches = &function(&found, "save")["branches"];
    assert_eq!(branches["covered"], branches["total"], "{found}");
    assert_eq!(found["native"]["failed"], Json::Array(Vec::new()), "{found}");
    let names: Vec<String> =
        inputs("save.c", text).iter().map(|input| input["path"].to_string()).collect();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "\"/._-".contains(c);
    assert!(names.iter().all(|name| name.chars().all(is_plain)), "{names:?}");
}

/// Another cause than the one that is modelled may be behind a missing file.
#[test]
fn nothing_is_proved_of_why_a_file_cannot_be_opened() {
    for mode in ["r", "w"] {
        let text = reading("a.txt").replace("\"r\"", &format!("\"{mode}\""));
        let text = text.replace("return 1;", "return errno == EACCES ? 1 : 4;");
        let found = generate("main.c", &format!("#include <errno.h>\n{text}"));
        assert_eq!(function(&found, "main")["branches"]["infeasible"], 0, "{mode}: {found}");
    }
}

/// Other sources open them too, and so do programs that show a failure.
#[test]
fn files_of_other_sources_are_the_tests_own() {
    let text = "#include <stdio.h>\n\
        int first_of(const char *name);\n\
        int main(void)\n\
        {\n\
            int first = first_of(\"/etc/our-app/limit\");\n\
            return first < 0 ? 1 : 100 / (first - '7');\n\
        }\n";
    let other = "#include <stdio.h>\n\
        int first_of(const char *name)\n\
        {\n\
            FILE *f = fopen(name, \"r\");\n\
            if (!f)\n        return -1;\n\
            int first = getc(f);\n\
            fclose(f);\n\
            return first;\n\
        }\n";
    let folder = folder();
    let sources = [file(&folder, "main.c", text), file(&folder, "other.c", other)].join(" ");
    let out = folder.path().join("out");
    let words = format!("gen --json --time 10 --function main --out {} {sources}", out.display());
    let found = symcrete(&words).json();
    all_is_tested(&found);
    assert_eq!(failures(&found), [native("division by zero", "6")], "{found}");
}

#[test]
fn a_run_may_be_told_that_a_file_cannot_be_written() {
    let text = "#include <stdio.h>\n\
        int main(void)\n{\n    return fopen(\"out.txt\", \"w\") ? 1 : 2;\n}\n";
    let folder = folder();
    let source = file(&folder, "main.c", text);
    for (input, result) in [(r#"{"folder \"out.txt\"":true}"#, 2), ("{}", 1)] {
        let shown = super::finish(super::command(&["run", "--json", "--input", input, &source]));
        assert_eq!(shown.json()["outcome"]["value"], result, "{input}");
    }
}
