//! Parameters of random functions: how they are declared, what of them can be used, how the driver makes them.

use symcrete_term::Rng;

/// A kind of parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// An integer of this type with so many values; 0 if those are too many to try all.
    Integer(&'static str, u64),
    Float,
    Double,
    /// A structure of bit-fields, by value.
    Small,
    /// A union of a number and a float, by value.
    Word,
    /// A pointer to a structure of numbers.
    Pair,
    /// A pointer to a structure with pointers.
    Outer,
    /// A linked list.
    List,
    /// An array and its length.
    Array,
    /// Bytes and their number.
    Bytes,
    /// Two pointers into one array.
    Span,
    /// A pointer to a structure with an array and how much of it is used.
    Buffer,
    /// A string.
    Text,
    /// A pointer to a function.
    Callback,
    /// A pointer to a function that writes where its argument points.
    Getter,
}

/// Kinds by how often they come.
const KINDS: &[Kind] = &[
    Kind::Integer("signed char", 256),
    Kind::Integer("signed char", 256),
    Kind::Integer("unsigned char", 256),
    Kind::Integer("unsigned char", 256),
    Kind::Integer("_Bool", 2),
    Kind::Integer("enum color", 4),
    Kind::Integer("short", 0),
    Kind::Integer("int", 0),
    Kind::Integer("int", 0),
    Kind::Integer("unsigned", 0),
    Kind::Integer("long", 0),
    Kind::Integer("size_t", 0),
    Kind::Integer("long long", 0),
    Kind::Float,
    Kind::Double,
    Kind::Small,
    Kind::Small,
    Kind::Word,
    Kind::Pair,
    Kind::Pair,
    Kind::Pair,
    Kind::Outer,
    Kind::Outer,
    Kind::List,
    Kind::List,
    Kind::Array,
    Kind::Array,
    Kind::Bytes,
    Kind::Span,
    Kind::Buffer,
    Kind::Text,
    Kind::Callback,
    Kind::Getter,
];

/// A parameter of a function.
#[derive(Clone, Debug)]
pub(super) struct Parameter {
    pub(super) kind: Kind,
    pub(super) name: String,
}

impl Parameter {
    /// A parameter of some kind; `number` tells those of one function apart.
    pub(super) fn random(rng: &mut Rng, number: usize) -> Parameter {
        let kind = *rng.choose(KINDS);
        let stem = match kind {
            Kind::Integer(..) => "a",
            Kind::Float | Kind::Double => "d",
            Kind::Small => "s",
            Kind::Word => "u",
            Kind::Pair => "p",
            Kind::Outer => "o",
            Kind::List => "l",
            Kind::Array => "items",
            Kind::Bytes => "data",
            Kind::Span => "from",
            Kind::Buffer => "b",
            Kind::Text => "text",
            Kind::Callback => "callback",
            Kind::Getter => "get",
        };
        Parameter { kind, name: format!("{stem}{number}") }
    }

    /// As it stands in the list of parameters.
    pub(super) fn declaration(&self) -> String {
        let name = &self.name;
        match self.kind {
            Kind::Integer(ty, _) => format!("{ty} {name}"),
            Kind::Float => format!("float {name}"),
            Kind::Double => format!("double {name}"),
            Kind::Small => format!("struct small {name}"),
            Kind::Word => format!("union word {name}"),
            Kind::Pair => format!("struct pair *{name}"),
            Kind::Outer => format!("struct outer *{name}"),
            Kind::List => format!("struct node *{name}"),
            Kind::Array => format!("int *{name}, int {name}_len"),
            Kind::Bytes => format!("const unsigned char *{name}, size_t {name}_size"),
            Kind::Span => format!("const char *{name}, const char *{name}_end"),
            Kind::Buffer => format!("struct buffer *{name}"),
            Kind::Text => format!("const char *{name}"),
            Kind::Callback => format!("int (*{name})(int)"),
            Kind::Getter => format!("int (*{name})(int *)"),
        }
    }

