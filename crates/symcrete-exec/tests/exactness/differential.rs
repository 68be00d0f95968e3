//! One module on plain Wasmtime and on the engine, call by call.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use symcrete_exec::{Called, Config, Engine, Executable, ImportAction, Limits, Process};
use symcrete_program::{Cell, Outcome, Scalar, TrapKind};
use symcrete_term::{Literal, Valuation};
use wasmtime::{Extern, Global, Instance, Linker, Store, Val};

/// Limits of tests: small, so that plain Wasmtime is held to the same.
pub(crate) const LIMITS: Limits = Limits {
    memory_bytes: 64 << 20,
    terms: 5_000_000,
    constraints: 3_000_000,
    instances: 16,
    ..Limits::STANDARD
};

pub(crate) static ENGINE: LazyLock<Engine> = LazyLock::new(|| Engine::new(LIMITS).unwrap());

pub(crate) static PLAIN: LazyLock<wasmtime::Engine> = LazyLock::new(|| {
    let mut config = wasmtime::Config::new();
    config.cranelift_nan_canonicalization(true).max_wasm_stack(LIMITS.stack_bytes as usize);
    wasmtime::Engine::new(&config).unwrap()
});

/// The environment of the official tests.
pub(crate) fn config() -> Config {
    let mut config = Config::standard();
    let key = |name: &str| ("spectest".to_string(), name.to_string());
    for name in ["", "_i32", "_i64", "_f32", "_f64", "_i32_f32", "_f64_f64"] {
        config.imports.insert(key(&format!("print{name}")), ImportAction::Ignore);
    }
    config.globals = BTreeMap::from([
        (key("global_i32"), Scalar::I32(666)),
        (key("global_i64"), Scalar::I64(666)),
        (key("global_f32"), Scalar::F32(666.6f32.to_bits())),
        (key("global_f64"), Scalar::F64(666.6f64.to_bits())),
    ]);
    config
}

struct Limiter;

impl wasmtime::ResourceLimiter for Limiter {
    fn memory_growing(&mut self, _: usize, to: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        Ok(to <= LIMITS.memory_bytes as usize)
    }

    fn table_growing(&mut self, _: usize, to: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        Ok(to <= LIMITS.table_entries as usize)
    }
}

/// The same program twice.
pub(crate) struct Pair {
    plain: Option<Instance>,
    store: Store<PlainState>,
    process: Process,
    /// The same in the concrete form, as long as nothing out of the ordinary has happened in it.
    concrete: Option<Process>,
    symbolic: bool,
    valuation: Valuation,
    n_calls: usize,
    n_checked: usize,
    /// Set once the two may rightly differ: the engine ran out of something.
    pub(crate) over: bool,
}

pub(crate) struct PlainState(Limiter);

/// How a call ended, as far as the two must agree.
#[derive(Clone, PartialEq, Eq, Debug)]
enum End {
    Returned(Vec<Scalar>),
    Trapped(TrapKind),
    Exhausted,
}

impl Pair {
    /// Starts both; checks that starting ends the same. Plain Wasmtime has no fuel: it runs only what
    /// the engine has run to its end.
    pub(crate) fn start(
        wasm: &[u8],
        executable: &Executable,
        symbolic: bool,
        fuel: u64,
    ) -> Result<Pair, String> {
        let process = executable.start(fuel);
        let concrete = match symbolic {
            true => None,
            false => Some(executable.concrete().map_err(|error| error.to_string())?.start(fuel)),
        };
        let concrete = concrete.filter(|concrete| !concrete.is_form_left());
        let end = engine_end(process.started().map_err(ToString::to_string)?);
        let mut store = Store::new(&PLAIN, PlainState(Limiter));
        store.limiter(|state| &mut state.0);
        let over = end == End::Exhausted;
        let mut plain = None;
        if !over {
            let module = wasmtime::Module::new(&PLAIN, wasm).map_err(|error| error.to_string())?;
            let linker = plain_linker(&mut store, &module)?;
            let plain_end = match linker.instantiate(&mut store, &module) {
                Ok(instance) => {
                    plain = Some(instance);
                    End::Returned(vec![])
                }
                Err(error) => plain_end(Err(error))?,
            };
            if end != plain_end {
                return Err(format!("starting: plain {plain_end:?}, engine {end:?}"));
            }
        }
        let valuation = Valuation::new();
        let (n_calls, n_checked) = (0, 0);
        Ok(Pair { plain, store, process, concrete, symbolic, valuation, n_calls, n_checked, over })
    }

    /// Whether starting succeeded.
    pub(crate) fn is_alive(&self) -> bool {
        self.plain.is_some()
    }

