//! The daemon: one loop that wakes, reads what is new, writes it and tells who listens.
//!
//! Everything that can happen is a [`Wake`]. The loop is the only one that writes; servers answer
//! from read-only views and from what the loop shares through its [`Handle`].

mod feed;
mod handle;
mod wake;

pub use feed::{Told, What};
pub use handle::{Card, Handle};
pub(crate) use wake::Wake;
