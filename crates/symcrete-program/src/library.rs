//! What is known by name of functions that a program calls and does not define: of the C library, where a user makes them
//! undefined, and of harnesses.

/// The greatest number that a function returns which returns no negative ones.
pub fn greatest_result(function: &str) -> Option<u32> {
    // glibc and musl have the same limits.
    matches!(function, "rand" | "rand_r" | "random" | "lrand48" | "nrand48").then_some(0x7fff_ffff)
}

/// Whether harnesses call a function to assert something: no branch of the program shows its condition.
pub fn is_harness_assertion(function: &str) -> bool {
    matches!(
        function,
        "__VERIFIER_assert"
            | "__CPROVER_assert"
            | "__CPROVER_precondition"
            | "__CPROVER_postcondition"
            | "__ESBMC_assert"
    )
}
