//! The readers' side of the index: they take no lock and write nothing.

mod activity;
mod by_kind;
mod costs;
mod events;
mod filter;
mod finals;
mod lookup;
mod outline;
mod projects;
mod quotas;
mod reader;
mod relatives;
mod remote;
mod session_iter;
mod slim;
mod sources;
mod tally;
mod tools;

pub use activity::HourRow;
pub use costs::{SpentBy, SpentRow};
pub use events::Changes;
pub use filter::{Filter, SourceAt};
pub use outline::Outline;
pub use projects::{EditRow, ProjectSums};
pub use reader::{AgentRow, IndexReader, UnknownRow};
pub use slim::SlimRow;
pub use tally::{Grouping, TallyRow};
pub use tools::{ToolRow, ToolTime};
