//! What functions that C declares, and nobody defines, may write through their arguments, as far as types and names tell.
//!
//! C does not say which arguments a function writes to. One that points to a constant it does not; through others a function of
//! ours writes what the type says, as often as the number says that follows, if one does. Text without a length and `void *`
//! alone say nothing, and structures with pointers in them cannot be made of bytes. `docs/adr/0016-callbacks.md` has the reasons.

use super::abi;
use crate::fill::{FILL_BYTES_MAX, Fill, FillCell, FillCount, FillLength};
use crate::image::CellKind;
use crate::program::Param;
use crate::shape::{scalar_kind, words};
use crate::types::{Field, TypeId, TypeKind, Types};

/// Words in the names of functions that look at what they are given and leave it as it is, whatever their types say.
const READERS: &[&str] = &[
    "write",
    "send",
    "put",
    "puts",
    "print",
    "printf",
    "log",
    "emit",
    "output",
    "flush",
    "compare",
    "cmp",
    "comparator",
    "equal",
    "equals",
    "eq",
    "less",
    "hash",
    "free",
    "destroy",
    "delete",
    "release",
    "close",
    "visit",
];

/// What a function writes through its arguments. Its cells are called after it: `read()` for `read()->data`.
pub(crate) fn fills(
    types: &Types,
    function: &str,
    params: &[Param],
    result: Option<TypeId>,
) -> Vec<Fill> {
    if is_reader(function) {
        return Vec::new();
    }
    let Some(arguments) = abi::arguments(types, params, result) else { return Vec::new() };
    let fill = |param: usize| {
        let Param { name, ty } = &params[param];
        let (to, is_const) = types.get(*ty).kind.pointee()?;
        let argument = arguments[param].filter(|_| !is_const)?;
        let lengths = lengths(types, params, &arguments, param);
        let element = element(types, to, &lengths)?;
        let count = match element.is_bytes {
            _ if lengths.is_empty() => FillCount::Exactly(element.n),
            // An object that is not made of bytes is there, even if the number is no length.
            is_bytes => FillCount::Product { lengths, least: u32::from(!is_bytes) },
        };
        let Element { stride, cells, .. } = element;
        Some(Fill { param, argument, name: format!("{function}->{name}"), stride, cells, count })
    };
    (0..params.len()).filter_map(fill).collect()
}

/// Whether a name says that a function only looks: `(*tar->write)()`, `log_message()`.
fn is_reader(function: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = function.split(|c| !is_part(c)).rfind(|part| !part.is_empty()).unwrap_or_default();
    words(name).iter().any(|word| READERS.contains(&word.as_str()))
}

/// The numbers behind a pointer that say how much it points to: one, or two sizes whose product it is.
fn lengths(
    types: &Types,
    params: &[Param],
    arguments: &[Option<usize>],
    pointer: usize,
) -> Vec<FillLength> {
    let number = |param: usize| {
        let ty = types.get(params.get(param)?.ty);
        let TypeKind::Int { signed, is_char: false } = ty.kind else { return None };
        Some(FillLength { param, argument: arguments[param]?, is_signed: signed })
    };
    let is_size = |param: usize| types.get(params[param].ty).name == "size_t";
    let first = number(pointer + 1);
    let second = first.and(number(pointer + 2));
    let is_product = second.is_some() && is_size(pointer + 1) && is_size(pointer + 2);
    first.into_iter().chain(second.filter(|_| is_product)).collect()
}

/// What is written, again and again.
struct Element {
    stride: u32,
    cells: Vec<FillCell>,
    /// How many there are if nothing else says so.
    n: u32,
    is_bytes: bool,
}

/// What is written where a pointer to a type points.
fn element(types: &Types, to: TypeId, lengths: &[FillLength]) -> Option<Element> {
    let ty = types.get(to);
    let bytes = |n: u32| {
        let cells = vec![FillCell { path: String::new(), offset: 0, kind: CellKind::BYTE }];
        Element { stride: 1, cells, n, is_bytes: true }
    };
    match &ty.kind {
        TypeKind::Void => (!lengths.is_empty()).then(|| bytes(0)),
        // Without a length it may be a text, of which nobody knows how long it may be.
        TypeKind::Int { is_char: true, .. } if lengths.is_empty() && is_text(&ty.name) => None,
        TypeKind::Int { .. } if ty.size == 1 => Some(bytes(1)),
        TypeKind::Bool | TypeKind::Int { .. } | TypeKind::Float | TypeKind::Enum { .. } => {
            let kind = scalar_kind(types, to)?;
            let cells = vec![FillCell { path: String::new(), offset: 0, kind }];
            Some(Element { stride: ty.size, cells, n: 1, is_bytes: false })
        }
        TypeKind::Struct { .. } | TypeKind::Union { .. } => {
            if ty.size == 0 || ty.size > FILL_BYTES_MAX || types.has_pointers(to) {
                return None;
            }
            let mut cells = Vec::new();
            match push_cells(types, to, ("", 0), &mut cells) {
                Some(()) => Some(Element { stride: ty.size, cells, n: 1, is_bytes: false }),
                // Parts that share bytes are written as these.
                None if lengths.is_empty() => Some(bytes(ty.size)),
                None => None,
            }
        }
        TypeKind::Array { .. }
        | TypeKind::Pointer { .. }
        | TypeKind::Function
        | TypeKind::Unsupported { .. } => None,
    }
}