    /// Calls both and compares.
    pub(crate) fn call(&mut self, function: &str, args: &[Scalar]) -> Result<(), String> {
        let context = |message: String| format!("{function}({args:?}): {message}");
        self.n_calls += 1;
        let values: Vec<Scalar> = args
            .iter()
            .map(|&value| if self.symbolic { value.canonical() } else { value })
            .collect();
        let name = |i: usize| format!("call{}.{i}", self.n_calls);
        let cell = |(i, &value): (usize, &Scalar)| match self.symbolic && value.sort().is_some() {
            true => Cell::of_scalar(value).named(name(i)),
            false => Cell::of_scalar(value),
        };
        let cells: Vec<Cell> = values.iter().enumerate().map(cell).collect();
        let called =
            self.process.call(function, &cells).map_err(|error| context(error.to_string()))?;
        for (i, value) in values.iter().enumerate() {
            if let (Some(var), Some(value)) =
                (self.process.terms().find_var(&name(i)), value.value())
            {
                self.valuation.set(var, value);
            }
        }
        let end = engine_end(&called.outcome);
        self.call_concrete(function, &cells, &end).map_err(context)?;
        if end == End::Exhausted || end == End::Trapped(TrapKind::StackOverflow) {
            // How deep calls nest before they overflow is not WebAssembly's to say.
            self.over = true;
        } else {
            let plain = self.call_plain(function, &values).map_err(context)?;
            if end != plain {
                return Err(context(format!("plain {plain:?}, engine {end:?}")));
            }
        }
        self.check_terms(&called).map_err(context)
    }

    /// Calls the concrete form, and compares if it has come to an end that counts.
    fn call_concrete(&mut self, function: &str, cells: &[Cell], end: &End) -> Result<(), String> {
        let Some(concrete) = &mut self.concrete else { return Ok(()) };
        let called = concrete.call(function, cells).map_err(|error| error.to_string())?;
        let concrete_end = engine_end(&called.outcome);
        match concrete.is_form_left() {
            true => self.concrete = None,
            false if concrete_end != *end => {
                return Err(format!("engine {end:?}, concrete form {concrete_end:?}"));
            }
            false if concrete.memory() != self.process.memory() => {
                return Err("memory differs in the concrete form".to_string());
            }
            false if concrete.coverage() != self.process.coverage() => {
                return Err("coverage differs in the concrete form".to_string());
            }
            false if concrete.fuel_used() != self.process.fuel_used() => {
                return Err("the concrete form has paid another price".to_string());
            }
            false => {}
        }
        Ok(())
    }

    /// Compares an exported global; gives its value.
    pub(crate) fn global(&mut self, name: &str) -> Result<(), String> {
        let plain = self.plain.and_then(|plain| plain.get_global(&mut self.store, name));
        let plain = plain.map(|global| scalar(&global.get(&mut self.store))).transpose()?;
        let engine = self.process.global(name);
        let concrete = self.concrete.as_mut().map_or(engine, |concrete| concrete.global(name));
        match plain == engine && concrete == engine {
            true => Ok(()),
            false => Err(format!(
                "global {name}: plain {plain:?}, engine {engine:?}, concrete {concrete:?}"
            )),
        }
    }

    /// Whether the concrete form has made all calls to the end.
    pub(crate) fn is_concrete(&self) -> bool {
        self.concrete.is_some()
    }

    /// Compares all of memory.
    pub(crate) fn memory(&mut self) -> Result<(), String> {
        let Some(plain) = self.plain else { return Ok(()) };
        let memories: Vec<_> =
            plain.exports(&mut self.store).filter_map(|export| export.into_memory()).collect();
        match memories
            .first()
            .is_none_or(|memory| memory.data(&self.store) == self.process.memory())
        {
            true => Ok(()),
            false => Err("memories differ".to_string()),
        }
    }

    pub(crate) fn n_constraints(&self) -> usize {
        self.process.path().len()
    }

    pub(crate) fn n_calls(&self) -> usize {
        self.n_calls
    }

    fn call_plain(&mut self, function: &str, args: &[Scalar]) -> Result<End, String> {
        let Some(plain) = self.plain else { return Err("no plain instance".to_string()) };
        let function =
            plain.get_func(&mut self.store, function).ok_or("no such export".to_string())?;
        let args: Vec<Val> = args.iter().map(val).collect();
        let n_results = function.ty(&self.store).results().len();
        let mut results = vec![Val::I32(0); n_results];
        let ended = function.call(&mut self.store, &args, &mut results);
        plain_end(ended.map(|()| results))
    }

    /// Every new constraint holds, and every result's term evaluates to the result.
    fn check_terms(&mut self, called: &Called) -> Result<(), String> {
        let terms = self.process.terms();
        let new = &self.process.path()[self.n_checked..];
        let literals: Vec<Literal> = new.iter().map(|constraint| constraint.literal).collect();
        if !terms.satisfies(&literals, &self.valuation) {
            let wrong = new
                .iter()
                .find(|constraint| !terms.satisfies(&[constraint.literal], &self.valuation));
            return Err(format!("constraint is false: {wrong:?}"));
        }
        self.n_checked += new.len();
        let Outcome::Returned(values) = &called.outcome else { return Ok(()) };
        for (value, term) in values.iter().zip(&called.results) {
            let Some(term) = *term else { continue };
            let evaluated = terms.evaluate(term, &self.valuation);
            if Some(evaluated) != value.value() {
                return Err(format!("result {value:?}, but its term is {evaluated:?}"));
            }
        }
        Ok(())
    }
}

