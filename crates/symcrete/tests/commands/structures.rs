//! The benchmark of lists and trees (`bench/structures/run.py`) judges what it is given.

use super::{file, folder};
use std::path::Path;
use std::process::Command;

#[test]
#[expect(clippy::disallowed_methods, reason = "the benchmark is a program")]
fn the_benchmark_counts_sides_of_both_tests() {
    let folder = folder();
    let text =
        "int sign(int x)\n{\n    if (x > 0)\n        return 1;\n    return x < 0 ? -1 : 0;\n}\n";
    let source = file(&folder, "sign.c", text);
    file(
        &folder,
        "sign_written.c",
        "int sign(int x);\nint main(void) { return sign(5) == 1 && sign(-5) == -1 ? 0 : 1; }\n",
    );
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/structures/run.py");
    let structure = source.strip_suffix(".c").expect("the name has it");
    let done = Command::new("python3")
        .arg(script)
        .args([env!("CARGO_BIN_EXE_symcrete"), structure, "--time", "10"])
        .output()
        .expect("Python starts");
    let shown = String::from_utf8_lossy(&done.stdout);
    let complaint = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{complaint}");
    // Four sides; the written test takes three of them, and the generated ones all four.
    let row: Vec<&str> = shown.trim().split(" | ").collect();
    assert_eq!(row[1..6], ["4", "3", "3", "100.0 %", "4"], "{shown}{complaint}");
}
