//! Requests of the other parts to the daemon's loop, which alone writes the index.

use crate::settings::Settings;
use taffrail_model::{DeviceId, SessionId};
use tokio::sync::oneshot;

/// Work that opens the writer itself: the loop closes its writer while the work runs.
pub type Exclusive = Box<dyn FnOnce(&Settings) + Send>;

/// A request to the loop.
pub enum LoopRequest {
    /// Index everything that is on disk, then answer.
    Settle(oneshot::Sender<()>),
    /// Bring search up to the index, then answer whether that worked.
    Search(oneshot::Sender<bool>),
    /// Another device sent statuses of these sessions.
    RemoteStatus(DeviceId, Vec<SessionId>),
    /// Run this while no other writer is open.
    Exclusive(Exclusive),
    /// End.
    Stop,
}

impl std::fmt::Debug for LoopRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Settle(_) => "Settle",
            Self::Search(_) => "Search",
            Self::RemoteStatus(..) => "RemoteStatus",
            Self::Exclusive(_) => "Exclusive",
            Self::Stop => "Stop",
        })
    }
}
