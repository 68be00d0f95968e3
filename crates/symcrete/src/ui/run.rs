//! One run as people and programs see it.

use crate::data;
use serde_json::{Value as Json, json};
use symcrete_emit::json::json_of;
use symcrete_exec::{Constraint, Origin, Trace};
use symcrete_explore::Goals;
use symcrete_program::shape::{ResultSlot, show_bits};
use symcrete_program::{Datum, Input, Outcome, Program, Scalar, Shape, SiteId, Unit};

/// Longer path conditions are cut for people.
const SHOWN_MAX: usize = 100;

/// A run and what it was about.
pub(crate) struct Run<'a> {
    pub(crate) program: &'a Program,
    pub(crate) unit: &'a Unit,
    pub(crate) shape: &'a Shape,
    pub(crate) input: &'a Input,
    pub(crate) trace: &'a Trace,
}

impl Run<'_> {
    /// For people.
    pub(crate) fn text(&self) -> String {
        let args = self.arguments();
        let shown: Vec<String> =
            args.iter().map(|(name, datum)| format!("{name} = {}", data::text(datum))).collect();
        let mut lines = vec![format!("{}({})", self.unit.name, shown.join(", "))];
        for drawn in &self.trace.drawn {
            lines.push(format!("  {} = {}", drawn.name, drawn.value));
        }
        lines.push(format!("  {}", outcome_text(self.program, self.shape, &self.trace.outcome)));
        lines.push(String::new());
        lines.push("path condition".to_string());
        let path = &self.trace.path.constraints;
        for constraint in path.iter().take(SHOWN_MAX) {
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

    /// For programs; the schema is documented in `docs/gen.md`.
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
            .map(|drawn| json!({"name": drawn.name, "value": drawn.value.to_string()}))
            .collect();
        let (covered, total) = self.coverage();
        json!({
            "function": self.unit.name,
            "input": args,
            "drawn": drawn,
            "outcome": outcome_json(self.program, self.shape, &self.trace.outcome),
            "path": path,
            "branches": {"total": total, "covered": covered},
            "covered": self.covered(),
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
        match (self.program.branches.get(&constraint.site), constraint.origin) {
            (Some(branch), Origin::Branch | Origin::Select) => {
                let holds = truth != branch.is_negated;
                format!("{place}: {} → {holds}", branch.text)
            }
            (None, Origin::Branch | Origin::Select) => format!("{place}: a branch → {truth}"),
            (_, Origin::TrapGuard) => match truth {
                true => format!("{place}: the operation is defined"),
                false => format!("{place}: the operation is not defined"),
            },
            (_, Origin::Concretized) => format!("{place}: an address is taken as it is"),
            (_, Origin::Assumed) => match truth {
                true => format!("{place}: an assumption holds"),
                false => format!("{place}: an assumption does not hold"),
            },
        }
    }

    fn constraint(&self, constraint: &Constraint) -> Json {
        let branch = self.program.branches.get(&constraint.site);
        let position = branch
            .map(|branch| branch.position)
            .or_else(|| self.program.position(constraint.site.offset));
        let origin = match constraint.origin {
            Origin::Branch => "branch",
            Origin::Select => "select",
            Origin::TrapGuard => "guard",
            Origin::Concretized => "pin",
            Origin::Assumed => "assumption",
        };
        json!({
            "offset": constraint.site.offset,
            "file": position.map(|position| self.program.file(position.file).path.clone()),
            "line": position.map(|position| position.line),
            "column": position.map(|position| position.column),
            "condition": branch.map(|branch| branch.text.clone()),
            "holds": constraint.literal.expected != branch.is_some_and(|branch| branch.is_negated),
            "origin": origin,
        })
    }

    /// Sides of the unit's own branches: covered, all.
    fn coverage(&self) -> (usize, usize) {
        let unit = self.program.units.iter().position(|unit| unit == self.unit);
        let mut goals = Goals::of(self.program, &unit.into_iter().collect());
        goals.cover(&self.trace.coverage);
        (goals.n_covered(), goals.all().len())
    }

    fn covered(&self) -> Vec<Json> {
        let edges = self.trace.coverage.edges().iter();
        edges
            .filter_map(|edge| {
                let branch = self.program.branches.get(&edge.site)?;
                Some(json!({
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

/// `file:line` of a site, or its offset.
pub(crate) fn place(program: &Program, site: SiteId) -> String {
    let branch = program.branches.get(&site).map(|branch| branch.position);
    match branch.or_else(|| program.position(site.offset)) {
        Some(position) => program.place(position),
        None => format!("offset {site}"),
    }
}

/// How a run ended, for people.
pub(crate) fn outcome_text(program: &Program, shape: &Shape, outcome: &Outcome) -> String {
    match outcome {
        Outcome::Returned(results) => match result_datum(program, shape, results) {
            Some(datum) => format!("returned {}", data::text(&datum)),
            None => "returned".to_string(),
        },
        Outcome::Trapped(trap) => match trap.site {
            Some(site) => format!("failed at {}: {}", place(program, site), trap.kind),
            None => format!("failed: {}", trap.kind),
        },
        Outcome::Rejected(site) => {
            format!("rejected by the assumption at {}", place(program, *site))
        }
        Outcome::Exhausted(_) | Outcome::Exited(_) => outcome.to_string(),
    }
}

fn outcome_json(program: &Program, shape: &Shape, outcome: &Outcome) -> Json {
    let site = |site: Option<SiteId>| site.map(|site| place(program, site));
    match outcome {
        Outcome::Returned(results) => json!({
            "kind": "returned",
            "value": result_datum(program, shape, results).map(|datum| json_of(&datum)),
        }),
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

/// The result as C has it.
pub(crate) fn result_datum(program: &Program, shape: &Shape, results: &[Scalar]) -> Option<Datum> {
    let ResultSlot::Direct(ty) = shape.result else { return None };
    let bits = results.first()?.bits();
    let kind = symcrete_program::shape::scalar_kind(&program.types, ty);
    Some(match kind {
        Some(kind) => {
            let bits = bits & (u64::MAX >> (64 - 8 * kind.size()));
            show_bits(&program.types, ty, kind, bits)
        }
        None => Datum::Int(i128::from(bits)),
    })
}
