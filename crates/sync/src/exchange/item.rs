//! Items: one item is one line of JSON, and a batch contains some of them.
//!
//! Lines and bodies travel as strings of JSON inside that JSON, which costs their escapes. Version 2
//! would carry them plainly, but a device that knows only version 1 skips such an item for good: its
//! cursor moves on, and nobody sends the item again. So every version of the program writes version 1.

use super::decision::Answer;
use crate::bytes::Digest;
use serde::{Deserialize, Serialize};
use taffrail_model::approval::ApprovalId;
use taffrail_model::replication::RelayedStatus;
use taffrail_model::{DeviceId, SessionId, Timestamp};

/// The version of items that we write and understand.
const VERSION: u32 = 1;

/// One thing that a device publishes to others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Item {
    /// A line of a session's history.
    Line {
        /// The session.
        session: SessionId,
        /// The line, as the reader stores it: unknown fields included.
        line: String,
    },
    /// The status of a session; the last one counts.
    Status {
        /// The session.
        session: SessionId,
        /// The status.
        #[serde(rename = "body", with = "embedded")]
        status: RelayedStatus,
    },
    /// A session was forgotten or is no longer shared: readers delete it.
    Gone {
        /// The session.
        session: SessionId,
    },
    /// An approval request that other devices may answer.
    Request {
        /// The request.
        id: ApprovalId,
        /// The session that asks.
        session: SessionId,
        /// The hash of the exact input of the tool.
        input: Digest,
        /// The request, in the caller's format.
        body: String,
        /// When it expires.
        expires: Timestamp,
    },
    /// A request was decided, or is closed.
    Settled {
        /// The request.
        id: ApprovalId,
        /// The outcome, in the caller's format.
        body: String,
    },
    /// An answer to a request of another device.
    Answer(Answer),
    /// A prompt for a session on another device.
    Prompt {
        /// The device of the session.
        to: DeviceId,
        /// The session.
        session: SessionId,
        /// Random, from the sender, so that a repetition has no effect.
        id: String,
        /// The prompt.
        text: String,
    },
    /// The delivery state of a prompt from another device.
    Receipt {
        /// The device that sent the prompt.
        to: DeviceId,
        /// The sender's id of the prompt.
        id: String,
        /// The state, in the caller's format.
        body: String,
    },
    /// An unknown kind or version, unchanged.
    #[serde(skip)]
    Unknown(String),
}

/// The serialized form.
#[derive(Serialize)]
struct Written<'i> {
    v: u32,
    #[serde(flatten)]
    item: &'i Item,
}

/// The field that is read first.
#[derive(Deserialize)]
struct Version {
    v: u32,
}

impl Item {
    /// The session whose history this item is a part of; `None` for every other kind.
    #[must_use]
    pub fn history_of(&self) -> Option<SessionId> {
        match self {
            Self::Line { session, .. } | Self::Status { session, .. } | Self::Gone { session } => {
                Some(*session)
            }
            Self::Request { .. }
            | Self::Settled { .. }
            | Self::Answer(_)
            | Self::Prompt { .. }
            | Self::Receipt { .. }
            | Self::Unknown(_) => None,
        }
    }

    /// One line of JSON.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        if let Self::Unknown(text) = self {
            return text.replace('\n', " ").into_bytes();
        }
        // Strings and numbers under fixed names always serialize.
        serde_json::to_vec(&Written { v: VERSION, item: self }).unwrap_or_default()
    }

    /// Parses a line. An unknown item is kept unchanged.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Self {
        let known = serde_json::from_slice::<Version>(bytes).is_ok_and(|it| it.v == VERSION);
        let item = known.then(|| serde_json::from_slice(bytes).ok()).flatten();
        item.unwrap_or_else(|| Self::Unknown(String::from_utf8_lossy(bytes).into_owned()))
    }
}

/// A value as a string of JSON.
mod embedded {
    use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error as _};
    use serde::ser::{Error as _, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(
        value: &impl Serialize,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.serialize_str(&serde_json::to_string(value).map_err(S::Error::custom)?)
    }

    pub(super) fn deserialize<'d, T: DeserializeOwned, D: Deserializer<'d>>(
        from: D,
    ) -> Result<T, D::Error> {
        serde_json::from_str(&String::deserialize(from)?).map_err(D::Error::custom)
    }
}

