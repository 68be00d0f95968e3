//! What a program finds around it: standard input, environment variables and files, as they were in the recorded run.
//!
//! Files are written to a folder of the test's own, which it leaves again: a file of the same name that the user has stays
//! as it is.

use crate::drawn::Answers;
use crate::literal;
use std::collections::BTreeSet;

/// The statements that make the world around a test what it was.
pub(crate) fn prepare(test: &str, answers: &Answers) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, value) in &answers.variables {
        lines.push(match value {
            Some(bytes) => {
                let text = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
                format!("setenv(\"{name}\", {}, 1);", literal::string(text))
            }
            None => format!("unsetenv(\"{name}\");"),
        });
    }
    if uses_folder(answers) {
        lines.push("symcrete_folder(1);".into());
    }
    lines.extend(parents(answers).iter().map(|folder| format!("mkdir(\"{folder}\", 0700);")));
    for (name, bytes) in &answers.files {
        if let Some(bytes) = bytes {
            let (name, text) = (below(name), literal::string(bytes));
            lines.push(format!("symcrete_file(\"{name}\", {text}, {});", bytes.len()));
        }
    }
    for (name, _) in answers.folders.iter().filter(|(_, is_there)| **is_there) {
        lines.push(format!("mkdir(\"{}\", 0700);", below(name)));
    }
    if names(answers).any(|name| name.starts_with('/')) {
        lines.push(format!("{AT_ROOT} = 1;"));
    }
    if let Some(bytes) = &answers.stdin {
        let text = literal::string(bytes);
        lines.push(format!("symcrete_stdin(\"{test}.stdin\", {text}, {});", bytes.len()));
    }
    lines
}

/// The statements that remove what a test has written.
pub(crate) fn clean_up(answers: &Answers) -> Vec<String> {
    if !uses_folder(answers) {
        return Vec::new();
    }
    let mut lines = Vec::new();
    if names(answers).any(|name| name.starts_with('/')) {
        lines.push(format!("{AT_ROOT} = 0;"));
    }
    let written = answers.files.iter().filter(|(_, bytes)| bytes.is_some()).map(|(name, _)| name);
    let removed = written.chain(answers.folders.keys());
    lines.extend(removed.map(|name| format!("remove(\"{}\");", below(name))));
    lines.extend(parents(answers).iter().rev().map(|folder| format!("rmdir(\"{folder}\");")));
    lines.push("symcrete_folder(0);".to_string());
    lines
}

/// Whether a test has a folder of its own.
fn uses_folder(answers: &Answers) -> bool {
    names(answers).next().is_some()
}

/// All files that a test's program opened.
fn names(answers: &Answers) -> impl Iterator<Item = &str> {
    answers.files.keys().chain(answers.folders.keys()).map(String::as_str)
}

/// Where a file is in the test's folder: one by an absolute path lies below it.
fn below(name: &str) -> &str {
    name.trim_start_matches('/')
}

/// The folders that these files are in or written to, each behind those that it is in. One with a file that is not there need
/// not be either.
fn parents(answers: &Answers) -> BTreeSet<String> {
    let read = answers.files.iter().filter(|(_, bytes)| bytes.is_some()).map(|(name, _)| name);
    let all = read.chain(answers.folders.keys()).map(|name| below(name));
    let of = |name: &'_ str| -> Vec<String> {
        name.match_indices('/').map(|(at, _)| name[..at].to_string()).collect()
    };
    all.flat_map(of).collect()
}

/// The variable that says whether absolute paths are below the test's folder.
pub(crate) const AT_ROOT: &str = "symcrete_at_root";

/// What the sources call instead of `fopen`.
pub(crate) const OPEN: &str = "
/* `fopen` of the sources: files by absolute paths are in the test's own folder. */
static int symcrete_at_root;

FILE *fopen(const char *name, const char *mode);
FILE *symcrete_fopen(const char *name, const char *mode);
FILE *symcrete_fopen(const char *name, const char *mode)
{
    int is_system = !strncmp(name, \"/dev/\", 5) || !strncmp(name, \"/proc/\", 6) || !strncmp(name, \"/sys/\", 5);

    while (symcrete_at_root && !is_system && *name == '/')
        name++;
    return fopen(name, mode);
}
";

/// What strict C does not declare.
pub(crate) const SETENV: &str = "
int setenv(const char *name, const char *value, int replace);
int unsetenv(const char *name);
";

pub(crate) const FOLDERS: &str = "
#include <sys/stat.h>
";

pub(crate) const FOLDER: &str = "
char *mkdtemp(char *folder);
char *getcwd(char *to, size_t size);
int chdir(const char *folder);
int rmdir(const char *folder);

/* Enters a folder of the test's own, or leaves and removes it. */
static void symcrete_folder(int is_entered)
{
    static char before[4096], folder[32];

    if (is_entered)
        strcpy(folder, \"/tmp/symcrete-XXXXXX\");
    if (is_entered ? !getcwd(before, sizeof before) || !mkdtemp(folder) || chdir(folder)
                   : chdir(before) || rmdir(folder))
        printf(\"     cannot use the folder %s\\n\", folder);
}
";

pub(crate) const FILE: &str = "
/* Writes a file that the test reads. */
static void symcrete_file(const char *name, const char *bytes, size_t size)
{
    FILE *file = fopen(name, \"wb\");

    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file))
        printf(\"     cannot write %s\\n\", name);
}
";
