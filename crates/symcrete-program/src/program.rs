//! A program that was read: what every front end delivers, whatever the language.
//!
//! The module is what runs. Units are functions that can be tested, with parameters whose types say which inputs there
//! are. Branches are the sites of the module with the text and the place that a programmer knows them by. What depends on
//! a language (how values travel in calls, how stubs return them) its [`Language`] knows.

use crate::api::{Driver, Maker};
use crate::fill::Fill;
use crate::frontend::Language;
use crate::module::FunctionType;
use crate::noted::NotedParam;
use crate::runtime::Runtime;
use crate::site::SiteId;
use crate::types::{TypeId, Types};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::PathBuf;

/// Names a source file within one program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FileId(pub u32);

/// A program and all that is known of it.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// What it was written in.
    pub language: Language,
    /// The module, which [`Module::parse`](crate::Module::parse) has accepted.
    pub wasm: Vec<u8>,
    /// Its types.
    pub types: Types,
    /// Functions that are defined in the user's files, in order of file and line.
    pub units: Vec<Unit>,
    /// Functions of ours through which units are entered, so that objects are made by calls.
    pub drivers: Vec<Driver>,
    /// Global variables that are defined in the user's files.
    pub globals: Vec<Global>,
    /// Variables inside functions that outlive a call.
    pub statics: Vec<Global>,
    /// Constants that the files declare and nobody defines.
    pub constants: Vec<Constant>,
    /// Functions that are called and nowhere defined, by import name.
    pub undefined: BTreeMap<String, Undefined>,
    /// Functions that headers outside the user's files define.
    pub foreign: BTreeSet<String>,
    /// Functions of ours that stand for callbacks of the input, by number.
    pub callbacks: Vec<CallbackFunction>,
    /// Source files by id.
    pub files: Vec<SourceFile>,
    /// Whether the sources define `size_t` in their own way.
    pub has_own_size: bool,
    /// Every branch, select and switch case of the user's files, by site.
    pub branches: BTreeMap<SiteId, Branch>,
    /// Whether the compiler said which conditions of the source they decide; if not, they are named by the machine's operators.
    pub has_conditions: bool,
    /// Where input objects are laid out; empty if the module has no such place.
    pub arena: Range<u32>,
    /// Where code reads the values of uninitialised variables; empty if the module has no such place.
    pub uninitialized: Range<u32>,
    /// Variables that are not local and have red zones.
    pub variables: Vec<Guarded>,
    /// Where pointers are from the start that code may read byte by byte, in order.
    pub initial_pointers: Vec<u32>,
    /// Room for frames of functions alone, beside the stack; empty if the module has none.
    pub frames: Range<u32>,
    /// The runtime's variables, if the module has a runtime.
    pub runtime: Option<Runtime>,
    /// The place that each offset of the module belongs to, from the offset on until the next one.
    pub lines: Vec<(u32, Option<Position>)>,
    /// All functions with code, the library's too: where that is, and their names, in order.
    pub functions: Vec<(Range<u32>, String)>,
}

/// A source file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceFile {
    /// As it is shown.
    pub path: PathBuf,
    /// Its text, if it could be read.
    pub text: Option<String>,
    /// Whether it is one of the user's own, not a system header or our runtime.
    pub is_user: bool,
    /// Whether it is compiled by itself, and not only as a part of others.
    pub is_compiled: bool,
}

/// A function that can be tested.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unit {
    /// Its name in the source.
    pub name: String,
    /// Where it is defined.
    pub position: Position,
    /// Its index in the module.
    pub function: u32,
    /// Offsets of its body in the module.
    pub body: Range<u32>,
    /// Its parameters.
    pub params: Vec<Param>,
    /// What it returns; `None` for nothing.
    pub result: Option<TypeId>,
    /// Whether it is only visible in its file.
    pub is_static: bool,
    /// Whether it takes more arguments than it declares.
    pub is_variadic: bool,
    /// The `va_list` that it gets these arguments through, if it is given one: its last parameter, which `params` has not.
    pub list: Option<String>,
    /// What its text says about its parameters.
    pub uses: Uses,
}