/// Defines what official tests import, and traps for all else.
fn plain_linker(
    store: &mut Store<PlainState>,
    module: &wasmtime::Module,
) -> Result<Linker<PlainState>, String> {
    let mut linker = Linker::new(&PLAIN);
    // A module may import the same thing twice.
    linker.allow_shadowing(true);
    let config = config();
    for import in module.imports() {
        let key = (import.module().to_string(), import.name().to_string());
        let item: Extern = match import.ty() {
            wasmtime::ExternType::Func(ty) => {
                let known = config.imports.contains_key(&key);
                let zeros: Vec<Val> = ty.results().map(|ty| ty.default_value().unwrap()).collect();
                wasmtime::Func::new(&mut *store, ty, move |_, _, results| {
                    results.clone_from_slice(&zeros);
                    if known { Ok(()) } else { Err(wasmtime::Error::msg("missing import")) }
                })
                .into()
            }
            wasmtime::ExternType::Global(ty) => {
                let value = config.globals.get(&key).copied();
                let value = value.ok_or_else(|| format!("no global {key:?}"))?;
                Global::new(&mut *store, ty, val(&value)).map_err(|e| e.to_string())?.into()
            }
            wasmtime::ExternType::Memory(ty) => {
                wasmtime::Memory::new(&mut *store, ty).map_err(|e| e.to_string())?.into()
            }
            wasmtime::ExternType::Table(ty) => {
                let null = wasmtime::Ref::Func(None);
                wasmtime::Table::new(&mut *store, ty, null).map_err(|e| e.to_string())?.into()
            }
            wasmtime::ExternType::Tag(_) => return Err("tags are refused".to_string()),
        };
        linker
            .define(&mut *store, import.module(), import.name(), item)
            .map_err(|e| e.to_string())?;
    }
    Ok(linker)
}

fn engine_end(outcome: &Outcome) -> End {
    match outcome {
        Outcome::Returned(values) => End::Returned(values.clone()),
        Outcome::Trapped(trap) => End::Trapped(trap.kind.clone()),
        Outcome::Rejected(_) | Outcome::Exited(_) => End::Trapped(TrapKind::Unreachable),
        Outcome::Exhausted(_) => End::Exhausted,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "Wasmtime has forty others")]
fn plain_end(ended: wasmtime::Result<Vec<Val>>) -> Result<End, String> {
    let error = match ended {
        Ok(results) => {
            return Ok(End::Returned(results.iter().map(scalar).collect::<Result<_, _>>()?));
        }
        Err(error) => error,
    };
    let Some(trap) = error.downcast_ref::<wasmtime::Trap>() else {
        if format!("{error:#}").contains("missing import") {
            return Ok(End::Trapped(TrapKind::MissingImport(String::new())));
        }
        return Err(format!("plain: {error:#}"));
    };
    Ok(End::Trapped(match trap {
        wasmtime::Trap::UnreachableCodeReached => TrapKind::Unreachable,
        wasmtime::Trap::IntegerDivisionByZero => TrapKind::DivisionByZero,
        wasmtime::Trap::IntegerOverflow => TrapKind::IntegerOverflow,
        wasmtime::Trap::BadConversionToInteger => TrapKind::InvalidConversion,
        wasmtime::Trap::MemoryOutOfBounds => TrapKind::MemoryOutOfBounds,
        wasmtime::Trap::TableOutOfBounds => TrapKind::TableOutOfBounds,
        wasmtime::Trap::IndirectCallToNull => TrapKind::NullCall,
        wasmtime::Trap::BadSignature => TrapKind::CallTypeMismatch,
        wasmtime::Trap::StackOverflow => TrapKind::StackOverflow,
        other => return Err(format!("plain: unexpected trap {other}")),
    }))
}

pub(crate) fn val(scalar: &Scalar) -> Val {
    match *scalar {
        Scalar::I32(bits) => Val::I32(bits as i32),
        Scalar::I64(bits) => Val::I64(bits as i64),
        Scalar::F32(bits) => Val::F32(bits),
        Scalar::F64(bits) => Val::F64(bits),
        Scalar::FuncRef { .. } => Val::FuncRef(None),
    }
}

fn scalar(val: &Val) -> Result<Scalar, String> {
    Ok(match val {
        Val::I32(x) => Scalar::I32(*x as u32),
        Val::I64(x) => Scalar::I64(*x as u64),
        Val::F32(bits) => Scalar::F32(*bits),
        Val::F64(bits) => Scalar::F64(*bits),
        Val::FuncRef(function) => Scalar::FuncRef { null: function.is_none() },
        Val::V128(_) | Val::ExternRef(_) | Val::AnyRef(_) | Val::ExnRef(_) | Val::ContRef(_) => {
            return Err(format!("{val:?} is not a value we run"));
        }
    })
}
