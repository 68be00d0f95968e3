//! Loads and stores: the one place where their widths and types are written down.

use super::{Num, ValueType};

/// What a load does with its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Widening {
    /// They are the whole value.
    Whole,
    /// Zeros go above.
    Unsigned,
    /// Copies of the sign go above.
    Signed,
}

/// The form of a load or store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AccessForm {
    /// The type of the value.
    pub num: Num,
    /// How many bytes of memory it takes.
    pub bytes: u8,
    /// How a load makes a value of them.
    pub widening: Widening,
    /// Whether it writes memory.
    pub is_store: bool,
}

/// Which bytes of memory a load or store touches, and as what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The type of the value loaded or stored.
    pub ty: ValueType,
    /// How many bytes: 1, 2, 4 or 8.
    pub bytes: u32,
    /// Whether a load of fewer bytes than the type has extends the sign.
    pub signed: bool,
    /// Added to the address, without wrapping.
    pub offset: u64,
    /// Its form, by its place in [`AccessForm::ALL`].
    pub form: u32,
}

macro_rules! accesses {
    ($($op:ident: $num:ident $bytes:literal $widening:ident $store:literal;)*) => {
        #[derive(Clone, Copy)]
        enum AccessName { $($op,)* }

        impl AccessForm {
            /// Every load and store.
            pub const ALL: &'static [AccessForm] = &[$(AccessForm {
                num: Num::$num,
                bytes: $bytes,
                widening: Widening::$widening,
                is_store: $store,
            },)*];
        }

        impl Access {
            pub(super) fn of(operator: &wasmparser::Operator<'_>) -> Option<Access> {
                match *operator {
                    $(wasmparser::Operator::$op { memarg } => {
                        Some(Access::new(AccessName::$op as u32, memarg))
                    })*
                    _ => None,
                }
            }
        }
    };
}

accesses! {
    I32Load: I32 4 Whole false;
    I64Load: I64 8 Whole false;
    F32Load: F32 4 Whole false;
    F64Load: F64 8 Whole false;
    I32Load8S: I32 1 Signed false;
    I32Load8U: I32 1 Unsigned false;
    I32Load16S: I32 2 Signed false;
    I32Load16U: I32 2 Unsigned false;
    I64Load8S: I64 1 Signed false;
    I64Load8U: I64 1 Unsigned false;
    I64Load16S: I64 2 Signed false;
    I64Load16U: I64 2 Unsigned false;
    I64Load32S: I64 4 Signed false;
    I64Load32U: I64 4 Unsigned false;
    I32Store: I32 4 Whole true;
    I64Store: I64 8 Whole true;
    F32Store: F32 4 Whole true;
    F64Store: F64 8 Whole true;
    I32Store8: I32 1 Whole true;
    I32Store16: I32 2 Whole true;
    I64Store8: I64 1 Whole true;
    I64Store16: I64 2 Whole true;
    I64Store32: I64 4 Whole true;
}

impl Access {
    fn new(form: u32, memarg: wasmparser::MemArg) -> Access {
        let AccessForm { num, bytes, widening, .. } = AccessForm::ALL[form as usize];
        let signed = widening == Widening::Signed;
        Access { ty: num.into(), bytes: bytes.into(), signed, offset: memarg.offset, form }
    }

    /// Its form.
    pub fn form(self) -> AccessForm {
        AccessForm::ALL[self.form as usize]
    }
}
