//! Compiler flags in another folder: paths in them must start there.

use std::path::Path;

/// Flags whose value is a folder or file, in the same word or in the next.
const WITH_PATH: &[&str] = &["-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros"];

/// The same flags with other paths: `change` is given the flag and its path.
pub fn with_paths(flags: &[String], change: impl Fn(&str, &str) -> String) -> Vec<String> {
    let mut awaits: Option<&str> = None;
    let mut result = Vec::new();
    for flag in flags {
        let glued = WITH_PATH.iter().find_map(|name| Some((*name, flag.strip_prefix(name)?)));
        result.push(match (awaits.take(), glued) {
            (Some(name), _) => change(name, flag),
            (None, Some((name, ""))) => {
                awaits = Some(name);
                flag.clone()
            }
            (None, Some((name, path))) => format!("{name}{}", change(name, path)),
            (None, None) => flag.clone(),
        });
    }
    result
}

/// Whether a flag names a header, which is also looked for in the folders of headers if it is a bare name.
pub fn is_header(flag: &str) -> bool {
    ["-include", "-imacros"].contains(&flag)
}

/// The same flags for a folder from which `root` leads to where their paths start.
pub(crate) fn relocated(flags: &[String], root: &Path) -> Vec<String> {
    with_paths(flags, |flag, path| match is_header(flag) && !path.contains('/') {
        true => path.to_string(),
        false => root.join(path).display().to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_move() {
        let flags = [
            "-Iinc", "-DX=1", "-include", "./a.h", "-include", "b.h", "-I/usr/x", "-isystem", "-I",
        ];
        let flags = flags.map(str::to_string);
        let expected = [
            "-I../../inc",
            "-DX=1",
            "-include",
            "../.././a.h",
            "-include",
            "b.h",
            "-I/usr/x",
            "-isystem",
            "../../-I",
        ];
        assert_eq!(relocated(&flags, Path::new("../..")), expected);
    }
}
