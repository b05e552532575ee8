//! The MCP server through which agents ask what agents did before.
//!
//! Seven tools, all of which only read. Each answer is one text of at most 4 KiB, and what
//! transcripts say is only ever between tags that nobody can foresee.

mod asker;
mod desk;
mod errors;
mod fence;
mod lookups;
mod page;
mod post;
mod protocol;
mod query;
mod recall;
mod search;
mod server;
mod sessions;
mod show;
mod text;
mod tools;
mod usage;
mod why;

pub use desk::{Desk, Options};
pub use lookups::{Lookup, LookupList, lookups, note};
pub use post::{Post, PostReply};
pub use recall::{RECALL_LIMIT, Recall, brief, fix};
pub use server::serve;

#[cfg(test)]
mod hostile_tests;