fn is_text(name: &str) -> bool {
    name.trim_start_matches("const ") == "char"
}

/// Adds the scalars in a type; `None` if some of them share bytes.
fn push_cells(
    types: &Types,
    id: TypeId,
    (path, offset): (&str, u32),
    cells: &mut Vec<FillCell>,
) -> Option<()> {
    let ty = types.get(id);
    match &ty.kind {
        TypeKind::Struct { fields } => {
            for Field { name, ty, offset: at, bits } in fields {
                if bits.is_some() || name.is_empty() {
                    return None;
                }
                push_cells(types, *ty, (&format!("{path}.{name}"), offset + at), cells)?;
            }
        }
        TypeKind::Array { element, length } => {
            let stride = types.get(*element).size;
            for i in 0..*length {
                push_cells(types, *element, (&format!("{path}[{i}]"), offset + i * stride), cells)?;
            }
        }
        TypeKind::Bool | TypeKind::Int { .. } | TypeKind::Float | TypeKind::Enum { .. } => {
            cells.push(FillCell { path: path.into(), offset, kind: scalar_kind(types, id)? });
        }
        TypeKind::Union { .. }
        | TypeKind::Void
        | TypeKind::Pointer { .. }
        | TypeKind::Function
        | TypeKind::Unsupported { .. } => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Type;

    /// What a function of these types writes, as `parameter: elements of so many bytes`.
    fn written(function: &str, signature: &str) -> Vec<String> {
        let mut types = Types::default();
        let mut add = |name: &str, size, kind| types.add(Type { name: name.into(), size, kind });
        let number = |signed| TypeKind::Int { signed, is_char: false };
        let int = add("int", 4, number(true));
        let size = add("size_t", 4, number(false));
        let character = add("char", 1, TypeKind::Int { signed: true, is_char: true });
        let byte = add("uint8_t", 1, TypeKind::Int { signed: false, is_char: true });
        let void = add("void", 0, TypeKind::Void);
        let field = |name: &str, ty, offset, bits| Field { name: name.into(), ty, offset, bits };
        let fields = vec![field("a", int, 0, None), field("b", byte, 4, None)];
        let pair = add("struct pair", 8, TypeKind::Struct { fields });
        let fields = vec![field("low", int, 0, Some((0, 3))), field("high", int, 0, Some((3, 5)))];
        let bits = add("struct bits", 4, TypeKind::Struct { fields });
        let mut pointer = |name: &str, to, is_const| {
            let kind = TypeKind::Pointer { to, is_const };
            types.add(Type { name: name.into(), size: 4, kind })
        };
        let text = pointer("char *", character, false);
        let constant = pointer("const char *", character, true);
        let known = [
            ("int", int),
            ("size_t", size),
            ("int*", pointer("int *", int, false)),
            ("char*", text),
            ("const", constant),
            ("byte*", pointer("uint8_t *", byte, false)),
            ("void*", pointer("void *", void, false)),
            ("pair*", pointer("struct pair *", pair, false)),
            ("bits*", pointer("struct bits *", bits, false)),
            ("char**", pointer("char **", text, false)),
        ];
        let param = |(i, name): (usize, &str)| {
            let ty = known.iter().find(|(known, _)| *known == name).expect("a known type").1;
            Param { name: format!("arg{i}"), ty }
        };
        let params: Vec<Param> = signature.split(' ').enumerate().map(param).collect();
        let shown = |fill: Fill| {
            let count = match fill.count {
                FillCount::Exactly(n) => n.to_string(),
                FillCount::Product { lengths, least } => {
                    let lengths: Vec<String> =
                        lengths.iter().map(|length| format!("arg{}", length.param)).collect();
                    format!("{}>={least}", lengths.join("*"))
                }
            };
            format!("arg{}: {count} of {}", fill.param, fill.stride)
        };
        fills(&types, function, &params, Some(int)).into_iter().map(shown).collect()
    }

    #[test]
    fn types_and_names_say_what_is_written() {
        let none: [&str; 0] = [];
        assert_eq!(written("init()", "int*"), ["arg0: 1 of 4"]);
        assert_eq!(written("(*from->read)()", "void* char* int"), ["arg1: arg2>=0 of 1"]);
        assert_eq!(written("fetch()", "void* size_t size_t void*"), ["arg0: arg1*arg2>=0 of 1"]);
        assert_eq!(written("get()", "pair* int* int"), ["arg0: 1 of 8", "arg1: arg2>=1 of 4"]);
        assert_eq!(written("get()", "bits*"), ["arg0: 4 of 1"]);
        assert_eq!(written("get()", "byte*"), ["arg0: 1 of 1"]);
        for (function, signature) in [
            ("show()", "char*"),
            ("use()", "void* char**"),
            ("read()", "const int"),
            ("(*to->write)()", "void* void* int"),
            ("compareItems()", "int* int*"),
        ] {
            assert_eq!(written(function, signature), none, "{function}");
        }
    }
}
