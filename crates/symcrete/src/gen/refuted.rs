//! What the native proof refutes: a side that a test took on this machine is not infeasible there, whatever was proved.
//!
//! WebAssembly's `long` and pointers have other widths, so both can be right: the side is then open, with that reason. Where
//! nothing in the source can make the machines differ, the proof was wrong, which is a mistake of ours and said as such.

use std::collections::{BTreeMap, BTreeSet};
use symcrete_emit::native::{BranchSide, Refuted, reasons};
use symcrete_program::data_model::DataModel;
use symcrete_program::{Edge, Gap, GoalState, Program, Reason};

/// Why a test of an address is no mistake of ours.
const ELSEWHERE: &str = "it depends on where things are in memory";

/// Withdraws what was said of sides that tests of the same function took natively: `seen` has them, each with a test.
pub(super) fn withdraw(
    program: &Program,
    goals: &mut BTreeMap<Edge, GoalState>,
    seen: &BTreeMap<BranchSide, String>,
) -> Vec<Refuted> {
    let mut refuted = Vec::new();
    for (&edge, state) in goals {
        let bounds = match state {
            GoalState::Infeasible => BTreeSet::new(),
            GoalState::WithinBounds(bounds) => bounds.gaps(),
            GoalState::Covered | GoalState::Open(_) => continue,
        };
        let Some(side) = BranchSide::of(program, edge) else { continue };
        let Some(test) = seen.get(&side).cloned() else { continue };
        *state = GoalState::Open(Reason::Refuted.into());
        let file = program.branches.get(&edge.site).map(|branch| branch.position.file);
        let text = file.and_then(|file| program.file(file).text.as_deref());
        let reasons = match bounds.contains(&Gap::Addresses) {
            true => vec![ELSEWHERE],
            false => reasons(text.unwrap_or_default(), DataModel::of(&program.types)),
        };
        refuted.push(Refuted { side, test, reasons });
    }
    refuted
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_program::data_model::DataModel;
    use symcrete_program::{Bounds, Branch, BranchKind, FileId, Position, SiteId, SourceFile};

    fn program(text: &str) -> Program {
        let position = Position { file: FileId(0), line: 3, column: 7 };
        let branch = Branch {
            unit: 0,
            position,
            end: position,
            text: "x > 2".into(),
            kind: BranchKind::Condition,
            is_negated: true,
        };
        Program {
            files: vec![SourceFile {
                path: "a.c".into(),
                text: Some(text.into()),
                is_user: true,
                is_compiled: true,
            }],
            branches: [(SiteId::at(40), branch)].into(),
            ..Program::default()
        }
    }

    fn claims(state: &GoalState) -> BTreeMap<Edge, GoalState> {
        let edge = |taken| Edge { site: SiteId::at(40), taken };
        [(edge(false), state.clone()), (edge(true), GoalState::Covered)].into()
    }

    fn seen(holds: bool) -> BTreeMap<BranchSide, String> {
        let side = BranchSide {
            file: "a.c".into(),
            line: 3,
            column: 7,
            condition: "x > 2".into(),
            holds,
            is_case: false,
        };
        [(side, "test_f_1".to_string())].into()
    }

    #[test]
    fn a_claim_about_a_side_that_was_taken_is_withdrawn() {
        let within = GoalState::WithinBounds(Bounds::default());
        for claim in [GoalState::Infeasible, within] {
            let mut goals = claims(&claim);
            let refuted = withdraw(&program("int f(int x)"), &mut goals, &seen(true));
            let [refuted] = &refuted[..] else { panic!("{refuted:?}") };
            assert_eq!(refuted.test, "test_f_1");
            assert!(refuted.reasons.is_empty(), "nothing but our mistake explains it");
            let open = goals.values().filter(|state| matches!(state, GoalState::Open(_)));
            assert_eq!(open.count(), 1);
        }
    }

    #[test]
    fn other_widths_are_no_mistake() {
        let mut goals = claims(&GoalState::Infeasible);
        let refuted = withdraw(&program("int f(long x)"), &mut goals, &seen(true));
        assert!(refuted[0].reasons[0].contains("4 bytes"));
    }

    #[test]
    fn what_was_not_taken_stays_proved() {
        let mut goals = claims(&GoalState::Infeasible);
        let before = goals.clone();
        assert!(withdraw(&program("int f(int x)"), &mut goals, &seen(false)).is_empty());
        assert_eq!(goals, before);
    }
}
