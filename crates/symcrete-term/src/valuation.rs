//! An assignment of values to variables.

use crate::arena::VarId;
use crate::value::Value;
use std::collections::BTreeMap;

/// Values of variables. A variable that is absent is zero.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Valuation {
    values: BTreeMap<VarId, Value>,
}

impl Valuation {
    /// All zero.
    pub fn new() -> Valuation {
        Valuation::default()
    }

    /// The value of a variable, unless it is absent.
    pub fn get(&self, var: VarId) -> Option<Value> {
        self.values.get(&var).copied()
    }

    /// Sets a variable.
    pub fn set(&mut self, var: VarId, value: Value) {
        self.values.insert(var, value);
    }

    /// The variables that are present, by id.
    pub fn iter(&self) -> impl Iterator<Item = (VarId, Value)> {
        self.values.iter().map(|(&var, &value)| (var, value))
    }

    /// How many variables are present.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether no variable is present.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl FromIterator<(VarId, Value)> for Valuation {
    fn from_iter<I: IntoIterator<Item = (VarId, Value)>>(values: I) -> Valuation {
        Valuation { values: values.into_iter().collect() }
    }
}

impl Extend<(VarId, Value)> for Valuation {
    fn extend<I: IntoIterator<Item = (VarId, Value)>>(&mut self, values: I) {
        self.values.extend(values);
    }
}
