//! The numeric operators of WebAssembly: the one place where their names and types are written down.
//!
//! An operator here pops one or two numbers and pushes one. Whether it can trap is said by
//! [`WasmOp::traps`]; what it means as a term is in `lower.rs`.

use wasmparser::Operator;

/// A number type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Num {
    I32,
    I64,
    F32,
    F64,
}

macro_rules! wasm_ops {
    ($($op:ident: $($arg:ident)+ => $result:ident;)*) => {
        /// A numeric operator, named as wasmparser names it.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        #[repr(u8)]
        pub(crate) enum WasmOp { $($op,)* }

        impl WasmOp {
            /// Every operator, in table order.
            pub(crate) const ALL: &'static [WasmOp] = &[$(WasmOp::$op,)*];

            /// The numeric operator that this is, if it is one.
            pub(crate) fn of(operator: &Operator<'_>) -> Option<WasmOp> {
                match operator {
                    $(Operator::$op => Some(WasmOp::$op),)*
                    _ => None,
                }
            }

            /// The types it pops, first operand first.
            pub(crate) fn params(self) -> &'static [Num] {
                match self {
                    $(WasmOp::$op => &[$(Num::$arg),+],)*
                }
            }

            /// The type it pushes.
            pub(crate) fn result(self) -> Num {
                match self {
                    $(WasmOp::$op => Num::$result,)*
                }
            }
        }
    };
}

wasm_ops! {
    I32Eqz: I32 => I32;
    I32Eq: I32 I32 => I32;
    I32Ne: I32 I32 => I32;
    I32LtS: I32 I32 => I32;
    I32LtU: I32 I32 => I32;
    I32GtS: I32 I32 => I32;
    I32GtU: I32 I32 => I32;
    I32LeS: I32 I32 => I32;
    I32LeU: I32 I32 => I32;
    I32GeS: I32 I32 => I32;
    I32GeU: I32 I32 => I32;
    I64Eqz: I64 => I32;
    I64Eq: I64 I64 => I32;
    I64Ne: I64 I64 => I32;
    I64LtS: I64 I64 => I32;
    I64LtU: I64 I64 => I32;
    I64GtS: I64 I64 => I32;
    I64GtU: I64 I64 => I32;
    I64LeS: I64 I64 => I32;
    I64LeU: I64 I64 => I32;
    I64GeS: I64 I64 => I32;
    I64GeU: I64 I64 => I32;
    F32Eq: F32 F32 => I32;
    F32Ne: F32 F32 => I32;
    F32Lt: F32 F32 => I32;
    F32Gt: F32 F32 => I32;
    F32Le: F32 F32 => I32;
    F32Ge: F32 F32 => I32;
    F64Eq: F64 F64 => I32;
    F64Ne: F64 F64 => I32;
    F64Lt: F64 F64 => I32;
    F64Gt: F64 F64 => I32;
    F64Le: F64 F64 => I32;
    F64Ge: F64 F64 => I32;
    I32Clz: I32 => I32;
    I32Ctz: I32 => I32;
    I32Popcnt: I32 => I32;
    I32Add: I32 I32 => I32;
    I32Sub: I32 I32 => I32;
    I32Mul: I32 I32 => I32;
    I32DivS: I32 I32 => I32;
    I32DivU: I32 I32 => I32;
    I32RemS: I32 I32 => I32;
    I32RemU: I32 I32 => I32;
    I32And: I32 I32 => I32;
    I32Or: I32 I32 => I32;
    I32Xor: I32 I32 => I32;
    I32Shl: I32 I32 => I32;
    I32ShrS: I32 I32 => I32;
    I32ShrU: I32 I32 => I32;
    I32Rotl: I32 I32 => I32;
    I32Rotr: I32 I32 => I32;
    I64Clz: I64 => I64;
    I64Ctz: I64 => I64;
    I64Popcnt: I64 => I64;
    I64Add: I64 I64 => I64;
    I64Sub: I64 I64 => I64;
    I64Mul: I64 I64 => I64;
    I64DivS: I64 I64 => I64;
    I64DivU: I64 I64 => I64;
    I64RemS: I64 I64 => I64;
    I64RemU: I64 I64 => I64;
    I64And: I64 I64 => I64;
    I64Or: I64 I64 => I64;
    I64Xor: I64 I64 => I64;
    I64Shl: I64 I64 => I64;
    I64ShrS: I64 I64 => I64;
    I64ShrU: I64 I64 => I64;
    I64Rotl: I64 I64 => I64;
    I64Rotr: I64 I64 => I64;
    F32Abs: F32 => F32;
    F32Neg: F32 => F32;
    F32Ceil: F32 => F32;
    F32Floor: F32 => F32;
    F32Trunc: F32 => F32;
    F32Nearest: F32 => F32;
    F32Sqrt: F32 => F32;
    F32Add: F32 F32 => F32;
    F32Sub: F32 F32 => F32;
    F32Mul: F32 F32 => F32;
    F32Div: F32 F32 => F32;
    F32Min: F32 F32 => F32;
    F32Max: F32 F32 => F32;
    F32Copysign: F32 F32 => F32;
    F64Abs: F64 => F64;
    F64Neg: F64 => F64;
    F64Ceil: F64 => F64;
    F64Floor: F64 => F64;
    F64Trunc: F64 => F64;
    F64Nearest: F64 => F64;
    F64Sqrt: F64 => F64;
    F64Add: F64 F64 => F64;
    F64Sub: F64 F64 => F64;
    F64Mul: F64 F64 => F64;
    F64Div: F64 F64 => F64;
    F64Min: F64 F64 => F64;
    F64Max: F64 F64 => F64;
    F64Copysign: F64 F64 => F64;
    I32WrapI64: I64 => I32;
    I32TruncF32S: F32 => I32;
    I32TruncF32U: F32 => I32;
    I32TruncF64S: F64 => I32;
    I32TruncF64U: F64 => I32;
    I64ExtendI32S: I32 => I64;
    I64ExtendI32U: I32 => I64;
    I64TruncF32S: F32 => I64;
    I64TruncF32U: F32 => I64;
    I64TruncF64S: F64 => I64;
    I64TruncF64U: F64 => I64;
    F32ConvertI32S: I32 => F32;
    F32ConvertI32U: I32 => F32;
    F32ConvertI64S: I64 => F32;
    F32ConvertI64U: I64 => F32;
    F32DemoteF64: F64 => F32;
    F64ConvertI32S: I32 => F64;
    F64ConvertI32U: I32 => F64;
    F64ConvertI64S: I64 => F64;
    F64ConvertI64U: I64 => F64;
    F64PromoteF32: F32 => F64;
    I32ReinterpretF32: F32 => I32;
    I64ReinterpretF64: F64 => I64;
    F32ReinterpretI32: I32 => F32;
    F64ReinterpretI64: I64 => F64;
    I32Extend8S: I32 => I32;
    I32Extend16S: I32 => I32;
    I64Extend8S: I64 => I64;
    I64Extend16S: I64 => I64;
    I64Extend32S: I64 => I64;
    I32TruncSatF32S: F32 => I32;
    I32TruncSatF32U: F32 => I32;
    I32TruncSatF64S: F64 => I32;
    I32TruncSatF64U: F64 => I32;
    I64TruncSatF32S: F32 => I64;
    I64TruncSatF32U: F32 => I64;
    I64TruncSatF64S: F64 => I64;
    I64TruncSatF64U: F64 => I64;
}

