//! Random modules: plain against instrumented, concrete and symbolic.
//!
//! A module follows from its seed alone. The tests run a few hundred; `examples/smith.rs` runs as many as
//! it is told to.

use crate::differential::{ENGINE, Pair, config};
use arbitrary::Unstructured;
use libtest_mimic::{Failed, Trial};
use symcrete_exec::ExecError;
use symcrete_program::Scalar;
use symcrete_term::{Rng, Seed};

/// Any will do whose modules are large enough.
const SEED: u64 = 5120;
/// How many modules the tests run, in how many portions.
const PORTIONS: u64 = 9;
/// Modules of the last portions may have memories and tables with 64-bit addresses; of every so many, as many.
const NARROW_PORTIONS: u64 = 6;
const MODULES_PER_PORTION: u64 = 50;

/// Enough to see loops go round; endless ones are common.
const FUEL: u64 = 20_000;

/// What came of one module.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Tally {
    pub(crate) modules: u64,
    /// Uses references to host objects or more memory than allowed.
    pub(crate) refused: u64,
    pub(crate) calls: u64,
    pub(crate) constraints: u64,
    /// Modules that the concrete form has run to the end as well.
    pub(crate) concrete: u64,
}

impl Tally {
    pub(crate) fn add(&mut self, other: Tally) {
        self.modules += other.modules;
        self.refused += other.refused;
        self.calls += other.calls;
        self.constraints += other.constraints;
        self.concrete += other.concrete;
    }
}

pub(crate) fn trials() -> Vec<Trial> {
    let portion = |portion: u64| {
        let name = format!("smith::portion_{portion}");
        Trial::test(name, move || {
            let mut all = Tally::default();
            for number in portion * MODULES_PER_PORTION..(portion + 1) * MODULES_PER_PORTION {
                let tally = check(SEED, number)
                    .map_err(|message| Failed::from(format!("module {number}: {message}")))?;
                all.add(tally);
            }
            match all.calls > 100 && all.constraints > 5 && all.concrete > 5 {
                true => Ok(()),
                false => Err(Failed::from(format!("the modules do too little: {all:?}"))),
            }
        })
    };
    (0..PORTIONS).map(portion).collect()
}

/// Generates the module of a number and checks it.
pub(crate) fn check(seed: u64, number: u64) -> Result<Tally, String> {
    let mut rng = Seed(seed).derive_number(number).rng();
    let may_be_wide = number / MODULES_PER_PORTION % PORTIONS >= NARROW_PORTIONS;
    let wasm = generate(&mut rng, may_be_wide).map_err(|error| error.to_string())?;
    check_module(&wasm, &mut rng)
}

/// Checks a module: every exported function twice, on random arguments.
pub(crate) fn check_module(wasm: &[u8], rng: &mut Rng) -> Result<Tally, String> {
    let executable = match ENGINE.prepare(wasm, &config()) {
        Ok(executable) => executable,
        Err(ExecError::Unsupported { .. } | ExecError::TooLarge { .. }) => {
            return Ok(Tally { refused: 1, ..Tally::default() });
        }
        Err(error) => return Err(error.to_string()),
    };
    let mut tally = Tally { modules: 1, ..Tally::default() };
    let exports = exports(wasm);
    let calls: Vec<(&str, Vec<Scalar>)> = exports
        .functions
        .iter()
        .flat_map(|(name, params)| {
            let args = |rng: &mut Rng| params.iter().map(|&ty| random_value(rng, ty)).collect();
            [(name.as_str(), args(rng)), (name.as_str(), args(rng))]
        })
        .collect();
    for symbolic in [false, true] {
        let mut pair = Pair::start(wasm, &executable, symbolic, FUEL)?;
        for (name, args) in &calls {
            if pair.over || !pair.is_alive() {
                break;
            }
            pair.call(name, args)?;
        }
        if !pair.over && pair.is_alive() {
            exports.globals.iter().try_for_each(|name| pair.global(name))?;
            pair.memory()?;
        }
        tally.calls += pair.n_calls() as u64;
        tally.constraints += pair.n_constraints() as u64;
        tally.concrete += u64::from(pair.is_concrete());
    }
    Ok(tally)
}

