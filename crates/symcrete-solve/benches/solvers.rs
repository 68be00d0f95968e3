//! The figures of the search solvers, beside those of the papers.
//!
//! `cargo bench -p symcrete-solve --bench solvers -- [walk] [ablation] [inspect] [evaluation] [conditions] [smtlib] [ippc] [generated] [members] [--out DIR]`
//! prints each table; with `--out` it writes the tables and the raw data there. Run as a test (without
//! cargo's `--bench`) it measures one seed on little, so that it cannot rot.

#![expect(clippy::print_stdout, reason = "a benchmark prints its tables")]

mod corpus;
mod figures;

use figures::{
    Effort, Report, ablation, evaluation, generated, inspect, ippc, members, portfolio, walk,
};

type Measure = fn(&Effort) -> Report;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let full = arguments.iter().any(|argument| argument == "--bench");
    let effort = if full { Effort::full() } else { Effort::tiny() };
    let effort = effort.with_arguments(&arguments);
    let out = arguments.windows(2).find(|pair| pair[0] == "--out").map(|pair| pair[1].clone());
    let figures: [(&str, Measure); 9] = [
        ("walk", walk::measure),
        ("ablation", ablation::measure),
        ("inspect", inspect::measure),
        ("evaluation", evaluation::measure),
        ("conditions", portfolio::conditions),
        ("smtlib", portfolio::smtlib),
        ("ippc", ippc::measure),
        ("generated", generated::measure),
        ("members", members::measure),
    ];
    let named = |name: &str| arguments.iter().any(|argument| argument == name);
    let all = !figures.iter().any(|(name, _)| named(name));
    for (name, measure) in figures {
        if all || named(name) {
            let report = measure(&effort);
            println!("{}", report.table);
            if let Some(folder) = &out {
                report.write(folder, name);
            }
        }
    }
}
