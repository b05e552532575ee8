//! Shared by the slow test suites: hermetic homes, histories generated from a seed, and damage
//! generated from a seed.
//!
//! For tests only. Every failure in here is a failure of the test and ends it, so nothing returns
//! an error.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::needless_pass_by_value,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a developer crate: its faults end the test that uses it"
)]

pub mod agents;
pub mod atif;
mod background;
mod cache;
mod chance;
pub mod chats;
pub mod claude;
mod collector;
pub mod copies;
pub mod corpus;
mod editor;
pub mod fuzz;
pub mod goose;
mod home;
pub mod hostile;
pub mod hubs;
pub mod model;
pub mod mutate;
mod process;
mod python;
mod scale;
mod ssh;
mod tmux;
mod view;

pub use background::Background;
pub use chance::Chance;
pub use collector::{Collector, ReceivedSpan};
pub use editor::Editor;
pub use home::{Home, Output, SavedData};
pub use process::{Fate, Run, patiently, private_kib, until, until_every};
pub use scale::Scale;
pub use ssh::SshServer;
pub use tmux::Tmux;
pub use view::{canonical_view, check_same};
