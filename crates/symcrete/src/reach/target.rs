//! What is to be reached: from words on the command line to sites of the program.

use super::trap::Trap;
use crate::args::{ReachArgs, SourceArgs};
use crate::failure::Failure;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use symcrete_program::frontend::{ERROR_FUNCTIONS, TargetPlace};
use symcrete_program::{Branch, BranchKind, Edge, FileId, Program, TrapKind};
use symcrete_reach::{Target, View};

/// How many lines with code are named where there is none.
const NEAR_MAX: usize = 2;
const MARKER: &str = "symcrete_target(\"";

/// A target as it was typed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Asked {
    /// `geo.c:14`
    Line { file: PathBuf, line: u32 },
    /// `geo.c:14:true`
    Side { file: PathBuf, line: u32, holds: bool },
    /// `area` or `reach_error()`
    Function(String),
    /// `symcrete_target("name")`, with the lines on which it is.
    Marker { name: String, lines: Vec<(PathBuf, u32)> },
}

/// How a run has to fail at its target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Failing {
    /// As `--trap` says.
    Trap(Trap),
    /// By a call of the program's error function.
    ReachError,
}

impl Failing {
    /// Whether a run that ended like this did.
    pub(super) fn is(self, kind: &TrapKind) -> bool {
        match self {
            Failing::Trap(trap) => trap.is(kind),
            Failing::ReachError => *kind == TrapKind::ReachError,
        }
    }
}

/// A target in the program.
pub(super) struct Wanted {
    /// As it is shown.
    pub(super) label: String,
    /// Any of these.
    pub(super) targets: Vec<Target>,
    /// How the run has to fail there.
    pub(super) failing: Option<Failing>,
    /// Why there are none.
    pub(super) no_code: Option<String>,
}

impl Wanted {
    fn new(label: String, targets: Vec<Target>, failing: Option<Failing>) -> Wanted {
        Wanted { label, targets, failing, no_code: None }
    }

    /// A target of which the compiler made no code.
    pub(super) fn without_code(asked: &Asked, why: &Failure) -> Wanted {
        let label = match asked {
            Asked::Line { file, line } => format!("{}:{line}", file.display()),
            Asked::Side { file, line, holds } => format!("{}:{line}:{holds}", file.display()),
            Asked::Function(name) => format!("{name}()"),
            Asked::Marker { name, .. } => format!("{MARKER}{name}\")"),
        };
        Wanted { no_code: Some(why.to_string()), ..Wanted::new(label, Vec::new(), None) }
    }
}

impl Asked {
    /// Takes the targets out of the arguments of the command line; the rest are files.
    pub(super) fn read(args: &ReachArgs, source: &mut SourceArgs) -> Result<Vec<Asked>, Failure> {
        let mut asked = Vec::new();
        let mut files: Vec<PathBuf> = Vec::new();
        for word in &args.source.files {
            match Asked::of(&word.to_string_lossy()) {
                Some(target) => asked.push(target),
                None => files.push(word.clone()),
            }
        }
        if let Some(report) = &args.from {
            asked.extend(uncovered(report)?);
        }
        for target in &asked {
            let file = match target {
                Asked::Line { file, .. } | Asked::Side { file, .. } => file,
                Asked::Function(_) | Asked::Marker { .. } => continue,
            };
            if file.extension().is_some_and(|e| e == "c") && !files.contains(file) {
                files.push(file.clone());
            }
        }
        let usage = |message: &str| Err(Failure::Usage { message: message.to_owned() });
        if asked.is_empty() {
            return usage("no target: give FILE:LINE, a function, or --from a coverage report");
        }
        if files.is_empty() {
            return usage("no C file: give the files of the program after the target");
        }
        for target in &mut asked {
            if let Asked::Marker { name, lines } = target {
                *lines = marked_lines(&files, name)?;
                if lines.is_empty() {
                    return usage(&format!("no file has {MARKER}{name}\")"));
                }
            }
        }
        source.files = files;
        Ok(asked)
    }

