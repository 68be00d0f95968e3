//! One run as people and programs see it.

use crate::{answers, data};
use serde_json::{Value as Json, json};
use symcrete_emit::json::json_of;
use symcrete_exec::{Constraint, Origin, Trace};
use symcrete_explore::Goals;
use symcrete_program::api;
use symcrete_program::{Branch, BranchKind, Datum, Input, Outcome, Program, Shape, SiteId, Unit};
use symcrete_term::{Node, TermId, Terms};

/// Longer path conditions are cut for people.
const SHOWN_MAX: usize = 100;

/// A run and what it was about.
pub(crate) struct ShownRun<'a> {
    pub(crate) program: &'a Program,
    pub(crate) unit: &'a Unit,
    pub(crate) shape: &'a Shape,
    pub(crate) input: &'a Input,
    pub(crate) trace: &'a Trace,
    pub(crate) terms: &'a Terms,
}

impl ShownRun<'_> {
    /// For people.
    pub(crate) fn text(&self) -> String {
        let args = self.arguments();
        let shown: Vec<String> =
            args.iter().map(|(name, datum)| format!("{name} = {}", data::text(datum))).collect();
        let mut lines = vec![format!("{}({})", self.unit.name, shown.join(", "))];
        for (name, datum) in answers::show_all(self.program, &self.trace.drawn) {
            lines.push(format!("  {name} = {}", data::text(&datum)));
        }
        lines.push(format!("  {}", self.outcome_text()));
        for place in self.uninitialized() {
            lines
                .push(format!("  warning: an uninitialised value decides what happens at {place}"));
        }
        lines.push(String::new());
        lines.push("path condition".to_string());
        let path = &self.trace.path.constraints;
        for constraint in path.iter().take(SHOWN_MAX) {
            // That no parameter points inside the array of another one is nothing to tell.
            if constraint.origin == Origin::ObjectGuard
                && constraint.site.offset == 0
                && !constraint.literal.expected
            {
                continue;
            }
            lines.push(format!("  {}", self.condition(constraint)));
        }
        match path.len() {
            0 => lines.push("  nothing depended on the input".to_string()),
            n if n > SHOWN_MAX => {
                lines.push(format!("  and {} more; --json has all", n - SHOWN_MAX));
            }
            _ => {}
        }
        let (covered, total) = self.coverage();
        lines.push(String::new());
        lines.push(format!("coverage: {covered} of {total} branch sides of {}", self.unit.name));
        lines.join("\n")
    }

    /// For programs; the schema is documented in `docs/json.md`.
    pub(crate) fn json(&self) -> String {
        let args: serde_json::Map<String, Json> =
            self.arguments().iter().map(|(name, datum)| (name.clone(), json_of(datum))).collect();
        let path: Vec<Json> = self
            .trace
            .path
            .constraints
            .iter()
            .map(|constraint| self.constraint(constraint))
            .collect();
        let drawn: Vec<Json> = self
            .trace
            .drawn
            .iter()
            .map(|drawn| {
                let value = json_of(&answers::show(self.program, drawn));
                json!({"name": drawn.name, "value": value})
            })
            .collect();
        let (covered, total) = self.coverage();
        json!({
            "function": self.unit.name,
            "input": args,
            "drawn": drawn,
            "outcome": self.outcome_json(),
            "path": path,
            "branches": {"total": total, "covered": covered},
            "covered": self.covered(),
            "uninitialized": self.uninitialized(),
        })
        .to_string()
    }

    fn arguments(&self) -> Vec<(String, Datum)> {
        self.shape.show(&self.program.types, self.input)
    }

    /// A constraint as a condition of the source: `geo.c:41: d*d < 4.0 → true`.
    fn condition(&self, constraint: &Constraint) -> String {
        let place = place(self.program, constraint.site);
        let truth = constraint.literal.expected;
        let branch = self.program.branches.get(&constraint.site);
        match constraint.origin {
            Origin::Branch | Origin::Select => match branch {
                Some(branch) => {
                    let holds = truth != branch.is_negated;
                    format!("{place}: {} → {holds}", self.branch_text(branch))
                }
                None => format!("{place}: a branch → {truth}"),
            },
            Origin::TrapGuard => match truth {
                true => format!("{place}: the operation is defined"),
                false => format!("{place}: the operation is not defined"),
            },
            Origin::ObjectGuard if constraint.site.offset == 0 => {
                let names = variables(self.terms, constraint.literal.term);
                let inside = names.iter().filter(|name| name.contains(" in "));
                format!("inputs: {}", inside.cloned().collect::<Vec<_>>().join(", "))
            }
            Origin::ObjectGuard => match truth {
                true => format!("{place}: the access stays in its object"),
                false => format!("{place}: the access leaves its object"),
            },
            Origin::Concretized => format!("{place}: an address is fixed at its value"),
            Origin::Range => {
                let names = variables(self.terms, constraint.literal.term);
                format!("--length: {} is within its range", names.join(", "))
            }
            Origin::Assumed => match truth {
                true => format!("{place}: an assumption holds"),
                false => format!("{place}: an assumption does not hold"),
            },
        }
    }

    /// What a branch decides; where the source has no words for it, the machine's.
    fn branch_text(&self, branch: &Branch) -> String {
        let is_named = branch.position.line == 0 || branch.position != branch.end;
        match branch.kind {
            BranchKind::Hidden if !is_named => format!("the compiler's own {}", branch.text),
            BranchKind::Hidden
            | BranchKind::Condition
            | BranchKind::Case
            | BranchKind::Check(_)
            | BranchKind::Target => branch.text.clone(),
        }
    }

    fn constraint(&self, constraint: &Constraint) -> Json {
        let branch = self.program.branches.get(&constraint.site);
        let position = branch
            .map(|branch| branch.position)
            .or_else(|| self.program.position(constraint.site.offset));
        // Modules without debug information have no lines.
        let known = position.filter(|position| position.line > 0);
        let origin = match constraint.origin {
            Origin::Branch => "branch",
            Origin::Select => "select",
            Origin::TrapGuard => "guard",
            Origin::ObjectGuard => "object",
            Origin::Concretized => "pin",
            Origin::Assumed => "assumption",
            Origin::Range => "range",
        };
        json!({
            "offset": constraint.site.offset,
            "file": position.map(|position| self.program.file(position.file).path.clone()),
            "line": known.map(|position| position.line),
            "column": known.map(|position| position.column),
            "condition": branch.map(|branch| branch.text.clone()),
            "holds": constraint.literal.expected != branch.is_some_and(|branch| branch.is_negated),
            "origin": origin,
        })
    }

    /// How the run ended, for people.
    fn outcome_text(&self) -> String {
        match &self.trace.outcome {
            Outcome::Returned(_) => match self.result() {
                Some(datum) if self.trace.unknown.result => {
                    format!("returned an uninitialised value, here {}", data::text(&datum))
                }
                Some(datum) => format!("returned {}", data::text(&datum)),
                None => "returned".to_string(),
            },
            Outcome::Trapped(trap) => match trap.site {
                Some(site) => format!("failed at {}: {}", place(self.program, site), trap.kind),
                None => format!("failed: {}", trap.kind),
            },
            Outcome::Rejected(site) => {
                format!("rejected by the assumption at {}", place(self.program, *site))
            }
            outcome @ (Outcome::Exhausted(_) | Outcome::Exited(_)) => outcome.to_string(),
        }
    }

    fn outcome_json(&self) -> Json {
        let site = |site: Option<SiteId>| site.map(|site| place(self.program, site));
        match &self.trace.outcome {
            Outcome::Returned(_) => {
                let value = self.result().map(|datum| json_of(&datum));
                let mut outcome = json!({"kind": "returned", "value": value});
                if self.trace.unknown.result {
                    outcome["uninitialized"] = json!(true);
                }
                outcome
            }
            Outcome::Trapped(trap) => {
                json!({"kind": "failed", "reason": trap.kind.to_string(), "place": site(trap.site)})
            }
            Outcome::Rejected(at) => json!({"kind": "rejected", "place": site(Some(*at))}),
            Outcome::Exhausted(resource) => {
                json!({"kind": "exhausted", "resource": resource.to_string()})
            }
            Outcome::Exited(code) => json!({"kind": "exited", "code": code}),
        }
    }

    /// Where conditions depended on uninitialised values.
    fn uninitialized(&self) -> Vec<String> {
        let sites = self.trace.unknown.conditions.iter();
        let mut places: Vec<String> = sites.map(|&site| place(self.program, site)).collect();
        places.dedup();
        places
    }

    /// The result as C has it.
    fn result(&self) -> Option<Datum> {
        let Outcome::Returned(results) = &self.trace.outcome else { return None };
        self.shape.show_result(&self.program.types, results, &self.trace.watched)
    }

    /// Sides of the unit's own branches: covered, all.
    fn coverage(&self) -> (usize, usize) {
        let unit = self.program.units.iter().position(|unit| unit == self.unit);
        let mut goals = Goals::of(self.program, &unit.into_iter().collect());
        goals.cover(&self.trace.coverage, self.trace.outcome.is_repeatable());
        (goals.n_covered(), goals.all().len())
    }

    /// The sides that it took, as far as the source shows them.
    fn covered(&self) -> Vec<Json> {
        let edges = self.trace.coverage.edges().iter();
        edges
            .filter_map(|edge| {
                let branch = self.program.branches.get(&edge.site)?;
                (branch.kind != BranchKind::Hidden).then_some(json!({
                    "file": self.program.file(branch.position.file).path,
                    "line": branch.position.line,
                    "column": branch.position.column,
                    "condition": branch.text,
                    "holds": edge.taken != branch.is_negated,
                }))
            })
            .collect()
    }
}

