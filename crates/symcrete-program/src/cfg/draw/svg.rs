//! The picture as SVG.

use super::layout::{Layout, Link, Route, layout};
use super::{BoxOf, LineKind, Picture, WayKind};
use std::fmt::Write;

const LINE: f64 = 15.0;
const COLUMN: f64 = 7.0;
const PADDING: f64 = 9.0;
const MARGIN: f64 = 24.0;
const TITLE: f64 = 28.0;
const ARROW: f64 = 7.0;
/// Below a rank ways go straight for so long, beside what is written there.
const STRAIGHT: f64 = 13.0;

pub(super) fn write(picture: &Picture) -> String {
    let sizes = sizes(picture);
    let routes: Vec<Route> = picture
        .ways
        .iter()
        .map(|way| Route {
            from: way.from,
            to: way.to,
            is_back: way.is_back,
            label_width: text_width(&way.label) + 14.0,
        })
        .collect();
    let layout = layout(&sizes, &routes, TITLE);
    let width = layout.width.max(text_width(&picture.title) * 1.2) + 2.0 * MARGIN;
    let height = layout.height;
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\">"
    );
    out += STYLE;
    let _ = writeln!(out, "<rect width=\"{width:.0}\" height=\"{height:.0}\" fill=\"#ffffff\"/>");
    let title = escaped(&picture.title);
    let _ = writeln!(out, "<text class=\"title\" x=\"{MARGIN}\" y=\"{TITLE}\">{title}</text>");
    let _ = writeln!(out, "<g transform=\"translate({MARGIN} 0)\">");
    for (index, link) in layout.plan.links.iter().enumerate() {
        write_link(&mut out, picture, &layout, index, link);
    }
    for (index, of_block) in picture.boxes.iter().enumerate() {
        write_box(&mut out, of_block, &layout, index, sizes[index]);
    }
    for (index, link) in layout.plan.links.iter().enumerate() {
        write_label(&mut out, picture, &layout, index, link, &sizes);
    }
    out += "</g>\n</svg>\n";
    out
}

