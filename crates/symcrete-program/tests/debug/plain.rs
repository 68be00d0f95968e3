//! Modules without debug information, modules that are broken, and checks.

use crate::{build, trial};
use libtest_mimic::{Failed, Trial};
use std::path::Path;
use symcrete_program::frontend::Check;
use symcrete_program::{BranchKind, Program, ReadOptions, read_program};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("a module without debug information", plain),
        trial("a module that ends early is an error, not a panic", cut),
        trial("checks are named by their kind", checks),
    ]
}

fn read(wasm: Vec<u8>) -> Result<Program, symcrete_program::DebugError> {
    let load = |_: &Path| None;
    read_program(wasm, &ReadOptions { user_files: vec!["m.wat".into()], load: &load })
}

fn plain() -> Result<(), Failed> {
    let wat = "(module
        (import \"env\" \"outside\" (func $outside (param i64) (result f32)))
        (memory 1)
        (global (export \"__symcrete_arena\") i32 (i32.const 4096))
        (func (export \"f\") (param i32 f64) (result i64)
            (block (br_if 0 (i32.lt_s (local.get 0) (i32.const 3))))
            (drop (select (i32.const 1) (i32.const 2) (f64.ge (local.get 1) (f64.const 0))))
            (block (block (br_table 0 1 0 (local.get 0))))
            (drop (call $outside (i64.const 1)))
            (i64.const 0))
        (func $inner))";
    let program = read(wat::parse_str(wat)?)?;
    assert_eq!(program.units.len(), 1);
    let unit = program.unit("f").ok_or("no unit")?;
    let name = |ty| program.types.get(ty).name.as_str();
    let params: Vec<(&str, &str)> =
        unit.params.iter().map(|param| (param.name.as_str(), name(param.ty))).collect();
    assert_eq!(params, [("arg0", "i32"), ("arg1", "f64")]);
    assert_eq!(unit.result.map(name), Some("i64"));
    assert_eq!(unit.function, 1);
    let outside = &program.undefined["outside"];
    assert_eq!((name(outside.params[0].ty), outside.result.map(name)), ("i64", Some("f32")));
    let texts: Vec<&str> = program.branches.values().map(|branch| branch.text.as_str()).collect();
    assert_eq!(texts, ["i32.lt_s", "f64.ge", "case 0, default", "case 1"]);
    assert_eq!(program.arena, 4096..4096 + 65536);
    Ok(())
}

fn cut() -> Result<(), Failed> {
    let source = crate::cases("types").join("types.c");
    let whole = build::module(&source, &[]);
    for length in (0..whole.len()).step_by(whole.len() / 300) {
        // A custom section that is cut is an error like any other; what is read must not panic.
        let _ = read(whole[..length].to_vec());
    }
    for at in (8..whole.len()).step_by(whole.len() / 300) {
        let mut broken = whole.clone();
        broken[at] ^= 0x55;
        let _ = read(broken);
    }
    Ok(())
}

fn checks() -> Result<(), Failed> {
    let source = crate::cases("checks").join("checks.c");
    // `alignment` and `null` have one handler, and so have the two kinds of overflow.
    let kinds = [
        Check::Overflow,
        Check::Bounds,
        Check::Shift,
        Check::Null,
        Check::FloatCast,
        Check::Builtin,
        Check::PointerOverflow,
        Check::InvalidValue,
    ];
    let program = build::program(&source, &kinds);
    let mut found: Vec<String> = Vec::new();
    for branch in program.branches.values() {
        if let BranchKind::Check(kind) = branch.kind {
            let unit = &program.units[branch.unit].name;
            found.push(format!("{unit} {kind} {}", branch.position.line));
        }
    }
    found.sort();
    found.dedup();
    crate::compare(&(found.join("\n") + "\n"), &crate::cases("checks").join("checks.txt"))
}