    /// What the driver writes to make an argument: declarations, and the argument itself.
    pub(super) fn driver(&self) -> (String, String) {
        let name = &self.name;
        let plain = |make: &str| (format!("{} = {make};", self.declaration()), name.clone());
        match self.kind {
            Kind::Integer("signed char" | "unsigned char", _) => plain("oracle_next(256)"),
            Kind::Integer("_Bool", _) => plain("oracle_next(2)"),
            Kind::Integer("enum color", _) => plain("oracle_next(4)"),
            Kind::Integer(ty, _) => plain(&format!("({ty})oracle_number()")),
            Kind::Float => plain("oracle_float()"),
            Kind::Double => plain("oracle_double()"),
            Kind::Small => (
                format!(
                    "struct small {name}; {{ unsigned bits = oracle_next(256); {name}.x = (int)(bits & 31) - 16; {name}.y = bits >> 5; }}"
                ),
                name.clone(),
            ),
            Kind::Word => plain("(union word){.u = oracle_words[oracle_next(ORACLE_WORDS)]}"),
            Kind::Pair => plain("oracle_pair()"),
            Kind::Outer => plain("oracle_outer()"),
            Kind::List => plain("oracle_list()"),
            Kind::Array => (
                format!("int {name}_len, *{name} = oracle_array(&{name}_len);"),
                format!("{name}, {name}_len"),
            ),
            Kind::Bytes => (
                format!(
                    "size_t {name}_size; const unsigned char *{name} = oracle_bytes(&{name}_size);"
                ),
                format!("{name}, {name}_size"),
            ),
            Kind::Span => (
                format!("const char *{name}_end, *{name} = oracle_span(&{name}_end);"),
                format!("{name}, {name}_end"),
            ),
            Kind::Buffer => plain("oracle_buffer()"),
            Kind::Text => plain("oracle_text()"),
            Kind::Callback => plain("oracle_callback()"),
            Kind::Getter => plain("oracle_getter()"),
        }
    }

    /// How many values it has; `None` if those are too many to try all.
    pub(super) fn n_values(&self) -> Option<u64> {
        match self.kind {
            Kind::Integer(_, n) => (n > 0).then_some(n),
            Kind::Small => Some(256),
            Kind::Float
            | Kind::Double
            | Kind::Word
            | Kind::Pair
            | Kind::Outer
            | Kind::List
            | Kind::Array
            | Kind::Bytes
            | Kind::Span
            | Kind::Buffer
            | Kind::Text
            | Kind::Callback
            | Kind::Getter => None,
        }
    }

    /// Expressions of an integer type that need no check first.
    pub(super) fn atoms(&self) -> Vec<String> {
        let name = &self.name;
        match self.kind {
            Kind::Integer(..) => vec![name.clone()],
            Kind::Small => vec![format!("{name}.x"), format!("{name}.y")],
            Kind::Word => {
                vec![format!("{name}.u"), format!("{name}.i"), format!("{name}.bytes[3]")]
            }
            Kind::Float | Kind::Double => vec![format!("small_int({name})")],
            Kind::Array => vec![format!("{name}_len")],
            Kind::Bytes => vec![format!("{name}_size"), format!("(int){name}_size")],
            Kind::Span => vec![format!("(int)({name}_end - {name})")],
            Kind::Pair
            | Kind::Outer
            | Kind::List
            | Kind::Buffer
            | Kind::Text
            | Kind::Callback
            | Kind::Getter => Vec::new(),
        }
    }

    /// Expressions of an integer type that need the pointer to be there.
    pub(super) fn atoms_behind(&self) -> Vec<String> {
        let name = &self.name;
        match self.kind {
            Kind::Pair => vec![format!("{name}->x"), format!("{name}->y")],
            Kind::Outer => vec![format!("{name}->k")],
            Kind::List => vec![format!("{name}->v")],
            Kind::Buffer => {
                vec![format!("{name}->used"), format!("{name}->data[{name}->used & 3]")]
            }
            Kind::Text => {
                vec![format!("{name}[0]"), format!("(int)strlen({name})"), format!("atoi({name})")]
            }
            Kind::Callback => vec![format!("{name}({name} != 0)"), format!("{name}(shared)")],
            Kind::Getter => vec![format!("({name}(&shared), shared)"), format!("{name}(&x)")],
            Kind::Integer(..)
            | Kind::Float
            | Kind::Double
            | Kind::Small
            | Kind::Word
            | Kind::Array
            | Kind::Bytes
            | Kind::Span => Vec::new(),
        }
    }

    /// Whether it can be null.
    pub(super) fn is_pointer(&self) -> bool {
        !self.atoms_behind().is_empty()
    }
}