/// What a function does with its parameters, as far as its text says.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Uses {
    /// What parameters that are pointers without a type point to, by index.
    pub pointees: BTreeMap<usize, TypeId>,
    /// Parameters that point behind the last element of an array, and those that point to its first: the function
    /// compares or subtracts them.
    pub ends: BTreeMap<usize, usize>,
    /// Parameters that are declared as arrays of some length, by index: `char name[8]`.
    pub arrays: BTreeSet<usize>,
    /// What becomes of the arguments for `...`, if it takes any.
    pub variadic: Option<VariadicUse>,
}

/// What a variadic function does with the arguments that it does not declare.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct VariadicUse {
    /// The parameter that is a format of `printf`, by index.
    pub format: Option<usize>,
    /// The types that arguments are read as.
    pub types: Vec<TypeId>,
}

/// A parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Param {
    /// Its name; `arg0` and so on where the source gives none.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
}

/// A variable with bytes behind it that belong to none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Guarded {
    /// Where it starts.
    pub start: u32,
    /// Where it ends, and its red zone starts.
    pub end: u32,
    /// Where its red zone ends.
    pub zone_end: u32,
    /// Whether another one with the same bytes may lie at its place elsewhere, as strings do.
    pub is_shared: bool,
    /// Whether it is constant.
    pub is_constant: bool,
}

/// A global variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Global {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// Where it lies.
    pub address: u32,
    /// Where it is declared.
    pub position: Position,
    /// Whether it is only visible in its file.
    pub is_static: bool,
    /// Whether it never changes.
    pub is_const: bool,
    /// Whether the files only declare it: it may hold anything.
    pub is_external: bool,
}

/// An undefined constant: what it holds is unknown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constant {
    /// Its name.
    pub name: String,
    /// The file that declares it.
    pub file: FileId,
    /// Whether it is an array without a length.
    pub is_open: bool,
}

/// A function that is called and nowhere defined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Undefined {
    /// Its parameters, as far as the declaration names them.
    pub params: Vec<Param>,
    /// What it returns; `None` for nothing.
    pub result: Option<TypeId>,
    /// Whether it takes more arguments than it declares.
    pub is_variadic: bool,
    /// Whether debug information has its declaration; if not, its types are those of the machine.
    pub has_declaration: bool,
    /// Whether its declaration says which parameters it has.
    pub has_prototype: bool,
    /// Its type in the module.
    pub machine: FunctionType,
}

/// A function of ours that a pointer of the input can point to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallbackFunction {
    /// Its place in the table of functions: what a pointer to it is.
    pub index: u32,
    /// Its type in the module.
    pub machine: FunctionType,
}

/// A place in a source file. Lines and columns count from 1; 0 is not known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Position {
    /// The file.
    pub file: FileId,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// What kind of decision a branch is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum BranchKind {
    /// A condition of the source: `if`, a loop, `&&`, `||`, `?:`.
    Condition,
    /// A case of a `switch`; its text is `case 3` or `default`.
    Case,
    /// A check that was asked for, of this kind: `overflow`, `bounds`, ….
    Check(&'static str),
    /// What the compiler added and the source does not show; on the way to a label of a `switch` it has that label's
    /// place and text.
    Hidden,
    /// No decision: a target, which a run passes or not.
    Target,
}

/// A branch as the source has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Branch {
    /// The unit it is in, by index in [`Program::units`]; the innermost function if it was inlined.
    pub unit: usize,
    /// Where its condition starts.
    pub position: Position,
    /// Where its condition ends, exclusive; the same as `position` if the text is not known.
    pub end: Position,
    /// The condition's text, white space made single: `d*d < 4.0`.
    pub text: String,
    /// What it is.
    pub kind: BranchKind,
    /// Whether WebAssembly's condition is the negation of the source's: the machine's `taken` is then the
    /// source's *false*.
    pub is_negated: bool,
}

