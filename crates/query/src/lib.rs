//! Queries about sessions: lists, events, search, status and evidence, findings, summaries,
//! exports.
//!
//! Answers come from the index and the ledger; full texts are read back from the agents' files. A
//! query first brings the index up to date if no daemon does.

mod agent_check;
mod agent_record;
mod agents;
mod answer_ends;
mod archive_notice;
pub mod bindings;
pub mod blame;
mod blocks;
pub mod board;
pub mod budgets;
mod catch_up;
pub mod contracts;
mod conversation;
mod digest;
pub mod events;
pub mod explain;
mod export;
mod feed;
pub mod filter;
pub mod findings;
mod handoff;
mod imported;
mod limits;
mod list;
mod marks;
pub mod page;
pub mod prices;
mod projects;
mod quota;
mod recap;
mod recent;
mod recorded;
pub mod reset;
pub mod resolve;
pub mod search;
pub mod selection;
mod session_change;
mod session_row;
mod session_usage;
mod stats;
pub mod status;
pub mod summary;
mod sync_choice;
pub mod terminal;
mod turn_lookup;
mod unread;
pub mod usage;

pub use agent_check::check_agent;
pub use agent_record::record_agent;
pub use agents::{agent_names, agents};
pub use archive_notice::must_tell_of_archive;
pub use catch_up::{CaughtUp, Waiting, caught_up};
pub use digest::{Digested, digest};
pub use export::{Piece, export_many, export_one};
pub use feed::feed;
pub use handoff::{handoff, handoff_of_state, start_with};
pub use limits::Limits;
pub use list::list;
pub use marks::{mark, marks};
pub use projects::{project_files, projects};
pub use quota::{quota, quota_list};
pub use recap::recap;
pub use recent::recent;
pub use recorded::{Content, Secrets, export_atif, export_otlp};
pub use session_change::SessionChange;
pub use session_row::session;
pub use session_usage::session_usage;
pub use stats::{Counted, period_before, stats};
pub use sync_choice::{is_chosen, is_ours};
