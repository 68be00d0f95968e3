//! What several unit tests begin with.

use symcrete_program::{Edge, Input, Outcome, SiteId, TestCase};

/// The true side of the site with a number.
pub(crate) fn edge(number: u32) -> Edge {
    Edge { site: SiteId::at(number), taken: true }
}

/// A test that takes some sides and does nothing else.
pub(crate) fn test(edges: &[u32]) -> TestCase {
    TestCase {
        input: Input::default(),
        drawn: Vec::new(),
        outcome: Outcome::Returned(Vec::new()),
        changes: Vec::new(),
        noted: None,
        freed: Vec::new(),
        address_from: Vec::new(),
        coverage: edges.iter().map(|&number| edge(number)).collect(),
        set_aside: None,
    }
}
