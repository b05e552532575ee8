//! Identities. Each has its own type, so that mixing them does not compile.

use crate::Timestamp;
use crate::hash::{self, Digest16};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Wraps the text unchanged.
            #[must_use]
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The text itself.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

macro_rules! digest_id {
    ($(#[$doc:meta])* $name:ident, $write:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Digest16);

        impl $name {
            /// The sixteen bytes as they are stored.
            #[must_use]
            pub fn as_bytes(&self) -> &Digest16 {
                &self.0
            }

            /// Restores an id from its sixteen stored bytes.
            #[must_use]
            pub fn from_bytes(bytes: Digest16) -> Self {
                Self(bytes)
            }

            /// Parses the written form.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                hash::from_hex(text).map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&$write(&self.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({self})", stringify!($name))
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                Self::parse(&text).ok_or_else(|| serde::de::Error::custom("32 hex digits expected"))
            }
        }
    };
}

text_id! {
    /// A coding-agent program, by the id its adapter declares.
    AgentId
}
text_id! {
    /// A session as its agent knows it.
    RuntimeSessionId
}
text_id! {
    /// This machine's installation, generated once and kept in the ledger.
    DeviceId
}
text_id! {
    /// A stream of a device: one audience, one numbering. The name reveals nothing to outsiders.
    StreamName
}
text_id! {
    /// Identifies an approval request: computed from the nonce of the hook call that made it.
    ApprovalId
}
text_id! {
    /// Identifies a message from its acceptance to its end: its correlation id.
    MessageId
}
digest_id! {
    /// The durable piece of work a person targets, laid out as a v4 UUID.
    SessionId, as_uuid
}
digest_id! {
    /// One normalized fact.
    EventId, hex
}
digest_id! {
    /// A prompt and everything that follows until the agent stops.
    TurnId, hex
}

fn hex(digest: &Digest16) -> String {
    hash::to_hex(digest)
}

fn as_uuid(digest: &Digest16) -> String {
    let text = hash::to_hex(digest);
    let mut out = String::with_capacity(36);
    for (index, digit) in text.chars().enumerate() {
        if matches!(index, 8 | 12 | 16 | 20) {
            out.push('-');
        }
        out.push(digit);
    }
    out
}

/// A runtime session with everything its identity is computed from.
///
/// `scope` is empty where the agent's ids are globally unique; otherwise it names the store on a
/// device, or the parent session, within which they are unique.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RuntimeIdentity {
    /// The agent.
    pub agent: AgentId,
    /// The scope within which the runtime id is unique.
    pub scope: String,
    /// The agent's own id.
    pub id: RuntimeSessionId,
    session: SessionId,
}

impl RuntimeIdentity {
    /// Computes the identity once; the session id never changes afterwards.
    #[must_use]
    pub fn new(agent: AgentId, scope: impl Into<String>, id: impl Into<String>) -> Self {
        let (scope, id) = (scope.into(), id.into());
        let mut bytes =
            hash::digest("session", &[agent.as_str().as_bytes(), scope.as_bytes(), id.as_bytes()]);
        let [_, _, _, _, _, _, version, _, variant, ..] = &mut bytes;
        *version = (*version & 0x0f) | 0x40;
        *variant = (*variant & 0x3f) | 0x80;
        Self { agent, scope, id: RuntimeSessionId::new(id), session: SessionId(bytes) }
    }

    /// The session that this runtime session opened.
    #[must_use]
    pub fn session(&self) -> SessionId {
        self.session
    }
}

impl TurnId {
    /// Computes a turn's id from the agent's own turn or prompt id.
    #[must_use]
    pub fn of(session: SessionId, provider_turn: &str) -> Self {
        Self(hash::digest("turn", &[&session.0, provider_turn.as_bytes()]))
    }

    /// The turn that a prompt opens, for agents that give turns no id.
    #[must_use]
    pub fn opened_by(prompt: EventId) -> Self {
        Self(prompt.0)
    }
}

impl ApprovalId {
    /// The id of the request from a hook call.
    #[must_use]
    pub fn of(nonce: &str) -> Self {
        let digest = hash::digest("approval", &[nonce.as_bytes()]);
        Self(hash::to_hex(&digest).chars().take(10).collect())
    }
}

impl MessageId {
    /// The id of a message: its session, its number there, and when it was accepted.
    #[must_use]
    pub fn of(session: SessionId, number: u32, at: Timestamp) -> Self {
        let parts: [&[u8]; 3] =
            [session.as_bytes(), &number.to_le_bytes(), &at.as_microsecond().to_le_bytes()];
        Self(hash::to_hex(&hash::digest("message", &parts)).chars().take(12).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_id_is_a_v4_uuid_and_depends_on_every_part() {
        let of = |agent: &str, scope: &str, id: &str| {
            RuntimeIdentity::new(AgentId::new(agent), scope, id).session().to_string()
        };
        let id = of("a", "", "1");
        assert_eq!((id.len(), id.get(14..15)), (36, Some("4")));
        assert!(matches!(id.get(19..20), Some("8" | "9" | "a" | "b")));
        assert_eq!(id, of("a", "", "1"));
        assert_ne!(id, of("b", "", "1"));
        assert_ne!(id, of("a", "x", "1"));
        assert_ne!(id, of("a", "", "2"));
    }

    #[test]
    fn written_and_read_again() {
        let id = RuntimeIdentity::new(AgentId::new("a"), "", "1").session();
        assert_eq!(SessionId::parse(&id.to_string()), Some(id));
        let json = serde_json::to_string(&id).unwrap();
        assert_eq!(serde_json::from_str::<SessionId>(&json).unwrap(), id);
    }
}
