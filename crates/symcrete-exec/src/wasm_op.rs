//! The numeric operators of WebAssembly, as the reader of modules names them. What they mean as terms is in `lower.rs`.

pub(crate) use symcrete_program::module::{Num, ValueType, WasmOp};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_corner_test_lists_every_operator() {
        let listed = include_str!("../tests/exactness/numeric_operators.txt");
        let mut lines = listed.lines();
        for op in WasmOp::ALL {
            let types = |nums: &[Num]| {
                nums.iter().map(|num| format!("{num:?}").to_lowercase()).collect::<Vec<_>>()
            };
            let (_, line) = lines.next().unwrap().split_once(' ').unwrap();
            let params = types(op.params()).join(" ");
            assert_eq!(line, format!("{params} => {}", types(&[op.result()])[0]), "{op:?}");
        }
        assert_eq!(lines.next(), None);
    }
}
