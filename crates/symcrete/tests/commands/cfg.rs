//! `symcrete cfg`.

use super::{folder, symcrete};

#[test]
fn a_drawing_is_svg_or_dot() {
    let svg = symcrete("cfg inputs.c --function sum");
    assert!(svg.text().starts_with("<svg ") && svg.text().ends_with("</svg>\n"));
    for part in ["i &lt; len", "s &gt; 10"] {
        assert!(svg.text().contains(part), "{part}: {}", svg.text());
    }
    let dot = symcrete("cfg inputs.c --function sum --format dot");
    assert!(dot.text().starts_with("digraph \"sum") && dot.text().ends_with("}\n"));
    for part in ["b0 -> ", "s > 10", "56: for (size_t i = 0; i < len; i++)"] {
        assert!(dot.text().contains(part), "{part}: {}", dot.text());
    }
    // The same program is drawn the same way.
    assert_eq!(symcrete("cfg inputs.c --function sum").stdout, svg.stdout);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "tests read what the binary writes")]
fn a_drawing_can_go_to_a_file() {
    let folder = folder();
    let file = folder.path().join("max.svg");
    let done = symcrete(&format!("cfg module.wat -o {}", file.display()));
    assert_eq!(done.text(), "");
    let written = std::fs::read_to_string(&file).expect("it was written");
    assert_eq!(written.trim_end(), symcrete("cfg module.wat").text().trim_end());
    let elsewhere = folder.path().join("missing/max.svg");
    let done = symcrete(&format!("cfg module.wat -o {}", elsewhere.display()));
    assert!(done.complaint(3).contains("cannot write"), "{}", done.stderr);
}
