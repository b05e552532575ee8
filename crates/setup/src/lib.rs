//! Files outside our own folders that `taffrail setup` writes: a shell's completions, and the
//! service that starts the daemon. A note records each change, so that the undo restores every byte.

mod completions;
mod error;
mod note;
mod service;
mod unit;

pub use completions::{Change, Homes, Planned, Shell, plan};
pub use error::SetupError;
pub use note::{Note, Undone, all, replace};
pub use service::{install, is_managed, refuse_foreign, uninstall};
pub use unit::{Manager, Unit, launchd, systemd};