pub(crate) fn generate(rng: &mut Rng, may_be_wide: bool) -> arbitrary::Result<Vec<u8>> {
    let length = 1000 + rng.below(12_000) as usize;
    let bytes: Vec<u8> = (0..length).map(|_| rng.next_u64() as u8).collect();
    generate_from(rng, &bytes, may_be_wide)
}

/// Makes a module of bytes, with options that are random.
pub(crate) fn generate_from(
    rng: &mut Rng,
    bytes: &[u8],
    may_be_wide: bool,
) -> arbitrary::Result<Vec<u8>> {
    let config = wasm_smith::Config {
        exceptions_enabled: false,
        gc_enabled: false,
        memory64_enabled: may_be_wide,
        relaxed_simd_enabled: false,
        simd_enabled: false,
        tail_call_enabled: false,
        threads_enabled: false,
        wide_arithmetic_enabled: false,
        // One module in four may have host references, of which most are refused.
        reference_types_enabled: rng.below(4) == 0,
        export_everything: true,
        // Modules that trap at once exercise little.
        disallow_traps: rng.below(4) != 0,
        max_imports: 0,
        min_funcs: 3,
        max_types: 8,
        max_globals: 8,
        max_data_segments: 4,
        max_element_segments: 4,
        max_funcs: 12,
        min_memories: 1,
        max_memories: 1,
        max_memory32_bytes: 4 << 20,
        max_memory64_bytes: 4 << 20,
        max_tables: 2,
        max_table_elements: 1000,
        max_instructions: 300,
        ..wasm_smith::Config::default()
    };
    let module = wasm_smith::Module::new(config, &mut Unstructured::new(bytes))?;
    Ok(module.to_bytes())
}

struct Exports {
    functions: Vec<(String, Vec<wasmparser::ValType>)>,
    globals: Vec<String>,
}

fn exports(wasm: &[u8]) -> Exports {
    let mut exports = Exports { functions: vec![], globals: vec![] };
    let validated = wasmparser::Validator::new_with_features(wasmparser::WasmFeatures::all())
        .validate_all(wasm)
        .unwrap();
    let types = validated.as_ref();
    for payload in wasmparser::Parser::new(0).parse_all(wasm) {
        let Ok(wasmparser::Payload::ExportSection(section)) = payload else { continue };
        for export in section.into_iter().flatten() {
            if export.kind == wasmparser::ExternalKind::Func {
                let id = types.core_function_at(export.index);
                let ty = types[id].unwrap_func();
                exports.functions.push((export.name.to_string(), ty.params().to_vec()));
            } else if export.kind == wasmparser::ExternalKind::Global {
                exports.globals.push(export.name.to_string());
            }
        }
    }
    exports
}

/// Half of the values are corners.
pub(crate) fn random_value(rng: &mut Rng, ty: wasmparser::ValType) -> Scalar {
    const INTEGERS: [u64; 8] = [0, 1, 2, 7, u64::MAX, 1 << 31, 1 << 63, 0x7fff_ffff_7fff_ffff];
    const FLOATS: [f64; 8] = [0.0, -0.0, 1.0, -1.5, f64::INFINITY, f64::NAN, 2147483648.0, 1e-310];
    let corner = rng.below(2) == 0;
    let pick = rng.below(8) as usize;
    let bits = if corner { INTEGERS[pick] } else { rng.next_u64() >> rng.below(64) };
    let float = if corner { FLOATS[pick] } else { f64::from_bits(rng.next_u64()) };
    match ty {
        wasmparser::ValType::I32 => Scalar::I32(bits as u32),
        wasmparser::ValType::I64 => Scalar::I64(bits),
        wasmparser::ValType::F32 => Scalar::F32((float as f32).to_bits()),
        wasmparser::ValType::F64 => Scalar::F64(float.to_bits()),
        wasmparser::ValType::V128 | wasmparser::ValType::Ref(_) => Scalar::FuncRef { null: true },
    }
}