    fn of(word: &str) -> Option<Asked> {
        if let Some(name) = word.strip_prefix(MARKER).and_then(|rest| rest.strip_suffix("\")")) {
            return Some(Asked::Marker { name: name.to_owned(), lines: Vec::new() });
        }
        let number = |text: &str| text.parse::<u32>().ok().filter(|line| *line > 0);
        if let Some((place, last)) = word.rsplit_once(':') {
            if let Some(line) = number(last) {
                return Some(Asked::Line { file: place.into(), line });
            }
            if let (Some((file, line)), Ok(holds)) = (place.rsplit_once(':'), last.parse::<bool>())
            {
                let line = number(line)?;
                return Some(Asked::Side { file: file.into(), line, holds });
            }
        }
        let name = word.strip_suffix("()").unwrap_or(word);
        let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        (is_name && !name.is_empty()).then(|| Asked::Function(name.to_owned()))
    }

    /// What the compiler has to mark.
    pub(super) fn places(&self) -> Vec<TargetPlace> {
        let line = |file: &Path, line: u32| TargetPlace::Line { file: absolute(file), line };
        match self {
            Asked::Line { file, line: at } => vec![line(file, *at)],
            Asked::Side { .. } => Vec::new(),
            Asked::Function(name) => vec![TargetPlace::Function(name.clone())],
            Asked::Marker { lines, .. } => lines.iter().map(|(file, at)| line(file, *at)).collect(),
        }
    }

    /// The targets that this is in a program.
    pub(super) fn resolve(
        &self,
        program: &Program,
        view: &View<'_>,
        trap: Option<Trap>,
    ) -> Result<Vec<Wanted>, Failure> {
        match self {
            Asked::Line { file, line } => match trap {
                None => {
                    let label = format!("{}:{line}", file.display());
                    let targets = line_targets(program, file, *line)?;
                    Ok(vec![Wanted::new(label, targets, None)])
                }
                Some(trap) => Ok(vec![trapped(program, view, (file, *line), trap)?]),
            },
            Asked::Side { file, line, holds } => sides(program, file, *line, *holds),
            Asked::Function(name) => Ok(vec![function(program, view, name)?]),
            Asked::Marker { name, lines } => {
                let mut targets = Vec::new();
                for (file, line) in lines {
                    targets.extend(line_targets(program, file, *line)?);
                }
                Ok(vec![Wanted::new(format!("{MARKER}{name}\")"), targets, None)])
            }
        }
    }
}

fn function(program: &Program, view: &View<'_>, name: &str) -> Result<Wanted, Failure> {
    let label = format!("{name}()");
    if let Some(unit) = program.unit(name) {
        let is_it = |branch: &Branch| {
            branch.kind == BranchKind::Target
                && (branch.position.file, branch.position.line)
                    == (unit.position.file, unit.position.line)
        };
        let targets = marked(program, &is_it);
        // Nothing is proved of what there are no marks for: modules have none.
        return match targets.is_empty() {
            true => Err(no_marks(name)),
            false => Ok(Wanted::new(label, targets, None)),
        };
    }
    match view.module.function_named(name) {
        Some(function) if ERROR_FUNCTIONS.contains(&name) => {
            let targets = vec![Target::Called(function)];
            Ok(Wanted::new(label, targets, Some(Failing::ReachError)))
        }
        Some(_) | None => Err(Failure::no_function(program, name)),
    }
}

fn no_marks(name: &str) -> Failure {
    let message =
        format!("`{name}` cannot be a target: only functions compiled from C can be targets");
    Failure::Usage { message }
}

/// The sides of marks that fit.
fn marked(program: &Program, fits: &dyn Fn(&Branch) -> bool) -> Vec<Target> {
    let marks = program.branches.iter().filter(|(_, branch)| fits(branch));
    marks.map(|(&site, _)| Target::Side(Edge { site, taken: true })).collect()
}

fn line_targets(program: &Program, file: &Path, line: u32) -> Result<Vec<Target>, Failure> {
    let id = file_of(program, file)?;
    let is_it = |branch: &Branch| {
        let position = branch.position;
        branch.kind == BranchKind::Target && (position.file, position.line) == (id, line)
    };
    let targets = marked(program, &is_it);
    match targets.is_empty() {
        true => Err(no_code(program, id, line)),
        false => Ok(targets),
    }
}

fn no_code(program: &Program, file: FileId, line: u32) -> Failure {
    let positions = program.lines.iter().filter_map(|(_, position)| *position);
    let lines: BTreeSet<u32> =
        positions.filter(|p| p.file == file && p.line > 0).map(|p| p.line).collect();
    let mut near: Vec<u32> = lines.range(..line).rev().take(NEAR_MAX).copied().collect();
    near.extend(lines.range(line + 1..).take(NEAR_MAX));
    near.sort_unstable();
    let near: Vec<String> = near.iter().map(ToString::to_string).collect();
    let path = program.file(file).path.display();
    let hint = match near.is_empty() {
        true => "the file has no code".to_owned(),
        false => format!("the nearest lines that have some are {}", near.join(", ")),
    };
    Failure::Usage { message: format!("{path}:{line} has no code: {hint}") }
}

