//! Functions of the rewritten module that spare it calls of the host.
//!
//! An access whose flags are set asks here first. Where the flags are set only because addresses are stored nearby, and the
//! access reads whole words or other bytes, or overwrites them, the answer needs no host. So it is where a
//! pointer is stored at a place that nothing else is known of (`stored_pointers.rs`).
//!
//! **Invariant:** what is done here is what the host would have done.

use crate::instrument::NO_ORIGIN;
use crate::instrument::control::flag_arg;
use crate::instrument::emitter::{Body, Emitter};
use crate::instrument::layout::{Form, HostFunction, Layout};
use crate::poison::NULL_PAGE;
use crate::stored_pointers::{FIRST_POINTER, WATCHED};
use crate::tags;
use symcrete_program::module::{AccessForm, AddressType};
use wasm_encoder::{BlockType, Instruction, MemArg, ValType};

/// Such a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Quick {
    /// Has the type of [`HostFunction::Load`].
    Load,
    /// Has the type of [`HostFunction::Store`].
    Store,
    /// Stands for the import by which the program says that it has stored a pointer.
    Pointer(u32),
}

impl Quick {
    /// Its code, which calls another function with the same arguments if it does not know.
    pub(crate) fn body(self, layout: &Layout, address: AddressType) -> Body {
        let (n_params, otherwise) = match (self, layout.form) {
            (Quick::Load, _) => (5, layout.host(HostFunction::Load)),
            (Quick::Store, _) => (7, layout.host(HostFunction::Store)),
            (Quick::Pointer(import), Form::Shadowed) => (2, layout.function(import)),
            (Quick::Pointer(import), Form::Concrete) => (1, layout.function(import)),
        };
        let mut out = Emitter::new(n_params);
        out.origin(NO_ORIGIN);
        let (place, flag) = (out.new_local(ValType::I32), out.new_local(ValType::I32));
        let mut code = Code { out, layout, address, place, flag };
        code.out.emit(&Instruction::Block(BlockType::Empty));
        match self {
            Quick::Load => code.load(),
            Quick::Store => code.store(),
            Quick::Pointer(_) if layout.form == Form::Concrete => code.marked_pointer(),
            Quick::Pointer(_) => code.pointer(),
        }
        code.out.emit(&Instruction::End);
        (0..n_params).for_each(|param| code.out.get(param));
        code.out.emit(&Instruction::Call(otherwise));
        code.out.finish()
    }
}

/// Parameters of [`HostFunction::Load`], which those of [`HostFunction::Store`] start with.
const FORM: u32 = 0;
const OFFSET: u32 = 2;
const SHADOW: u32 = 3;
const VALUE: u32 = 4;
/// The shadow of what is stored.
const STORED: u32 = 5;

struct Code<'a> {
    out: Emitter,
    layout: &'a Layout,
    address: AddressType,
    /// Where the access is.
    place: u32,
    /// The flags there, those of its own eight bytes lowest.
    flag: u32,
}

