//! Between inputs of programs and valuations of terms: both are values by name.

use symcrete_program::Input;
use symcrete_term::{Terms, Valuation, VarId};

/// An input as a valuation of the variables that terms know.
pub(crate) fn valuation(terms: &Terms, input: &Input) -> Valuation {
    let known = input.values.iter().filter_map(|(name, &value)| {
        let var = terms.find_var(name)?;
        (terms.var_sort(var) == value.sort()).then_some((var, value))
    });
    known.collect()
}

/// An input changed by a model of a query; variables that the model does not mention stay.
pub(crate) fn input(terms: &Terms, model: &Valuation, base: &Input) -> Input {
    let mut input = base.clone();
    let set = |(var, value): (VarId, _)| input.set(terms.var_name(var), value);
    model.iter().for_each(set);
    input
}
