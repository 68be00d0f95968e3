//! Loads and stores: the one place where their widths and types are written down.

use crate::wasm_op::Num;
use wasmparser::{MemArg, Operator};

/// What a load does with its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Widening {
    /// They are the whole value.
    Whole,
    /// Zeros go above.
    Unsigned,
    /// Copies of the sign go above.
    Signed,
}

/// The form of a load or store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    pub(crate) num: Num,
    pub(crate) bytes: u8,
    pub(crate) widening: Widening,
    pub(crate) is_store: bool,
}

/// A load or store in the code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    /// Position in [`SHAPES`].
    pub(crate) code: u32,
    pub(crate) offset: u32,
}

macro_rules! accesses {
    ($($op:ident: $num:ident $bytes:literal $widening:ident $store:literal;)*) => {
        /// Every load and store.
        pub(crate) const SHAPES: &[Shape] = &[$(Shape {
            num: Num::$num,
            bytes: $bytes,
            widening: Widening::$widening,
            is_store: $store,
        },)*];

        #[derive(Clone, Copy)]
        enum Code { $($op,)* }

        impl Access {
            /// The load or store that this is, if it is one.
            pub(crate) fn of(operator: &Operator<'_>) -> Option<Access> {
                let (code, memarg): (Code, MemArg) = match *operator {
                    $(Operator::$op { memarg } => (Code::$op, memarg),)*
                    _ => return None,
                };
                let offset = u32::try_from(memarg.offset)
                    .expect("validation refuses memories that need larger offsets");
                Some(Access { code: code as u32, offset })
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
    /// Its form.
    pub(crate) fn shape(self) -> Shape {
        SHAPES[self.code as usize]
    }
}