impl Undefined {
    /// What it writes through its arguments, by the name that it has.
    pub fn fills(&self, program: &Program, name: &str) -> Vec<Fill> {
        // Of arguments that no declaration shows nothing is known.
        match self.has_prototype {
            true => {
                let function = format!("{name}()");
                program.language.fills(&program.types, &function, &self.params, self.result)
            }
            false => Vec::new(),
        }
    }

    /// What is noted of its arguments, if its calls are.
    pub fn noted(&self, program: &Program, fills: &[Fill]) -> Option<Vec<NotedParam>> {
        let params = if self.has_prototype { &self.params[..] } else { &[] };
        program.language.noted(&program.types, params, self.result, fills)
    }
}

impl Program {
    /// The unit of that name.
    pub fn unit(&self, name: &str) -> Option<&Unit> {
        self.units.iter().find(|unit| unit.name == name)
    }

    /// The driver that is this function of the module.
    pub fn driver(&self, function: u32) -> Option<&Driver> {
        self.drivers.iter().find(|driver| driver.entry.function == function)
    }

    /// The driver through which a unit is entered.
    pub fn driver_of(&self, unit: usize) -> Option<&Driver> {
        self.drivers.iter().find(|driver| driver.unit == unit)
    }

    /// The name in inputs of a way to make an object.
    pub fn maker_name<'a>(&'a self, maker: &'a Maker) -> &'a str {
        match maker {
            Maker::Call(call) => &self.units[call.unit].name,
            Maker::Null => "NULL",
            Maker::Zero => "zeros",
            Maker::Found(found) => &found.shown,
            Maker::Given(_) | Maker::WithStreams { .. } => "another",
            Maker::File(_) => "fopen",
        }
    }

    /// The compiled file that a unit is a part of: its own, or for a function in a header, or in a C file that is only
    /// included, a file that includes that.
    pub fn source_of(&self, unit: &Unit) -> FileId {
        let own = unit.position.file;
        if self.file(own).is_compiled {
            return own;
        }
        let files = (0..self.files.len() as u32).map(FileId);
        let includes = |&file: &FileId| self.file(file).is_compiled && self.is_included(file, own);
        files.clone().find(includes).unwrap_or(own)
    }

    /// Whether a file is part of the compilation of another one: the same, or one that it mentions and that is not
    /// compiled by itself.
    pub fn is_included(&self, source: FileId, file: FileId) -> bool {
        if source == file {
            return true;
        }
        let name = self.file(file).path.file_name().and_then(|name| name.to_str());
        let text = self.file(source).text.as_deref().unwrap_or_default();
        let is_mentioned = name.is_some_and(|name| text.contains(name));
        is_mentioned && !self.file(file).is_compiled
    }

    /// The place that an operator of the module belongs to.
    pub fn position(&self, offset: u32) -> Option<Position> {
        let start = self.units.get(self.unit_at(offset)?)?.body.start;
        let after = self.lines.partition_point(|&(start, _)| start <= offset);
        // Code without a line belongs to the line before.
        let before = self.lines[..after].iter().rev().take_while(|&&(at, _)| at >= start);
        before.filter_map(|&(_, position)| position).find(|position| position.line > 0)
    }

    /// The unit whose body an operator of the module is in, by index.
    pub fn unit_at(&self, offset: u32) -> Option<usize> {
        self.units.iter().position(|unit| unit.body.contains(&offset))
    }

    /// The name of the function whose body an operator of the module is in, the library's too.
    pub fn function_name_at(&self, offset: u32) -> Option<&str> {
        let after = self.functions.partition_point(|(body, _)| body.start <= offset);
        let (body, name) = self.functions.get(after.checked_sub(1)?)?;
        body.contains(&offset).then_some(name)
    }

    /// `file:line`, as messages have it; the file alone where there are no lines.
    pub fn place(&self, position: Position) -> String {
        let file = self.file(position.file).path.display();
        match position.line {
            0 => file.to_string(),
            line => format!("{file}:{line}"),
        }
    }

    /// The texts of the user's files.
    pub fn user_texts(&self) -> impl Iterator<Item = &str> {
        let files = self.files.iter().filter(|file| file.is_user);
        files.filter_map(|file| file.text.as_deref())
    }

    /// A source file.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }
}
