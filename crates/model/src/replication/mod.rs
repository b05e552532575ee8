//! What one device tells another of its sessions: one JSON object a line.
//!
//! A line speaks of one session and says one thing. Lines are kept in the order of the stream they came
//! in, so that any order of hearing and any repetition come to the same. What a line says that
//! this version does not know is silence.

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

use crate::{EventId, RuntimeIdentity, SessionId};
use serde::{Deserialize, Serialize};

/// The locators of sessions of other devices begin with this.
pub const SCHEME: &str = "relay";
/// The folder of what other devices told, below our data.
pub const FOLDER: &str = "remote";
/// The form of a line.
pub const VERSION: u32 = 1;
/// The most bytes of a text or of what else an event says.
pub const TEXT_LIMIT: usize = 64 * 1024;
/// The longest line that is believed, in bytes: a text and what else is said, escaped.
pub const LINE_LIMIT: usize = 1024 * 1024;

/// What is carried from one device to another: of one session, a line or how it stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// The session.
    pub session: SessionId,
    /// What is carried.
    #[serde(flatten)]
    pub carried: Carried,
}

/// What an item carries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Carried {
    /// A line, as it is kept.
    Line(String),
    /// How the session stands.
    Status(RelayedStatus),
    /// The session is not shared any more.
    Gone,
}

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub struct Relayed {
    /// Its number among all that was ever told of the session.
    pub number: u64,
    /// What it says.
    pub says: Says,
}

/// What a line says.
#[derive(Debug, Clone, PartialEq)]
pub enum Says {
    /// What is known of the session as a whole: it stands for all that was said of that before.
    Facts(RuntimeIdentity, Box<RelayedFacts>),
    /// An event, new or changed.
    Event(RuntimeIdentity, Box<RelayedEvent>),
    /// What a model answer cost.
    Usage(RuntimeIdentity, Box<RelayedUsage>),
    /// An event no longer stands.
    Removed(RuntimeIdentity, EventId),
    /// Everything told so far is taken back.
    Gone,
}

/// As it is written.
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
    /// Reads a line; what is torn, of another form or of another version is nothing.
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

    /// Writes it, without a line feed.
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
        // Texts, numbers and maps of them can always be written.
        serde_json::to_string(&line).unwrap_or_default()
    }
}

impl Says {
    /// The session as its agent knows it; nothing where everything is taken back.
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
