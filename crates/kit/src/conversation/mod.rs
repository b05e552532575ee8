//! The kit: an ordinary agent is a page of data and, where data is not enough, one function.
//!
//! An [`Agent`] says where history is and which stores it has. A `Store` names the files by a
//! pattern, their shape, and how a record is read: by [`Fields`], which are data, or by a function
//! that gets the record and a `Speaker`. The `Conversation` around it remembers who speaks, the
//! open turn and the calls without a result, so that no adapter does.

mod agent;
mod chains;
mod driver;
mod exact;
mod fields;
pub mod json;
mod messages;
mod own;
mod pattern;
mod say;
mod session_facts;
mod speaker;
mod split;
mod stateful;

pub use agent::{Agent, Begins, Ids, Reads, Store};
pub use chains::SideRecord;
pub use exact::TurnEdge;
pub use fields::{Fields, Kinds};
pub use own::own_agent;
pub use speaker::{Outcome, Speaker, ToolUse};
pub use stateful::StatefulDialect;
