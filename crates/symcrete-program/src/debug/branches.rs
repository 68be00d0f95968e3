//! Says of every site which condition of the source it decides.
//!
//! The conditions come from the text ([`crate::source`]), the sites from the code; lines and columns bring them
//! together. Clang gives a comparison the place of its operator, and the branch on it the place of the `&&`, `||`,
//! keyword or expression that it serves. Where several conditions of one expression cannot be told apart by place,
//! the order of the sites is the order of evaluation.

use super::align::align;
use super::cases;
use super::lines::Lines;
use super::module::Module;
use super::sites::{Function, Node, NodeId, Site, SiteKind, What};
use crate::frontend::Check;
use crate::program::{Branch, BranchKind, FileId, Position, SourceFile};
use crate::site::SiteId;
use crate::source::{Leaf, Place, Source};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use wasmparser::Operator;

/// The sources that were read so far.
#[derive(Default)]
pub(super) struct Sources {
    by_file: BTreeMap<FileId, Option<Source>>,
}

impl Sources {
    fn get(&mut self, file: FileId, files: &[SourceFile]) -> Option<&Source> {
        let is_header = |path: &Path| path.extension().is_some_and(|extension| extension == "h");
        let read = || {
            let own = files.get(file.0 as usize)?;
            let headers =
                files.iter().filter(|other| other.path != own.path && is_header(&other.path));
            let headers = headers.filter_map(|header| header.text.as_deref());
            Some(Source::new(own.text.as_deref()?, headers))
        };
        self.by_file.entry(file).or_insert_with(read).as_ref()
    }
}

/// What is needed to place the sites of a function.
pub(super) struct Placing<'a, 'b> {
    pub(super) module: &'b Module<'a>,
    pub(super) lines: &'b Lines,
    pub(super) constants: &'b BTreeMap<String, i64>,
    pub(super) files: &'b [SourceFile],
    /// Index of the function that failing checks call.
    pub(super) check: Option<u32>,
}

/// A branch whose unit is not known yet.
pub(super) type Placed = BTreeMap<SiteId, Branch>;

/// A function while its sites are placed.
pub(super) struct Scope<'a, 'b> {
    pub(super) function: &'b Function<'a>,
    pub(super) placing: &'b Placing<'a, 'b>,
    /// Where sites go that have no place of their own.
    pub(super) fallback: Position,
}

/// What is known of the place of a site.
pub(super) struct Evidence {
    /// The site's own place.
    pub(super) branch: Option<Position>,
    /// The place of the comparison it decides on, if that stands right before it.
    pub(super) root: Option<Position>,
    /// The same, if the comparison came through a local variable.
    pub(super) linked: Option<Position>,
    /// Places of everything that the comparison is computed from.
    pub(super) others: Vec<Position>,
}

impl<'a> Placing<'a, '_> {
    /// Places the sites of a function.
    pub(super) fn function(&self, sources: &mut Sources, index: u32, fallback: Position) -> Placed {
        let mut placed = Placed::new();
        let Some(function) = Function::scan(self.module, index) else { return placed };
        let scope = Scope { function: &function, placing: self, fallback };
        // Sites by file and group, in order of the code.
        let mut groups: BTreeMap<(FileId, usize), Vec<usize>> = BTreeMap::new();
        let mut evidence = Vec::new();
        for (i, site) in function.sites.iter().enumerate() {
            let seen = scope.evidence(site);
            let file = seen.branch.or(seen.root).map_or(fallback.file, |position| position.file);
            let source = sources.get(file, self.files);
            let branch = scope.check(site, &seen).or_else(|| scope.conversion(site, &seen));
            let cases = source.and_then(|source| cases::of(&scope, source, site, seen.branch));
            if let Some(branch) = branch {
                placed.insert(SiteId::at(site.offset), branch);
            } else if let Some(cases) = cases {
                placed.extend(cases);
            } else if !site.is_table()
                && let Some(group) = source.and_then(|source| scope.group(source, file, &seen))
            {
                groups.entry((file, group)).or_default().push(i);
            } else {
                placed.extend(scope.alone(source, site, &seen));
            }
            evidence.push(seen);
        }
        for ((file, group), sites) in groups {
            let Some(source) = sources.get(file, self.files) else { continue };
            let leaves = &source.leaves[source.groups[group].leaves.clone()];
            let chosen = align(&scope, source, file, leaves, &sites, &evidence);
            for (&i, leaf) in sites.iter().zip(chosen) {
                let site = &function.sites[i];
                match leaf {
                    Some(leaf) => {
                        let branch = scope.condition(source, file, site, &leaves[leaf]);
                        placed.insert(SiteId::at(site.offset), branch);
                    }
                    None => placed.extend(scope.alone(Some(source), site, &evidence[i])),
                }
            }
        }
        placed
    }
}

