//! Functions and conditions as text.

use super::{
    Access, BlockId, Constant, Function, FunctionType, Instruction, Jump, Kind, Terminator,
    ValueId, ValueType, WasmOp,
};
use crate::module::TableOp;
use std::fmt;

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ValueType::I32 => "i32",
            ValueType::I64 => "i64",
            ValueType::F32 => "f32",
            ValueType::F64 => "f64",
            ValueType::FuncRef => "funcref",
        })
    }
}

impl fmt::Display for FunctionType {
    /// As WebAssembly's text has it: `(i32, f64) -> i32`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({})", list(&self.params))?;
        match &self.results[..] {
            [] => Ok(()),
            [result] => write!(f, " -> {result}"),
            several => write!(f, " -> ({})", list(several)),
        }
    }
}

impl fmt::Display for ValueId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

impl fmt::Display for BlockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b{}", self.0)
    }
}

impl fmt::Display for WasmOp {
    /// As WebAssembly's text format spells it: `I32TruncSatF64U` is `i32.trunc_sat_f64_u`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = format!("{self:?}");
        let (ty, rest) = name.split_at(3);
        write!(f, "{}.", ty.to_lowercase())?;
        for (position, letter) in rest.char_indices() {
            if position > 0 && letter.is_uppercase() {
                f.write_str("_")?;
            }
            write!(f, "{}", letter.to_lowercase())?;
        }
        Ok(())
    }
}

impl fmt::Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Constant::I32(bits) => write!(f, "{}", bits as i32),
            Constant::I64(bits) => write!(f, "{}", bits as i64),
            Constant::F32(bits) => write!(f, "{:?}", f32::from_bits(bits)),
            Constant::F64(bits) => write!(f, "{:?}", f64::from_bits(bits)),
            Constant::NullFunction => f.write_str("null"),
            Constant::Function(function) => write!(f, "&{function}"),
        }
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.signed { "s" } else { "" };
        write!(f, "{} {}{sign}", self.ty, 8 * self.bytes)?;
        if self.offset > 0 {
            write!(f, " +{}", self.offset)?;
        }
        Ok(())
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Const(constant) => write!(f, "{}.const {constant}", constant.ty()),
            Kind::Numeric(op) => op.fmt(f),
            Kind::Select => f.write_str("select"),
            Kind::RefIsNull => f.write_str("ref.is_null"),
            Kind::GlobalGet(global) => write!(f, "global.get {global}"),
            Kind::GlobalSet(global) => write!(f, "global.set {global}"),
            Kind::Load(access) => write!(f, "load {access}"),
            Kind::Store(access) => write!(f, "store {access}"),
            Kind::MemorySize => f.write_str("memory.size"),
            Kind::MemoryGrow => f.write_str("memory.grow"),
            Kind::MemoryFill => f.write_str("memory.fill"),
            Kind::MemoryCopy => f.write_str("memory.copy"),
            Kind::MemoryInit(segment) => write!(f, "memory.init {segment}"),
            Kind::DataDrop(segment) => write!(f, "data.drop {segment}"),
            Kind::Table(op) => op.fmt(f),
            Kind::Call(function) => write!(f, "call {function}"),
            Kind::CallIndirect { table, ty } => write!(f, "call_indirect {table} type {ty}"),
        }
    }
}

impl fmt::Display for TableOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableOp::Get(table) => write!(f, "table.get {table}"),
            TableOp::Set(table) => write!(f, "table.set {table}"),
            TableOp::Size(table) => write!(f, "table.size {table}"),
            TableOp::Grow(table) => write!(f, "table.grow {table}"),
            TableOp::Fill(table) => write!(f, "table.fill {table}"),
            TableOp::Copy { to, from } => write!(f, "table.copy {to} {from}"),
            TableOp::Init { segment, table } => write!(f, "table.init {table} {segment}"),
            TableOp::DropElements(segment) => write!(f, "elem.drop {segment}"),
        }
    }
}

fn list<T: fmt::Display>(items: &[T]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.results.is_empty() {
            write!(f, "{} = ", list(&self.results))?;
        }
        self.kind.fmt(f)?;
        if !self.args.is_empty() {
            write!(f, " {}", list(&self.args))?;
        }
        Ok(())
    }
}

