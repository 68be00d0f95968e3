//! Writes random functions of two small numbers, given as such or behind pointers, with places that are to be reached.

/// A number of the sequence that follows from a seed.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u64) as usize]
    }
}

/// What functions share. Compiled with `NATIVE`, places note that they were reached.
pub(super) const HEAD: &str = "\
#ifdef NATIVE
extern unsigned char hits[], kind_of_call;
#define HIT(k) (hits[k] |= kind_of_call, out = k)
#else
#define HIT(k) (out = k)
#endif
struct pair { int x; signed char y; };
struct cell { signed char x, y; };
struct nibbles { signed x : 4, y : 4; };
static const int table[8] = {3, -1, 4, 100, -5, 9, 2, 6};
int out;
int level;
static void put(int *p, int v) { if (v > 3) *p = v; else *p += 1; }
static int twice(int v) { int r = 0; put(&r, v); return r + v; }
static int count(int n) { int r = 0; while (n > 0) { r += n & 1; n >>= 1; } return r; }
";

/// What a function gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Signature {
    /// Two numbers.
    Numbers,
    /// A structure of two numbers, or null.
    Structure,
    /// An array of two numbers, or null.
    Array,
    /// Two structures of two very small numbers, which may be the same, or null.
    Structures,
}

impl Signature {
    const ALL: [Signature; 4] =
        [Signature::Numbers, Signature::Structure, Signature::Array, Signature::Structures];

    fn parameters(self) -> &'static str {
        match self {
            Signature::Numbers => "signed char a, signed char b",
            Signature::Structure => "struct cell *p",
            Signature::Array => "const signed char *items",
            Signature::Structures => "struct nibbles *p, struct nibbles *q",
        }
    }

    fn start(self) -> &'static str {
        match self {
            Signature::Numbers => "",
            Signature::Structure => "if (!p) return -1; signed char a = p->x, b = p->y;",
            Signature::Array => "if (!items) return -1; signed char a = items[0], b = items[1];",
            Signature::Structures => "if (!p || !q) return -1; signed char a = p->x, b = q->y;",
        }
    }

    /// What can be read and assigned besides variables.
    fn places(self) -> &'static [&'static str] {
        match self {
            Signature::Numbers | Signature::Array => &["u", "v"],
            Signature::Structure => &["p->x", "p->y"],
            Signature::Structures => &["p->x", "p->y", "q->x", "q->y"],
        }
    }
}

/// A file of functions `f0`, `f1`, …, and the line of each place.
pub(super) struct Page {
    pub(super) text: String,
    pub(super) lines: Vec<u32>,
    pub(super) signatures: Vec<Signature>,
    random: Random,
    depth: u32,
    left: u32,
}

const VARIABLES: &[&str] = &["a", "b", "u", "v", "w", "s.x", "s.y", "level"];
const TARGETS: &[&str] = &["u", "v", "w", "s.x", "level"];

impl Page {
    pub(super) fn write(seed: u64, n_functions: usize) -> Page {
        let random = Random::new(seed);
        let (text, lines) = (HEAD.to_owned(), Vec::new());
        let mut page = Page { text, lines, signatures: Vec::new(), random, depth: 0, left: 0 };
        for i in 0..n_functions {
            let signature = Signature::ALL[i % Signature::ALL.len()];
            page.signatures.push(signature);
            page.line(&format!("int f{i}({})", signature.parameters()));
            page.line("{");
            page.line(signature.start());
            page.line("int u = a, v = b, w = 7, arr[4] = {1, 2, 3, 4}; struct pair s = {a, b};");
            page.left = 1;
            page.block(4);
            page.line("if (u == 3 && arr[1] > 2)");
            page.hit();
            page.line("return u + v + w + arr[0] + s.x;");
            page.line("}");
        }
        page
    }

    /// What the function that is being written gets.
    fn signature(&self) -> Signature {
        *self.signatures.last().expect("a function was begun")
    }

