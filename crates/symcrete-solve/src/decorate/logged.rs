//! Every query as an SMT-LIB file, with its verdict.
//!
//! The text goes to a sink: this crate writes no files. It contains no times, so the same run writes the same files.

use crate::{Budget, Query, Solver, Verdict};
use std::fmt::Write;
use symcrete_term::print::script;

/// Takes a file's name and text.
pub type LogSink = Box<dyn FnMut(&str, &str) + Send>;

/// Logs what it passes on. See the module.
pub(crate) struct Logged {
    inner: Box<dyn Solver>,
    sink: LogSink,
    n_queries: u64,
}

impl Logged {
    /// Wraps a solver.
    pub(crate) fn new(inner: Box<dyn Solver>, sink: LogSink) -> Logged {
        Logged { inner, sink, n_queries: 0 }
    }
}

impl Solver for Logged {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn credit(&self) -> &'static str {
        self.inner.credit()
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        let verdict = self.inner.solve(query, budget);
        self.n_queries += 1;
        let text = file(query, &verdict, self.inner.credit());
        (self.sink)(&format!("query-{:06}.smt2", self.n_queries), &text);
        verdict
    }
}

/// A query as a file that any SMT-LIB solver reads. Values of a model are comments.
fn file(query: &Query<'_>, verdict: &Verdict, credit: &str) -> String {
    let mut text =
        format!("(set-info :smt-lib-version 2.6)\n(set-info :status {})\n", verdict.word());
    let answer = match verdict {
        Verdict::Sat(_) | Verdict::Unsat => format!("answered by {credit}"),
        Verdict::Unknown(why) => format!("undecided, {why}"),
    };
    // A symbol between bars cannot contain these two.
    let answer = answer.replace(['|', '\\'], "?");
    writeln!(text, "(set-info :source |{answer}|)").expect("writing to memory");
    text.push_str(&script(query.terms, query.literals));
    if let Verdict::Sat(model) = verdict {
        for var in query.variables() {
            // A name may hold anything, but a comment ends with its line.
            let name = query.terms.var_name(var).replace(['\n', '\r'], " ");
            if let Some(value) = model.get(var) {
                writeln!(text, "; {name} = {value}").expect("writing to memory");
            }
        }
    }
    text
}
