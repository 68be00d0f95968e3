//! What is known of a module before it is rewritten: its sites, what loops and calls cost, which
//! functions can bring symbolic values into a run, and which can call themselves.

use crate::module::Module;
use std::collections::BTreeMap;
use symcrete_program::SiteId;
use wasmparser::{BinaryReaderError, BrTable, Operator};

/// Inclusive ranges of indices that lead to one target of a `br_table`.
pub(crate) type Ranges = Vec<(u32, u32)>;

/// The targets of a `br_table`.
#[derive(Clone, Debug)]
pub(crate) struct Switch {
    /// Position in [`Sites::ids`] of its first case.
    pub(crate) first_site: usize,
    /// Distinct label depths in order of first appearance; the default is among them.
    pub(crate) depths: Vec<u32>,
    /// Which of them each index takes; the last entry is the default's.
    pub(crate) case_of_index: Vec<u16>,
    /// For each of them, the indices that take it.
    pub(crate) ranges: Vec<Ranges>,
}

/// Every site of a module.
#[derive(Clone, Default, Debug)]
pub(crate) struct Sites {
    /// In order of offset; a site's position is its number in the coverage map.
    pub(crate) ids: Vec<SiteId>,
    /// Number of the (first) site of an operator.
    pub(crate) number: BTreeMap<u32, usize>,
    pub(crate) switches: BTreeMap<u32, Switch>,
}

/// What is known of one function.
#[derive(Clone, Default, Debug)]
pub(crate) struct FunctionFacts {
    /// Sites outside loops, plus one: charged at entry.
    pub(crate) entry_cost: u32,
    /// By the loop's offset: its sites outside inner loops, plus one: charged at each pass.
    pub(crate) loop_costs: BTreeMap<u32, u32>,
    calls: Vec<u32>,
    calls_indirect: bool,
    /// Whether its execution can make values symbolic: never run as a clean clone.
    pub(crate) introduces: bool,
    /// Whether it can call itself.
    pub(crate) recursive: bool,
}

/// What is known of a module.
#[derive(Clone, Default, Debug)]
pub(crate) struct Facts {
    pub(crate) sites: Sites,
    /// One per function, imported ones first.
    pub(crate) functions: Vec<FunctionFacts>,
}

impl Facts {
    /// Looks at every function. `introduces` says which imported functions make values symbolic.
    pub(crate) fn of(
        module: &Module<'_>,
        introduces: impl Fn(u32) -> bool,
    ) -> Result<Facts, BinaryReaderError> {
        let mut facts = Facts::default();
        for import in 0..module.imported_functions.len() as u32 {
            let introduces = introduces(import);
            facts.functions.push(FunctionFacts { introduces, ..FunctionFacts::default() });
        }
        for (_, body) in module.defined() {
            let function = facts.scan(body)?;
            facts.functions.push(function);
        }
        facts.spread_introduction();
        facts.find_recursion();
        Ok(facts)
    }

    fn scan(
        &mut self,
        body: &wasmparser::FunctionBody<'_>,
    ) -> Result<FunctionFacts, BinaryReaderError> {
        let mut facts = FunctionFacts { entry_cost: 1, ..FunctionFacts::default() };
        // For each open block the loop it is in, if any.
        let mut loops: Vec<Option<u32>> = vec![None];
        for operator in body.get_operators_reader()?.into_iter_with_offsets() {
            let (operator, offset) = operator?;
            let offset = offset as u32;
            let inside = *loops.last().unwrap_or(&None);
            let n_sites = self.sites.add(&operator, offset)?;
            match inside {
                Some(header) => *facts.loop_costs.entry(header).or_insert(1) += n_sites,
                None => facts.entry_cost += n_sites,
            }
            #[expect(clippy::wildcard_enum_match_arm, reason = "the rest has no structure")]
            match operator {
                Operator::Block { .. } | Operator::If { .. } => loops.push(inside),
                Operator::Loop { .. } => {
                    facts.loop_costs.entry(offset).or_insert(1);
                    loops.push(Some(offset));
                }
                Operator::End => {
                    loops.pop();
                }
                Operator::Call { function_index } => facts.calls.push(function_index),
                Operator::CallIndirect { .. } => facts.calls_indirect = true,
                _ => {}
            }
        }
        Ok(facts)
    }

    /// A caller of what introduces symbolic values introduces them too. Any function may be behind an
    /// indirect call, so one that introduces makes all indirect callers do so.
    fn spread_introduction(&mut self) {
        loop {
            let any = self.functions.iter().any(|function| function.introduces);
            let found: Vec<usize> = (0..self.functions.len())
                .filter(|&i| {
                    let function = &self.functions[i];
                    let callee = |&callee: &u32| self.functions[callee as usize].introduces;
                    !function.introduces
                        && (function.calls.iter().any(callee) || (any && function.calls_indirect))
                })
                .collect();
            if found.is_empty() {
                return;
            }
            found.into_iter().for_each(|i| self.functions[i].introduces = true);
        }
    }

