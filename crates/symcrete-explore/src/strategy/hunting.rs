//! Looks for failures when every branch side is covered: paths that come nearer to the end of an object go on.
//!
//! A parser that reads beyond a string of seven characters does so on a path that takes no new side. So branches are
//! flipped for a while, those first before which the least was left of an object of the program; each side has a few
//! attempts at each distance.

use super::View;
use crate::tree::{Flip, Tree};
use std::collections::{BTreeMap, BTreeSet};
use symcrete_program::Edge;

/// Branches that are flipped.
const TURNS_MAX: u32 = 500;
/// Attempts at one side with the same margin.
const ATTEMPTS_MAX: u32 = 8;

/// Open flips behind accesses that move through an object.
#[derive(Default)]
pub(super) struct Hunting {
    /// By the bytes that were left, then in the order in which they were found.
    flips: BTreeMap<u32, BTreeSet<(u32, Flip)>>,
    attempts: BTreeMap<(u32, Edge), u32>,
    turns: u32,
}

impl Hunting {
    pub(super) fn add(&mut self, tree: &Tree, flip: Flip) {
        if let Some(margin) = tree.margin(flip) {
            self.flips.entry(margin).or_default().insert((tree.depth(flip), flip));
        }
    }

    pub(super) fn pick(&mut self, view: View<'_>) -> Option<Flip> {
        if self.turns >= TURNS_MAX {
            return None;
        }
        while let Some(mut entry) = self.flips.first_entry() {
            let margin = *entry.key();
            let Some((_, flip)) = entry.get_mut().pop_last() else {
                entry.remove();
                continue;
            };
            let attempts = self.attempts.entry((margin, view.tree.edge(flip))).or_insert(0);
            if view.tree.is_open(flip) && *attempts < ATTEMPTS_MAX {
                *attempts += 1;
                self.turns += 1;
                return Some(flip);
            }
        }
        None
    }
}
