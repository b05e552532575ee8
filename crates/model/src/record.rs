//! One record of a source, and its identity.

use crate::hash::{self, Digest16};
use crate::{Cursor, EventId, SessionId};
use std::borrow::Cow;

/// One record of a source: a line, a document, or a database row written as a JSON object.
#[derive(Debug, Clone)]
pub struct Record<'a> {
    /// The bytes in the source, without a line feed.
    pub bytes: &'a [u8],
    /// The position.
    pub at: Cursor,
}

/// Identifies a record within its session, in order of preference.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RecordKey<'a> {
    /// The agent's own id for it.
    Provider(Cow<'a, str>),
    /// The agent's own number for it.
    Ordinal(u64),
    /// The bytes, and how many equal lines directly precede it.
    Line {
        /// Hash of the whole line.
        hash: Digest16,
        /// 0 for the first.
        nth: u32,
    },
    /// Another device published the event with the id it has there.
    Given {
        /// That id.
        id: EventId,
        /// The agent's own id for it, where it has one.
        source: Option<Cow<'a, str>>,
    },
}

impl RecordKey<'_> {
    /// A tag and the bytes that go into the event's id.
    #[must_use]
    pub fn encoded(&self) -> (u8, Cow<'_, [u8]>) {
        match self {
            Self::Provider(id) => (0, id.as_bytes().into()),
            Self::Ordinal(number) => (1, number.to_le_bytes().to_vec().into()),
            Self::Line { hash, nth } => (2, [hash.as_slice(), &nth.to_le_bytes()].concat().into()),
            Self::Given { id, .. } => (3, id.as_bytes().as_slice().into()),
        }
    }

    /// The agent's own id, where it has one.
    #[must_use]
    pub fn provider_id(&self) -> Option<String> {
        match self {
            Self::Provider(id) => Some(id.to_string()),
            Self::Ordinal(number) => Some(number.to_string()),
            Self::Line { .. } => None,
            Self::Given { source, .. } => source.as_deref().map(str::to_owned),
        }
    }
}

impl EventId {
    /// Computes an event's id from the agent's own identity of the record.
    #[must_use]
    pub fn of(session: SessionId, record: &RecordKey<'_>, part: u32) -> Self {
        if let RecordKey::Given { id, .. } = record {
            return *id;
        }
        let (tag, key) = record.encoded();
        let parts: [&[u8]; 4] = [session.as_bytes(), &[tag], &key, &part.to_le_bytes()];
        Self::from_bytes(hash::digest("event", &parts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AgentId, RuntimeIdentity};

    #[test]
    fn an_event_of_another_device_keeps_its_id() {
        let session = RuntimeIdentity::new(AgentId::new("a"), "", "1").session();
        let there = EventId::of(session, &RecordKey::Provider("r1".into()), 2);
        let given = RecordKey::Given { id: there, source: Some("r1".into()) };
        assert_eq!(EventId::of(session, &given, 2), there);
        assert_eq!(given.provider_id().as_deref(), Some("r1"));
    }
}
