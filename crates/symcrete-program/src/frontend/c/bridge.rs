//! Lets calls through another type than the function's go on where they do on a real machine.
//!
//! WebAssembly checks the types of calls. Where a function is called without a declaration, or after an old-style or a
//! wrong one, the compiler or the linker puts a function in between that ends the program or passes anything; a call
//! through a pointer of another type traps. On x86-64 and AArch64 arguments are in registers, integers and floats each
//! in their own: a function finds its first integers whatever else was passed, what was not passed is unknown, and what
//! is returned can be ignored. Here calls get functions in between that do just that. Where fewer bits are passed than the
//! function looks at (`extern void *malloc(unsigned);`), the others are zero, as instructions of 32 bits leave them; no rule
//! says so, and nothing is proved behind such a call. Where it takes more (an integer for a float), the run ends as one that
//! cannot be followed.
//!
//! New functions come after all others and calls are changed in place, so that debug information stays true.

mod module;

use super::uninitialized::SOURCE_BYTES;
use crate::module::{AddressType, FunctionType, ValueType};
use module::{Additions, Call, CallTarget, Linked, leb, signed_leb};
use std::collections::{BTreeMap, BTreeSet};

/// As many integers and floats are in registers on every machine.
const INTEGERS_MAX: usize = 6;
const FLOATS_MAX: usize = 8;
/// Tables that are added at most.
const TABLES_MAX: usize = 7;
/// What the linker and the compiler call what they put in between.
const OF_LINKER: &str = "signature_mismatch:";
const OF_COMPILER: &str = "_bitcast";
/// What is called where bits are added, for the gap that it means.
const WIDENED: &str = "__symcrete_widened";

/// The module with such functions; as it is where it needs none, or is not as we know it.
pub(super) fn bridged(wasm: Vec<u8>) -> Vec<u8> {
    with_bridges(&wasm).unwrap_or(wasm)
}

fn with_bridges(wasm: &[u8]) -> Option<Vec<u8>> {
    let linked = Linked::read(wasm)?;
    let mut bridges =
        Bridges { linked: &linked, known: BTreeMap::new(), additions: Additions::default() };
    bridges.replace_stubs();
    bridges.add_tables();
    match bridges.additions.functions.is_empty() {
        true => None,
        false => linked.write(&bridges.additions),
    }
}

struct Bridges<'a> {
    linked: &'a Linked<'a>,
    /// Functions in between, by what they call and the type that they have.
    known: BTreeMap<(u32, u32), Option<u32>>,
    additions: Additions,
}

