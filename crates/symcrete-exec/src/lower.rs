//! What operators and cells mean as terms: the program crate has it, so that other readers of a module agree.

pub(crate) use symcrete_program::lower::{
    as_value, bits_of, constant, end_term, extend, extract, float_of, guards, in_memory, low_word,
    lower, nonzero,
};
