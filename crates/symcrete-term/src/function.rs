//! Opaque functions: they can be evaluated, never translated.
//!
//! A function has a name, a signature and an implementation. The C math library is known by name
//! ([`Function::of_math_library`]); anything else is registered with a closure. A function is total:
//! one that fails (a closure that gives no value, or one of another sort, or panics) yields zero of its
//! result sort. A program's own traps are guards in the path condition, not faults of a call.
//!
//! A function may also be an operator ([`Function::of_operator`]): machines call it like any other, and terms are built
//! with the operator.

use crate::eval::eval;
use crate::libm;
use crate::op::{Indices, Op};
use crate::value::{Sort, Value};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Names a function within one [`crate::Terms`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FunctionId(pub(crate) u32);

/// Argument and result sorts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// Sorts of the arguments.
    pub params: Vec<Sort>,
    /// Sort of the result.
    pub result: Sort,
}

/// A function of values; `None` says that it failed on these arguments.
pub(crate) type Closure = dyn Fn(&[Value]) -> Option<Value> + Send + Sync;

/// An implementation. The plain function pointers can be called from compiled code.
#[derive(Clone)]
pub enum Native {
    /// `double f(double)`
    F64x1(extern "C" fn(f64) -> f64),
    /// `double f(double, double)`
    F64x2(extern "C" fn(f64, f64) -> f64),
    /// `double f(double, double, double)`
    F64x3(extern "C" fn(f64, f64, f64) -> f64),
    /// `float f(float)`
    F32x1(extern "C" fn(f32) -> f32),
    /// `float f(float, float)`
    F32x2(extern "C" fn(f32, f32) -> f32),
    /// `float f(float, float, float)`
    F32x3(extern "C" fn(f32, f32, f32) -> f32),
    /// Anything else.
    Closure(Arc<Closure>),
}

/// A named function with its implementation.
#[derive(Clone)]
pub struct Function {
    name: String,
    signature: Signature,
    native: Native,
    operator: Option<(Op, Indices)>,
}

impl Function {
    /// A function that was registered by a user of this crate.
    pub fn new(
        name: impl Into<String>,
        signature: Signature,
        call: impl Fn(&[Value]) -> Option<Value> + Send + Sync + 'static,
    ) -> Function {
        let native = Native::Closure(Arc::new(call));
        Function { name: name.into(), signature, native, operator: None }
    }

    /// An operator as a function of that name. Panics if sorts or indices do not fit.
    pub fn of_operator(
        name: impl Into<String>,
        op: Op,
        indices: Indices,
        params: Vec<Sort>,
    ) -> Function {
        let result = op.result_sort(indices, &params).expect("the operator takes such arguments");
        let call = move |args: &[Value]| Some(eval(op, indices, args));
        let function = Function::new(name, Signature { params, result }, call);
        Function { operator: Some((op, indices)), ..function }
    }

    /// The function of that name in the host's C math library: `sin`, `powf`, ….
    pub fn of_math_library(name: &str) -> Option<Function> {
        let (name, native) = libm::FUNCTIONS.iter().find(|(known, _)| *known == name)?;
        let signature = native.signature().expect("the math library has no closures");
        let name = (*name).to_string();
        Some(Function { name, signature, native: native.clone(), operator: None })
    }

    /// Which error a function of the host's math library reports through `errno`, under the name `error_of_log`: 0 for none, 1 if it is
    /// not defined for its arguments, 2 if its result is too large or too small.
    pub fn error_of_math_library(name: &str) -> Option<Function> {
        let function = Function::of_math_library(name)?;
        let params = function.signature.params.clone();
        let call = move |args: &[Value]| {
            let bits: Vec<u64> = args.iter().map(|arg| arg.bits()).collect();
            Some(Value::bv(32, u64::from(libm::error_of(&function, &bits))))
        };
        let signature = Signature { params, result: Sort::Bv(32) };
        Some(Function::new(format!("error_of_{name}"), signature, call))
    }