    /// A function is recursive if it is on a cycle of the call graph. Functions are peeled off from
    /// the leaves; what remains calls a cycle or is on one. An indirect call may call anything.
    fn find_recursion(&mut self) {
        let n = self.functions.len();
        let mut callers: Vec<Vec<usize>> = vec![Vec::new(); n];
        let mut open: Vec<usize> = vec![0; n];
        for (i, function) in self.functions.iter().enumerate() {
            open[i] = function.calls.len() + usize::from(function.calls_indirect);
            for &callee in &function.calls {
                callers[callee as usize].push(i);
            }
        }
        let mut leaves: Vec<usize> = (0..n).filter(|&i| open[i] == 0).collect();
        while let Some(leaf) = leaves.pop() {
            for &caller in &callers[leaf] {
                open[caller] -= 1;
                if open[caller] == 0 {
                    leaves.push(caller);
                }
            }
        }
        for (function, open) in self.functions.iter_mut().zip(open) {
            function.recursive = open > 0;
        }
    }
}

impl Sites {
    /// Adds the sites of an operator; returns how many.
    #[expect(clippy::wildcard_enum_match_arm, reason = "only these choose")]
    fn add(&mut self, operator: &Operator<'_>, offset: u32) -> Result<u32, BinaryReaderError> {
        match operator {
            Operator::If { .. }
            | Operator::BrIf { .. }
            | Operator::Select
            | Operator::TypedSelect { .. } => {
                self.number.insert(offset, self.ids.len());
                self.ids.push(SiteId::at(offset));
                Ok(1)
            }
            Operator::BrTable { targets } => {
                let switch = Switch::of(targets, self.ids.len())?;
                self.number.insert(offset, self.ids.len());
                let cases = 0..switch.depths.len() as u16;
                self.ids.extend(cases.map(|case| SiteId { offset, case }));
                self.switches.insert(offset, switch);
                Ok(1)
            }
            _ => Ok(0),
        }
    }
}

impl Switch {
    fn of(targets: &BrTable<'_>, first_site: usize) -> Result<Switch, BinaryReaderError> {
        let mut switch =
            Switch { first_site, depths: vec![], case_of_index: vec![], ranges: vec![] };
        for depth in targets.targets() {
            switch.add(depth?);
        }
        switch.add(targets.default());
        // The default also takes every index beyond the table.
        let default = switch.case_of_index[switch.case_of_index.len() - 1];
        if let Some(last) = switch.ranges[usize::from(default)].last_mut() {
            last.1 = u32::MAX;
        }
        Ok(switch)
    }

    fn add(&mut self, depth: u32) {
        let index = self.case_of_index.len() as u32;
        let case = self.depths.iter().position(|&known| known == depth).unwrap_or_else(|| {
            self.depths.push(depth);
            self.ranges.push(Vec::new());
            self.depths.len() - 1
        });
        self.case_of_index.push(case as u16);
        match self.ranges[case].last_mut() {
            Some((_, high)) if *high + 1 == index => *high = index,
            _ => self.ranges[case].push((index, index)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    fn facts(wat: &str) -> Facts {
        let wasm = wat::parse_str(wat).unwrap();
        let module = Module::parse(&wasm, &Limits::STANDARD).unwrap();
        Facts::of(&module, |_| true).unwrap()
    }

    #[test]
    fn what_calls_an_introducing_import_introduces() {
        let facts = facts(
            "(module (import \"m\" \"f\" (func))
               (func $a call 0) (func $b call $a) (func $c call $d) (func $d))",
        );
        let introduces: Vec<bool> = facts.functions.iter().map(|f| f.introduces).collect();
        assert_eq!(introduces, [true, true, true, false, false]);
    }

    #[test]
    fn recursion_is_a_cycle_or_an_indirect_call() {
        let facts = facts(
            "(module (func $a call $b) (func $b call $a) (func $c call $d) (func $d)
               (table 1 funcref) (func $e i32.const 0 call_indirect))",
        );
        let recursive: Vec<bool> = facts.functions.iter().map(|f| f.recursive).collect();
        assert_eq!(recursive, [true, true, false, false, true]);
    }

    #[test]
    fn a_switch_has_one_site_per_distinct_target() {
        let facts = facts(
            "(module (func (param i32)
               block block block local.get 0 br_table 0 1 0 2 2 end end end))",
        );
        let switch = facts.sites.switches.values().next().unwrap();
        assert_eq!(switch.depths, [0, 1, 2]);
        assert_eq!(switch.case_of_index, [0, 1, 0, 2, 2]);
        assert_eq!(switch.ranges, [vec![(0, 0), (2, 2)], vec![(1, 1)], vec![(3, u32::MAX)]]);
        assert_eq!(facts.sites.ids.len(), 3);
    }

    #[test]
    fn sites_are_charged_to_the_innermost_loop() {
        let facts = facts(
            "(module (func (param i32)
               loop local.get 0 br_if 0 loop local.get 0 br_if 0 local.get 0 br_if 1 end end
               local.get 0 if end))",
        );
        let function = &facts.functions[0];
        assert_eq!(function.entry_cost, 2);
        assert_eq!(function.loop_costs.values().copied().collect::<Vec<_>>(), [2, 3]);
    }
}
