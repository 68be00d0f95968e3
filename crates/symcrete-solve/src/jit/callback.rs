//! What compiled code calls in Rust: the evaluator, and opaque functions that are closures.

use symcrete_term::eval::eval;
use symcrete_term::op::Indices;
use symcrete_term::{Function, Op, Sort, Value};

/// Something to be called with the bits of its arguments.
pub(super) enum Callback {
    /// An operator that is not compiled.
    Operator {
        /// The operator.
        op: Op,
        /// Its indices.
        indices: Indices,
        /// The sorts of its arguments.
        sorts: Vec<Sort>,
    },
    /// An opaque function.
    Function(Function),
}

/// The C entry of a callback. Panics are not expected: the sorts were checked when the term was built,
/// and a closure's panic is caught where it is called.
///
/// # Safety
/// `callback` and `args` must be valid, and `args` hold as many words as the callback has arguments.
pub(super) unsafe extern "C" fn enter(callback: *const Callback, args: *const u64) -> u64 {
    // SAFETY: the caller is compiled code, whose `Code` owns the callback.
    match unsafe { &*callback } {
        Callback::Operator { op, indices, sorts } => {
            // SAFETY: compiled code stores one word per argument before it calls.
            let args = unsafe { std::slice::from_raw_parts(args, sorts.len()) };
            let values: Vec<Value> =
                sorts.iter().zip(args).map(|(&sort, &bits)| Value::from_bits(sort, bits)).collect();
            eval(*op, *indices, &values).bits()
        }
        Callback::Function(function) => {
            let n_args = function.signature().params.len();
            // SAFETY: as above.
            function.call_bits(unsafe { std::slice::from_raw_parts(args, n_args) })
        }
    }
}