    /// The names [`Function::of_math_library`] knows.
    pub fn math_library_names() -> impl Iterator<Item = &'static str> {
        libm::FUNCTIONS.iter().map(|(name, _)| *name)
    }

    /// The function's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The function's signature.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// The operator that it is, if it is one.
    pub fn operator(&self) -> Option<(Op, Indices)> {
        self.operator
    }

    /// The function's implementation, for compiled evaluation.
    pub fn native(&self) -> &Native {
        &self.native
    }

    /// Calls the function. Panics if the arguments do not fit the signature.
    pub fn call(&self, args: &[Value]) -> Value {
        let sorts = args.iter().map(|arg| arg.sort());
        assert!(
            sorts.eq(self.signature.params.iter().copied()),
            "wrong arguments for {}",
            self.name
        );
        let bits: Vec<u64> = args.iter().map(|arg| arg.bits()).collect();
        Value::from_bits(self.signature.result, self.call_bits(&bits))
    }

    /// Calls the function on raw bits. Arguments are in the signature's order.
    #[inline]
    pub fn call_bits(&self, args: &[u64]) -> u64 {
        let double = |i: usize| f64::from_bits(args[i]);
        let single = |i: usize| f32::from_bits(args[i] as u32);
        match &self.native {
            Native::F64x1(f) => f(double(0)).to_bits(),
            Native::F64x2(f) => f(double(0), double(1)).to_bits(),
            Native::F64x3(f) => f(double(0), double(1), double(2)).to_bits(),
            Native::F32x1(f) => f(single(0)).to_bits().into(),
            Native::F32x2(f) => f(single(0), single(1)).to_bits().into(),
            Native::F32x3(f) => f(single(0), single(1), single(2)).to_bits().into(),
            Native::Closure(f) => self.call_closure(f.as_ref(), args),
        }
    }

    #[cold]
    fn call_closure(&self, f: &Closure, args: &[u64]) -> u64 {
        let sorts = self.signature.params.iter();
        let values: Vec<Value> =
            sorts.zip(args).map(|(&sort, &bits)| Value::from_bits(sort, bits)).collect();
        let result = catch_unwind(AssertUnwindSafe(|| f(&values))).ok().flatten();
        result.filter(|value| value.sort() == self.signature.result).map_or(0, Value::bits)
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.name, self.signature)
    }
}

impl Native {
    fn signature(&self) -> Option<Signature> {
        let (sort, n) = match self {
            Native::F64x1(_) => (Sort::F64, 1),
            Native::F64x2(_) => (Sort::F64, 2),
            Native::F64x3(_) => (Sort::F64, 3),
            Native::F32x1(_) => (Sort::F32, 1),
            Native::F32x2(_) => (Sort::F32, 2),
            Native::F32x3(_) => (Sort::F32, 3),
            Native::Closure(_) => return None,
        };
        Some(Signature { params: vec![sort; n], result: sort })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rounding, Terms};

    fn unary(result: Sort, call: fn(&[Value]) -> Option<Value>) -> Function {
        Function::new("f", Signature { params: vec![Sort::Bv(8)], result }, call)
    }

    #[test]
    fn the_library_says_what_it_is_not_defined_for() {
        let error = |name: &str, args: &[f64]| {
            let function = Function::error_of_math_library(name).expect("it is known");
            let args: Vec<Value> = args.iter().map(|&arg| Value::f64(arg)).collect();
            function.call(&args).bits()
        };
        assert_eq!([error("log", &[2.0]), error("log", &[-1.0]), error("log", &[0.0])], [0, 1, 2]);
        assert_eq!([error("sqrt", &[2.0]), error("sqrt", &[-1.0])], [0, 1]);
        assert_eq!([error("pow", &[2.0, 3.0]), error("pow", &[2.0, 3000.0])], [0, 2]);
        assert_eq!([error("fmod", &[2.0, 0.5]), error("fmod", &[2.0, 0.0])], [0, 1]);
    }

    #[test]
    fn the_math_library_is_the_hosts() {
        let pow = Function::of_math_library("pow").unwrap();
        assert_eq!(pow.call_bits(&[2f64.to_bits(), 10f64.to_bits()]), 1024f64.to_bits());
        let sinf = Function::of_math_library("sinf").unwrap();
        assert_eq!(sinf.signature().params, [Sort::F32]);
        assert!(Function::of_math_library("nosuch").is_none());
    }

    #[test]
    fn an_operator_is_computed_by_the_evaluator_and_stays_an_operator() {
        let indices = [Rounding::Up as u8, 0];
        let add = Function::of_operator("add_up", Op::FpAdd, indices, vec![Sort::F64; 2]);
        let sum = f64::from_bits(add.call_bits(&[1f64.to_bits(), 1e-300f64.to_bits()]));
        assert_eq!(sum, 1f64.next_up());
        let mut terms = Terms::new();
        let (x, y) = (terms.var("x", Sort::F64), terms.var("y", Sort::F64));
        let id = terms.register(add);
        let call = terms.call(id, &[x, y]);
        assert_eq!(call, terms.app_unsimplified(Op::FpAdd, indices, &[x, y]));
    }

    /// What was widened and is narrowed again is the same number, but of a NaN the bits are gone.
    #[test]
    fn an_operator_is_not_simplified() {
        let mut terms = Terms::new();
        let x = terms.var("x", Sort::F32);
        let wide = terms.app_indexed(Op::FpOfFp, [0, 64], &[x]);
        let indices = [Rounding::Down as u8, 32];
        let narrow = Function::of_operator("narrow", Op::FpOfFp, indices, vec![Sort::F64]);
        let id = terms.register(narrow);
        assert_ne!(terms.call(id, &[wide]), x);
    }

    #[test]
    fn a_failing_function_yields_zero() {
        assert_eq!(unary(Sort::Bv(8), |_| None).call_bits(&[3]), 0);
        assert_eq!(unary(Sort::Bv(8), |_| Some(Value::Bool(true))).call_bits(&[3]), 0);
        assert_eq!(unary(Sort::Bv(8), |args| Some(args[0])).call_bits(&[3]), 3);
    }
}