/// The conditions of a line, each of them a target.
fn sides(program: &Program, file: &Path, line: u32, holds: bool) -> Result<Vec<Wanted>, Failure> {
    let id = file_of(program, file)?;
    let shown = |branch: &&Branch| match branch.kind {
        BranchKind::Condition => true,
        BranchKind::Case => holds,
        BranchKind::Check(_) | BranchKind::Hidden | BranchKind::Target => false,
    };
    let here = |branch: &&Branch| (branch.position.file, branch.position.line) == (id, line);
    let mut found: Vec<Wanted> = Vec::new();
    for (&site, branch) in program.branches.iter().filter(|(_, b)| here(b) && shown(b)) {
        let label = format!("{}:{line}:{holds} ({})", file.display(), branch.text);
        let target = Target::Side(Edge { site, taken: holds != branch.is_negated });
        match found.iter_mut().find(|wanted| wanted.label == label) {
            Some(wanted) => wanted.targets.push(target),
            None => found.push(Wanted::new(label, vec![target], None)),
        }
    }
    match found.is_empty() {
        true => {
            let path = file.display();
            Err(Failure::Usage { message: format!("{path}:{line} has no condition") })
        }
        false => Ok(found),
    }
}

fn trapped(
    program: &Program,
    view: &View<'_>,
    (file, line): (&Path, u32),
    trap: Trap,
) -> Result<Wanted, Failure> {
    let id = file_of(program, file)?;
    let is_inside = |offset: u32| {
        let position = program.position(offset);
        position.is_some_and(|position| (position.file, position.line) == (id, line))
    };
    let ends = |function: u32| trap.is_call_of(view, function);
    let faults = trap.faults().iter();
    let targets: Vec<Target> =
        faults.flat_map(|&fault| view.trap_targets(fault, &ends, &is_inside)).collect();
    let (path, name) = (file.display(), trap.name());
    match targets.is_empty() {
        true => Err(Failure::Usage {
            message: format!("{path}:{line} has nothing that can fail with `{name}`"),
        }),
        false => {
            let label = format!("{path}:{line}: {name}");
            Ok(Wanted::new(label, targets, Some(Failing::Trap(trap))))
        }
    }
}

/// The program's file of a path.
fn file_of(program: &Program, file: &Path) -> Result<FileId, Failure> {
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| absolute(path));
    let wanted = real(file);
    let at = program.files.iter().position(|known| real(&known.path) == wanted);
    let message = format!("`{}` has no code in this program", file.display());
    at.map(|at| FileId(at as u32)).ok_or(Failure::Usage { message })
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

/// The lines on which a marker is.
fn marked_lines(files: &[PathBuf], name: &str) -> Result<Vec<(PathBuf, u32)>, Failure> {
    let marker = format!("{MARKER}{name}\")");
    let mut found = Vec::new();
    for file in files {
        let unreadable = |source| Failure::Unreadable { file: file.clone(), source };
        let text = std::fs::read(file).map_err(unreadable)?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let lines = text.lines().zip(1..).filter(|(line, _)| line.contains(&marker));
        found.extend(lines.map(|(_, number)| (file.clone(), number)));
    }
    Ok(found)
}

/// The lines that a coverage report has as not run.
#[expect(clippy::disallowed_methods, reason = "the binary reads what the user names")]
fn uncovered(report: &Path) -> Result<Vec<Asked>, Failure> {
    let unreadable = |source| Failure::Unreadable { file: report.to_owned(), source };
    let text = std::fs::read_to_string(report).map_err(unreadable)?;
    let mut file = PathBuf::new();
    let mut asked = Vec::new();
    for line in text.lines() {
        if let Some(path) = line.strip_prefix("SF:") {
            file = PathBuf::from(path);
        } else if let Some((number, hits)) =
            line.strip_prefix("DA:").and_then(|l| l.split_once(','))
            && hits.split(',').next() == Some("0")
            && let Ok(line) = number.parse()
        {
            asked.push(Asked::Line { file: file.clone(), line });
        }
    }
    Ok(asked)
}
