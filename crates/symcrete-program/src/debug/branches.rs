//! Finds out for every site which condition of the source it decides.
//!
//! The compiler wrote that into the module ([`crate::conditions`]). A site that it does not list is a check that was
//! asked for, or the compiler's own. In a module of another origin the machine's words are all there is.

use super::condition_text::Worded;
use super::lines::Lines;
use super::sites::{Function, LabelId, Site, SiteKind, StackValueId, What};
use crate::frontend::{CheckName, Language};
use crate::module::{Constant, Kind, Module, Operator};
use crate::program::{Branch, BranchKind, Position};
use crate::site::SiteId;
use std::collections::BTreeMap;

/// What is needed to place the sites of a function.
pub(super) struct Placing<'a, 'b> {
    pub(super) language: Language,
    pub(super) module: &'b Module<'a>,
    pub(super) lines: &'b Lines,
    /// What sites decide and whether they are negated, by offset; `None` if the module does not say it.
    pub(super) conditions: Option<&'b BTreeMap<u32, (Worded, bool)>>,
    /// Index of the function that failing checks call.
    pub(super) check: Option<u32>,
}

/// A branch whose unit is not known yet.
pub(super) type Placed = BTreeMap<SiteId, Branch>;

/// A function while its sites are placed.
struct Scope<'a, 'b> {
    function: &'b Function<'a>,
    placing: &'b Placing<'a, 'b>,
    /// Where sites go that have no place of their own.
    fallback: Position,
}

impl Placing<'_, '_> {
    /// Places the sites of a function.
    pub(super) fn function(&self, index: u32, fallback: Position) -> Placed {
        let mut placed = Placed::new();
        let function = Function::scan(self.module, index);
        let scope = Scope { function: &function, placing: self, fallback };
        for site in &function.sites {
            let own = scope.condition(site).or_else(|| scope.check(site));
            match own {
                Some(branch) => {
                    placed.insert(SiteId::at(site.offset), branch);
                }
                None if self.conditions.is_some() => placed.extend(scope.compilers_own(site)),
                None => placed.extend(scope.plain(site)),
            }
        }
        placed
    }

    fn worded(&self, offset: u32) -> Option<&(Worded, bool)> {
        self.conditions?.get(&offset)
    }
}

impl Scope<'_, '_> {
    /// The place of an offset.
    fn position(&self, offset: u32) -> Option<Position> {
        let address = u64::from(offset.checked_sub(self.placing.module.code_start)?);
        // Without a column it is only the start of the function.
        self.placing.lines.at(address).filter(|position| position.column > 0)
    }

    /// A condition of the source.
    fn condition(&self, site: &Site) -> Option<Branch> {
        let (worded, is_negated) = self.placing.worded(site.offset)?.clone();
        let Worded { kind, position, end, text } = worded;
        let text = if text.is_empty() { self.operator_text(site) } else { text };
        Some(Branch { unit: 0, position, end, text, kind, is_negated })
    }

    /// A check that was asked for: one side of the branch reports it.
    fn check(&self, site: &Site) -> Option<Branch> {
        let SiteKind::Branch { taken, otherwise } = site.kind else { return None };
        let reports = |label: LabelId| {
            let mut i = self.function.start(label);
            let mut number = None;
            for _ in 0..8 {
                let operator = &self.function.steps.get(i)?.operator;
                if let Operator::Plain(Kind::Call(function)) = operator {
                    let is_report = Some(*function) == self.placing.check;
                    return number.filter(|_| is_report);
                } else if let Operator::Plain(Kind::Const(Constant::I32(value))) = operator {
                    number = Some(*value);
                } else if !matches!(operator, Operator::Block(_) | Operator::End | Operator::Br(_))
                {
                    return None;
                }
                i = self.function.next(i);
            }
            None
        };
        let (number, is_negated) = match (reports(taken), reports(otherwise)) {
            (Some(number), _) => (number, false),
            (None, Some(number)) => (number, true),
            (None, None) => return None,
        };
        let CheckName { name, fault } = self.placing.language.check(number);
        let kind = BranchKind::Check(name);
        Some(Branch { kind, text: fault.to_owned(), is_negated, ..self.hidden(site) })
    }

    /// A branch that the source does not show.
    fn hidden(&self, site: &Site) -> Branch {
        let position = self.position(site.offset).unwrap_or(self.fallback);
        Branch {
            unit: 0,
            position,
            end: position,
            text: self.operator_text(site),
            kind: BranchKind::Hidden,
            is_negated: false,
        }
    }

