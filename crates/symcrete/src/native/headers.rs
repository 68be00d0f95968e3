//! The texts of the headers that a source includes, where macros are defined.

use std::path::{Path, PathBuf};

/// The folders that `-I` names.
pub(super) fn folders(root: &Path, flags: &[String]) -> Vec<PathBuf> {
    let folders = flags.iter().filter_map(|flag| flag.strip_prefix("-I"));
    folders.map(|folder| root.join(folder)).collect()
}

/// The headers that the text of a file includes by name, and those that these include, one after another. One that is not found
/// here is the compiler's business.
pub(super) fn text(file: &Path, text: &str, folders: &[PathBuf]) -> String {
    const HEADERS_MAX: usize = 100;
    let mut found: Vec<PathBuf> = Vec::new();
    let mut all = String::new();
    let mut pending = vec![(file.to_owned(), text.to_owned())];
    while let Some((file, text)) = pending.pop() {
        for name in text.lines().filter_map(included) {
            let own = file.parent().into_iter();
            let mut candidates = own.chain(folders.iter().map(PathBuf::as_path));
            let Some(header) = candidates.find_map(|folder| folder.join(name).canonicalize().ok())
            else {
                continue;
            };
            if found.contains(&header) || found.len() >= HEADERS_MAX {
                continue;
            }
            let text = std::fs::read(&header).unwrap_or_default();
            let text = String::from_utf8_lossy(&text).into_owned();
            all.push_str(&text);
            all.push('\n');
            found.push(header.clone());
            pending.push((header, text));
        }
    }
    all
}

/// The header that a line includes: `#include "list.h"`.
fn included(line: &str) -> Option<&str> {
    let directive = line.trim_start().strip_prefix('#')?.trim_start();
    let name = directive.strip_prefix("include")?.trim_start();
    let close = match name.chars().next()? {
        '"' => '"',
        '<' => '>',
        _ => return None,
    };
    name[1..].split(close).next().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test writes what is read")]
    fn headers_are_found_beside_their_file_and_in_folders() {
        let folder = tempfile::tempdir().expect("there is room");
        let write = |name: &str, text: &str| {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().expect("it has a folder")).expect("it is made");
            std::fs::write(file, text).expect("it is written");
        };
        write("src/a.h", "#include \"b.h\"\nint a;\n");
        // Headers may include each other.
        write("src/b.h", "#include <c.h>\n#include \"a.h\"\nint b;\n");
        write("include/c.h", "int c;");
        let source = "#include \"a.h\"\n#  include <nowhere.h>\n#included\n#include\n";
        let folders = folders(folder.path(), &["-DX".into(), "-Iinclude".into()]);
        let found = text(&folder.path().join("src/x.c"), source, &folders);
        for line in ["int a;", "int b;", "int c;"] {
            assert_eq!(found.matches(line).count(), 1, "{found}");
        }
    }
}