impl Code<'_> {
    fn load(&mut self) {
        self.find(&[SHADOW]);
        // Bytes that no pointer is among.
        self.own_flag();
        self.out.emit(&Instruction::I32Eqz);
        self.emit_if(|code| {
            code.out.i32(0);
            code.out.emit(&Instruction::Return);
        });
        // Whole words: all eight bytes, or one of two pointers.
        self.bytes();
        self.out.i32(8);
        self.out.emit(&Instruction::I32Eq);
        if self.address == AddressType::I32 {
            self.bytes();
            self.out.i32(4);
            self.out.emit(&Instruction::I32Eq);
            self.place_and(3);
            self.out.emit(&Instruction::I32Eqz);
            self.out.emit(&Instruction::I32And);
            self.out.emit(&Instruction::I32Or);
        }
        self.emit_if(|code| {
            code.out.i32(0);
            code.out.emit(&Instruction::Return);
        });
    }

    /// What is overwritten, in whole or in part, is no pointer any more.
    fn store(&mut self) {
        self.find(&[SHADOW, STORED]);
        if self.address == AddressType::I32 {
            // All eight bytes, or some of one word.
            self.bytes();
            self.out.i32(8);
            self.out.emit(&Instruction::I32Ne);
            self.place_and(3);
            self.bytes();
            self.out.emit(&Instruction::I32Add);
            self.out.i32(4);
            self.out.emit(&Instruction::I32GtU);
            self.out.emit(&Instruction::I32And);
            self.ask_if();
        }
        self.group();
        match self.address {
            AddressType::I64 => self.out.i32(0),
            AddressType::I32 => {
                // The bit of the other word stays; all eight bytes leave none.
                self.own_flag();
                self.bit();
                self.out.emit(&Instruction::I32Const(-1));
                self.out.emit(&Instruction::I32Xor);
                self.out.emit(&Instruction::I32And);
                self.out.i32(0);
                self.bytes();
                self.out.i32(8);
                self.out.emit(&Instruction::I32Ne);
                self.out.emit(&Instruction::Select);
            }
        }
        self.out.emit(&Instruction::I32Store8(flag_arg(self.layout.flags, 0)));
        self.out.emit(&Instruction::Return);
    }

    fn pointer(&mut self) {
        let (place, shadow) = (0, 1);
        self.out.get(shadow);
        self.ask_if();
        // Who copies memory looks at this first.
        self.out.emit(&Instruction::GlobalGet(self.layout.tainted()));
        self.out.emit(&Instruction::I32Eqz);
        self.ask_if();
        self.low_half(place, self.address == AddressType::I64);
        self.out.set(self.place);
        self.place_and(self.address.bytes() - 1);
        self.ask_if();
        // Null is no pointer; functions have small numbers.
        self.out.get(self.place);
        let word = MemArg { offset: 0, align: 2, memory_index: 0 };
        self.out.emit(&Instruction::I32Load(word));
        self.out.i32(NULL_PAGE);
        self.out.emit(&Instruction::I32LtU);
        self.ask_if();
        self.group();
        self.out.emit(&Instruction::I32Load8U(flag_arg(self.layout.flags, 0)));
        self.out.emit(&Instruction::LocalTee(self.flag));
        self.out.i32(WATCHED.into());
        self.out.emit(&Instruction::I32And);
        self.ask_if();
        self.group();
        self.out.get(self.flag);
        self.bit();
        self.out.emit(&Instruction::I32Or);
        self.out.emit(&Instruction::I32Store8(flag_arg(self.layout.flags, 0)));
        self.out.emit(&Instruction::Return);
    }

    /// The same where words have tags.
    fn marked_pointer(&mut self) {
        let place = 0;
        // Nobody wants to know any more.
        self.out.emit(&Instruction::GlobalGet(self.layout.tainted()));
        self.out.emit(&Instruction::I32Eqz);
        self.emit_if(|code| code.out.emit(&Instruction::Return));
        self.low_half(place, self.address == AddressType::I64);
        self.out.set(self.place);
        self.place_and(self.address.bytes() - 1);
        self.ask_if();
        // Null is no pointer; functions have small numbers.
        self.out.get(self.place);
        self.out.emit(&Instruction::I32Load(MemArg { offset: 0, align: 2, memory_index: 0 }));
        self.out.emit(&Instruction::LocalTee(self.flag));
        self.out.emit(&Instruction::I32Eqz);
        self.emit_if(|code| code.out.emit(&Instruction::Return));
        self.out.get(self.flag);
        self.out.i32(NULL_PAGE);
        self.out.emit(&Instruction::I32LtU);
        self.ask_if();
        self.out.get(self.place);
        let tags = flag_arg(self.layout.flags, 0);
        let all = tags::pointers(self.address.bytes(), self.address.bytes()) as i64;
        self.out.emit(&Instruction::I64Const(all));
        self.out.emit(&match self.address {
            AddressType::I64 => Instruction::I64Store(tags),
            AddressType::I32 => Instruction::I64Store32(tags),
        });
        self.out.emit(&Instruction::Return);
    }

    /// Finds the place of an access and its flags; asks the host if something is symbolic or watched, or if the access reaches
    /// into the next eight bytes.
    fn find(&mut self, shadows: &[u32]) {
        for &shadow in shadows {
            self.out.get(shadow);
            self.ask_if();
        }
        self.low_half(VALUE, true);
        self.out.get(OFFSET);
        self.out.emit(&Instruction::I32Add);
        self.out.set(self.place);
        self.group();
        self.out.emit(&Instruction::I32Load16U(flag_arg(self.layout.flags, 0)));
        self.out.emit(&Instruction::LocalTee(self.flag));
        self.out.i32(u32::from(WATCHED) | u32::from(WATCHED) << 8);
        self.out.emit(&Instruction::I32And);
        self.ask_if();
        self.place_and(7);
        self.bytes();
        self.out.emit(&Instruction::I32Add);
        self.out.i32(8);
        self.out.emit(&Instruction::I32GtU);
        self.ask_if();
    }

    /// Pushes the lower half of a parameter; asks the host if there is more in the upper half.
    fn low_half(&mut self, param: u32, is_wide: bool) {
        if is_wide {
            self.out.get(param);
            self.out.emit(&Instruction::I64Const(32));
            self.out.emit(&Instruction::I64ShrU);
            self.out.emit(&Instruction::I32WrapI64);
            self.ask_if();
        }
        self.out.get(param);
        if is_wide {
            self.out.emit(&Instruction::I32WrapI64);
        }
    }

    /// Leaves for the host if the number on top is not zero.
    fn ask_if(&mut self) {
        self.out.emit(&Instruction::BrIf(0));
    }

    fn emit_if(&mut self, then: impl FnOnce(&mut Self)) {
        self.out.emit(&Instruction::If(BlockType::Empty));
        then(self);
        self.out.emit(&Instruction::End);
    }

    /// The number of the eight bytes that the place is in.
    fn group(&mut self) {
        self.out.get(self.place);
        self.out.i32(3);
        self.out.emit(&Instruction::I32ShrU);
    }

    fn place_and(&mut self, mask: u32) {
        self.out.get(self.place);
        self.out.i32(mask);
        self.out.emit(&Instruction::I32And);
    }

    /// The flag of the eight bytes that the access is in.
    fn own_flag(&mut self) {
        self.out.get(self.flag);
        self.out.i32(0xff);
        self.out.emit(&Instruction::I32And);
    }

    /// The bit of the word that the place is in.
    fn bit(&mut self) {
        self.out.i32(FIRST_POINTER.into());
        if self.address == AddressType::I32 {
            self.place_and(4);
            self.out.i32(2);
            self.out.emit(&Instruction::I32ShrU);
            self.out.emit(&Instruction::I32Shl);
        }
    }

    /// How many bytes the access touches: two bits of a number for each form.
    fn bytes(&mut self) {
        let exponents = AccessForm::ALL.iter().enumerate();
        let all = exponents.fold(0_u64, |all, (form, access)| {
            all | u64::from(access.bytes.trailing_zeros()) << (2 * form)
        });
        self.out.i32(1);
        self.out.emit(&Instruction::I64Const(all as i64));
        self.out.get(FORM);
        self.out.i32(1);
        self.out.emit(&Instruction::I32Shl);
        self.out.emit(&Instruction::I64ExtendI32U);
        self.out.emit(&Instruction::I64ShrU);
        self.out.emit(&Instruction::I32WrapI64);
        self.out.i32(3);
        self.out.emit(&Instruction::I32And);
        self.out.emit(&Instruction::I32Shl);
    }
}

// Two bits for each form fit into 64.
const _: () = assert!(AccessForm::ALL.len() <= 32);