impl Scope<'_, '_> {
    pub(super) fn node(&self, node: NodeId) -> &Node {
        &self.function.nodes[node]
    }

    /// The place of an offset.
    pub(super) fn position(&self, offset: u32) -> Option<Position> {
        let address = u64::from(offset.checked_sub(self.placing.module.code_start)?);
        // Without a column it is only the start of the function.
        self.placing.lines.at(address).filter(|position| position.column > 0)
    }

    /// Takes `eqz` and masks off a condition: what it tests for being nonzero, whether the test is turned round,
    /// and whether it came through a local variable that `follow` lets pass.
    pub(super) fn strip(
        &self,
        condition: NodeId,
        follow: impl Fn(&Node) -> bool,
    ) -> (NodeId, bool, bool) {
        let (mut node, mut is_negated, mut is_linked) = (condition, false, false);
        loop {
            let Node { what, args, .. } = self.node(node);
            match (what, &args[..]) {
                (What::Zero, &[of]) => {
                    is_negated = !is_negated;
                    node = of;
                }
                (What::And, &[of, mask]) if self.node(mask).what == What::Constant(1) => node = of,
                (What::Wrap, &[of]) => node = of,
                (What::Local, &[of]) if follow(self.node(of)) => {
                    is_linked = true;
                    node = of;
                }
                _ => return (node, is_negated, is_linked),
            }
        }
    }

    fn evidence(&self, site: &Site) -> Evidence {
        let branch = self.position(site.offset);
        let (direct, _, _) = self.strip(site.condition, |_| false);
        let (linked, _, is_linked) = self.strip(site.condition, |_| true);
        let place = |node: NodeId| match self.node(node).what {
            What::Compare { .. } | What::Other | What::Add | What::And | What::Subtract => {
                self.position(self.node(node).offset)
            }
            What::Zero | What::Constant(_) | What::ShiftLeft | What::Wrap | What::Local => None,
        };
        let mut others = Vec::new();
        let mut open = self.node(direct).args.clone();
        while let Some(node) = open.pop().filter(|_| others.len() < 16) {
            others.extend(place(node));
            if self.node(node).what != What::Local {
                open.extend(&self.node(node).args);
            }
        }
        Evidence {
            branch,
            root: place(direct),
            linked: place(linked).filter(|_| is_linked),
            others,
        }
    }

    /// The group of conditions that a site belongs to.
    fn group(&self, source: &Source, file: FileId, seen: &Evidence) -> Option<usize> {
        let group = |position: Option<Position>| {
            let position = position.filter(|position| position.file == file)?;
            source.group_at((position.line, position.column))
        };
        let explains = |group: &usize| {
            let leaves = &source.leaves[source.groups[*group].leaves.clone()];
            let place = seen.branch.map(place_of);
            leaves.iter().any(|leaf| leaf.branch_places.iter().any(|at| Some(*at) == place))
        };
        let own = group(seen.branch);
        own.filter(explains)
            .or_else(|| group(seen.root))
            .or(own)
            .or_else(|| group(seen.linked))
            .or_else(|| seen.others.iter().find_map(|&other| group(Some(other))))
    }