impl Bridges<'_> {
    /// Replaces what the linker and the compiler have put in between.
    fn replace_stubs(&mut self) {
        let Linked { module, calls, .. } = self.linked;
        for (&stub, name) in &module.names {
            let Some(called) = behind(name) else { continue };
            let named = |(_, other): &(&u32, &String)| other.as_str() == called;
            let mut functions = module.names.iter().filter(named).map(|(&function, _)| function);
            let function = functions.next().filter(|_| functions.next().is_none());
            let ty = module.functions[stub as usize].ty;
            // Where it is not known what would be called, the program must not seem to end.
            let bridge = function.and_then(|function| self.bridge(function, ty));
            if let Some(bridge) = bridge.or_else(|| self.dead_end(ty)) {
                self.additions.replaced.insert(stub, bridge);
            }
        }
        let replaced = self.additions.replaced.clone();
        for call in calls {
            if let CallTarget::Function(function) = call.target
                && let Some(&bridge) = replaced.get(&function)
            {
                self.additions.numbers.push((call.number.clone(), bridge));
            }
        }
    }

    /// Gives calls through pointers a table of their own, if there are functions that are called through another type
    /// only: those that no call through a pointer of their own type could be meant for.
    fn add_tables(&mut self) {
        let Linked { module, elements, calls } = self.linked;
        let by_table = |call: &&Call| matches!(call.target, CallTarget::Table(_));
        let called: BTreeSet<CallTarget> =
            calls.iter().filter(by_table).map(|call| call.target).collect();
        let is_orphan = |function: u32| {
            let ty = module.functions[function as usize].ty;
            !called.contains(&CallTarget::Table(ty))
        };
        for &target in &called {
            let CallTarget::Table(ty) = target else { continue };
            let orphans = elements.iter().filter(|(_, function)| is_orphan(**function));
            let others: BTreeMap<u32, u32> = orphans
                .filter_map(|(&place, &function)| Some((place, self.bridge(function, ty)?)))
                .collect();
            if others.is_empty() || self.additions.tables.len() == TABLES_MAX {
                continue;
            }
            self.additions.tables.push(others);
            let table = self.additions.tables.len() as u32;
            for call in calls.iter().filter(|call| call.target == target) {
                self.additions.numbers.push((call.number.clone(), table));
            }
        }
    }

    /// A function of a type that calls another as a real machine would.
    fn bridge(&mut self, function: u32, ty: u32) -> Option<u32> {
        if let Some(known) = self.known.get(&(function, ty)) {
            return *known;
        }
        let module = &self.linked.module;
        let source = module.exported_constant("__symcrete_uninitialized");
        let source = source.map(|place| (place, module.address_type()));
        let around = Around { source, widened: module.exported_function(WIDENED) };
        let (from, to) = (&module.types[ty as usize], module.function_type(function));
        let body = body(from, to, function, &around);
        let bridge = body.map(|body| self.add(ty, body));
        self.known.insert((function, ty), bridge);
        bridge
    }

    /// A function of a type that ends the run as one that cannot be followed.
    fn dead_end(&mut self, ty: u32) -> Option<u32> {
        let unsupported = self.linked.module.exported_function("__symcrete_unsupported")?;
        let code = [&[0, 0x10][..], &leb(unsupported), &[0x00, 0x0b]].concat();
        Some(self.add(ty, code))
    }

    fn add(&mut self, ty: u32, body: Vec<u8>) -> u32 {
        self.additions.functions.push((ty, body));
        (self.linked.module.functions.len() + self.additions.functions.len()) as u32 - 1
    }
}

/// The function that one in between calls, by name.
fn behind(name: &str) -> Option<&str> {
    if let Some(called) = name.strip_prefix(OF_LINKER) {
        return Some(called);
    }
    let private = name.strip_prefix(".L")?;
    let (called, rest) = private.split_at(private.rfind(OF_COMPILER)?);
    let is_numbered = |rest: &str| rest.chars().all(|c| c.is_ascii_digit() || c == '.');
    let rest = &rest[OF_COMPILER.len()..];
    is_numbered(rest.strip_prefix("_invalid").unwrap_or(rest)).then_some(called)
}

/// The code of a function of one type that calls one of another; `None` if real machines would not agree on it.
fn body(from: &FunctionType, to: &FunctionType, function: u32, around: &Around) -> Option<Vec<u8>> {
    for ty in [from, to] {
        let n_floats = ty.params.iter().filter(|param| is_float(**param)).count();
        if ty.params.len() - n_floats > INTEGERS_MAX || n_floats > FLOATS_MAX {
            return None;
        }
    }
    let mut code = vec![0];
    let mut n_unknown = 0;
    let mut unknown = |code: &mut Vec<u8>, ty: ValueType| {
        let (start, address) = around.source?;
        let place = start.checked_add(8 * n_unknown)?;
        n_unknown += 1;
        (8 * n_unknown <= SOURCE_BYTES).then_some(())?;
        let constant = match address {
            AddressType::I32 => 0x41,
            AddressType::I64 => 0x42,
        };
        code.extend([&[constant][..], &signed_leb(place)].concat());
        code.extend([load(ty)?, 0, 0]);
        Some(())
    };
    let mut left: Vec<(u32, ValueType)> = (0..).zip(from.params.iter().copied()).collect();
    for &param in &to.params {
        let same_register = |(_, arg): &(u32, ValueType)| is_float(*arg) == is_float(param);
        match left.iter().position(same_register) {
            None => unknown(&mut code, param)?,
            Some(at) => {
                let (local, arg) = left.remove(at);
                code.push(0x20);
                code.extend(leb(local));
                match (arg, param) {
                    (ValueType::I32, ValueType::I64) => widen(&mut code, around)?,
                    (arg, param) => convert(&mut code, arg, param)?,
                }
            }
        }
    }
    code.push(0x10);
    code.extend(leb(function));
    match (&to.results[..], &from.results[..]) {
        ([], []) => {}
        ([_], []) => code.push(0x1a),
        ([], [wanted]) => unknown(&mut code, *wanted)?,
        ([result], [wanted]) => convert(&mut code, *result, *wanted)?,
        (_, _) => return None,
    }
    code.push(0x0b);
    Some(code)
}

