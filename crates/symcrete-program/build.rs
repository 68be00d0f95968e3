//! Gives the front end a digest of its own sources, so that what an earlier one compiled is never taken for its own.

use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};

/// What decides which module is made of a source file.
const SOURCES: &[&str] = &[
    "src/api",
    "src/api.rs",
    "src/frontend",
    "src/frontend.rs",
    "src/conditions.rs",
    // The types of callbacks are read from debug information.
    "src/debug",
    "src/debug.rs",
    "src/types.rs",
];

fn main() {
    let mut hasher = DefaultHasher::new();
    for source in SOURCES {
        println!("cargo::rerun-if-changed={source}");
        for file in files(Path::new(source)) {
            hasher.write(file.to_string_lossy().as_bytes());
            hasher.write(&std::fs::read(&file).expect("cargo runs this where the sources are"));
        }
    }
    println!("cargo::rustc-env=FRONT_END_DIGEST=symcrete front end {:016x}", hasher.finish());
}

/// All files below a path, in order.
fn files(path: &Path) -> Vec<PathBuf> {
    let Ok(folder) = std::fs::read_dir(path) else { return vec![path.to_path_buf()] };
    let mut inside: Vec<PathBuf> = folder.flatten().map(|entry| entry.path()).collect();
    inside.sort();
    inside.iter().flat_map(|path| files(path)).collect()
}
