//! Capture: finds and reads the history of every agent.
//!
//! It decides from a stat what is new, reads it record by record through the agent's adapter, and hands
//! over pieces that carry their own cursor. It knows nothing of Taffrail's databases and does not
//! interpret events.

mod agent_server;
mod collector;
mod copy;
mod database;
mod discover;
mod discovery;
mod error;
mod event_images;
mod folder;
mod git;
mod home;
mod journal;
mod lines;
mod listing;
mod pass;
mod peek;
mod plan;
mod process;
mod pty;
mod read;
mod readback;
mod registry;
mod safe_open;
mod sandbox;
mod scrollback;
mod server_socket;
mod sink;
mod source;
mod sqlite;
mod stat;
mod threads;
mod umask;
mod user_file;
mod walk;
mod zstd;

pub use agent_server::{ServerAddress, Token, server_addresses};
pub use collector::Texts;
pub use copy::{Content, Copied, read_copy};
pub use discover::{Named, discover, discover_at};
pub use discovery::{Discovery, Refused};
pub use error::ReadError;
pub use event_images::EventImage;
pub use git::{Checkout, checkout, commit_at, linked_root};
pub use home::{Home, folder_by, home_of, homes, store_of, usual_home};
pub use journal::{
    JournalLimits, LeftOut, Since, gather as gather_journal, is_spooled, journal_homes,
    keep_journal, make_spool, purge_journal, spool, spool_folder,
};
pub use lines::LINE_LIMIT;
pub use listing::{Listing, Look};
pub use pass::{Reading, SideFiles, side_files};
pub use peek::{Peek, peek};
pub use plan::{Job, KnownSource, Plan, is_missing, plan};
pub use process::{
    Deaths, Focus, Listener, Pane, PaneName, PaneView, Panes, TMUX_DEADLINE, TmuxClient, Unwatched,
    WATCH_LIMIT, ancestors, at_and_below, clients, command_line, distinct_sockets, executor_at,
    executor_of, is_in_front, listener_at, lives, look_at, panes, panes_of, program_in, program_of,
    runs, runs_our_program, start_of, tmux_server_of, tmux_servers, tty_of, written_by,
};
pub use pty::{
    Ended, Flowed, ProgramStatus, Pty, Ready, Size, Terminal, View, Wanted, is_terminal,
    take_terminal,
};
pub use read::read;
pub use readback::{Body, BodyError, CopyLookup, Reference, Sources, Want};
pub use registry::live_entries;
pub use safe_open::{Refusal, open_below, text_below};
pub use sandbox::{Confined, confine, try_confinement};
pub use scrollback::{
    KeptRun, Recorder, Replay, RunName, RunRecord, SMALLEST_SCROLLBACK, kept_runs, prune_runs,
    remove_runs,
};
use server_socket::server_socket;
pub use sink::{Flow, Taker};
pub use source::SourceFile;
pub use umask::{keep_private, with_users_mask};
pub use user_file::open_own;