/// What of the module functions in between need.
struct Around {
    /// Where unknown values are, and how wide that address is.
    source: Option<(u32, AddressType)>,
    /// The function that says that bits were added.
    widened: Option<u32>,
}

fn is_float(ty: ValueType) -> bool {
    matches!(ty, ValueType::F32 | ValueType::F64)
}

/// Makes an integer of 32 bits one of 64, whose upper half is zero, and says so.
fn widen(code: &mut Vec<u8>, around: &Around) -> Option<()> {
    code.push(0x10);
    code.extend(leb(around.widened?));
    code.push(0xad);
    Some(())
}

/// What is in a register as another type: the low bits of more.
fn convert(code: &mut Vec<u8>, from: ValueType, to: ValueType) -> Option<()> {
    match (from, to) {
        (ValueType::I64, ValueType::I32) => code.push(0xa7),
        (from, to) if from == to => {}
        (_, _) => return None,
    }
    Some(())
}

/// The operator that loads a number.
fn load(ty: ValueType) -> Option<u8> {
    match ty {
        ValueType::I32 => Some(0x28),
        ValueType::I64 => Some(0x29),
        ValueType::F32 => Some(0x2a),
        ValueType::F64 => Some(0x2b),
        ValueType::FuncRef => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_between_says_what_it_calls() {
        for (name, called) in [
            ("signature_mismatch:f", Some("f")),
            (".Lf_bitcast", Some("f")),
            (".Lf_bitcast.3", Some("f")),
            (".Lmy_bitcast_bitcast_invalid", Some("my_bitcast")),
            ("f_bitcast", None),
            (".Lf_bitcasts", None),
        ] {
            assert_eq!(behind(name), called, "{name}");
        }
    }

    #[test]
    fn registers_decide_what_a_function_finds() {
        use ValueType::{F32, F64, I32, I64};
        let ty = |params: &[ValueType], results: &[ValueType]| FunctionType {
            params: params.to_vec(),
            results: results.to_vec(),
        };
        let around = Around { source: Some((1024, AddressType::I32)), widened: Some(8) };
        let agree = |from: &FunctionType, to: &FunctionType| body(from, to, 7, &around).is_some();
        // More and fewer arguments, other orders of registers, results that nobody wants.
        assert!(agree(&ty(&[I32, I32], &[I32]), &ty(&[I32], &[I32])));
        assert!(agree(&ty(&[], &[I32]), &ty(&[I32], &[I32])));
        assert!(agree(&ty(&[F64, I32], &[]), &ty(&[I32, F64], &[I32])));
        assert!(agree(&ty(&[I64], &[I32]), &ty(&[I32], &[I64])));
        assert!(agree(&ty(&[I32], &[I32]), &ty(&[I32], &[])));
        // More bits than were passed, but not than were returned; no floats of another width.
        assert!(agree(&ty(&[I32], &[]), &ty(&[I64], &[])));
        assert!(!agree(&ty(&[F64], &[]), &ty(&[F32], &[])));
        assert!(!agree(&ty(&[], &[I64]), &ty(&[], &[I32])));
        assert!(!agree(&ty(&[], &[I32]), &ty(&[], &[F64])));
        assert!(!agree(&ty(&[I32; 7], &[]), &ty(&[I32], &[])));
        // An argument in the place of two takes the first.
        let code =
            body(&ty(&[I32, F64, I32], &[]), &ty(&[I32], &[]), 7, &around).expect("they agree");
        assert_eq!(code, [0, 0x20, 0, 0x10, 7, 0x0b]);
        let code = body(&ty(&[I32], &[]), &ty(&[I64], &[]), 7, &around).expect("they agree");
        assert_eq!(code, [0, 0x20, 0, 0x10, 8, 0xad, 0x10, 7, 0x0b]);
    }
}
