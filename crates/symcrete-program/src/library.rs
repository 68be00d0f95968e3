//! What is known of functions of the C library that a user makes undefined.

/// The greatest number that a function returns which returns no negative ones.
pub fn greatest_result(function: &str) -> Option<u32> {
    // glibc and musl have the same limits.
    matches!(function, "rand" | "rand_r" | "random" | "lrand48" | "nrand48").then_some(0x7fff_ffff)
}
