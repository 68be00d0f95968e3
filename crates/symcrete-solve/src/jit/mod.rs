//! Terms as machine code, through Cranelift.
//!
//! One function per *template*: the terms with their variables and constants left open. Constants are an
//! argument, so path conditions that differ in a number share their code, and so do `f(a) > f(b)` and
//! `f(b) > f(c)`. Opaque functions with a C signature are called directly.
//!
//! There is no second meaning: what `lower` does not compile itself is a call into
//! [`symcrete_term::eval::eval`], and a test compares all operators with it.

#![expect(unsafe_code, reason = "machine code is called through a pointer")]

mod callback;
mod lower;
mod operator;

use callback::Callback;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::default_libcall_names;
use std::collections::BTreeMap;
use std::mem::ManuallyDrop;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use symcrete_term::{Native, Node, TermId, Terms, reachable};

/// Larger expressions stay on their tape: compiling them costs more than most searches.
const TERMS_MAX: usize = 20_000;
/// Templates kept; when there are more, all are forgotten.
const TEMPLATES_MAX: usize = 4_096;

/// Compiled templates, shared by clones.
#[derive(Clone, Default)]
pub struct JitCache {
    templates: Arc<Mutex<Templates>>,
}

type Templates = BTreeMap<Vec<u64>, Arc<Code>>;

/// The C signature of compiled code: variables and constants in, roots out.
type Entry = unsafe extern "C" fn(*const u64, *const u64, *mut u64);

/// The code of a template and all that it points to.
struct Code {
    entry: Entry,
    n_inputs: usize,
    n_constants: usize,
    n_roots: usize,
    module: ManuallyDrop<JITModule>,
    // The code holds addresses of these.
    _callbacks: Vec<Arc<Callback>>,
    _tables: Vec<Arc<[u64]>>,
}

// SAFETY: after construction the code, the callbacks and the tables are only read; the module is touched
// again only by `Drop`, which has exclusive access. Opaque functions are themselves `Send + Sync`.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

impl Drop for Code {
    fn drop(&mut self) {
        // SAFETY: `module` is not used again, and nobody can call `entry` any more: each `Compiled`
        // holds an `Arc` of this `Code`.
        unsafe { ManuallyDrop::take(&mut self.module).free_memory() };
    }
}

/// A template's code with the constants of some terms.
pub struct Compiled {
    code: Arc<Code>,
    constants: Vec<u64>,
}

impl Compiled {
    /// Evaluates the terms. Inputs are the variables in order of their terms' ids, outputs the
    /// roots. A float may be any NaN.
    #[inline]
    pub fn run(&self, inputs: &[u64], outputs: &mut [u64]) {
        assert!(inputs.len() == self.code.n_inputs && outputs.len() == self.code.n_roots);
        // SAFETY: the code reads `n_inputs` and `n_constants` words and writes `n_roots`. The
        // assertion above and `JitCache::compile` establish these lengths.
        unsafe {
            (self.code.entry)(inputs.as_ptr(), self.constants.as_ptr(), outputs.as_mut_ptr());
        }
    }
}

impl JitCache {
    /// An empty cache. On a machine that Cranelift does not know it stays empty.
    pub fn new() -> JitCache {
        JitCache::default()
    }

    /// The compiled form of terms, or `None` where compilation is not possible.
    pub fn compile(&self, terms: &Terms, roots: &[TermId]) -> Option<Compiled> {
        let order = reachable(terms, roots);
        if order.len() > TERMS_MAX {
            return None;
        }
        let constants: Vec<u64> =
            order.iter().filter_map(|&term| Some(terms.as_const(term)?.bits())).collect();
        let template = template(terms, &order, roots);
        let mut templates = self.templates.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(code) = templates.get(&template) {
            return Some(Compiled { code: code.clone(), constants });
        }
        let builder = JITBuilder::with_isa(HOST.clone()?, default_libcall_names());
        let code = Arc::new(lower::compile(JITModule::new(builder), terms, &order, roots)?);
        assert_eq!(code.n_constants, constants.len(), "code and terms have the same constants");
        if templates.len() >= TEMPLATES_MAX {
            templates.clear();
        }
        templates.insert(template, code.clone());
        Some(Compiled { code, constants })
    }

    /// How many templates are kept.
    pub fn len(&self) -> usize {
        self.templates.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Looking at the machine takes longer than compiling a small formula.
static HOST: LazyLock<Option<OwnedTargetIsa>> = LazyLock::new(host);

fn host() -> Option<OwnedTargetIsa> {
    let mut flags = settings::builder();
    flags.set("opt_level", "speed").ok()?;
    flags.set("is_pic", "false").ok()?;
    flags.set("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }).ok()?;
    cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()
}

/// Everything that the code depends on: operators, sorts and how they are connected.
fn template(terms: &Terms, order: &[TermId], roots: &[TermId]) -> Vec<u64> {
    let position: BTreeMap<TermId, u64> =
        order.iter().enumerate().map(|(i, &term)| (term, i as u64)).collect();
    let mut template = Vec::with_capacity(order.len() * 4);
    for &term in order {
        let sort = u64::from(terms.sort(term).bits()) | u64::from(terms.sort(term).is_float()) << 8;
        let node = terms.node(term);
        match node {
            Node::Const(_) => template.push(1 | sort << 8),
            Node::Var(_) => template.push(2 | sort << 8),
            Node::App { op, indices, .. } => {
                let indices = u64::from(indices[0]) | u64::from(indices[1]) << 8;
                template.push(3 | sort << 8 | (op as u64) << 24 | indices << 32);
            }
            Node::Call { function, args } => {
                template.push(4 | sort << 8 | (args.len() as u64) << 24);
                template.push(address(terms.function(function).native()));
            }
            Node::Lookup { table, .. } => {
                let (_, entries) = terms.table_entries(table);
                template.push(5 | sort << 8 | (entries.len() as u64) << 24);
                template.extend_from_slice(entries);
            }
        }
        template.extend(node.children().iter().map(|child| position[child]));
        // Booleans and bit-vectors of one bit have the same size and different meanings.
        template.push(u64::from(terms.sort(term).width().is_some()));
    }
    template.extend(roots.iter().map(|root| position[root]));
    template
}

/// Where an implementation lies: what tells two functions apart.
fn address(native: &Native) -> u64 {
    match native {
        Native::F64x1(f) => *f as usize as u64,
        Native::F64x2(f) => *f as usize as u64,
        Native::F64x3(f) => *f as usize as u64,
        Native::F32x1(f) => *f as usize as u64,
        Native::F32x2(f) => *f as usize as u64,
        Native::F32x3(f) => *f as usize as u64,
        Native::Closure(f) => Arc::as_ptr(f).cast::<u8>() as u64,
    }
}

#[cfg(test)]
mod tests;
