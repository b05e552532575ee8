//! How well a device keeps up, for people.

use std::collections::BTreeMap;
use std::fmt;
use taffrail_model::Timestamp;
use taffrail_model::exchange::StreamOrigin;

/// Where the carrying stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum State {
    /// It has not begun.
    #[default]
    Starting,
    /// Everything that can be is carried.
    UpToDate,
    /// The hub cannot be reached; it is tried again.
    Unreachable,
    /// Something does not work and will not by itself.
    Failing,
}

/// Why a stream of another device is not read on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// What stands there is refused: forged, cut, replayed, out of its place.
    Refused(String),
    /// It is not sealed to us, or not yet.
    NotForUs,
    /// Its key is not on the hub yet.
    NoKey,
    /// It is of an epoch we have not heard of.
    RosterBehind,
    /// The hub has lost what comes next; its writer has to give it again.
    Missing,
}

impl fmt::Display for Why {
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

/// Where a reader stands still, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standstill {
    /// The batch.
    pub seq: u64,
    /// Why.
    pub why: Why,
}

/// How well a device keeps up.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Health {
    /// Where it stands.
    pub state: State,
    /// How many items and batches of ours are not on the hub.
    pub behind: u64,
    /// When everything was last carried.
    pub last_sync: Option<Timestamp>,
    /// What was wrong last, while it is.
    pub error: Option<String>,
    /// How many batches or keys of others were refused.
    pub refused: u64,
    /// How many items were of kinds not known here.
    pub unknown: u64,
    /// Streams that are not read on.
    pub standing: BTreeMap<StreamOrigin, Standstill>,
    /// A stream has used its key for long: an admin should rotate.
    pub rotation_due: bool,
}
