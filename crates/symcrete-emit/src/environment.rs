//! What a program finds around it: standard input, environment variables and files, as they were in the recorded run.
//!
//! Files are written to a folder of the test's own, which it leaves again: a file of the same name that the user has stays
//! as it is.

use crate::drawn::Answers;
use crate::literal;

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
    if !answers.files.is_empty() {
        lines.push("symcrete_folder(1);".into());
    }
    for (name, bytes) in &answers.files {
        if let Some(bytes) = bytes {
            let text = literal::string(bytes);
            lines.push(format!("symcrete_file(\"{name}\", {text}, {});", bytes.len()));
        }
    }
    if let Some(bytes) = &answers.stdin {
        let text = literal::string(bytes);
        lines.push(format!("symcrete_stdin(\"{test}.stdin\", {text}, {});", bytes.len()));
    }
    lines
}

/// The statements that remove what a test has written.
pub(crate) fn clean_up(answers: &Answers) -> Vec<String> {
    if answers.files.is_empty() {
        return Vec::new();
    }
    let written = answers.files.iter().filter(|(_, bytes)| bytes.is_some());
    let removed = written.map(|(name, _)| format!("remove(\"{name}\");"));
    removed.chain(["symcrete_folder(0);".to_string()]).collect()
}

/// What strict C does not declare.
pub(crate) const SETENV: &str = "
int setenv(const char *name, const char *value, int replace);
int unsetenv(const char *name);
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
