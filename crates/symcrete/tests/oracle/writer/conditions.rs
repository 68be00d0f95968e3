//! Conditions and expressions of random functions.

use super::{Kind, VARIABLES, Writer};

/// Types that a value is turned into on its way.
const CASTS: &[&str] = &[
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long long",
    "unsigned long long",
    "_Bool",
    "long",
    "size_t",
    "uint8_t",
    "int64_t",
];

impl Writer<'_> {
    /// A condition, its operands on lines of their own. The whole is in parentheses unless it is one operand.
    pub(super) fn condition(&mut self, depth: u32) {
        if depth > 0 && self.rng.one_in(3) {
            let open = if self.rng.one_in(4) { "!(" } else { "(" };
            self.page.line(open);
            self.condition(depth - 1);
            let operator = *self.rng.choose(&["&&", "||"]);
            self.page.line(operator);
            self.condition(depth - 1);
            self.page.line(")");
            return;
        }
        let text = self.leaf_text();
        self.page.leaf(&text);
    }

    /// The text of one condition.
    fn leaf_text(&mut self) -> String {
        if self.rng.one_in(6)
            && let Some(text) = self.special_leaf()
        {
            return text;
        }
        if self.rng.one_in(96) {
            return self.address_leaf();
        }
        let comparison = self.comparison();
        let (atom, constant) = (self.atom(), self.constant());
        match self.rng.below(16) {
            12 => match self.rng.below(3) {
                0 => format!("isdigit({atom} & 127)"),
                1 => format!("!isalpha({atom} & 127)"),
                _ => format!("toupper({atom} & 127) == 'X'"),
            },
            13 => format!("abs((int)({atom})) == {constant}"),
            0 => atom,
            1 => format!("!{atom}"),
            2 => format!("!!{atom}"),
            3 => format!("!({comparison})"),
            4 => format!("({comparison}) == 0"),
            5 => format!("({comparison}) != 0"),
            6 => format!("({comparison}) == ({})", self.comparison()),
            7 => {
                let mask = *self.rng.choose(&["1", "8", "12", "64", "128"]);
                format!("({atom} & {mask}) == {mask}")
            }
            8 => format!("{atom} & {}", self.rng.choose(&["1", "6", "16"])),
            9 => match self.rng.below(4) {
                0 => format!("IS({atom}, {constant})"),
                1 => format!("NOT({comparison})"),
                2 => format!("LOW({atom}) == {}", self.rng.below(18)),
                _ => format!("MORE({atom}, {constant})"),
            },
            10 => format!("{constant} >= {atom}"),
            11 => format!("({} = {atom} - {constant})", self.variable()),
            _ => comparison,
        }
    }

    /// A condition on what only some functions have.
    fn special_leaf(&mut self) -> Option<String> {
        let param = self.rng.choose(&self.params).clone();
        let name = &param.name;
        Some(match param.kind {
            Kind::Float | Kind::Double => match self.rng.below(6) {
                0 => format!("{name} != {name}"),
                1 => format!("{name} > 1.5f"),
                2 => format!("!({name} <= -3.25)"),
                3 => format!("{name} * 2 == 3.0f"),
                4 => format!("1 / {name} < 0"),
                _ => name.clone(),
            },
            Kind::Word => match self.rng.below(5) {
                0 => format!("{name}.f != {name}.f"),
                1 => format!("{name}.f > 2.5f"),
                2 => format!("{name}.u == 0x7fc00005u"),
                3 => format!("((union word){{.f = {name}.f + 1.0f}}).u == 0x7fc00005u"),
                _ => format!("{name}.f == 42"),
            },
            Kind::Pair => {
                let other = self
                    .params
                    .iter()
                    .find(|other| other.kind == Kind::Pair && other.name != *name);
                format!("{name} == {}", other.map_or("0", |other| other.name.as_str()))
            }
            Kind::Array => {
                let mut arrays = self.params.iter().filter(|other| other.kind == Kind::Array);
                let other = arrays.find(|other| other.name != *name)?.name.clone();
                self.looks_at_addresses = true;
                match self.rng.below(3) {
                    0 => format!("{name} == {other} + 2"),
                    1 => format!("{name} - {other} == 1"),
                    _ => format!("{name} > {other}"),
                }
            }
            Kind::Integer("long", _) => format!("{name} > 0x7fffffffL"),
            Kind::Integer("size_t", _) => format!("{name} > 0x7fffffff"),
            Kind::Bytes => match self.rng.below(3) {
                0 => format!("{name}_size >= 3"),
                1 => format!("{name}_size == 12"),
                _ => format!("({name}_size & 3) == 0"),
            },
            Kind::Span => match self.rng.below(3) {
                0 => format!("{name} == {name}_end"),
                1 => format!("{name} < {name}_end"),
                _ => format!("{name}_end - {name} > 2"),
            },
            Kind::Text if self.atoms.contains(&format!("{name}[0]")) => match self.rng.below(4) {
                3 => format!("strncmp({name}, \"abc\", 2) == 0"),
                0 => format!("!strcmp({name}, \"on\")"),
                1 => format!("strchr({name}, '=') != NULL"),
                _ => format!("strlen({name}) == 20"),
            },
            Kind::Outer if self.atoms.contains(&format!("{name}->k")) => format!("{name}->next"),
            Kind::Integer(..)
            | Kind::Small
            | Kind::Outer
            | Kind::List
            | Kind::Buffer
            | Kind::Text
            | Kind::Callback
            | Kind::Getter => return None,
        })
    }

    /// A condition on where variables are.
    fn address_leaf(&mut self) -> String {
        self.looks_at_addresses = true;
        let (a, b) = (self.variable(), self.variable());
        let (byte, bit) = (self.rng.below(8), self.rng.choose(&["1", "8", "16", "64"]));
        match self.rng.below(12) {
            8 => format!("((const unsigned char *)operations)[{byte}] & {bit}"),
            9 => format!("((const unsigned char *)&anchor)[{byte}] & {bit}"),
            10 => format!("((uintptr_t)twice & {bit}) != 0"),
            11 => "(uintptr_t)twice < (uintptr_t)minus".to_string(),
            0 => format!("&{a} < &{b}"),
            1 => format!("(char *)&{a} - (char *)t > 0"),
            2 => "&shared > &secret".to_string(),
            3 => format!("&{a} + 1 == &{b}"),
            4 => format!("&{a} <= &shared"),
            5 => format!("((uintptr_t)&{a} & 15) == 4"),
            6 => "((uintptr_t)&table[0] & 7) != 0".to_string(),
            _ => format!("&{a} != &{b}"),
        }
    }

    fn comparison(&mut self) -> String {
        let a = self.expression(2);
        let b = if self.rng.one_in(2) { self.constant() } else { self.expression(1) };
        format!("{a} {} {b}", self.rng.choose(&["==", "!=", "<", "<=", ">", ">="]))
    }

    /// An expression of an integer type.
    pub(super) fn expression(&mut self, depth: u32) -> String {
        let choice = if depth == 0 { self.rng.below(3) } else { self.rng.below(15) };
        match choice {
            0 | 1 => self.atom(),
            2 => self.constant(),
            3 => format!("table[{} & 7]", self.expression(depth - 1)),
            4 => format!("t[{} & 3]", self.expression(depth - 1)),
            5 => format!("help({}, {})", self.expression(depth - 1), self.expression(0)),
            6 => {
                let by = *self.rng.choose(&["3", "7", "10", "16"]);
                format!("({} {} {by})", self.expression(depth - 1), self.rng.choose(&["/", "%"]))
            }
            7 => format!(
                "({} {} {})",
                self.expression(depth - 1),
                self.rng.choose(&["<<", ">>"]),
                self.rng.below(5)
            ),
            13 => format!("operations[{} & 1]({})", self.atom(), self.expression(0)),
            14 => format!("sum(2, (int)({}), {})", self.expression(depth - 1), self.variable()),
            8 | 9 => format!("({})({})", self.rng.choose(CASTS), self.expression(depth - 1)),
            _ => format!(
                "({} {} {})",
                self.expression(depth - 1),
                self.rng.choose(&["+", "-", "*", "&", "|", "^"]),
                self.expression(depth - 1)
            ),
        }
    }

    pub(super) fn atom(&mut self) -> String {
        if self.rng.one_in(12) {
            return self.rng.choose(&["shared", "secret"]).to_string();
        }
        self.rng.choose(&self.atoms).clone()
    }

    pub(super) fn variable(&mut self) -> &'static str {
        VARIABLES[self.rng.below(VARIABLES.len() as u64) as usize]
    }

    pub(super) fn constant(&mut self) -> String {
        self.rng
            .choose(&[
                "0", "1", "2", "3", "5", "7", "10", "42", "100", "(-1)", "(-8)", "(-128)", "255u",
                "64", "GREEN", "'x'", "7LL", "65536",
            ])
            .to_string()
    }
}
