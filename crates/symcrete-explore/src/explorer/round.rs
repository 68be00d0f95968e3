//! What belongs to inputs of one size. Larger inputs are another round, with a tree of its own.

use super::limits::Limits;
use super::spare::Spare;
use crate::strategy::Strategy;
use crate::tree::{Flip, Tree};
use std::collections::{BTreeMap, BTreeSet};
use symcrete_exec::Met;
use symcrete_program::{CellKind, Coverage, Gap, Input, Shape, SiteId, TestCase};
use symcrete_term::Terms;

/// A round of exploration.
pub(super) struct Round {
    /// How its inputs look.
    pub(super) shape: Shape,
    /// The limits of these inputs.
    pub(super) input_limits: Limits,
    pub(super) tree: Tree,
    pub(super) strategy: Box<dyn Strategy>,
    /// What was run, in order.
    pub(super) inputs: Vec<Input>,
    /// The cells that runs have asked for.
    pub(super) asked: BTreeMap<String, CellKind>,
    pub(super) known_inputs: BTreeSet<Input>,
    pub(super) seen_bugs: BTreeSet<(String, Option<SiteId>)>,
    /// Those of them that do not need an array without elements.
    pub(super) seen_full: BTreeSet<(String, Option<SiteId>)>,
    /// Runs that showed something new.
    pub(super) tests: Vec<TestCase>,
    /// What these cover.
    pub(super) coverage: Coverage,
    /// What those of them cover that can be repeated.
    pub(super) tested: Coverage,
    pub(super) spare: Spare,
    /// Whether a run left an array that nothing is the length of.
    pub(super) is_too_short: bool,
    /// Flips that the solver left undecided, for the next batch.
    pub(super) undecided: Vec<Flip>,
    /// Flips that strategies hear of when nothing else is left.
    pub(super) uncertain: Vec<Flip>,
}

impl Round {
    /// A round in which nothing has been run. Every run of it meets these gaps.
    pub(super) fn new(
        shape: Shape,
        terms: &mut Terms,
        strategy: Box<dyn Strategy>,
        gaps: &[Gap],
    ) -> Round {
        let aliases = shape.aliases.iter().map(|alias| alias.condition(terms));
        let mut tree = Tree::with_aliases(aliases.collect());
        let met: Vec<Met> = gaps.iter().map(|&gap| Met { gap, n_constraints: 0 }).collect();
        tree.note_gaps(&[], &met);
        Round {
            input_limits: Limits::of(&shape, terms),
            shape,
            tree,
            strategy,
            inputs: Vec::new(),
            asked: BTreeMap::new(),
            known_inputs: BTreeSet::new(),
            seen_bugs: BTreeSet::new(),
            seen_full: BTreeSet::new(),
            tests: Vec::new(),
            coverage: Coverage::default(),
            tested: Coverage::default(),
            spare: Spare::default(),
            is_too_short: false,
            undecided: Vec::new(),
            uncertain: Vec::new(),
        }
    }

    /// Whether a run has come to an end that a test could have.
    pub(super) fn has_tests(&self) -> bool {
        self.tests.iter().any(|test| test.outcome.is_repeatable())
    }
}
