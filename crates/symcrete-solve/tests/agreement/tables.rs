//! Table lookups against solvers: every index of small tables, inside and beyond.

use crate::prove::{Claim, prove};
use crate::support::toolbox;
use symcrete_term::{Sort, Terms, Valuation, Value};

#[test]
fn lookups_agree() {
    let mut terms = Terms::new();
    let mut claims = Vec::new();
    for (width, n) in [(1u8, 1u64), (1, 2), (1, 3), (3, 5), (4, 16), (8, 200), (64, 3)] {
        let values: Vec<Value> = (0..n).map(|i| Value::bv(8, i * 37 + 1)).collect();
        let table = terms.table(&values);
        let index = terms.var(&format!("i{width}"), Sort::Bv(width));
        let entry = terms.lookup(table, index);
        let var = terms.find_var(&format!("i{width}")).unwrap();
        for bits in (0..300).filter(|&bits| bits <= Sort::Bv(width).mask()) {
            let valuation = Valuation::from_iter([(var, Value::bv(width, bits))]);
            let value = terms.evaluate(entry, &valuation);
            // `i = bits implies entry = value`, as an equation of choices.
            let (at, value) = (terms.bv(width, bits), terms.constant(value));
            let here = terms.eq(index, at);
            let left = terms.ite(here, entry, value);
            claims.push(Claim { left, right: value, label: format!("table of {n} at {bits}") });
        }
    }
    for backend in toolbox().available() {
        prove(backend, &terms, &claims);
    }
}
