//! What a program is given, cell by cell.

use std::collections::BTreeMap;
use symcrete_term::Value;

/// Values of input cells by name: `n`, `p->x`, `a[3]`, `read()#1`. A cell that is not mentioned has the
/// default of its place, which is zero for most.
///
/// The names are those of the variables in path conditions, so a model of a query is the better part of an
/// input already.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Input {
    /// By name.
    pub values: BTreeMap<String, Value>,
}

impl Input {
    /// The value of a cell.
    pub fn get(&self, name: &str) -> Option<Value> {
        self.values.get(name).copied()
    }

    /// Gives a cell a value.
    pub fn set(&mut self, name: impl Into<String>, value: Value) {
        self.values.insert(name.into(), value);
    }
}

impl FromIterator<(String, Value)> for Input {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(values: I) -> Input {
        Input { values: values.into_iter().collect() }
    }
}
