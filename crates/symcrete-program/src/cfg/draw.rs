//! Draws a function's graph, as DOT text for Graphviz or as an SVG of our own.
//!
//! What is drawn (boxes with their lines, ways between them) is collected here once; `dot.rs` and `svg.rs` write it,
//! `layout.rs` says where things go in the SVG.

mod dot;
mod layout;
mod order;
mod svg;

use super::{Block, BlockId, Function, Kind, Loops, Terminator, text};
use crate::site::SiteId;

/// What a drawing is written as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Text for Graphviz.
    Dot,
    /// A picture.
    Svg,
}

/// A condition as the source has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition {
    /// Its text: `d*d < 4.0`, or `case 3`.
    pub text: String,
    /// Whether the machine tests its negation, so that the machine's *taken* is the source's *false*.
    pub is_negated: bool,
}

/// What the source says.
pub struct Labels<'a> {
    /// The source line of an operator, by offset: `file:line: text`.
    pub line: &'a dyn Fn(u32) -> Option<String>,
    /// The condition of a site.
    pub condition: &'a dyn Fn(SiteId) -> Option<Condition>,
}

impl Labels<'_> {
    /// For a module without debug information: instructions are shown instead.
    pub const NONE: Labels<'static> = Labels { line: &|_| None, condition: &|_| None };
}

/// Draws a function.
pub fn draw(function: &Function, style: Style, labels: &Labels<'_>) -> String {
    let picture = Picture::of(function, labels);
    match style {
        Style::Dot => dot::write(&picture),
        Style::Svg => svg::write(&picture),
    }
}

/// Longer lines are cut.
const COLUMNS_MAX: usize = 64;
/// More lines of a block are counted, not shown.
const LINES_MAX: usize = 14;
/// Names of cases are cut.
const CASE_MAX: usize = 16;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LineKind {
    /// Block and offsets.
    Head,
    /// What the block does.
    Body,
    /// What it decides.
    Condition,
}

