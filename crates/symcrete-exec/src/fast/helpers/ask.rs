//! Bodies of imports whose results are cells that the host knows by name (`fast/ask.rs`).

use super::Writer;
use crate::encode::val_types;
use crate::fast::layout::{ASK_BYTES, ASK_NAMED, ASK_WHOLE, Helper, Layout, at};
use crate::instrument::emitter::Body;
use symcrete_program::module::{FunctionType, ValueType};
use wasm_encoder::Instruction as I;
use wasm_encoder::{BlockType, ValType};

/// The body of an import whose result is a cell that the host knows by a number.
pub(crate) fn number_body(
    layout: &Layout,
    n_params: u32,
    (source, number): (u32, u32),
    results: &[ValType],
) -> Body {
    let mut out = Writer::new(layout, n_params);
    for &ty in results {
        out.out.i32(source);
        out.out.i32(number);
        out.all(&[I::I32Const(ASK_WHOLE), I::Call(layout.ask())]);
        out.convert(ty);
    }
    out.out.finish()
}

/// The body of `(name) -> value`.
pub(crate) fn name_body(layout: &Layout, ty: &FunctionType) -> Body {
    let mut out = Writer::new(layout, ty.params.len() as u32);
    out.out.i32(ASK_NAMED);
    out.address(ty, 0);
    out.all(&[I::I32Const(ASK_WHOLE), I::Call(layout.ask())]);
    val_types(&ty.results).iter().for_each(|&ty| out.convert(ty));
    out.out.finish()
}

/// The body of `(pointer, length, name)`, which gives bytes.
pub(crate) fn bytes_body(layout: &Layout, ty: &FunctionType) -> Body {
    let mut out = Writer::new(layout, ty.params.len() as u32);
    let length = out.out.new_local(ValType::I32);
    let name = out.out.new_local(ValType::I32);
    for (param, local) in [(1, length), (2, name)] {
        out.address(ty, param);
        out.out.emit(&I::LocalSet(local));
    }
    out.ask_bytes(ty, ASK_NAMED, (name, length));
    out.out.finish()
}

/// The body of `(pointer, …)`, which gives the bytes of a structure.
pub(crate) fn structure_body(
    layout: &Layout,
    ty: &FunctionType,
    (source, number): (u32, u32),
    size: u32,
) -> Body {
    let mut out = Writer::new(layout, ty.params.len() as u32);
    let length = out.out.new_local(ValType::I32);
    let name = out.out.new_local(ValType::I32);
    for (value, local) in [(size, length), (number, name)] {
        out.out.i32(value);
        out.out.emit(&I::LocalSet(local));
    }
    out.ask_bytes(ty, source, (name, length));
    out.out.finish()
}

impl Writer<'_> {
    /// A parameter that is an address or a length.
    fn address(&mut self, ty: &FunctionType, param: u32) {
        match ty.params[param as usize] {
            ValueType::I64 => self.out.get_clamped(param),
            ValueType::I32 | ValueType::F32 | ValueType::F64 | ValueType::FuncRef => {
                self.out.get(param);
            }
        }
    }

    /// Bytes from the address that is the first parameter on become cells; the locals have the name and how many they are.
    fn ask_bytes(&mut self, ty: &FunctionType, source: u32, (name, length): (u32, u32)) {
        let to = self.out.new_local(ValType::I32);
        let byte = self.out.new_local(ValType::I32);
        self.address(ty, 0);
        self.all(&[I::LocalTee(to), I::LocalGet(length)]);
        self.call(Helper::TouchRange);
        self.out.i32(source);
        self.all(&[I::LocalGet(name), I::I32Const(ASK_BYTES), I::Call(self.layout.ask()), I::Drop]);
        self.all(&[I::Block(BlockType::Empty), I::Loop(BlockType::Empty)]);
        self.all(&[I::LocalGet(byte), I::LocalGet(length), I::I32GeU, I::BrIf(1)]);
        self.all(&[I::LocalGet(to), I::LocalGet(byte), I::I32Add]);
        self.out.i32(source);
        self.all(&[I::LocalGet(name), I::LocalGet(byte), I::Call(self.layout.ask())]);
        self.all(&[I::I64Store8(at(0, 0)), I::LocalGet(byte), I::I32Const(1), I::I32Add]);
        self.all(&[I::LocalSet(byte), I::Br(0), I::End, I::End]);
    }
}
