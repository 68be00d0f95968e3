//! From terms to Cranelift's intermediate form.
//!
//! Booleans and bit-vectors live in 64-bit registers, zero above their width; floats in float
//! registers. [`super::operator`] has the operators.

use super::callback::{Callback, enter};
use super::operator::Applied;
use super::{Code, Entry, address};
use cranelift_codegen::Context;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, InstBuilder, MemFlagsData, Signature, StackSlotData, StackSlotKind, Type, Value,
    types,
};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::JITModule;
use cranelift_module::{Linkage, Module};
use std::collections::BTreeMap;
use std::mem::ManuallyDrop;
use std::sync::Arc;
use symcrete_term::{Function, Native, Node, Sort, TermId, Terms};

/// Compiles terms into a module of their own.
pub(super) fn compile(
    mut module: JITModule,
    terms: &Terms,
    order: &[TermId],
    roots: &[TermId],
) -> Option<Code> {
    let mut context = module.make_context();
    let pointer = AbiParam::new(types::I64);
    context.func.signature.params = vec![pointer; 3];
    let call_conv = context.func.signature.call_conv;
    let mut function_context = FunctionBuilderContext::new();
    let builder = FunctionBuilder::new(&mut context.func, &mut function_context);
    let mut lower = Lower {
        builder,
        terms,
        call_conv,
        values: BTreeMap::new(),
        callbacks: Vec::new(),
        tables: Vec::new(),
    };
    let (n_inputs, n_constants) = lower.body(order, roots);
    let Lower { builder, callbacks, tables, .. } = lower;
    builder.finalize(module.target_config());
    let entry = define(&mut module, &mut context)?;
    Some(Code {
        entry,
        n_inputs,
        n_constants,
        n_roots: roots.len(),
        module: ManuallyDrop::new(module),
        _callbacks: callbacks,
        _tables: tables,
    })
}

fn define(module: &mut JITModule, context: &mut Context) -> Option<Entry> {
    let id = module.declare_function("terms", Linkage::Export, &context.func.signature).ok()?;
    if let Err(error) = module.define_function(id, context) {
        tracing::error!(%error, "terms were not compiled");
        return None;
    }
    module.finalize_definitions().ok()?;
    let address = module.get_finalized_function(id);
    // SAFETY: the function was declared with three pointers and no result, in the host's C
    // convention, and lives as long as the module.
    Some(unsafe { std::mem::transmute::<*const u8, Entry>(address) })
}

pub(super) struct Lower<'a, 't> {
    pub(super) builder: FunctionBuilder<'a>,
    terms: &'t Terms,
    call_conv: CallConv,
    values: BTreeMap<TermId, Value>,
    callbacks: Vec<Arc<Callback>>,
    tables: Vec<Arc<[u64]>>,
}

/// The register type of a sort.
pub(super) fn register(sort: Sort) -> Type {
    match sort {
        Sort::Bool | Sort::Bv(_) => types::I64,
        Sort::F32 => types::F32,
        Sort::F64 => types::F64,
    }
}

impl Lower<'_, '_> {
    /// The whole function; says how many inputs and constants it reads.
    fn body(&mut self, order: &[TermId], roots: &[TermId]) -> (usize, usize) {
        let block = self.builder.create_block();
        self.builder.append_block_params_for_function_params(block);
        self.builder.switch_to_block(block);
        self.builder.seal_block(block);
        let params = self.builder.block_params(block);
        let (inputs, constants, outputs) = (params[0], params[1], params[2]);
        let (mut n_inputs, mut n_constants) = (0, 0);
        for &term in order {
            let sort = self.terms.sort(term);
            let value = match self.terms.node(term) {
                Node::Var(_) => self.load(sort, inputs, &mut n_inputs),
                Node::Const(_) => self.load(sort, constants, &mut n_constants),
                Node::App { op, indices, args } => {
                    let sorts: Vec<Sort> = args.iter().map(|&arg| self.terms.sort(arg)).collect();
                    let args: Vec<Value> = args.iter().map(|arg| self.values[arg]).collect();
                    self.apply(&Applied { op, indices, sorts: &sorts, args: &args })
                }
                Node::Call { function, args } => {
                    let args: Vec<Value> = args.iter().map(|arg| self.values[arg]).collect();
                    self.call(self.terms.function(function), &args)
                }
                Node::Lookup { table, index } => {
                    let (_, entries) = self.terms.table_entries(table);
                    self.lookup(sort, entries, self.values[index])
                }
            };
            self.values.insert(term, value);
        }
        for (i, root) in roots.iter().enumerate() {
            let flags = MemFlagsData::trusted();
            let bits = self.word(self.terms.sort(*root), self.values[root]);
            self.builder.ins().store(flags, bits, outputs, 8 * i as i32);
        }
        self.builder.ins().return_(&[]);
        (n_inputs, n_constants)
    }

