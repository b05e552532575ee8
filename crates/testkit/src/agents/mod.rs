//! Real coding agents at work for a scripted model, on a machine of their own.
//!
//! Each [`Machine`] has a network with nothing but loopback, processes nobody else sees, an empty
//! home and a model that says what the test wrote down. Nothing on it needs an account, and nothing
//! can leave it. When it is dropped everything on it ends, also when the test fails.

mod claude;
mod codex;
mod install;
mod machine;
mod namespace;

pub use install::{Package, program_of};
pub use machine::{Agent, Machine, PROJECT};
pub use namespace::Namespace;
