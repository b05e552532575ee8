//! Taffrail's eyes.
//!
//! Finds the history of every agent, decides from a stat what is new, reads it record by record
//! through the agent's adapter, and hands over pieces that carry their own cursor. It knows nothing
//! of our databases and nothing of what events mean.

mod below;
mod copy;
mod discover;
mod gather;
mod git;
mod home;
mod journal;
mod lines;
mod pass;
mod peek;
mod plan;
mod process;
mod pty;
mod readback;
mod registry;
mod server_socket;
mod sqlite;
mod taker;

pub use below::{Refusal, open_below, text_below};
pub use copy::{Content, Copied, read_copy};
pub use discover::{Discovery, Found, Named, Refused, discover, discover_at};
pub use gather::Texts;
pub use git::{Checkout, checkout};
pub use home::{Home, homes, usual_home};
pub use journal::{
    JournalLimits, LeftOut, Since, gather as gather_journal, is_spooled, journal_homes,
    keep_journal, make_spool, purge_journal, spool, spool_folder,
};
pub use lines::LINE_LIMIT;
pub use pass::{Reading, SideFiles, read, side_files};
pub use peek::{Peek, peek};
pub use plan::{Job, Known, Plan, is_missing, plan};
pub use process::{
    Deaths, Focus, Pane, PaneName, PaneView, TmuxClient, Unwatched, WATCH_LIMIT, ancestors,
    at_and_below, clients, command_line, executor_of, is_in_front, lives, panes, panes_of,
    program_in, program_of, runs, start_of, tmux_sockets, tmux_sockets_below, tty_of, written_by,
};
pub use pty::{
    Ended, Flowed, Pty, Ready, Size, Terminal, Told, View, Wanted, is_terminal, take_terminal,
};
pub use readback::{Body, BodyError, Kept, Reference, Sources, Want};
pub use registry::live_entries;
pub use server_socket::server_socket;
pub use taker::{Flow, Taker};

/// Why a source could not be read. It stops nothing else.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file system said no.
    #[error("{path}: {error}")]
    Io {
        /// Which file.
        path: String,
        /// What it said.
        error: std::io::Error,
    },
    /// The agent's database said no.
    #[error("{path}: {error}")]
    Sqlite {
        /// Which database.
        path: String,
        /// What it said.
        error: rusqlite::Error,
    },
    /// The file changed while it was read; the next run reads it.
    #[error("{0}: changed while it was read")]
    Moving(String),
}