    fn load(&mut self, sort: Sort, base: Value, n: &mut usize) -> Value {
        let offset = 8 * *n as i32;
        *n += 1;
        self.builder.ins().load(register(sort), MemFlagsData::trusted(), base, offset)
    }

    pub(super) fn constant(&mut self, bits: u64) -> Value {
        self.builder.ins().iconst(types::I64, bits as i64)
    }

    /// A value as a word.
    pub(super) fn word(&mut self, sort: Sort, value: Value) -> Value {
        let flags = MemFlagsData::new();
        match sort {
            Sort::Bool | Sort::Bv(_) => value,
            Sort::F64 => self.builder.ins().bitcast(types::I64, flags, value),
            Sort::F32 => {
                let bits = self.builder.ins().bitcast(types::I32, flags, value);
                self.builder.ins().uextend(types::I64, bits)
            }
        }
    }

    /// A word as a value.
    pub(super) fn value(&mut self, sort: Sort, bits: Value) -> Value {
        let flags = MemFlagsData::new();
        match sort {
            Sort::Bool | Sort::Bv(_) => bits,
            Sort::F64 => self.builder.ins().bitcast(types::F64, flags, bits),
            Sort::F32 => {
                let bits = self.builder.ins().ireduce(types::I32, bits);
                self.builder.ins().bitcast(types::F32, flags, bits)
            }
        }
    }

    /// A direct call of a C function, or a call back for a closure.
    fn call(&mut self, function: &Function, args: &[Value]) -> Value {
        let signature = function.signature();
        if let Native::Closure(_) = function.native() {
            let sorts = signature.params.clone();
            let result = signature.result;
            return self.call_back(Callback::Function(function.clone()), &sorts, result, args);
        }
        let callee = self.constant(address(function.native()));
        let params = signature.params.iter().map(|&sort| register(sort)).collect();
        self.call_address(callee, params, register(signature.result), args)
    }

    fn call_address(
        &mut self,
        callee: Value,
        params: Vec<Type>,
        result: Type,
        args: &[Value],
    ) -> Value {
        let mut signature = Signature::new(self.call_conv);
        signature.params.extend(params.into_iter().map(AbiParam::new));
        signature.returns.push(AbiParam::new(result));
        let signature = self.builder.import_signature(signature);
        let call = self.builder.ins().call_indirect(signature, callee, args);
        self.builder.inst_results(call)[0]
    }

    /// A call into Rust: arguments go through memory as words.
    pub(super) fn call_back(
        &mut self,
        callback: Callback,
        sorts: &[Sort],
        result: Sort,
        args: &[Value],
    ) -> Value {
        let size = 8 * args.len().max(1) as u32;
        let data = StackSlotData::new(StackSlotKind::ExplicitSlot, size, 3);
        let slot = self.builder.create_sized_stack_slot(data);
        for (i, (&sort, &arg)) in sorts.iter().zip(args).enumerate() {
            let bits = self.word(sort, arg);
            self.builder.ins().stack_store(types::I64, bits, slot, 8 * i as i32);
        }
        let words = self.builder.ins().stack_addr(types::I64, slot, 0);
        let callback = Arc::new(callback);
        let pointer = self.constant(std::ptr::from_ref(callback.as_ref()) as u64);
        self.callbacks.push(callback);
        let callee = self.constant(enter as *const () as u64);
        let params = vec![types::I64; 2];
        let bits = self.call_address(callee, params, types::I64, &[pointer, words]);
        self.value(result, bits)
    }

    /// The entry of a table; zero beyond its end.
    fn lookup(&mut self, sort: Sort, entries: &[u64], index: Value) -> Value {
        let table: Arc<[u64]> = entries.into();
        let (base, n) = (self.constant(table.as_ptr() as u64), self.constant(table.len() as u64));
        self.tables.push(table);
        let inside = self.builder.ins().icmp(IntCC::UnsignedLessThan, index, n);
        let zero = self.constant(0);
        let safe = self.builder.ins().select(inside, index, zero);
        let offset = self.builder.ins().ishl_imm_u(safe, 3);
        let at = self.builder.ins().iadd(base, offset);
        let entry = self.builder.ins().load(types::I64, MemFlagsData::trusted(), at, 0);
        let bits = self.builder.ins().select(inside, entry, zero);
        self.value(sort, bits)
    }
}