impl WasmOp {
    /// The operator whose discriminant is `code`.
    pub(crate) fn from_code(code: u32) -> WasmOp {
        WasmOp::ALL[code as usize]
    }

    /// Whether the operator can trap, so that guards go before it.
    pub(crate) fn traps(self) -> bool {
        matches!(
            self,
            WasmOp::I32DivS
                | WasmOp::I32DivU
                | WasmOp::I32RemS
                | WasmOp::I32RemU
                | WasmOp::I64DivS
                | WasmOp::I64DivU
                | WasmOp::I64RemS
                | WasmOp::I64RemU
                | WasmOp::I32TruncF32S
                | WasmOp::I32TruncF32U
                | WasmOp::I32TruncF64S
                | WasmOp::I32TruncF64U
                | WasmOp::I64TruncF32S
                | WasmOp::I64TruncF32U
                | WasmOp::I64TruncF64S
                | WasmOp::I64TruncF64U
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_corner_test_lists_every_operator() {
        let listed = include_str!("../tests/exactness/numeric_operators.txt");
        let mut lines = listed.lines();
        for op in WasmOp::ALL {
            let types = |nums: &[Num]| {
                nums.iter().map(|num| format!("{num:?}").to_lowercase()).collect::<Vec<_>>()
            };
            let (_, line) = lines.next().unwrap().split_once(' ').unwrap();
            let params = types(op.params()).join(" ");
            assert_eq!(line, format!("{params} => {}", types(&[op.result()])[0]), "{op:?}");
        }
        assert_eq!(lines.next(), None);
    }
}
