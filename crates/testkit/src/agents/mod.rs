//! Runs real coding agents with a scripted model, on an isolated machine.
//!
//! Each [`Machine`] has a network with only loopback, its own process namespace, an empty home and
//! a model that gives the answers of the test. Nothing on it needs an account, and nothing can
//! leave it. Dropping it ends everything on it, also when the test fails.

mod claude;
mod codex;
mod gemini;
mod goose;
mod install;
mod machine;
mod namespace;
#[cfg(target_os = "linux")]
#[path = "network_linux.rs"]
mod network;
#[cfg(not(target_os = "linux"))]
#[path = "network_other.rs"]
mod network;
pub mod packages;

pub use install::{Module, Package, program_of, python_of};
pub use machine::{Agent, Machine, PROJECT};
pub use namespace::Namespace;
