//! Brings the index, search and the archive up to date with the agents' files.
//!
//! Capture hands pieces to the one writer, in a pass over everything or piece by piece from
//! watchers. Forgetting, retention, capture control and backup are here too, because they write the
//! same files.

mod agent_retention;
mod archive;
mod backup;
mod bodies;
mod capture_control;
mod copier;
mod crash_repair;
mod forget;
mod freshness;
mod history_lines;
mod imported_files;
mod index;
mod ingest_pass;
mod looked;
mod planned;
mod pool;
mod remote_drop;
mod restore_from_archive;
mod retention;
mod scope;
mod search_sync;
mod session_lookup;
mod sink;
mod source_reader;
mod terminals;
mod tombstones;
mod uncaptured;
mod unsearch;
pub mod watcher;

pub use agent_retention::{KeptFor, agent_settings, deleted_within_week, retention_of};
pub use archive::{Prune, archive, archived_bytes, prune_archive, verify_archive};
pub use backup::{backup, restore};
pub use bodies::{record, reference, sources};
pub use capture_control::{Held, capture_off, capture_on, not_captured};
pub use copier::CapturePolicy;
pub use forget::{Which, forget};
pub use freshness::{Current, LastLook, current};
pub use imported_files::IMPORTED;
pub use index::{bring_up, count_lost, index, rebuild, run};
pub use ingest_pass::{Run, Totals};
pub use planned::planned;
pub use remote_drop::drop_gone;
pub use scope::{BroughtUp, Budget, Indexed, Listener, Mode, Progress, Scope};
pub use search_sync::{Bring, SearchSync, bring_up as bring_search_up};
pub use session_lookup::resolve_stored;
pub use terminals::keeps_terminal;
