//! Which sides of which branches were taken.

use crate::site::Edge;

/// A set of edges, kept sorted.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Coverage {
    edges: Vec<Edge>,
}

impl Coverage {
    /// The edges, in order of site.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Whether an edge was taken.
    pub fn contains(&self, edge: Edge) -> bool {
        self.edges.binary_search(&edge).is_ok()
    }

    /// Adds all of `other`; returns how many edges were new.
    pub fn absorb(&mut self, other: &Coverage) -> usize {
        let before = self.edges.len();
        self.edges.extend_from_slice(&other.edges);
        self.edges.sort_unstable();
        self.edges.dedup();
        self.edges.len() - before
    }
}

impl FromIterator<Edge> for Coverage {
    fn from_iter<I: IntoIterator<Item = Edge>>(edges: I) -> Coverage {
        let mut edges: Vec<Edge> = edges.into_iter().collect();
        edges.sort_unstable();
        edges.dedup();
        Coverage { edges }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::SiteId;

    #[test]
    fn absorbing_counts_what_is_new() {
        let edge = |offset, taken| Edge { site: SiteId::at(offset), taken };
        let mut all: Coverage = [edge(9, true), edge(3, false)].into_iter().collect();
        let more: Coverage = [edge(3, false), edge(3, true)].into_iter().collect();
        assert_eq!(all.absorb(&more), 1);
        assert_eq!(all.edges(), [edge(3, false), edge(3, true), edge(9, true)]);
        assert!(all.contains(edge(9, true)) && !all.contains(edge(9, false)));
    }
}
