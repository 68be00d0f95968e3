//! Which member answered which kind of condition.
//!
//! It only orders members: no verdict depends on it. Clones share what was learnt, so one can be given to many solvers and be
//! written to a file at the end by who may do so.

use super::features::Features;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What was learnt so far. See the module.
#[derive(Clone, Default, Debug)]
pub struct Experience {
    wins: Arc<Mutex<Wins>>,
}

/// Answers by class and member.
type Wins = BTreeMap<(String, String), u64>;

/// The first line of a file.
const HEADER: &str = "symcrete experience 1";

/// A file that is none of ours.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line} is not what Symcrete writes there: {text}")]
pub struct BadExperience {
    /// Counted from one.
    pub line: usize,
    /// What stands there.
    pub text: String,
}

impl Experience {
    /// Nothing is known yet.
    pub fn new() -> Experience {
        Experience::default()
    }

    /// Notes who answered a query.
    pub fn note(&self, features: Features, member: &str) {
        *self.wins().entry((features.to_string(), member.to_owned())).or_default() += 1;
    }

    /// How often a member answered queries of a class.
    pub fn n_answers(&self, features: Features, member: &str) -> u64 {
        self.wins().get(&(features.to_string(), member.to_owned())).copied().unwrap_or(0)
    }

    /// As text: a header, then `class member answers` line by line.
    pub fn to_text(&self) -> String {
        let mut text = format!("{HEADER}\n");
        for ((class, member), n) in &*self.wins() {
            text.push_str(&format!("{class} {member} {n}\n"));
        }
        text
    }

    /// What [`Experience::to_text`] wrote.
    pub fn parse(text: &str) -> Result<Experience, BadExperience> {
        let experience = Experience::new();
        for (i, line) in text.lines().enumerate() {
            let bad = || BadExperience { line: i + 1, text: line.chars().take(80).collect() };
            if i == 0 {
                if line != HEADER {
                    return Err(bad());
                }
                continue;
            }
            let fields: Vec<&str> = line.split(' ').collect();
            let [class, member, n] = fields[..] else { return Err(bad()) };
            let n: u64 = n.parse().map_err(|_| bad())?;
            experience.wins().insert((class.to_owned(), member.to_owned()), n);
        }
        Ok(experience)
    }

    fn wins(&self) -> MutexGuard<'_, Wins> {
        self.wins.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::super::features::Theory;
    use super::*;

    #[test]
    fn text_and_back_and_nothing_else_is_read() {
        let features = Features { theory: Theory::Floats, magnitude: 2, is_wide: true };
        let experience = Experience::new();
        experience.note(features, "concolic-walk");
        experience.clone().note(features, "concolic-walk");
        let text = experience.to_text();
        assert_eq!(text, "symcrete experience 1\nfloats/wide/2 concolic-walk 2\n");
        let again = Experience::parse(&text).unwrap();
        assert_eq!(again.n_answers(features, "concolic-walk"), 2);
        assert_eq!(again.n_answers(features, "z3"), 0);
        for bad in ["", "hello", "symcrete experience 1\nx y", "symcrete experience 1\nx y -1"] {
            let outcome = Experience::parse(bad);
            assert_eq!(outcome.is_err(), !bad.is_empty(), "{bad:?}");
        }
    }
}
