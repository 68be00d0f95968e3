//! How many operators a second the tape evaluates, on the coral conditions.
//!
//! Library calls are not the tape's work: each is replaced by a variable of its own. The figure asked
//! for is 150 million operators a second on one core.

#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

mod corpus;

use rustix::time::{ClockId, clock_gettime};
use std::collections::BTreeMap;
use std::hint::black_box;
use symcrete_term::{Literal, Node, Seed, Tape, TermId, Terms, Value, reachable};

/// Operators evaluated for each condition.
const N_OPERATORS: u64 = 30_000_000;

fn main() {
    println!("{:<8} {:>9} {:>14}", "coral", "operators", "million/s");
    let (mut n_operators, mut seconds, mut rates) = (0.0, 0.0, Vec::new());
    for problem in corpus::coral() {
        let (terms, roots) = without_calls(&problem.terms, &problem.literals);
        let tape = Tape::compile(&terms, &roots);
        if tape.n_operators() == 0 {
            continue;
        }
        let n_runs = N_OPERATORS / tape.n_operators() as u64;
        let elapsed = time(&tape, n_runs);
        let operators = (n_runs * tape.n_operators() as u64) as f64;
        println!(
            "{:<8} {:>9} {:>14.0}",
            problem.name,
            tape.n_operators(),
            operators / elapsed / 1e6
        );
        rates.push(operators / elapsed / 1e6);
        n_operators += operators;
        seconds += elapsed;
    }
    rates.sort_by(f64::total_cmp);
    println!("median {:.0} million operators/s (asked: 150)", rates[rates.len() / 2]);
    println!("all together {:.0}, slowest {:.0}", n_operators / seconds / 1e6, rates[0]);
}

fn time(tape: &Tape, n_runs: u64) -> f64 {
    let mut state = tape.state();
    let mut rng = Seed(1).rng();
    let values: Vec<u64> = (0..1024).map(|_| (rng.fraction() * 20.0 - 10.0).to_bits()).collect();
    let n_variables = tape.variables().len();
    let start = cpu_seconds();
    for run in 0..n_runs {
        if n_variables > 0 {
            // One variable moves, as in a search.
            let i = run as usize;
            let sort = tape.variables()[i % n_variables].1;
            state.set(i % n_variables, values[i % 1024] & sort.mask());
        }
        tape.run(black_box(&mut state));
    }
    black_box(&state);
    cpu_seconds() - start
}

/// Seconds this thread has run, so that other load on the machine does not count.
fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// The same conditions with a variable in place of each call; what is passed to a call is evaluated too.
fn without_calls(terms: &Terms, literals: &[Literal]) -> (Terms, Vec<TermId>) {
    let mut out = Terms::new();
    let mut copies: BTreeMap<TermId, TermId> = BTreeMap::new();
    let mut roots: Vec<TermId> = literals.iter().map(|literal| literal.term).collect();
    for term in reachable(terms, &roots) {
        let sort = terms.sort(term);
        let copy = match terms.node(term) {
            Node::Const(value) => out.constant(value),
            Node::Var(var) => out.var(terms.var_name(var), sort),
            Node::Call { args, .. } => {
                roots.extend_from_slice(args);
                out.var(&format!("call {}", term.index()), sort)
            }
            Node::App { op, indices, args } => {
                let args: Vec<TermId> = args.iter().map(|arg| copies[arg]).collect();
                out.app_indexed(op, indices, &args)
            }
            Node::Lookup { table, index } => {
                let (sort, entries) = terms.table_entries(table);
                let values: Vec<Value> =
                    entries.iter().map(|&bits| Value::from_bits(sort, bits)).collect();
                let table = out.table(&values);
                out.lookup(table, copies[index])
            }
        };
        copies.insert(term, copy);
    }
    let roots = roots.iter().map(|root| copies[root]).collect();
    (out, roots)
}
