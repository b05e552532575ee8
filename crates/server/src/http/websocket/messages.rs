//! The messages of the websocket, by the names of the capture contract.

use crate::http::api_error::ApiError;
use crate::http::subscribe::Beginning;
use axum::extract::ws::Utf8Bytes;
use serde::{Deserialize, Serialize};
use taffrail_api::{
    Allowed, DecisionBody, ErrorBody, EventLine, HistoryProgress, Session, StatusList,
};

/// A request from a client.
#[derive(Debug)]
pub(super) enum Ask {
    /// Subscribes to a session, or to all.
    Subscribe { session: Option<String>, after: Option<String>, limit: Option<usize> },
    /// Decides a request for approval.
    Decide { id: String, body: DecisionBody },
    /// Ends a subscription.
    Unsubscribe { session: Option<String> },
}

#[derive(Deserialize)]
struct Named {
    #[serde(rename = "type")]
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Subscribe {
    #[serde(rename = "type")]
    _name: String,
    session_id: Option<String>,
    after: Option<String>,
    limit: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Unsubscribe {
    #[serde(rename = "type")]
    _name: String,
    session_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Decide {
    #[serde(rename = "type")]
    _name: String,
    approval_id: String,
    decision: Allowed,
    reason: Option<String>,
}

impl Ask {
    /// Parses a message; an invalid one is reported with its name.
    pub(super) fn read(text: &str) -> Result<Self, (Option<String>, ApiError)> {
        let named = serde_json::from_str::<Named>(text);
        let name = named.map_err(|it| (None, ApiError::usage(it.to_string())))?.name;
        let read = match name.as_str() {
            "subscribe-stream" => serde_json::from_str::<Subscribe>(text).map(|it| {
                Self::Subscribe { session: it.session_id, after: it.after, limit: it.limit }
            }),
            "unsubscribe-stream" => serde_json::from_str::<Unsubscribe>(text)
                .map(|it| Self::Unsubscribe { session: it.session_id }),
            "approval-decision" => serde_json::from_str::<Decide>(text).map(|it| Self::Decide {
                id: it.approval_id,
                body: DecisionBody {
                    decision: it.decision,
                    reason: it.reason,
                    by: None,
                    blind: false,
                },
            }),
            _ => {
                let fault = ApiError::usage(format!("no message is called `{name}`"));
                return Err((Some(name), fault));
            }
        };
        read.map_err(|it| (Some(name), ApiError::usage(it.to_string())))
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Init<'a> {
    #[serde(rename = "type")]
    name: &'static str,
    session_id: String,
    session: &'a Session,
    cursor: String,
    snapshot: bool,
    events: &'a [EventLine],
}

/// The first message of a session's stream.
pub(super) fn init_of(begun: &Beginning) -> Utf8Bytes {
    written(&Init {
        name: "stream-init",
        session_id: begun.session.id.to_string(),
        session: &begun.session,
        cursor: begun.cursor.to_string(),
        snapshot: begun.snapshot,
        events: &begun.lines,
    })
}

#[derive(Serialize)]
struct InitOfAll<'a> {
    #[serde(rename = "type")]
    name: &'static str,
    generation: &'a str,
    snapshot: bool,
    sessions: &'a [Session],
    reading: Option<HistoryProgress>,
}

/// The first message of the stream of all sessions.
pub(super) fn init_of_all(all: &StatusList) -> Utf8Bytes {
    let (generation, sessions) = (all.generation.as_str(), all.sessions.as_slice());
    let reading = all.reading;
    written(&InitOfAll { name: "stream-init", generation, snapshot: true, sessions, reading })
}

/// The client fell behind; a new beginning follows.
pub(super) fn lagged_message() -> Utf8Bytes {
    Utf8Bytes::from_static(r#"{"type":"stream-lagged"}"#)
}

#[derive(Serialize)]
struct Failed<'a> {
    #[serde(rename = "type")]
    name: &'static str,
    /// The message that failed.
    about: Option<&'a str>,
    error: &'a ErrorBody,
}

/// A message was invalid or could not be carried out.
pub(super) fn error_message(about: Option<&str>, fault: &ApiError) -> Utf8Bytes {
    written(&Failed { name: "error", about, error: fault.body() })
}

fn written(message: &impl Serialize) -> Utf8Bytes {
    // Plain fields always serialize.
    serde_json::to_string(message).unwrap_or_default().into()
}
