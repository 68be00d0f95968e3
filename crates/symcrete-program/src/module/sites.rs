//! The sites of a module and the cases of its switches: one numbering for everyone who speaks of branches.
//!
//! `if`, `br_if`, `select` and `br_table` are sites. A `br_table` has one case per distinct label, in order of first
//! appearance; each is a site of its own, told apart by [`SiteId::case`].
//!
//! **Invariant:** code that cannot be reached is numbered too, so that nobody has to know what can.

use super::{Kind, Module, Operator};
use crate::site::SiteId;
use std::collections::BTreeMap;
use std::ops::Range;
use wasmparser::{BinaryReaderError, BrTable};

/// Inclusive ranges of indices that lead to one label of a `br_table`.
pub type Ranges = Vec<(u32, u32)>;

/// The labels of a `br_table`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Cases {
    /// Distinct label depths in order of first appearance; the default is among them.
    pub depths: Vec<u32>,
    /// Which of them each index takes; the last entry is the default's, which all indices beyond take too.
    pub case_of_index: Vec<u16>,
}

impl Cases {
    pub(super) fn of(targets: &BrTable<'_>) -> Result<Cases, BinaryReaderError> {
        let mut cases = Cases::default();
        let mut case_of_depth: BTreeMap<u32, u16> = BTreeMap::new();
        for depth in targets.targets().chain([Ok(targets.default())]) {
            let depth = depth?;
            let next = cases.depths.len() as u16;
            let case = *case_of_depth.entry(depth).or_insert(next);
            if case == next {
                cases.depths.push(depth);
            }
            cases.case_of_index.push(case);
        }
        Ok(cases)
    }

    /// The case of the default label.
    pub fn default_case(&self) -> u16 {
        *self.case_of_index.last().expect("a br_table has a default")
    }

    /// For each case, the indices that take it.
    pub fn ranges(&self) -> Vec<Ranges> {
        let mut ranges: Vec<Ranges> = vec![Vec::new(); self.depths.len()];
        for (index, &case) in (0..).zip(&self.case_of_index) {
            match ranges[usize::from(case)].last_mut() {
                Some((_, high)) if *high + 1 == index => *high = index,
                Some(_) | None => ranges[usize::from(case)].push((index, index)),
            }
        }
        if let Some(last) = ranges[usize::from(self.default_case())].last_mut() {
            last.1 = u32::MAX;
        }
        ranges
    }
}

/// A `br_table` among the sites of a module.
#[derive(Clone, Debug)]
pub struct Switch {
    /// Position in [`Sites::ids`] of its first case.
    pub first_site: usize,
    /// Its labels.
    pub cases: Cases,
    /// For each case, the indices that take it.
    pub ranges: Vec<Ranges>,
}

/// Every site of a module.
#[derive(Clone, Default, Debug)]
pub struct Sites {
    /// In order of offset; a site's position is its number.
    pub ids: Vec<SiteId>,
    /// Number of the (first) site of an operator, by offset.
    pub number: BTreeMap<u32, usize>,
    /// Switches by offset.
    pub switches: BTreeMap<u32, Switch>,
}

impl Sites {
    /// Finds the sites of a module.
    pub fn of(module: &Module<'_>) -> Sites {
        let mut sites = Sites::default();
        for (function, _) in module.defined() {
            for step in module.operators(function) {
                if step.operator.is_site() {
                    sites.add(step.range.start, &step.operator);
                }
            }
        }
        sites
    }

    fn add(&mut self, offset: u32, operator: &Operator) {
        let first_site = self.ids.len();
        self.number.insert(offset, first_site);
        if let Operator::BrTable(cases) = operator {
            let n = cases.depths.len() as u16;
            self.ids.extend((0..n).map(|case| SiteId { offset, case }));
            let switch = Switch { first_site, ranges: cases.ranges(), cases: cases.clone() };
            self.switches.insert(offset, switch);
        } else {
            self.ids.push(SiteId::at(offset));
        }
    }

    /// The sites at the offsets of a function's body.
    pub fn of_body(&self, body: Range<u32>) -> impl Iterator<Item = (u32, usize)> {
        self.number.range(body).map(|(&offset, &number)| (offset, number))
    }
}

impl Operator {
    /// Whether control or a value depends on its operand.
    pub fn is_site(&self) -> bool {
        matches!(
            self,
            Operator::If(_)
                | Operator::BrIf(_)
                | Operator::BrTable(_)
                | Operator::Plain(Kind::Select)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_switch_has_one_site_per_distinct_target() {
        let wasm = wat::parse_str(
            "(module (func (param i32)
               block block block local.get 0 br_table 0 1 0 2 2 end end end))",
        )
        .unwrap();
        let sites = Sites::of(&Module::parse(&wasm).unwrap());
        let switch = sites.switches.values().next().unwrap();
        assert_eq!(switch.cases.depths, [0, 1, 2]);
        assert_eq!(switch.cases.case_of_index, [0, 1, 0, 2, 2]);
        assert_eq!(switch.ranges, [vec![(0, 0), (2, 2)], vec![(1, 1)], vec![(3, u32::MAX)]]);
        assert_eq!(sites.ids.len(), 3);
    }
}
