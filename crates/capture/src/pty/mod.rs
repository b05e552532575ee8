//! A pseudo-terminal around one program, and a view of its screen.
//!
//! Bytes pass unchanged in both directions; the view reads a copy of them.

mod line;
#[cfg(target_os = "linux")]
#[path = "master_linux.rs"]
mod master;
#[cfg(not(target_os = "linux"))]
#[path = "master_other.rs"]
mod master;
mod osc;
mod terminal;
mod view;

pub use line::{Ended, Flowed, Pty, Ready, Wanted, take_terminal};
pub use terminal::{Size, Terminal, is_terminal};
pub use view::{ProgramStatus, View};
