//! Reads a case: a source and what its runs showed.

use libtest_mimic::Failed;
use serde_json::{Map, Value as Json};
use std::path::{Path, PathBuf};
use symcrete_emit::json::datum_of;
use symcrete_program::debug::{ReadOptions, read_program};
use symcrete_program::frontend::{CompileOptions, Toolchain, compile};
use symcrete_program::shape::{ShapeNode, value_of};
use symcrete_program::{
    CellKind, Change, Coverage, Drawn, Edge, Outcome, Program, Scalar, Shape, ShapeOptions, Sizes,
    TestCase, Trap, TrapKind,
};

pub(crate) struct Case {
    pub(crate) program: Program,
    pub(crate) units: Vec<UnitCase>,
}

pub(crate) struct UnitCase {
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) tests: Vec<TestCase>,
}

impl Case {
    pub(crate) fn read(file: &Path) -> Result<Case, Failed> {
        let text = std::fs::read_to_string(file)?;
        let file = file.canonicalize()?;
        let directories: Vec<PathBuf> =
            std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
        let toolchain = Toolchain::find(&directories).map_err(|error| error.to_string())?;
        let options = CompileOptions { files: vec![file.clone()], ..CompileOptions::default() };
        let cache = std::env::temp_dir().join("symcrete-emit-tests");
        let compiled = compile(&toolchain, &options, &cache).map_err(|error| error.to_string())?;
        let load = |path: &Path| std::fs::read_to_string(path).ok();
        let options = ReadOptions { user_files: vec![file], load: &load };
        let program = read_program(compiled.wasm, &options).map_err(|error| error.to_string())?;
        let mut case = Case { program, units: Vec::new() };
        for line in text.lines().filter_map(|line| line.strip_prefix("//@ ")) {
            let json: Map<String, Json> =
                serde_json::from_str(line).map_err(|error| format!("{line}: {error}"))?;
            case.add(&json).map_err(|message| format!("{line}: {message}"))?;
        }
        Ok(case)
    }

    fn add(&mut self, json: &Map<String, Json>) -> Result<(), String> {
        let name = json["unit"].as_str().ok_or("no unit")?.to_string();
        if !self.units.iter().any(|unit| unit.name == name) {
            let unit = self.program.unit(&name).ok_or("no such unit")?;
            let globals = json.contains_key("globals");
            let sizes = Sizes { length: 8, depth: 3, bytes: 64, calls: 0 };
            let options = ShapeOptions { sizes, globals, learnt: Default::default() };
            let shape =
                Shape::of(&self.program, unit, &options).map_err(|error| error.to_string())?;
            self.units.push(UnitCase { name: name.clone(), shape, tests: Vec::new() });
        }
        let types = &self.program.types;
        let unit = self.units.iter_mut().find(|unit| unit.name == name).expect("just added");
        let mut given = Vec::new();
        for (name, value) in json["input"].as_object().ok_or("no input")? {
            given.push((name.clone(), datum_of(value).ok_or("no datum")?));
        }
        let input = unit.shape.read(types, &given).map_err(|error| error.to_string())?;
        let mut input = unit.shape.complete(&input);
        let mut drawn = Vec::new();
        for cell in json.get("drawn").and_then(Json::as_array).into_iter().flatten() {
            let (name, kind, bits) = cell_of(cell)?;
            let value = value_of(kind, bits);
            input.set(name.clone(), value);
            drawn.push(Drawn { name, kind, value });
        }
        let changes = json.get("changes").and_then(Json::as_array).into_iter().flatten();
        let changes = changes
            .map(|cell| cell_of(cell).map(|(name, kind, bits)| Change { name, kind, bits }))
            .collect::<Result<_, String>>()?;
        let freed = json.get("freed").and_then(Json::as_array).into_iter().flatten();
        let freed = freed.filter_map(Json::as_str).map(str::to_string).collect();
        let outcome = outcome_of(json, &unit.shape)?;
        // Every case covers the next side of some branch, in order of the sites.
        let sides = self
            .program
            .branches
            .keys()
            .flat_map(|&site| [Edge { site, taken: true }, Edge { site, taken: false }]);
        let coverage: Coverage = sides.skip(2 * unit.tests.len()).take(2).collect();
        unit.tests.push(TestCase {
            input,
            drawn,
            outcome,
            changes,
            noted: None,
            freed,
            address_from: Vec::new(),
            coverage,
            set_aside: None,
        });
        Ok(())
    }
}

fn outcome_of(json: &Map<String, Json>, shape: &Shape) -> Result<Outcome, String> {
    if let Some(code) = json.get("exits").and_then(Json::as_i64) {
        return Ok(Outcome::Exited(code as i32));
    }
    if let Some(kind) = json.get("traps").and_then(Json::as_str) {
        let kind = match kind {
            "division" => TrapKind::DivisionByZero,
            "assertion" => TrapKind::AssertionFailed,
            "null" => TrapKind::NullPointer,
            _ => return Err(format!("no trap: {kind}")),
        };
        return Ok(Outcome::Trapped(Trap { kind, site: None }));
    }
    let Some(Json::Array(result)) = json.get("returns") else {
        return Ok(Outcome::Returned(Vec::new()));
    };
    // A pointer into an argument's object: its name and an index.
    if result[0] == "object" {
        let slot = shape.params.iter().find(|slot| result[1] == slot.name.as_str());
        let Some(ShapeNode::Pointer(pointer)) = slot.map(|slot| &slot.node) else {
            return Err("no such object".into());
        };
        let index = result[2].as_u64().unwrap_or_default() as u32;
        return Ok(Outcome::Returned(vec![Scalar::I32(pointer.address + index * pointer.stride)]));
    }
    let cell = [&[Json::String("result".into())], &result[..]].concat();
    let (_, kind, bits) = cell_of(&Json::Array(cell))?;
    let scalar = match kind {
        CellKind::F32 => Scalar::F32(bits as u32),
        CellKind::F64 => Scalar::F64(bits),
        CellKind::Int { bits: 64, .. } => Scalar::I64(bits),
        CellKind::Int { .. } | CellKind::Bool => Scalar::I32(bits as u32),
    };
    Ok(Outcome::Returned(vec![scalar]))
}

/// `["name", "i32", 3]`
fn cell_of(json: &Json) -> Result<(String, CellKind, u64), String> {
    let (Some(name), Some(kind)) = (json[0].as_str(), json[1].as_str()) else {
        return Err(format!("no cell: {json}"));
    };
    let kind = match kind {
        "bool" => CellKind::Bool,
        "f32" => CellKind::F32,
        "f64" => CellKind::F64,
        _ => {
            let bits = kind[1..].parse().map_err(|_| format!("no kind: {kind}"))?;
            CellKind::Int { bits, signed: kind.starts_with('i') }
        }
    };
    let number = || match json[2] == "nan" {
        true => f64::NAN,
        false => json[2].as_f64().unwrap_or_default(),
    };
    let bits = match kind {
        CellKind::F32 => u64::from((number() as f32).to_bits()),
        CellKind::F64 => number().to_bits(),
        CellKind::Int { .. } | CellKind::Bool => {
            json[2].as_i64().map(|value| value as u64).or(json[2].as_u64()).unwrap_or_default()
        }
    };
    Ok((name.to_string(), kind, bits & kind.sort().mask()))
}
