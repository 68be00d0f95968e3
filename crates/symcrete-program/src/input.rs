//! What one run is given.

use crate::scalar::Scalar;

/// Arguments of the entry function and bytes laid out in memory before it is called.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Input {
    /// One per parameter.
    pub args: Vec<Scalar>,
    /// Written to memory in this order.
    pub buffers: Vec<Buffer>,
}

/// Bytes at an address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Buffer {
    /// Where the first byte goes.
    pub address: u32,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Input {
    /// Arguments alone.
    pub fn of_args(args: impl IntoIterator<Item = Scalar>) -> Input {
        Input { args: args.into_iter().collect(), buffers: Vec::new() }
    }
}
