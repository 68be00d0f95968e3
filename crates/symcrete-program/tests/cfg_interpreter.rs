//! The limits and the host side of the interpreter; what operators do is in `cfg_spec.rs`.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::rc::Rc;
use symcrete_program::cfg::interpreter::{Imports, Instance, Limits, Size};
use symcrete_program::cfg::module::Import;
use symcrete_program::cfg::{Cfg, ModuleView};
use symcrete_program::{Outcome, Resource, Scalar, SiteId, TrapKind};

const LIMITS: Limits = Limits { depth: 10, fuel: 100, pages: 2, table_entries: 10 };

fn run(wat: &str, imports: Imports, args: &[Scalar]) -> Outcome {
    let wasm = wat::parse_str(wat).unwrap();
    let module = ModuleView::parse(&wasm).unwrap();
    let cfg = Rc::new(Cfg::of_module(&module).unwrap());
    let function = module.function_named("f").unwrap();
    match Instance::start(module, cfg, imports, LIMITS) {
        Ok(mut instance) => instance.call(function, args),
        Err(outcome) => outcome,
    }
}

fn trap_kind(outcome: &Outcome) -> TrapKind {
    let Outcome::Trapped(trap) = outcome else { panic!("{outcome}") };
    trap.kind.clone()
}

#[test]
fn an_endless_loop_runs_out_of_fuel() {
    let outcome = run("(module (func (export \"f\") loop br 0 end))", Imports::default(), &[]);
    assert_eq!(outcome, Outcome::Exhausted(Resource::Fuel));
}

#[test]
fn calls_that_nest_too_deeply_trap() {
    let wat = "(module (func $f (export \"f\") (param i32) (result i32)
        local.get 0 if (result i32) local.get 0 i32.const 1 i32.sub call $f else i32.const 7 end))";
    let returned = Outcome::Returned(vec![Scalar::I32(7)]);
    assert_eq!(run(wat, Imports::default(), &[Scalar::I32(9)]), returned);
    let outcome = run(wat, Imports::default(), &[Scalar::I32(10)]);
    assert_eq!(trap_kind(&outcome), TrapKind::StackOverflow);
}

#[test]
fn growth_stops_at_the_limit() {
    let wat = "(module (memory 1) (func (export \"f\") (param i32) (result i32)
        local.get 0 memory.grow))";
    let grow = |pages| run(wat, Imports::default(), &[Scalar::I32(pages)]);
    assert_eq!(grow(1), Outcome::Returned(vec![Scalar::I32(1)]));
    assert_eq!(grow(2), Outcome::Returned(vec![Scalar::I32(u32::MAX)]));
}

#[test]
fn a_host_function_sees_memory_and_may_trap() {
    let wat = "(module (import \"m\" \"host\" (func $host (param i32) (result i32)))
        (import \"m\" \"memory\" (memory 0)) (import \"m\" \"g\" (global i32))
        (func (export \"f\") (result i32)
          i32.const 4 global.get 0 i32.store i32.const 4 call $host))";
    let import = |name: &str| Import { module: "m".to_string(), name: name.to_string() };
    let mut imports = Imports::default();
    imports.sizes.insert(import("memory"), Size { initial: 1, maximum: None });
    imports.globals.insert(import("g"), Scalar::I32(41));
    let missing = run(wat, Imports { sizes: imports.sizes.clone(), ..Imports::default() }, &[]);
    assert_eq!(trap_kind(&missing), TrapKind::MissingImport("m.host".to_string()));
    let host = |memory: &mut [u8], args: &[Scalar]| match args {
        [Scalar::I32(address)] => Ok(vec![Scalar::I32(u32::from(memory[*address as usize]) + 1)]),
        _ => Err(TrapKind::Unreachable),
    };
    imports.functions.insert(import("host"), Box::new(host));
    assert_eq!(run(wat, imports, &[]), Outcome::Returned(vec![Scalar::I32(42)]));
}

#[test]
fn a_trap_names_its_operator() {
    let wat = "(module (func (export \"f\") (result i32) i32.const 1 i32.const 0 i32.div_s))";
    let wasm = wat::parse_str(wat).unwrap();
    let divide = wasm.iter().rposition(|&byte| byte == 0x6d).unwrap() as u32;
    let outcome = run(wat, Imports::default(), &[]);
    let Outcome::Trapped(trap) = outcome else { panic!("{outcome}") };
    assert_eq!((trap.kind, trap.site), (TrapKind::DivisionByZero, Some(SiteId::at(divide))));
}