impl fmt::Display for Jump {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.block.fmt(f)?;
        if !self.args.is_empty() {
            write!(f, "({})", list(&self.args))?;
        }
        Ok(())
    }
}

impl fmt::Display for Terminator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Terminator::Br(jump) => write!(f, "br {jump}"),
            Terminator::BrIf { condition, then, otherwise, .. } => {
                write!(f, "br_if {condition} then {then} else {otherwise}")
            }
            Terminator::Switch { index, cases, case_of_index, .. } => {
                write!(f, "switch {index}")?;
                let (default, listed) = case_of_index.split_last().unwrap_or((&0, &[]));
                for (value, &case) in listed.iter().enumerate() {
                    write!(f, " {value}: {}", cases[usize::from(case)])?;
                }
                write!(f, " default: {}", cases[usize::from(*default)])
            }
            Terminator::Return(values) => write!(f, "return {}", list(values)),
            Terminator::Unreachable { .. } => f.write_str("unreachable"),
        }
    }
}

impl fmt::Display for Function {
    /// One line per instruction, each with its offset.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} ({}) -> ({})", self.name, list(&self.ty.params), list(&self.ty.results))?;
        for (id, block) in self.block_ids().zip(&self.blocks) {
            let typed = |value: &ValueId| format!("{value}: {}", self.values[value.index()]);
            let params: Vec<String> = block.params.iter().map(typed).collect();
            writeln!(f, "{id}({}):", params.join(", "))?;
            for instruction in &block.instructions {
                writeln!(f, "  {:#06x}  {instruction}", instruction.offset)?;
            }
            writeln!(f, "          {}", block.terminator)?;
        }
        Ok(())
    }
}

/// The C sign of a comparison; a trailing `u` marks an unsigned one.
fn comparison(op: WasmOp) -> Option<&'static str> {
    use WasmOp as W;
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others compare nothing")]
    Some(match op {
        W::I32Eq | W::I64Eq | W::F32Eq | W::F64Eq => "==",
        W::I32Ne | W::I64Ne | W::F32Ne | W::F64Ne => "!=",
        W::I32LtS | W::I64LtS | W::F32Lt | W::F64Lt => "<",
        W::I32LeS | W::I64LeS | W::F32Le | W::F64Le => "<=",
        W::I32GtS | W::I64GtS | W::F32Gt | W::F64Gt => ">",
        W::I32GeS | W::I64GeS | W::F32Ge | W::F64Ge => ">=",
        W::I32LtU | W::I64LtU => "<u",
        W::I32LeU | W::I64LeU => "<=u",
        W::I32GtU | W::I64GtU => ">u",
        W::I32GeU | W::I64GeU => ">=u",
        _ => return None,
    })
}

/// A condition in a few words: `v3 < 10`, `!v7`. The definitions are the function's.
pub(super) fn condition(
    function: &Function,
    definitions: &[Option<(BlockId, usize)>],
    value: ValueId,
) -> String {
    let definition = |value: ValueId| {
        let (block, position) = definitions[value.index()]?;
        Some(&function.block(block).instructions[position])
    };
    let operand = |value: ValueId| match definition(value).map(|instruction| &instruction.kind) {
        Some(Kind::Const(constant)) => constant.to_string(),
        Some(_) | None => value.to_string(),
    };
    let (mut value, mut negated) = (value, false);
    while let Some(Instruction { kind: Kind::Numeric(WasmOp::I32Eqz), args, .. }) =
        definition(value)
    {
        (value, negated) = (args[0], !negated);
    }
    let not = if negated { "!" } else { "" };
    let Some(Instruction { kind: Kind::Numeric(op), args, .. }) = definition(value) else {
        return format!("{not}{}", operand(value));
    };
    match comparison(*op) {
        Some(sign) => {
            let text = format!("{} {sign} {}", operand(args[0]), operand(args[1]));
            if negated { format!("!({text})") } else { text }
        }
        None => {
            let args: Vec<String> = args.iter().map(|&arg| operand(arg)).collect();
            format!("{not}{op}({})", args.join(", "))
        }
    }
}