const STYLE: &str = "<style>
text { font: 11.5px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #24292f; white-space: pre; }
.title { font-size: 15px; font-weight: bold; }
.head { fill: #6e7781; }
.condition { font-weight: bold; }
.box { stroke: #8c959f; stroke-width: 1; }
.way { fill: none; stroke-width: 1.4; }
.back { stroke-width: 2.4; }
.always { stroke: #57606a; } .true { stroke: #1a7f37; } .false { stroke: #cf222e; } .case { stroke: #8250df; }
.always-tip { fill: #57606a; } .true-tip { fill: #1a7f37; } .false-tip { fill: #cf222e; } .case-tip { fill: #8250df; }
.label { font-size: 10px; paint-order: stroke; stroke: #ffffff; stroke-width: 3px; }
</style>
";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn text_width(text: &str) -> f64 {
    text.chars().count() as f64 * COLUMN
}

/// A box fits its lines, and what is written where its ways start.
fn sizes(picture: &Picture) -> Vec<(f64, f64)> {
    let size = |(index, of_block): (usize, &BoxOf)| {
        let lines = of_block.lines.iter().map(|(_, line)| text_width(line));
        let labels = picture.ways.iter().filter(|way| way.from == index);
        let labels: Vec<f64> = labels.map(|way| text_width(&way.label) + 16.0).collect();
        let widest = labels.iter().copied().fold(0.0, f64::max) * labels.len() as f64;
        let width = lines.fold(widest, f64::max).max(60.0) + 2.0 * PADDING;
        (width, of_block.lines.len() as f64 * LINE + 2.0 * PADDING - 4.0)
    };
    picture.boxes.iter().enumerate().map(size).collect()
}

fn write_box(
    out: &mut String,
    of_block: &BoxOf,
    layout: &Layout,
    index: usize,
    (width, height): (f64, f64),
) {
    let (left, top) = (layout.x[index] - width / 2.0, layout.top[layout.plan.items[index].rank]);
    let fill = ["#ffffff", "#f2f7ff", "#e3eeff", "#d3e4ff"][of_block.loop_depth.min(3)];
    let _ = writeln!(
        out,
        "<rect class=\"box\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" \
         height=\"{height:.1}\" rx=\"5\" fill=\"{fill}\"/>"
    );
    for (line, (kind, text)) in of_block.lines.iter().enumerate() {
        let class = match kind {
            LineKind::Head => "head",
            LineKind::Body => "body",
            LineKind::Condition => "condition",
        };
        let (x, y) = (left + PADDING, top + PADDING + LINE * (line as f64 + 0.65));
        let text = escaped(text);
        let _ = writeln!(out, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>");
    }
}

/// How a link looks: that of its way, neutral if ways of several kinds share it.
fn class(picture: &Picture, link: &Link) -> &'static str {
    let first = picture.ways[link.ways[0]].kind;
    let is_shared = link.ways.iter().any(|&way| picture.ways[way].kind != first);
    match first {
        _ if is_shared => "always",
        WayKind::Always => "always",
        WayKind::True => "true",
        WayKind::False => "false",
        WayKind::Case => "case",
    }
}

fn write_link(out: &mut String, picture: &Picture, layout: &Layout, index: usize, link: &Link) {
    let (from, to) = (&layout.plan.items[link.from], &layout.plan.items[link.to]);
    let (x1, x2) = layout.ends[index];
    let (above, below) = (layout.top[from.rank], layout.bottom[from.rank]);
    let to_top = layout.top[to.rank];
    let tip = to_top - ARROW + 1.0;
    let start = if from.is_box { above + from.height } else { above };
    let curved = |start: f64, straight: f64, peaks: f64, end: f64| {
        format!(
            "M{x1:.1} {start:.1} V{straight:.1} \
             C{x1:.1} {peaks:.1} {x2:.1} {peaks:.1} {x2:.1} {end:.1}"
        )
    };
    let path = match (from.rank == to.rank, to.is_box) {
        // Up the last lane and over into the header.
        (true, true) => curved(below, above, above - layout.gaps[from.rank] * 0.75, tip),
        // Out of the block and round into the first lane.
        (true, false) => curved(start, below, below + layout.gaps[from.rank + 1] * 0.75, below),
        (false, _) if from.is_up => {
            let end = layout.bottom[to.rank];
            curved(below, above, (above + end) / 2.0, end)
        }
        (false, to_box) => {
            let (straight, end) = (below + STRAIGHT, if to_box { tip } else { to_top });
            curved(start, straight, (straight + end) / 2.0, end)
        }
    };
    let class = class(picture, link);
    let back = if picture.ways[link.ways[0]].is_back { " back" } else { "" };
    let _ = writeln!(out, "<path class=\"way {class}{back}\" d=\"{path}\"/>");
    if to.is_box {
        triangle(out, class, x2, to_top, -ARROW);
    }
    if from.is_up {
        // Which way a lane leads is not seen at its ends alone.
        triangle(out, class, x1, (above + below) / 2.0 - ARROW / 2.0, ARROW);
    }
}

/// A tip at a point; the height is negative for one that points down.
fn triangle(out: &mut String, class: &str, x: f64, y: f64, height: f64) {
    let (left, right, base) = (x - 4.0, x + 4.0, y + height);
    let _ = writeln!(
        out,
        "<path class=\"{class}-tip\" d=\"M{x:.1} {y:.1} L{left:.1} {base:.1} L{right:.1} {base:.1} Z\"/>"
    );
}

/// What a way is called stands where it leaves its box.
fn write_label(
    out: &mut String,
    picture: &Picture,
    layout: &Layout,
    index: usize,
    link: &Link,
    sizes: &[(f64, f64)],
) {
    let way = &picture.ways[link.ways[0]];
    if link.from != way.from || way.label.is_empty() {
        return;
    }
    let x = layout.ends[index].0 + 4.0;
    let y = layout.top[layout.plan.items[link.from].rank] + sizes[link.from].1 + 12.0;
    let label = escaped(&way.label);
    let _ = writeln!(out, "<text class=\"label\" x=\"{x:.1}\" y=\"{y:.1}\">{label}</text>");
}
