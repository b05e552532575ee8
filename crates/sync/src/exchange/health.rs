//! The health of an exchange, for people.

use std::collections::BTreeMap;
use std::fmt;
use taffrail_model::Timestamp;
use taffrail_model::exchange::StreamOrigin;

/// The state of the exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum State {
    /// It has not started.
    #[default]
    Starting,
    /// Everything that can be exchanged is.
    UpToDate,
    /// The hub cannot be reached; the exchange retries.
    Unreachable,
    /// Something failed that a retry will not fix.
    Failing,
}

/// Why a stream of another device is stalled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StallReason {
    /// The next batch is refused: forged, cut, replayed, or out of place.
    Refused(String),
    /// It is not sealed to this device.
    NotForUs,
    /// Its key is not on the hub.
    NoKey,
    /// Its epoch is not known on this device.
    RosterBehind,
    /// The hub lost the next batch; its writer must append it again.
    Missing,
}

impl fmt::Display for StallReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Refused(why) => why,
            Self::NotForUs => "it is not sealed to us",
            Self::NoKey => "its key is not on the hub",
            Self::RosterBehind => "it is of a team that is not known yet",
            Self::Missing => "the hub has lost what comes next",
        })
    }
}

/// Where a reader is stalled, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stall {
    /// The batch.
    pub seq: u64,
    /// The reason.
    pub why: StallReason,
}

/// The health of an exchange.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Health {
    /// The state of the exchange.
    pub state: State,
    /// How many of this device's items and batches are not on the hub.
    pub behind: u64,
    /// When everything was last exchanged.
    pub last_sync: Option<Timestamp>,
    /// The current error, if any.
    pub error: Option<String>,
    /// How many batches or keys of others were refused.
    pub refused: u64,
    /// How many items were of unknown kinds.
    pub unknown: u64,
    /// Stalled streams.
    pub standing: BTreeMap<StreamOrigin, Stall>,
    /// A stream has used its key for a long time: an admin should rotate.
    pub rotation_due: bool,
    /// When another copy of this device was last seen writing.
    pub twice: Option<Timestamp>,
    /// How many batches of a stream the hub's retention removed before this device read them.
    pub gone: BTreeMap<StreamOrigin, u64>,
    /// Why the hub's retention did not work the last time, if so.
    pub retention: Option<String>,
    /// Why segments cannot be stored, if so. The hub itself works.
    pub durable: Option<String>,
    /// The hub passes no beats: they must go through a stream.
    pub mute: bool,
}
