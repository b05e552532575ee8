//! A terminal of our own around one program, and what stands on it.
//!
//! Bytes go through it unchanged in both directions; looking at them is done beside.

mod line;
mod strings;
mod terminal;
mod view;

pub use line::{Ended, Flowed, Pty, Ready, Wanted, take_terminal};
pub use terminal::{Size, Terminal, is_terminal};
pub use view::{Told, View};
