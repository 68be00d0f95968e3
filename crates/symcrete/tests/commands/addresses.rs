//! What depends on where the program's own variables are is no more than infeasible with these addresses.

use super::{Json, function, symcrete};

/// Functions of `own_addresses.c`: the line of the condition, and the side that no run takes with the addresses of
/// WebAssembly.
const DEPENDENT: &[(&str, u32, bool)] = &[
    ("order_of_globals", 10, false),
    ("order_of_constants", 16, false),
    ("order_of_locals", 23, false),
    ("difference_of_locals", 30, true),
    ("difference_of_constants", 36, true),
    ("alignment", 43, true),
    ("alignment_of_constant", 49, true),
    ("order_on_heap", 56, false),
    ("freed", 69, true),
    ("returned", 83, true),
    ("past_the_end", 89, true),
    ("past_the_end_of_local", 97, true),
    ("parts_of_strings", 104, true),
    ("through_memory", 115, false),
    ("through_a_call", 126, false),
    ("as_a_number", 137, false),
    ("byte_by_byte", 153, true),
    ("copied_and_read", 161, true),
    ("through_a_union", 230, true),
    ("through_a_union_in_memory", 241, true),
    ("in_an_initial_value", 256, true),
    ("at_an_unknown_place", 269, true),
    ("address_of_a_function", 275, true),
    ("order_of_functions", 282, true),
    ("bytes_of_function_pointers", 289, true),
];

/// Functions that look at addresses and cannot tell where anything is.
const INDEPENDENT: &[&str] = &[
    "in_one_array",
    "cursor",
    "different_objects",
    "kept_in_memory",
    "null",
    "numbers_in_a_union",
    "row_by_row",
];

#[test]
fn what_depends_on_addresses_is_bounded_by_them() {
    let found =
        symcrete("gen --no-out --json --no-native --time 20 --jobs 2 own_addresses.c").json();
    for (name, line, side) in DEPENDENT {
        let function = function(&found, name);
        assert_eq!(function["branches"]["infeasible"], 0, "{function}");
        let sides = function["within_bounds"].as_array().expect("a list");
        let is_it = |found: &&Json| {
            let branch = found["branch"].as_str().unwrap_or_default();
            branch.starts_with(&format!("own_addresses.c:{line}:"))
                && branch.ends_with(&format!("is {side}"))
        };
        let side = sides.iter().find(is_it).unwrap_or_else(|| panic!("{name}: {function}"));
        let bounds = side["bounds"].as_array().expect("a list");
        assert!(bounds.contains(&Json::from("these addresses")), "{name}: {side}");
    }
    for name in INDEPENDENT {
        let function = function(&found, name);
        assert_ne!(function["branches"]["infeasible"], 0, "{function}");
        assert!(!function.to_string().contains("these addresses"), "{function}");
    }
}

#[test]
fn backward_execution_says_so_too() {
    let mut n_unreachable = 0;
    for (name, line, side) in DEPENDENT {
        let done = symcrete(&format!("reach --json own_addresses.c:{line}:{side} own_addresses.c"));
        let target = &done.json()["targets"][0];
        if target["outcome"] == "unreachable" {
            let bounds = target["bounds"].as_array().expect("a list");
            assert!(bounds.contains(&Json::from("these addresses")), "{name}: {target}");
            n_unreachable += 1;
        }
    }
    assert!(n_unreachable > 8, "{n_unreachable}");
}
