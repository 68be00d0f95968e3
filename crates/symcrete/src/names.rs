//! Names on the command line: each is a value of an enum before anything is done with it.
//!
//! An unknown name is refused with the nearest known one and a list of all.

use crate::reach::Trap;
use symcrete_emit::Framework;
use symcrete_explore::StrategyKind;
use symcrete_program::data_model::DataModel;
use symcrete_program::frontend::Check;
use symcrete_solve::{Link, SolverKind};

/// A part of the solving chain that `--without` leaves out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Part {
    /// A link of the chain of solvers.
    Link(Link),
    /// Fast runs without terms.
    Bursts,
    /// Many queries at once.
    Batch,
}

/// Every part with its name: the links of the chain from the outside in, then the rest.
fn parts() -> impl Iterator<Item = (&'static str, Part)> + Clone {
    let links = Link::ALL.iter().map(|&link| Part::Link(link));
    links.chain([Part::Bursts, Part::Batch]).map(|part| (part.name(), part))
}

impl Part {
    /// As the command line has it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Part::Link(link) => link.name(),
            Part::Bursts => "bursts",
            Part::Batch => "batch",
        }
    }
}

/// For `--without`.
pub(crate) fn part(text: &str) -> Result<Part, String> {
    by_name("part", text, parts())
}

/// What the help says of `--strategy`.
pub(crate) fn strategies() -> String {
    let rows = StrategyKind::all().map(|kind| format!("{} ({})", kind.name(), kind.about()));
    format!("Which branch to flip next: {}", rows.collect::<Vec<_>>().join(", "))
}

/// A part of backward execution that `reach --without` leaves out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ReachPart {
    /// Passing merges in one step.
    Slicing,
    /// Branches as choices within terms.
    Merging,
    /// Leaving out what a contradiction rules out.
    BackJumping,
    /// Passing calls that make no difference.
    LazyCallees,
    /// Loops as calls.
    LoopMethods,
}

/// For `reach --without`.
pub(crate) fn reach_part(text: &str) -> Result<ReachPart, String> {
    let parts = [
        ("slicing", ReachPart::Slicing),
        ("merging", ReachPart::Merging),
        ("back-jumping", ReachPart::BackJumping),
        ("lazy-callees", ReachPart::LazyCallees),
        ("loop-methods", ReachPart::LoopMethods),
    ];
    by_name("part", text, parts.into_iter())
}

/// For `reach --trap`.
pub(crate) fn trap(text: &str) -> Result<Trap, String> {
    by_name("kind of failure", text, Trap::ALL.iter().map(|trap| (trap.name(), *trap)))
}

/// For `--strategy`.
pub(crate) fn strategy(text: &str) -> Result<StrategyKind, String> {
    by_name("strategy", text, StrategyKind::all().map(|kind| (kind.name(), kind)))
}

/// For `--solver`.
pub(crate) fn solver(text: &str) -> Result<SolverKind, String> {
    by_name("solver", text, SolverKind::ALL.iter().map(|kind| (kind.name(), *kind)))
        .map_err(|message| format!("{message} (`symcrete solvers` describes them)"))
}

/// For `--framework`.
pub(crate) fn framework(text: &str) -> Result<Framework, String> {
    by_name(
        "framework",
        text,
        Framework::ALL.iter().map(|framework| (framework.name(), *framework)),
    )
}

/// For `--data-model`.
pub(crate) fn data_model(text: &str) -> Result<DataModel, String> {
    by_name("data model", text, DataModel::ALL.iter().map(|model| (model.name(), *model)))
}

/// For `--check`.
pub(crate) fn check(text: &str) -> Result<Check, String> {
    by_name("check", text, Check::ALL.iter().map(|check| (check.name(), *check)))
}

/// The value that has a name, or what to say where none has it.
fn by_name<T>(
    what: &str,
    text: &str,
    known: impl Iterator<Item = (&'static str, T)> + Clone,
) -> Result<T, String> {
    if let Some((_, value)) = known.clone().find(|(name, _)| *name == text) {
        return Ok(value);
    }
    let names: Vec<&str> = known.map(|(name, _)| name).collect();
    let near = near(text, names.iter().copied());
    let guess = near.first().map(|name| format!("did you mean `{name}`? ")).unwrap_or_default();
    Err(format!("unknown {what} `{text}`; {guess}known: {}", names.join(", ")))
}

/// Names that are like this one, best first.
pub(crate) fn near<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Vec<String> {
    const SIMILARITY_MIN: f64 = 0.7;
    let mut scored: Vec<(u64, &str)> = Vec::new();
    for candidate in known {
        // Two letters that changed places make a short name look quite different.
        let is_one_slip = name.len() > 2 && strsim::osa_distance(name, candidate) == 1;
        let similarity = match is_one_slip {
            true => 1.0,
            false => strsim::jaro_winkler(name, candidate),
        };
        if similarity >= SIMILARITY_MIN {
            // Sorted by how unlike they are.
            scored.push((((1.0 - similarity) * 1e6) as u64, candidate));
        }
    }
    scored.sort_unstable();
    scored.into_iter().take(3).map(|(_, name)| name.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_link_of_the_chain_can_be_left_out_by_name() {
        for link in Link::ALL {
            let name = Part::Link(*link).name();
            assert_eq!(part(name), Ok(Part::Link(*link)));
        }
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_nearest_and_all_known() {
        let said = part("slcies").expect_err("a typing mistake");
        assert!(said.starts_with("unknown part `slcies`; did you mean `slices`? known: slices,"));
        assert!(
            strategy("zzz")
                .expect_err("no such name")
                .starts_with("unknown strategy `zzz`; known: auto")
        );
    }
}