/// Joins items into the content of a batch.
pub(super) fn join<'b>(items: impl IntoIterator<Item = &'b [u8]>) -> Vec<u8> {
    let mut out = Vec::new();
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            out.push(b'\n');
        }
        out.extend_from_slice(item);
    }
    out
}

/// Splits the content of a batch into items.
pub(super) fn split(bytes: &[u8]) -> Vec<Item> {
    bytes.split(|byte| *byte == b'\n').map(Item::parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_model::Confidence;
    use taffrail_model::status::{Failure, Status, WaitingFor, WaitingKind};

    fn session() -> SessionId {
        SessionId::from_bytes([7; 16])
    }

    fn status() -> RelayedStatus {
        let at = Timestamp::from_second(1_800_000_000).unwrap();
        let waits = WaitingFor::new(WaitingKind::Approval, "rm \"x\"\n".to_owned());
        RelayedStatus {
            status: Status::WaitingApproval,
            since: at,
            at,
            confidence: Confidence::High,
            waiting_for: Some(waits),
            failure: Some(Failure::Lost),
        }
    }

    fn all() -> Vec<Item> {
        let (id, input) = (ApprovalId::new("r1"), Digest::from_bytes([1; 32]));
        let expires = Timestamp::from_second(1_800_000_000).unwrap();
        let answer = Answer {
            to: DeviceId::new("a"),
            session: session(),
            request: id.clone(),
            input,
            expires,
            decision: "{\"allow\":true}".to_owned(),
            by: DeviceId::new("b"),
            salt: Digest::from_bytes([2; 32]),
        };
        let body = "{}".to_owned();
        vec![
            Item::Line { session: session(), line: "a\n\"b\" \u{1F600}".to_owned() },
            Item::Status { session: session(), status: status() },
            Item::Gone { session: session() },
            Item::Request {
                id: id.clone(),
                session: session(),
                input,
                body: body.clone(),
                expires,
            },
            Item::Settled { id, body: body.clone() },
            Item::Answer(answer),
            Item::Prompt {
                to: DeviceId::new("a"),
                session: session(),
                id: "p1".to_owned(),
                text: "go on".to_owned(),
            },
            Item::Receipt { to: DeviceId::new("b"), id: "p1".to_owned(), body },
        ]
    }

    #[test]
    fn an_item_is_read_as_it_was_written() {
        let bytes: Vec<_> = all().iter().map(Item::to_bytes).collect();
        assert!(bytes.iter().all(|it| !it.contains(&b'\n')), "one line each");
        assert_eq!(split(&join(bytes.iter().map(Vec::as_slice))), all());
    }

    /// Devices of every version read and write these bytes.
    #[test]
    fn lines_and_statuses_are_strings_inside_json() {
        let check = |item: Item, rest: &str| {
            let text = format!(r#"{{"v":1,"kind":{rest}}}"#);
            assert_eq!(Item::parse(text.as_bytes()), item);
            assert_eq!(String::from_utf8(item.to_bytes()).unwrap(), text);
        };
        let line = r#"{"v":1,"n":1,"gone":true,"later":"\""}"#.to_owned();
        let at = format!(r#""session":"{}""#, session());
        check(
            Item::Line { session: session(), line },
            &format!(
                r#""line",{at},"line":"{{\"v\":1,\"n\":1,\"gone\":true,\"later\":\"\\\"\"}}""#
            ),
        );
        let body = serde_json::to_string(&status()).unwrap();
        let body = serde_json::to_string(&body).unwrap();
        check(
            Item::Status { session: session(), status: status() },
            &format!(r#""status",{at},"body":{body}"#),
        );
    }

    #[test]
    fn what_is_not_known_is_kept() {
        let check = |text: &str| {
            let item = Item::parse(text.as_bytes());
            assert_eq!(item, Item::Unknown(text.to_owned()));
            assert_eq!(item.to_bytes(), text.as_bytes());
        };
        check("{\"v\":1,\"kind\":\"song\"}");
        check("{\"v\":2,\"kind\":\"gone\",\"session\":\"07070707070707070707070707070707\"}");
        check("{\"v\":1,\"kind\":\"gone\",\"session\":\"short\"}");
        check(
            "{\"v\":1,\"kind\":\"status\",\"session\":\"07070707070707070707070707070707\",\"body\":\"{}\"}",
        );
        check("no json");
        check("");
    }
}
