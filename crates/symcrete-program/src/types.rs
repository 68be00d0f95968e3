//! C types as debug information gives them, laid out for the WebAssembly machine.

use crate::image::CellKind;
use crate::module::AddressType;
use crate::program::Param;
use std::collections::BTreeMap;

/// Why a structure that is only declared cannot be an input, after its name.
pub(crate) const NOT_DEFINED: &str = " is declared and not defined";

/// Names a type within one [`Types`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TypeId(pub u32);

/// All types of a program.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Types {
    /// How wide pointers are.
    pub address: AddressType,
    types: Vec<Type>,
    signatures: BTreeMap<TypeId, Signature>,
}

/// What a function takes and returns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// In order.
    pub params: Vec<TypeId>,
    /// `None` for nothing.
    pub result: Option<TypeId>,
    /// Whether it takes more arguments than these.
    pub is_variadic: bool,
}

/// A type, its typedefs and qualifiers already looked through.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Type {
    /// As a declaration spells it: `unsigned int`, `struct point`, `size_t`, `const char *`.
    pub name: String,
    /// Its size in bytes.
    pub size: u32,
    /// What it is.
    pub kind: TypeKind,
}

/// What a type is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypeKind {
    /// `void`
    Void,
    /// `_Bool`: one byte, zero or one.
    Bool,
    /// An integer; its width is its size.
    Int {
        /// Whether it has negative values.
        signed: bool,
        /// `char` and its kin, of which strings are made.
        is_char: bool,
    },
    /// `float` (4 bytes) or `double` (8 bytes).
    Float,
    /// An enumeration.
    Enum {
        /// Whether its integer has negative values.
        signed: bool,
        /// Names and values in order of declaration.
        values: Vec<(String, i64)>,
    },
    /// A structure.
    Struct {
        /// In order of declaration.
        fields: Vec<Field>,
    },
    /// A union.
    Union {
        /// In order of declaration, all at offset 0.
        fields: Vec<Field>,
    },
    /// An array of known length.
    Array {
        /// The type of an element.
        element: TypeId,
        /// How many there are; 0 for a flexible array member.
        length: u32,
    },
    /// A pointer to data.
    Pointer {
        /// What it points to; `Void` if that is not known.
        to: TypeId,
        /// Whether what it points to is `const`.
        is_const: bool,
    },
    /// A function; pointers to it are pointers to this.
    Function,
    /// Something that cannot be an input, and why: `long double is 16 bytes wide on WebAssembly`.
    Unsupported {
        /// The reason, for people.
        why: String,
        /// What a call does with it.
        passed: Passed,
    },
}

impl Signature {
    /// Its parameters with names: a type has none.
    pub fn named_params(&self) -> Vec<Param> {
        let named = |(i, &ty): (usize, &TypeId)| Param { name: format!("arg{i}"), ty };
        self.params.iter().enumerate().map(named).collect()
    }
}

impl TypeKind {
    /// What a pointer points to, and whether that is constant.
    pub fn pointee(&self) -> Option<(TypeId, bool)> {
        if let TypeKind::Pointer { to, is_const } = *self { Some((to, is_const)) } else { None }
    }
}

/// What a call does with a value that cannot be an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passed {
    /// It is two numbers of 64 bits.
    Wide,
    /// Its address is passed.
    Memory,
    /// That is not known.
    Unknown,
}

/// A member of a structure or union.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name; empty for an anonymous structure or union.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// Bytes from the start of the structure to the unit that holds it.
    pub offset: u32,
    /// For a bit-field: its first bit counted from the lowest bit at `offset`, and its width.
    pub bits: Option<(u32, u32)>,
}

impl Types {
    /// Adds a type. A type that refers to itself is added first and set later.
    pub fn add(&mut self, ty: Type) -> TypeId {
        self.types.push(ty);
        TypeId(self.types.len() as u32 - 1)
    }

    /// A pointer as a number.
    pub fn pointer_kind(&self) -> CellKind {
        CellKind::Int { bits: 8 * self.address.bytes() as u8, signed: false }
    }

    /// Replaces a type, to close a cycle.
    pub fn set(&mut self, id: TypeId, ty: Type) {
        self.types[id.0 as usize] = ty;
    }

    /// Says what functions of a type take and return.
    pub fn set_signature(&mut self, id: TypeId, signature: Signature) {
        self.signatures.insert(id, signature);
    }

    /// What functions of a type take and return, if that is known.
    pub fn signature(&self, id: TypeId) -> Option<&Signature> {
        self.signatures.get(&id)
    }

    /// Whether a type is an array whose declaration leaves its length open: `int[]`, unlike `int[0]`.
    pub fn is_flexible(&self, id: TypeId) -> bool {
        let ty = self.get(id);
        matches!(ty.kind, TypeKind::Array { length: 0, .. }) && ty.name.contains("[]")
    }

    /// Whether there are pointers in a type, or something of which that is not known.
    pub fn has_pointers(&self, id: TypeId) -> bool {
        match &self.get(id).kind {
            TypeKind::Struct { fields } | TypeKind::Union { fields } => {
                fields.iter().any(|field| self.has_pointers(field.ty))
            }
            TypeKind::Array { element, .. } => self.has_pointers(*element),
            TypeKind::Pointer { .. } | TypeKind::Function | TypeKind::Unsupported { .. } => true,
            TypeKind::Void
            | TypeKind::Bool
            | TypeKind::Int { .. }
            | TypeKind::Float
            | TypeKind::Enum { .. } => false,
        }
    }

    /// Every type.
    pub fn all(&self) -> impl Iterator<Item = &Type> {
        self.types.iter()
    }

    /// The numbers of all types.
    pub fn ids(&self) -> impl Iterator<Item = TypeId> + use<> {
        (0..self.types.len() as u32).map(TypeId)
    }

    /// `void`, if the program has it.
    pub fn void(&self) -> Option<TypeId> {
        self.ids().find(|&id| self.get(id).kind == TypeKind::Void)
    }

    /// A type.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id.0 as usize]
    }
}
