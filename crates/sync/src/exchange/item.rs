//! What is carried: one item is one line of JSON, and a batch is some of them.

use super::decision::Answer;
use crate::bytes::Digest;
use serde::{Deserialize, Serialize};
use taffrail_model::approval::ApprovalId;
use taffrail_model::{DeviceId, SessionId, Timestamp};

/// The form of items that is written and understood here.
const VERSION: u32 = 1;

/// One thing a device tells another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Item {
    /// A line for the journal of a session.
    Line {
        /// The session.
        session: SessionId,
        /// The line, made elsewhere.
        line: String,
    },
    /// How a session stands; the last one counts.
    Status {
        /// The session.
        session: SessionId,
        /// How, made elsewhere.
        body: String,
    },
    /// A session was forgotten or is not shared any more: readers delete it.
    Gone {
        /// The session.
        session: SessionId,
    },
    /// A request to be allowed something, that other devices may answer.
    Request {
        /// The request.
        id: ApprovalId,
        /// The session that asks.
        session: SessionId,
        /// The hash of the exact input of the tool.
        input: Digest,
        /// What is asked, made elsewhere.
        body: String,
        /// Until when it can be answered.
        expires: Timestamp,
    },
    /// A request was decided, or is over.
    Settled {
        /// The request.
        id: ApprovalId,
        /// How, made elsewhere.
        body: String,
    },
    /// An answer to a request of another device.
    Answer(Answer),
    /// A prompt for a session on another device.
    Prompt {
        /// The device the session is on.
        to: DeviceId,
        /// The session.
        session: SessionId,
        /// Drawn by the sender, so that twice is once.
        id: String,
        /// The prompt.
        text: String,
    },
    /// How far a prompt of another device has come.
    Receipt {
        /// The device that sent the prompt.
        to: DeviceId,
        /// As the sender drew it.
        id: String,
        /// How far, made elsewhere.
        body: String,
    },
    /// Of a kind or version that is not known here, as it was written.
    #[serde(skip)]
    Unknown(String),
}

/// An item as it is written.
#[derive(Serialize)]
struct Written<'i> {
    v: u32,
    #[serde(flatten)]
    item: &'i Item,
}

/// What is looked at first.
#[derive(Deserialize)]
struct Version {
    v: u32,
}

impl Item {
    /// One line of JSON.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        if let Self::Unknown(text) = self {
            return text.replace('\n', " ").into_bytes();
        }
        // Strings and numbers under fixed names can always be written.
        serde_json::to_vec(&Written { v: VERSION, item: self }).unwrap_or_default()
    }

    /// Reads a line. What is not known is kept as it is.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Self {
        let known = serde_json::from_slice::<Version>(bytes).is_ok_and(|it| it.v == VERSION);
        let item = known.then(|| serde_json::from_slice(bytes).ok()).flatten();
        item.unwrap_or_else(|| Self::Unknown(String::from_utf8_lossy(bytes).into_owned()))
    }
}

/// Items as the content of a batch.
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

/// The items of a batch.
pub(super) fn split(bytes: &[u8]) -> Vec<Item> {
    bytes.split(|byte| *byte == b'\n').map(Item::parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session() -> SessionId {
        SessionId::from_bytes([7; 16])
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
            Item::Status { session: session(), body: body.clone() },
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
        check("no json");
        check("");
    }
}