/// `file:line` of a site; where there are no lines the offset in the module, `file+0x2c`.
pub(crate) fn place(program: &Program, site: SiteId) -> String {
    let branch = program.branches.get(&site).map(|branch| branch.position);
    match branch.or_else(|| program.position(site.offset)) {
        Some(position) if position.line > 0 => program.place(position),
        Some(position) => format!("{}+{:#x}", program.place(position), site.offset),
        None => match program.unit_at(site.offset) {
            Some(unit) => {
                let position = program.units[unit].position;
                format!("{}+{:#x}", program.place(position), site.offset)
            }
            None => in_library(program, site),
        },
    }
}

/// `the library's strlen`: code that is not the user's has no lines.
fn in_library(program: &Program, site: SiteId) -> String {
    match program.function_name_at(site.offset) {
        Some(name) if name.starts_with(api::PREFIX) => "the calls before it".to_owned(),
        Some(name) => format!("the library's {name}"),
        None => format!("library code at {:#x}", site.offset),
    }
}

/// The variables of a term, by name.
fn variables(terms: &Terms, term: TermId) -> Vec<String> {
    let mut names = std::collections::BTreeSet::new();
    let mut open = vec![term];
    while let Some(term) = open.pop() {
        if let Node::Var(var) = terms.node(term) {
            names.insert(terms.var_name(var).to_string());
        }
        open.extend(terms.node(term).children());
    }
    names.into_iter().collect()
}