    /// What the compiler added: guards of conversions, merged values, and the ways to the labels of a `switch`.
    fn compilers_own(&self, site: &Site) -> Placed {
        let hidden = self.hidden(site);
        let way_to = |label: Option<&Worded>, is_negated: bool| match label {
            Some(Worded { position, end, text, .. }) => Branch {
                position: *position,
                end: *end,
                text: text.clone(),
                is_negated,
                ..hidden.clone()
            },
            None => hidden.clone(),
        };
        match &site.kind {
            SiteKind::Table { targets, .. } => {
                let case = |(case, &target): (u16, &LabelId)| {
                    let id = SiteId { offset: site.offset, case };
                    (id, way_to(self.label_at(target), false))
                };
                (0..).zip(targets).map(case).collect()
            }
            SiteKind::Branch { taken, otherwise } => {
                let label = self.label_at(*taken);
                let branch = match label {
                    Some(_) => way_to(label, false),
                    None => way_to(self.label_at(*otherwise), true),
                };
                [(SiteId::at(site.offset), branch)].into()
            }
            SiteKind::Select => [(SiteId::at(site.offset), hidden)].into(),
        }
    }

    /// The label of a `switch` whose mark comes next.
    fn label_at(&self, label: LabelId) -> Option<&Worded> {
        /// Values that merge at the label may be set before.
        const OPERATORS_MAX: usize = 32;
        let mut i = self.function.start(label);
        for _ in 0..OPERATORS_MAX {
            let step = self.function.steps.get(i)?;
            if let Operator::If(_) = step.operator {
                let (worded, _) = self.placing.worded(step.range.start)?;
                return Some(worded).filter(|worded| worded.kind == BranchKind::Case);
            }
            let does_nothing = matches!(
                step.operator,
                Operator::Block(_)
                    | Operator::Loop(_)
                    | Operator::End
                    | Operator::Br(_)
                    | Operator::Nop
                    | Operator::Plain(Kind::Const(Constant::I32(_) | Constant::I64(_)))
                    | Operator::LocalGet(_)
                    | Operator::LocalSet(_)
            );
            does_nothing.then_some(())?;
            i = self.function.next(i);
        }
        None
    }

    /// The site of a module that says nothing of its source.
    fn plain(&self, site: &Site) -> Placed {
        let branch = Branch { kind: BranchKind::Condition, ..self.hidden(site) };
        let SiteKind::Table { cases, .. } = &site.kind else {
            return [(SiteId::at(site.offset), branch)].into();
        };
        let (default, listed) = cases.case_of_index.split_last().expect("there is a default");
        let text = |case: u16| {
            let indices = (0..).zip(listed).filter(|(_, of_index)| **of_index == case);
            let mut texts: Vec<String> =
                indices.map(|(i, _): (u32, _)| format!("case {i}")).collect();
            texts.extend((case == *default).then(|| "default".to_owned()));
            texts.join(", ")
        };
        let case = |case: u16| {
            let id = SiteId { offset: site.offset, case };
            (id, Branch { kind: BranchKind::Case, text: text(case), ..branch.clone() })
        };
        (0..cases.depths.len() as u16).map(case).collect()
    }

    /// How the machine calls what a site decides on.
    fn operator_text(&self, site: &Site) -> String {
        let offset = self.function.nodes[self.root(site.condition)].offset;
        let steps = &self.function.steps;
        let at = steps.binary_search_by_key(&offset, |step| step.range.start);
        at.map_or(String::new(), |at| operator_name(&steps[at].raw))
    }

    /// Takes `eqz` and masks off a condition: what it tests for being nonzero.
    fn root(&self, condition: StackValueId) -> StackValueId {
        let mut node = condition;
        loop {
            let what = &self.function.nodes[node];
            node = match (what.what, &what.args[..]) {
                (What::Zero | What::Wrap, &[of]) => of,
                (What::And, &[of, mask]) if self.function.nodes[mask].what == What::One => of,
                _ => return node,
            }
        }
    }
}

/// `i32.lt_s` from `I32LtS`.
fn operator_name(operator: &wasmparser::Operator<'_>) -> String {
    let debug = format!("{operator:?}");
    let variant = debug.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    let mut name = String::new();
    let mut n_words = 0;
    for c in variant.chars() {
        if c.is_ascii_uppercase() {
            n_words += 1;
            name.push_str(["", "", "."].get(n_words).unwrap_or(&"_"));
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}
