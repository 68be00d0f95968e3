//! Compiler flags in another folder: paths in them must start there.

use std::path::Path;

/// Flags whose value is a path, in the same word or in the next.
const WITH_PATH: &[&str] = &["-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros"];

/// The same flags for a folder from which `root` leads to where their paths start.
pub(crate) fn relocated(flags: &[String], root: &Path) -> Vec<String> {
    let moved = |path: &str| root.join(path).to_string_lossy().replace('\\', "/");
    let mut is_path = false;
    let mut result = Vec::new();
    for flag in flags {
        let glued = WITH_PATH.iter().find_map(|name| Some((name, flag.strip_prefix(name)?)));
        result.push(match glued {
            _ if is_path => moved(flag),
            Some((name, path)) if !path.is_empty() => format!("{name}{}", moved(path)),
            Some(_) | None => flag.clone(),
        });
        is_path = !is_path && WITH_PATH.contains(&flag.as_str());
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_move() {
        let flags = ["-Iinc", "-DX=1", "-include", "a.h", "-I/usr/x", "-isystem", "-I"];
        let flags = flags.map(str::to_string);
        let expected =
            ["-I../../inc", "-DX=1", "-include", "../../a.h", "-I/usr/x", "-isystem", "../../-I"];
        assert_eq!(relocated(&flags, Path::new("../..")), expected);
    }
}