    /// Calls of all functions with all inputs. What a call with two different objects reaches has the first bit, what one
    /// with one object for two pointers reaches the second.
    pub(super) fn driver(&self) -> String {
        let mut calls = String::new();
        let mut of = |signature, call: &dyn Fn(usize) -> String| {
            for (i, _) in self.signatures.iter().enumerate().filter(|(_, own)| **own == signature) {
                calls.push_str(&format!("level = 0; out = 0; {}\n", call(i)));
            }
        };
        of(Signature::Numbers, &|i| format!("f{i}(i, j);"));
        of(Signature::Structure, &|i| format!("f{i}(&(struct cell){{i, j}}); f{i}(0);"));
        of(Signature::Array, &|i| format!("f{i}((signed char[8]){{i, j}}); f{i}(0);"));
        let nibbles = |of: &str| format!("(struct nibbles){{{of} >> 4, {of} & 15}}");
        of(Signature::Structures, &|i| {
            let (p, q) = (nibbles("i"), nibbles("j"));
            format!(
                "f{i}(&{p}, &{q}); f{i}(0, &{q}); f{i}(&{p}, 0); \
                 kind_of_call = 2; struct nibbles one{i} = {p}; level = 0; f{i}(&one{i}, &one{i}); kind_of_call = 1;"
            )
        });
        let n = self.lines.len();
        format!(
            "#include <stdio.h>\n#include \"page.c\"\nunsigned char hits[{}], kind_of_call = 1;\nint main(void) {{\n\
             for (int i = -128; i < 128; i++) for (int j = -128; j < 128; j++) {{\n{calls}}}\n\
             for (int k = 0; k < {n}; k++) putchar('0' + hits[k]);\nreturn 0; }}\n",
            n + 1
        )
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn hit(&mut self) {
        let line = self.text.lines().count() as u32 + 1;
        let number = self.lines.len();
        self.line(&format!("HIT({number});"));
        self.lines.push(line);
    }

    fn block(&mut self, n: u64) {
        for _ in 0..1 + self.random.below(n) {
            self.statement();
        }
    }

    fn statement(&mut self) {
        let kinds = if self.depth > 2 { 5 } else { 10 };
        match self.random.below(kinds) {
            0 | 1 => {
                let places =
                    if self.random.below(3) == 0 { self.signature().places() } else { TARGETS };
                let (to, value) = (self.random.pick(places), self.value(2));
                self.line(&format!("{to} = {value};"));
            }
            2 => {
                let (index, value) = (self.value(1), self.value(2));
                self.line(&format!("arr[({index}) & 3] = {value};"));
            }
            3 => {
                let to = self.random.pick(&["u", "w", "arr[v & 3]", "s.x"]);
                let value = self.value(1);
                self.line(&format!("put(&{to}, {value});"));
            }
            4 if self.left > 0 => {
                self.left -= 1;
                let condition = self.condition();
                self.line(&format!("if ({condition})"));
                self.hit();
            }
            5 => {
                let (first, second) = (self.value(1), self.random.below(100) as i64 - 50);
                self.line(&format!("for (int i = 0; i < (({first}) & 3); i++) {{"));
                self.nested();
                self.line(&format!("if (w > {second}) w--; }}"));
            }
            6 => {
                let value = self.value(1);
                self.line(&format!("switch (({value}) & 3) {{ case 0:"));
                self.nested();
                self.line("break; case 1:");
                self.nested();
                self.line("case 2: u += 2; break; default: v ^= 5; }");
            }
            7 => {
                let (condition, value) = (self.condition(), self.value(1));
                self.line(&format!("if ({condition}) return {value};"));
            }
            _ => {
                let condition = self.condition();
                self.line(&format!("if ({condition}) {{"));
                self.nested();
                self.line("} else {");
                self.nested();
                self.line("}");
            }
        }
    }

    fn nested(&mut self) {
        self.depth += 1;
        self.block(2);
        self.depth -= 1;
    }

    fn condition(&mut self) -> String {
        let compared = |page: &mut Page| {
            let order = page.random.pick(&["<", ">", "==", "!=", "<=", ">="]);
            let (left, right) = (page.value(2), page.random.below(60) as i64 - 30);
            format!("{left} {order} {right}")
        };
        let first = compared(self);
        match self.random.below(4) {
            0 => format!("{first} && {}", compared(self)),
            1 => format!("{first} || {}", compared(self)),
            _ => first,
        }
    }

    fn value(&mut self, depth: u32) -> String {
        if depth == 0 || self.random.below(3) == 0 {
            return match self.random.below(6) {
                0 => format!("{}", self.random.below(40) as i64 - 20),
                1 => format!("arr[{} & 3]", self.random.pick(&["a", "v", "w"])),
                2 => format!("table[{} & 7]", self.random.pick(&["a", "u", "b"])),
                3 if self.signature() == Signature::Array => {
                    format!("items[{} & 1]", self.random.pick(&["u", "v", "w"]))
                }
                3 => self.random.pick(self.signature().places()).to_owned(),
                _ => self.random.pick(VARIABLES).to_owned(),
            };
        }
        let (left, right) = (self.value(depth - 1), self.value(depth - 1));
        match self.random.below(16) {
            0 => format!("({left} / (({right} & 7) + 1))"),
            1 => format!("({left} % 5)"),
            2 => format!("(int)((unsigned){left} >> ({right} & 7))"),
            3 => format!("twice({left})"),
            4 => format!("count({left} & 31)"),
            5 => format!("(signed char)({left} * {right})"),
            6 => format!("({left} < {right} ? {right} : {left})"),
            _ => format!("({left} {} {right})", self.random.pick(&["+", "-", "+", "&", "|", "^"])),
        }
    }
}
