//! The types of operators: what each pops and pushes. Addresses are as wide as those of the module's memory and tables.

use super::{FunctionType, Kind, Module, ValueType};

impl Kind {
    /// What it pops; `None` for `select`, which pops two of one type and a number.
    pub fn params(&self, module: &Module<'_>) -> Option<Vec<ValueType>> {
        let address = module.address_type().ty();
        let function = |ty: &FunctionType| ty.params.clone();
        Some(match self {
            Kind::Select => return None,
            Kind::Const(_) | Kind::GlobalGet(_) | Kind::MemorySize | Kind::DataDrop(_) => vec![],
            Kind::Numeric(op) => op.params().iter().map(|&num| num.into()).collect(),
            Kind::Table(op) => op.params(module),
            Kind::RefIsNull => vec![ValueType::FuncRef],
            Kind::GlobalSet(global) => vec![module.globals[*global as usize].ty],
            Kind::Load(_) | Kind::MemoryGrow => vec![address],
            Kind::Store(access) => vec![address, access.ty],
            Kind::MemoryFill => vec![address, ValueType::I32, address],
            Kind::MemoryCopy => vec![address; 3],
            // Where in a segment and how much of it are numbers of 32 bits.
            Kind::MemoryInit(_) => vec![address, ValueType::I32, ValueType::I32],
            Kind::Call(callee) => function(module.function_type(*callee)),
            Kind::CallIndirect { table, ty } => {
                let index = module.tables[*table as usize].address.ty();
                [function(&module.types[*ty as usize]), vec![index]].concat()
            }
        })
    }

    /// How many operands it pops.
    pub fn n_params(&self, module: &Module<'_>) -> usize {
        self.params(module).map_or(3, |params| params.len())
    }

    /// What it pushes; `None` for `select`, which pushes what it popped.
    pub fn results<'m>(&self, module: &'m Module<'_>) -> Option<&'m [ValueType]> {
        Some(match self {
            Kind::Select => return None,
            Kind::Const(constant) => one(constant.ty()),
            Kind::Numeric(op) => one(op.result().into()),
            Kind::RefIsNull => one(ValueType::I32),
            Kind::MemorySize | Kind::MemoryGrow => one(module.address_type().ty()),
            Kind::GlobalGet(global) => one(module.globals[*global as usize].ty),
            Kind::Load(access) => one(access.ty),
            Kind::Table(op) => op.results(module),
            Kind::GlobalSet(_)
            | Kind::Store(_)
            | Kind::MemoryFill
            | Kind::MemoryCopy
            | Kind::MemoryInit(_)
            | Kind::DataDrop(_) => &[],
            Kind::Call(function) => &module.function_type(*function).results,
            Kind::CallIndirect { ty, .. } => &module.types[*ty as usize].results,
        })
    }

    /// Whether it gives a size of 64 bits.
    pub fn has_wide_result(&self, module: &Module<'_>) -> bool {
        let is_size = match self {
            Kind::MemorySize | Kind::MemoryGrow => true,
            Kind::Table(op) => op.gives_size(),
            Kind::Const(_)
            | Kind::Numeric(_)
            | Kind::Select
            | Kind::RefIsNull
            | Kind::GlobalGet(_)
            | Kind::GlobalSet(_)
            | Kind::Load(_)
            | Kind::Store(_)
            | Kind::MemoryFill
            | Kind::MemoryCopy
            | Kind::MemoryInit(_)
            | Kind::DataDrop(_)
            | Kind::Call(_)
            | Kind::CallIndirect { .. } => false,
        };
        is_size && self.results(module) == Some(&[ValueType::I64])
    }
}

pub(super) fn one(ty: ValueType) -> &'static [ValueType] {
    match ty {
        ValueType::I32 => &[ValueType::I32],
        ValueType::I64 => &[ValueType::I64],
        ValueType::F32 => &[ValueType::F32],
        ValueType::F64 => &[ValueType::F64],
        ValueType::FuncRef => &[ValueType::FuncRef],
    }
}