struct BoxOf {
    lines: Vec<(LineKind, String)>,
    loop_depth: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum WayKind {
    Always,
    True,
    False,
    Case,
}

struct Way {
    from: usize,
    to: usize,
    kind: WayKind,
    label: String,
    is_back: bool,
}

/// What is drawn: one box per block, in reverse postorder.
struct Picture {
    title: String,
    boxes: Vec<BoxOf>,
    ways: Vec<Way>,
}

impl Picture {
    fn of(function: &Function, labels: &Labels<'_>) -> Picture {
        let (loops, definitions) = (Loops::of(function), function.definitions());
        let lines: Vec<Vec<String>> =
            function.blocks.iter().map(|block| source_lines(block, labels)).collect();
        let file = common_file(lines.iter().flatten());
        let has_source = lines.iter().any(|lines| !lines.is_empty());
        let mut picture = Picture {
            title: match &file {
                Some(file) => format!("{} — {file}", function.name),
                None => function.name.clone(),
            },
            boxes: vec![],
            ways: vec![],
        };
        for (id, lines) in function.block_ids().zip(lines) {
            let block = function.block(id);
            let mut body: Vec<String> =
                lines.iter().map(|line| without_file(line, file.as_deref())).collect();
            if lines.is_empty() {
                // A few instructions say more than an empty box.
                let shown = if has_source { 3 } else { usize::MAX };
                body.extend(block.instructions.iter().take(shown).map(ToString::to_string));
            }
            let loop_depth = loops.innermost(id).map_or(0, |index| loops.loops[index].depth);
            picture.boxes.push(BoxOf {
                lines: box_lines(function, &definitions, id, body, labels),
                loop_depth,
            });
            for (to, kind, label) in ways(block, labels) {
                let is_back = loops.is_back_edge(id, BlockId(to as u32));
                picture.ways.push(Way { from: id.index(), to, kind, label, is_back });
            }
        }
        picture
    }
}

/// The distinct source lines of a block in the order in which they are met.
fn source_lines(block: &Block, labels: &Labels<'_>) -> Vec<String> {
    let offsets = block.instructions.iter().map(|instruction| instruction.offset);
    let last = match block.terminator {
        Terminator::BrIf { offset, .. }
        | Terminator::Switch { offset, .. }
        | Terminator::Unreachable { offset } => Some(offset),
        Terminator::Br(_) | Terminator::Return(_) => None,
    };
    let mut lines: Vec<String> = Vec::new();
    for line in offsets.chain(last).filter_map(|offset| (labels.line)(offset)) {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// The file of a `file:line: text`.
fn file_of(line: &str) -> Option<&str> {
    let (place, _) = line.split_once(": ").unwrap_or((line, ""));
    let (file, number) = place.rsplit_once(':')?;
    number.parse::<u32>().ok().map(|_| file)
}

/// The file that all lines are in.
fn common_file<'l>(mut lines: impl Iterator<Item = &'l String>) -> Option<String> {
    let first = file_of(lines.next()?)?;
    lines.all(|line| file_of(line) == Some(first)).then(|| first.to_string())
}

fn without_file(line: &str, file: Option<&str>) -> String {
    let shorter = file.and_then(|file| line.strip_prefix(file)?.strip_prefix(':'));
    shorter.unwrap_or(line).to_string()
}

fn cut(text: &str, columns: usize) -> String {
    match text.chars().count() <= columns {
        true => text.to_string(),
        false => text.chars().take(columns - 1).chain(['…']).collect(),
    }
}

fn box_lines(
    function: &Function,
    definitions: &[Option<(BlockId, usize)>],
    id: BlockId,
    body: Vec<String>,
    labels: &Labels<'_>,
) -> Vec<(LineKind, String)> {
    let block = function.block(id);
    let ranges = block.ranges.iter().map(|range| format!("{:#x}–{:#x}", range.start, range.end));
    let ranges = ranges.collect::<Vec<_>>().join(", ");
    let mut lines = vec![(LineKind::Head, format!("{id}  {ranges}"))];
    let hidden = body.len().saturating_sub(LINES_MAX);
    // One hidden line would be replaced by one line that says so.
    let shown = if hidden > 1 { LINES_MAX } else { body.len() };
    lines.extend(body.into_iter().take(shown).map(|line| (LineKind::Body, line)));
    if hidden > 1 {
        lines.push((LineKind::Body, format!("… {hidden} more")));
    }
    let known = |offset| (labels.condition)(SiteId::at(offset)).map(|condition| condition.text);
    for select in block.instructions.iter().filter(|i| i.kind == Kind::Select) {
        let condition = known(select.offset)
            .unwrap_or_else(|| text::condition(function, definitions, select.args[2]));
        lines.push((LineKind::Condition, format!("{condition} ? … : …")));
    }
    let end = match &block.terminator {
        Terminator::BrIf { condition, offset, .. } => Some(
            known(*offset).unwrap_or_else(|| text::condition(function, definitions, *condition)),
        )
        .map(|condition| format!("{condition} ?")),
        Terminator::Switch { index, .. } => {
            Some(format!("switch {}", text::condition(function, definitions, *index)))
        }
        Terminator::Return(_) => Some("return".to_string()),
        Terminator::Unreachable { .. } => Some("trap".to_string()),
        Terminator::Br(_) => None,
    };
    lines.extend(end.map(|end| (LineKind::Condition, end)));
    lines.into_iter().map(|(kind, line)| (kind, cut(&line, COLUMNS_MAX))).collect()
}

/// The ways out of a block: where to, what kind, what to write beside it.
fn ways(block: &Block, labels: &Labels<'_>) -> Vec<(usize, WayKind, String)> {
    match &block.terminator {
        Terminator::Br(jump) => vec![(jump.block.index(), WayKind::Always, String::new())],
        Terminator::BrIf { then, otherwise, offset, .. } => {
            let condition = (labels.condition)(SiteId::at(*offset));
            let is_negated = condition.is_some_and(|condition| condition.is_negated);
            let side = |holds: bool| match holds {
                true => (WayKind::True, "true".to_string()),
                false => (WayKind::False, "false".to_string()),
            };
            let ((kind, label), (other_kind, other_label)) = (side(!is_negated), side(is_negated));
            vec![
                (then.block.index(), kind, label),
                (otherwise.block.index(), other_kind, other_label),
            ]
        }
        Terminator::Switch { cases, case_of_index, offset, .. } => {
            let name = |case: usize| {
                let site = SiteId { offset: *offset, case: case as u16 };
                let known = (labels.condition)(site).map(|condition| condition.text);
                cut(&known.unwrap_or_else(|| case_name(case, case_of_index)), CASE_MAX)
            };
            let way = |(case, jump): (usize, &super::Jump)| {
                (jump.block.index(), WayKind::Case, name(case))
            };
            cases.iter().enumerate().map(way).collect()
        }
        Terminator::Return(_) | Terminator::Unreachable { .. } => vec![],
    }
}

/// The indices that take a case: `0, 2`, `default`.
fn case_name(case: usize, case_of_index: &[u16]) -> String {
    let last = case_of_index.len() - 1;
    let indices =
        case_of_index.iter().enumerate().filter(|(_, known)| usize::from(**known) == case);
    let names = indices.map(|(index, _)| match index == last {
        true => "default".to_string(),
        false => index.to_string(),
    });
    names.collect::<Vec<_>>().join(", ")
}
