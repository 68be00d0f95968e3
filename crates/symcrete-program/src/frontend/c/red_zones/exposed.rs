//! Which variables may be read in other ways than member by member.
//!
//! A variable whose initial value has pointers shows where other variables are to whoever reads it byte by byte. That needs
//! its address as such, or an access of another type: most tables of strings are only indexed, and cost nothing.

use super::super::ir::split;
use super::super::locals::{definition, global_names, is_remark, names};
use std::collections::{BTreeMap, BTreeSet};

/// A place in a variable.
#[derive(Clone, Copy)]
struct Place<'a> {
    variable: &'a str,
    /// Whether it is certain that a number is there.
    is_number: bool,
}

/// Those of these variables of a file whose address goes somewhere, or whose pointers are read as something else.
pub(super) fn exposed<'a>(text: &'a str, variables: &BTreeSet<&'a str>) -> BTreeSet<&'a str> {
    let mut exposed = BTreeSet::new();
    if variables.is_empty() {
        return exposed;
    }
    let types = text.lines().filter_map(|line| line.split_once(" = type "));
    let mut file = File { variables, types: types.collect(), places: BTreeMap::new() };
    for line in text.lines().filter(|line| !is_remark(line)) {
        if line.starts_with("define ") {
            file.places.clear();
        }
        exposed.extend(file.exposed_by(line));
    }
    exposed
}

struct File<'a, 'b> {
    variables: &'b BTreeSet<&'a str>,
    types: BTreeMap<&'a str, &'a str>,
    /// The places that values of the function at hand name.
    places: BTreeMap<&'a str, Place<'a>>,
}

impl<'a> File<'a, '_> {
    fn exposed_by(&mut self, line: &'a str) -> Vec<&'a str> {
        // A variable is not exposed by its own definition.
        let (defined, code) = match line.strip_prefix('@') {
            Some(rest) => ("", rest.split_once(" = ").map_or("", |(_, value)| value)),
            None => definition(line).unwrap_or(("", line.trim_start())),
        };
        let places = self.places_in(code);
        let [place] = places[..] else {
            return places.into_iter().map(|place| place.variable).collect();
        };
        let operands = split(code);
        if let Some(source) = code.strip_prefix("getelementptr ").filter(|_| !defined.is_empty()) {
            let source = split(source)[0].trim_start_matches("inbounds ");
            if source != "i8" {
                let is_number = self.element(source, &operands).is_some_and(is_number);
                self.places.insert(defined, Place { is_number, ..place });
                return Vec::new();
            }
        }
        let is_harmless = match operands[0].split_once(' ') {
            Some(("load", read)) => {
                let ty = read.trim_start_matches("volatile ");
                ty == "ptr" || ty.ends_with('*') || place.is_number
            }
            Some(("store", value)) => self.places_in(value).is_empty(),
            _ => false,
        };
        if is_harmless { Vec::new() } else { vec![place.variable] }
    }

    fn places_in(&self, code: &'a str) -> Vec<Place<'a>> {
        let globals = global_names(code).filter_map(|name| self.variables.get(name));
        let globals = globals.map(|variable| Place { variable, is_number: false });
        globals.chain(names(code).filter_map(|name| self.places.get(name).copied())).collect()
    }

    /// The type of what a `getelementptr` names, if it goes into its type one step.
    fn element(&self, source: &'a str, operands: &[&'a str]) -> Option<&'a str> {
        let indices = operands[2..].iter().take_while(|operand| !operand.contains('!'));
        let index = match indices.collect::<Vec<_>>()[..] {
            [_] => return Some(source),
            [_, index] => index.rsplit(' ').next()?,
            _ => return None,
        };
        if let Some(array) = source.strip_prefix('[') {
            return Some(array.strip_suffix(']')?.split_once(" x ")?.1);
        }
        let members = self.types.get(source).copied().unwrap_or(source);
        let members = members.strip_prefix("{ ")?.strip_suffix(" }")?;
        split(members).get(index.parse::<usize>().ok()?).map(|member| member.trim())
    }
}

fn is_number(ty: &str) -> bool {
    let is_integer = ty.strip_prefix('i').is_some_and(|bits| bits.parse::<u32>().is_ok());
    is_integer || matches!(ty, "float" | "double" | "fp128")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_exposed(body: &str) -> bool {
        let text = format!(
            "%struct.E = type {{ ptr, i32 }}\n\
             @g = global [2 x %struct.E] [%struct.E {{ ptr @x, i32 1 }}]\n\
             define void @f(i64 %i) {{\n{body}\n}}\n"
        );
        exposed(&text, &BTreeSet::from(["@g"])).contains("@g")
    }

    #[test]
    fn members_are_read_without_exposing_a_variable() {
        let element =
            "  %e = getelementptr inbounds [2 x %struct.E], ptr @g, i64 0, i64 %i, !dbg !2\n";
        for (rest, expected) in [
            (
                "  %m = getelementptr inbounds %struct.E, ptr %e, i32 0, i32 0\n  %1 = load ptr, ptr %m, align 8",
                false,
            ),
            (
                "  %m = getelementptr inbounds %struct.E, ptr %e, i32 0, i32 1, !dbg !4\n  %1 = load i32, ptr %m",
                false,
            ),
            (
                "  %m = getelementptr inbounds %struct.E, ptr %e, i32 0, i32 0\n  %1 = load i8, ptr %m",
                true,
            ),
            ("  %m = getelementptr inbounds i8, ptr %e, i64 %i\n  %1 = load i8, ptr %m", true),
            ("  %1 = load i32, ptr %e", true),
            ("  store ptr null, ptr %e", false),
            ("  store ptr %e, ptr %e.addr", true),
            ("  call void @h(ptr %e)", true),
            ("  #dbg_value(ptr %e, !1, !DIExpression(), !2)", false),
        ] {
            assert_eq!(is_exposed(&format!("{element}{rest}")), expected, "{rest}");
        }
    }

    #[test]
    fn a_variable_whose_address_goes_somewhere_is_exposed() {
        for (body, expected) in [
            ("  ret void", false),
            ("  store ptr @g, ptr %p", true),
            ("  %1 = load ptr, ptr @g", false),
            ("  %1 = load i8, ptr @g", true),
            ("  call void @llvm.memcpy.p0.p0.i64(ptr %s, ptr @g, i64 32, i1 false)", true),
            ("  ret void\n}\n@h = global ptr @g\ndefine void @k() {", true),
        ] {
            assert_eq!(is_exposed(body), expected, "{body}");
        }
    }
}
