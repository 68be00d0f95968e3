//! SMT-LIB 2.6 scripts: reading, meaning, execution.
//!
//! From text to answers: `lexer` and `sexpr` make trees of text as it arrives; `script` executes
//! commands; `elaborate` and `resolve` give terms their meaning with the help of `theory` (which functions there
//! are), `names`, `sorts`, `rational` and `unspecified` (cases that the standard leaves open);
//! `model` and `answers` write results. What our terms cannot express goes to SMT solvers as `text`;
//! `ground` evaluates the models that come back.
//!
//! **Invariant:** a verdict is right by the standard, or it is `unknown`. Wrong text is a
//! [`Diagnostic`] with its place; text that is only beyond us is never called wrong.
//!
//! **Invariant:** nothing here recurses over the script, and time is linear in its length.

mod answers;
mod bit_vectors;
mod command;
mod declare;
mod diagnostic;
mod elaborate;
mod floats;
mod ground;
mod lexer;
mod model;
mod names;
mod natural;
mod rational;
mod resolve;
mod script;
mod sexpr;
mod sorts;
#[cfg(test)]
mod tests;
mod text;
mod text_group;
mod theory;
mod unspecified;
mod with_model;

pub use diagnostic::{Diagnostic, Position, Problem, Span};
pub use lexer::Atom;
pub use model::ModelEntry;
pub use script::{Answer, Check, Deciders, Response, Script};
pub use sexpr::{Reader, Tree};
pub use text::{TextCommand, TextScript, TextSolver, TextVerdict};
pub use text_group::TextGroup;
