//! One arena for each solver that remembers things by term id.
//!
//! Ids of another arena mean other terms: a remembered contradiction would become a wrong `unsat`.

use symcrete_term::{TermId, Terms};

/// Notices when another arena is used. Arenas only grow, so the newest term that was seen stays what it is.
#[derive(Default)]
pub(crate) struct OneArena {
    newest: Option<(TermId, String)>,
}

impl OneArena {
    /// Panics on another arena: that is a bug of the caller's, and going on would give wrong answers.
    pub(crate) fn check(&mut self, terms: &Terms) {
        let fits = self.newest.as_ref().is_none_or(|(newest, node)| {
            newest.index() < terms.len() && *node == describe(terms, *newest)
        });
        assert!(fits, "a solver that remembers queries was used with two arenas of terms");
        let is_old = |(newest, _): &(TermId, String)| newest.index() + 1 == terms.len();
        if !terms.is_empty() && !self.newest.as_ref().is_some_and(is_old) {
            let newest = TermId::from_index(terms.len() - 1);
            self.newest = Some((newest, describe(terms, newest)));
        }
    }
}

fn describe(terms: &Terms, term: TermId) -> String {
    format!("{:?}", terms.node(term))
}