    /// A check that was asked for: one side of the branch reports it.
    fn check(&self, site: &Site, seen: &Evidence) -> Option<Branch> {
        let SiteKind::Branch { taken, otherwise } = site.kind else { return None };
        let reports = |start: usize| {
            let mut i = start;
            let mut number = None;
            for _ in 0..8 {
                #[expect(clippy::wildcard_enum_match_arm, reason = "anything else is no report")]
                match self.function.operators.get(i)?.0 {
                    Operator::I32Const { value } => number = Some(value),
                    Operator::Block { .. } | Operator::End | Operator::Br { .. } => {}
                    Operator::Call { function_index } => {
                        let is_report = Some(function_index) == self.placing.check;
                        return number.filter(|_| is_report);
                    }
                    _ => return None,
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
        let check = Check::of_kind(number as u32);
        let kind = BranchKind::Check(check.map_or("other", Check::name));
        let text = check.map_or("a failed check", Check::fault).to_owned();
        Some(Branch { kind, text, is_negated, ..self.hidden(site, seen) })
    }

    /// The test that the compiler puts before a conversion from floating point.
    fn conversion(&self, site: &Site, seen: &Evidence) -> Option<Branch> {
        let SiteKind::Branch { taken, otherwise } = site.kind else { return None };
        let operator = |i: usize| self.function.operators.get(i).map(|(operator, _)| operator);
        let converts = |start: usize| {
            matches!(operator(start), Some(Operator::LocalGet { .. }))
                && matches!(
                    operator(start + 1),
                    Some(
                        Operator::I32TruncF32S
                            | Operator::I32TruncF32U
                            | Operator::I32TruncF64S
                            | Operator::I32TruncF64U
                            | Operator::I64TruncF32S
                            | Operator::I64TruncF32U
                            | Operator::I64TruncF64S
                            | Operator::I64TruncF64U,
                    )
                )
        };
        (converts(taken) || converts(otherwise)).then(|| self.hidden(site, seen))
    }

    /// A branch that the source does not show.
    fn hidden(&self, site: &Site, seen: &Evidence) -> Branch {
        let position = seen.branch.or(seen.root).unwrap_or(self.fallback);
        Branch {
            unit: 0,
            position,
            end: position,
            text: self.operator_text(site),
            kind: BranchKind::Hidden,
            is_negated: false,
        }
    }

    /// Sites that belong to no condition of the text: a macro whose definition is elsewhere, or the compiler's own.
    fn alone(&self, source: Option<&Source>, site: &Site, seen: &Evidence) -> Placed {
        let mut branch = self.hidden(site, seen);
        // The compiler's own tables lead out of loops; they have the place of what happens to stand before.
        let call = source.filter(|_| !site.is_table()).and_then(|source| {
            let place = place_of(seen.branch?);
            source.call_at(place)
        });
        if let Some((text, (line, column))) = call {
            branch.end = Position { line, column, ..branch.position };
            branch.kind = BranchKind::Condition;
            branch.text = text;
            branch.is_negated = self.is_fatal_if_taken(site);
        }
        // Without debug information the machine's words are all there is.
        let is_plain = self.placing.lines.is_empty();
        if is_plain {
            branch.kind = BranchKind::Condition;
        }
        let SiteKind::Table { targets, default } = &site.kind else {
            return [(SiteId::at(site.offset), branch)].into();
        };
        let case = |(case, (_, indices)): (usize, &(usize, Vec<u32>))| {
            let mut branch = branch.clone();
            if is_plain {
                let mut texts: Vec<String> = indices.iter().map(|i| format!("case {i}")).collect();
                texts.extend((case == *default).then(|| "default".to_owned()));
                branch.text = texts.join(", ");
                branch.kind = BranchKind::Case;
            }
            (SiteId { offset: site.offset, case: case as u16 }, branch)
        };
        targets.iter().enumerate().map(case).collect()
    }

    /// Whether the run ends on the taken side and not on the other, as where an assertion fails.
    fn is_fatal_if_taken(&self, site: &Site) -> bool {
        /// Operators that a report of a failure may need.
        const OPERATORS_MAX: usize = 24;
        let SiteKind::Branch { taken, otherwise } = site.kind else { return false };
        let ends = |start: usize| {
            let mut i = start;
            for _ in 0..OPERATORS_MAX {
                match self.function.operators.get(i).map(|(operator, _)| operator) {
                    Some(Operator::Unreachable) => return true,
                    None
                    | Some(
                        Operator::Return
                        | Operator::BrIf { .. }
                        | Operator::BrTable { .. }
                        | Operator::If { .. }
                        | Operator::Loop { .. },
                    ) => return false,
                    Some(_) => i = self.function.next(i),
                }
            }
            false
        };
        ends(taken) && !ends(otherwise)
    }

    /// How the machine calls what a site decides on.
    pub(super) fn operator_text(&self, site: &Site) -> String {
        let (root, _, _) = self.strip(site.condition, |_| false);
        let offset = self.node(root).offset;
        let operators = &self.function.operators;
        let at = operators.binary_search_by_key(&offset, |(_, offset)| *offset);
        at.map_or(String::new(), |at| operator_name(&operators[at].0))
    }

    fn condition(&self, source: &Source, file: FileId, site: &Site, leaf: &Leaf) -> Branch {
        let position = |(line, column): Place| Position { file, line, column };
        Branch {
            unit: 0,
            position: position(leaf.places.start),
            end: position(leaf.places.end),
            text: source.text_of(&leaf.tokens),
            kind: BranchKind::Condition,
            is_negated: super::polarity::is_negated(self, source, file, site, leaf),
        }
    }
}

/// Line and column.
pub(super) fn place_of(position: Position) -> Place {
    (position.line, position.column)
}

/// Whether a place is within some text.
pub(super) fn is_in(position: Option<Position>, file: FileId, places: &Range<Place>) -> bool {
    position.is_some_and(|position| position.file == file && places.contains(&place_of(position)))
}

/// `i32.lt_s` from `I32LtS`.
fn operator_name(operator: &Operator<'_>) -> String {
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
