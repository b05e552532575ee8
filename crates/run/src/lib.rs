//! `taffrail run`: runs one agent on our own pseudo-terminal. `taffrail acp`: runs one behind a pipe,
//! for an editor. Also locates processes, in a tmux pane or on one of our terminals, so that a prompt
//! can be typed there.

pub mod acp;
mod attach;
mod command;
mod executor;
mod locate;
mod paste;
mod proxy;
mod screen_watch;
mod session_match;
mod start;
mod terminal_log;
mod waker;
mod worktree;

pub use attach::{PanePlace, tmux_around};
pub use command::{Run, agent_in};
pub use executor::{PasteError, paste, socket_of};
pub use locate::{Located, accepts_text, locate, locate_one, run_of, servers_with};
pub use paste::Pasted;
pub use start::{INSIDE, become_program, has_terminal, run};
pub use waker::{ProxyEvent, ProxyEvents, Waker, waker};
pub use worktree::{Worktree, WorktreeError};
