//! Which files debug information names, and which of them are the user's.

use super::ReadOptions;
use crate::program::{FileId, SourceFile};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// The files that were named so far.
pub(super) struct Files<'a> {
    options: &'a ReadOptions<'a>,
    by_path: BTreeMap<PathBuf, FileId>,
    pub(super) list: Vec<SourceFile>,
}

impl<'a> Files<'a> {
    pub(super) fn new(options: &'a ReadOptions<'a>) -> Files<'a> {
        Files { options, by_path: BTreeMap::new(), list: Vec::new() }
    }

    /// Whether a compiled file is one of the user's.
    pub(super) fn is_given(&self, comp_dir: &Path, name: &Path) -> bool {
        let file = normal(&comp_dir.join(name));
        self.options.user_files.iter().any(|given| is_same(&file, given, comp_dir))
    }

    /// The id of a file, by the path that debug information gives.
    pub(super) fn id(&mut self, comp_dir: &Path, name: &Path) -> FileId {
        let file = normal(&comp_dir.join(name));
        if let Some(&id) = self.by_path.get(&file) {
            return id;
        }
        let shown = self.shown(comp_dir, &file);
        let text = shown.as_ref().and_then(|shown| {
            let load = self.options.load;
            load(shown).or_else(|| load(&file))
        });
        let is_user = shown.is_some();
        let is_compiled = self.is_given(comp_dir, name);
        let path = shown.unwrap_or_else(|| file.clone());
        self.list.push(SourceFile { path, text, is_user, is_compiled });
        let id = FileId(self.list.len() as u32 - 1);
        self.by_path.insert(file, id);
        id
    }

    /// How a user's file is shown: as it was given, or below the folder of one that was. What is included and has the name
    /// of a C file is a part of the program, wherever it lies. What tools keep in hidden folders is not the user's: our C library
    /// is in one, below a source in the home folder.
    fn shown(&self, comp_dir: &Path, file: &Path) -> Option<PathBuf> {
        let given = &self.options.user_files;
        if let Some(given) = given.iter().find(|given| is_same(file, given, comp_dir)) {
            return Some(given.clone());
        }
        let below = given.iter().find_map(|given| {
            let folder = normal(comp_dir.join(given).parent()?);
            let rest = file.strip_prefix(folder).ok().filter(|rest| !is_hidden(rest))?;
            Some(given.parent()?.join(rest))
        });
        let is_c = file.extension().is_some_and(|extension| extension == "c");
        below.or_else(|| is_c.then(|| file.to_path_buf()))
    }

    /// A file that debug information does not name: the first the user gave, or a nameless one.
    pub(super) fn any(&mut self) -> FileId {
        if self.list.is_empty() {
            let path = self.options.user_files.first().cloned().unwrap_or_default();
            self.list.push(SourceFile { path, text: None, is_user: true, is_compiled: true });
        }
        FileId(0)
    }
}

/// Whether something on the way to a file is hidden.
fn is_hidden(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."))
}

/// Whether a path of debug information means a file that was given. Both may be relative to some folder that
/// is not known.
fn is_same(file: &Path, given: &Path, comp_dir: &Path) -> bool {
    let absolute = normal(&comp_dir.join(given));
    file == absolute
        || (given.is_relative() && file.ends_with(normal(given)))
        || (file.is_relative() && absolute.ends_with(file))
}

/// A path without `.` and, where it can be said without a look at the disk, without `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if normal.file_name().is_some() => {
                normal.pop();
            }
            Component::ParentDir
            | Component::Prefix(_)
            | Component::RootDir
            | Component::Normal(_) => normal.push(component),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files_of<'a>(options: &'a ReadOptions<'a>) -> Files<'a> {
        Files::new(options)
    }

    #[test]
    fn headers_in_the_users_folders_are_the_users() {
        let load = |_: &Path| None;
        let options = ReadOptions { user_files: vec!["src/a.c".into()], load: &load };
        let mut files = files_of(&options);
        let comp_dir = Path::new("/home/u");
        for (name, shown, is_user) in [
            ("src/a.c", "src/a.c", true),
            ("/home/u/src/./x/../b.h", "src/b.h", true),
            ("src/inc/c.h", "src/inc/c.h", true),
            ("/usr/include/stdio.h", "/usr/include/stdio.h", false),
            ("src/../lib/d.c", "/home/u/lib/d.c", true),
            ("src/.tools/include/e.h", "/home/u/src/.tools/include/e.h", false),
        ] {
            let id = files.id(comp_dir, Path::new(name));
            let file = &files.list[id.0 as usize];
            assert_eq!((file.path.as_path(), file.is_user), (Path::new(shown), is_user));
        }
        assert!(files.is_given(comp_dir, Path::new("/home/u/src/a.c")));
        assert!(!files.is_given(comp_dir, Path::new("/home/u/src/b.h")));
    }
}
