//! What one device publishes about its sessions: one JSON object a line.
//!
//! A line is about one session and states one thing. Lines are kept in the order of their stream,
//! so that any order of receipt and any repetition give the same result. A reader ignores what its
//! version does not know.

mod event;
mod facts;
mod order;
mod place;
mod sharing;
mod status;

pub use event::{RelayedEvent, RelayedUsage};
pub use facts::{Name, RelayedFacts};
pub use order::Order;
pub use place::{
    RemotePath, device_of, file, is_locator, is_name, is_share, is_shared, locator, path,
    shared_locator, told_as,
};
pub use sharing::{as_shared, as_told};
pub use status::{HEARD_FOR, RelayedStatus};

use crate::{EventId, RuntimeIdentity};
use serde::{Deserialize, Serialize};

/// The scheme of locators for other devices' sessions.
pub const SCHEME: &str = "relay";
/// The folder in our data directory for lines from other devices.
pub const FOLDER: &str = "remote";
/// The version of the line format.
pub const VERSION: u32 = 1;
/// The longest text or detail of an event, in bytes.
pub const TEXT_LIMIT: usize = 64 * 1024;
/// The longest accepted line, in bytes: a text and details, escaped.
pub const LINE_LIMIT: usize = 1024 * 1024;

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub struct Relayed {
    /// The line's number among all lines ever published about the session.
    pub number: u64,
    /// The content.
    pub says: Says,
}

/// The content of a line.
#[derive(Debug, Clone, PartialEq)]
pub enum Says {
    /// The facts of the session; they replace all earlier facts.
    Facts(RuntimeIdentity, Box<RelayedFacts>),
    /// An event, new or changed.
    Event(RuntimeIdentity, Box<RelayedEvent>),
    /// The usage of a model answer.
    Usage(RuntimeIdentity, Box<RelayedUsage>),
    /// Removes an event.
    Removed(RuntimeIdentity, EventId),
    /// Retracts every line so far.
    Gone,
}

/// The serialized form.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    v: u32,
    n: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    who: Option<Name>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    facts: Option<Box<RelayedFacts>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    event: Option<Box<RelayedEvent>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    usage: Option<Box<RelayedUsage>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    removed: Option<EventId>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    gone: bool,
}

impl Relayed {
    /// Parses a line; `None` if it is torn or has another form or version.
    #[must_use]
    pub fn read(line: &[u8]) -> Option<Self> {
        let line: Line = serde_json::from_slice(line).ok().filter(|it: &Line| it.v == VERSION)?;
        let who = line.who.map(Name::meant);
        let says = match (who, line.facts, line.event, line.usage, line.removed, line.gone) {
            (Some(who), Some(it), None, None, None, false) => Says::Facts(who, it),
            (Some(who), None, Some(it), None, None, false) => Says::Event(who, it),
            (Some(who), None, None, Some(it), None, false) => Says::Usage(who, it),
            (Some(who), None, None, None, Some(it), false) => Says::Removed(who, it),
            (None, None, None, None, None, true) => Says::Gone,
            _ => return None,
        };
        Some(Self { number: line.n, says })
    }

    /// Serializes the line, without a line feed.
    #[must_use]
    pub fn write(&self) -> String {
        let mut line = Line {
            v: VERSION,
            n: self.number,
            who: self.says.who().map(Name::of),
            facts: None,
            event: None,
            usage: None,
            removed: None,
            gone: false,
        };
        match &self.says {
            Says::Facts(_, it) => line.facts = Some(it.clone()),
            Says::Event(_, it) => line.event = Some(it.clone()),
            Says::Usage(_, it) => line.usage = Some(it.clone()),
            Says::Removed(_, it) => line.removed = Some(*it),
            Says::Gone => line.gone = true,
        }
        // Strings, numbers and maps of them always serialize.
        serde_json::to_string(&line).unwrap_or_default()
    }
}

impl Says {
    /// The session as its agent knows it; `None` for a retraction.
    #[must_use]
    pub fn who(&self) -> Option<&RuntimeIdentity> {
        match self {
            Self::Facts(who, _)
            | Self::Event(who, _)
            | Self::Usage(who, _)
            | Self::Removed(who, _) => Some(who),
            Self::Gone => None,
        }
    }
}

#[cfg(test)]
mod tests;
