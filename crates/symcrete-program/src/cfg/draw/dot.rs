//! The picture as text for Graphviz.

use super::{LineKind, Picture, WayKind};
use std::fmt::Write;

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

pub(super) fn write(picture: &Picture) -> String {
    let mut out = String::new();
    let title = escaped(&picture.title);
    // Writing to a string does not fail.
    let _ = writeln!(out, "digraph \"{title}\" {{");
    let _ = writeln!(out, "  label=\"{title}\"; labelloc=t; fontname=\"monospace\";");
    out +=
        "  node [shape=box, style=filled, fillcolor=white, fontname=\"monospace\", fontsize=10];\n";
    out += "  edge [fontname=\"monospace\", fontsize=9];\n";
    for (index, of_block) in picture.boxes.iter().enumerate() {
        let mut label = String::new();
        for (kind, line) in &of_block.lines {
            let indent = if *kind == LineKind::Body { "  " } else { "" };
            let _ = write!(label, "{indent}{}\\l", escaped(line));
        }
        let fill = ["white", "#f2f7ff", "#e3eeff", "#d3e4ff"][of_block.loop_depth.min(3)];
        let _ = writeln!(out, "  b{index} [label=\"{label}\", fillcolor=\"{fill}\"];");
    }
    for way in &picture.ways {
        let color = match way.kind {
            WayKind::Always => "#57606a",
            WayKind::True => "#1a7f37",
            WayKind::False => "#cf222e",
            WayKind::Case => "#8250df",
        };
        let width = if way.is_back { 2 } else { 1 };
        let label = escaped(&way.label);
        let _ = writeln!(
            out,
            "  b{} -> b{} [label=\"{label}\", color=\"{color}\", fontcolor=\"{color}\", penwidth={width}];",
            way.from, way.to
        );
    }
    out += "}\n";
    out
}
