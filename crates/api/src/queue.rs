//! Messages to sessions, and their receipts.

use crate::{SCHEMA_VERSION, schema};
use serde::{Deserialize, Serialize};
use taffrail_model::message::{Delivery, Message};
use taffrail_model::{EventId, Origin, SessionId, Timestamp};
use utoipa::ToSchema;

/// A message for a session.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NotifyBody {
    /// What it says.
    pub text: String,
    /// The session it comes from, if one sends it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_session_id: Option<String>,
    /// The face or executor it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_peer_id: Option<String>,
    /// Leave it in the queue also if nobody runs the session now.
    #[serde(default)]
    pub queue: bool,
    /// Leave it until the limit that stops the session resets, and less than five minutes more.
    #[serde(default, skip_serializing_if = "is_false")]
    pub at_reset: bool,
    /// Leave it until then: `30m` or `2h` from now, a date, or a full time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

/// Requests without it are as an earlier daemon takes them.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(it: &bool) -> bool {
    !it
}

/// One end of a message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Endpoint {
    /// The session.
    #[schema(value_type = Option<String>)]
    pub repowire_session_id: Option<SessionId>,
    /// The face or executor.
    pub peer_id: Option<String>,
}

/// What a receipt rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReceiptProvenance {
    /// `ctm_input` for what we did ourselves; for what the agent said, where: `runtime_transcript`,
    /// `runtime_hook` and the like, or `runtime_unknown` if its event is no longer indexed.
    pub source_kind: String,
    /// The agent's event that says that it took the message.
    #[schema(value_type = Option<String>)]
    pub source_event_id: Option<EventId>,
    /// The locator of the source that has the event.
    #[serde(default)]
    pub runtime_source_uri: Option<String>,
    /// The executor it was given to.
    pub observed_by_peer_id: Option<String>,
    /// When.
    #[schema(value_type = schema::Instant)]
    pub observed_at: Timestamp,
}

/// How far a message has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Receipt {
    /// The version of this document.
    pub schema_version: u32,
    /// The message's name, from its acceptance to its end.
    pub correlation_id: String,
    /// Who sends.
    pub from: Endpoint,
    /// Who is to get it.
    pub to: Endpoint,
    /// The session that sends, by the binding contract's name.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    pub from_repowire_session_id: Option<SessionId>,
    /// The session that is to get it.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    pub to_repowire_session_id: Option<SessionId>,
    /// The face or executor that sends.
    #[serde(default)]
    pub from_peer_id: Option<String>,
    /// The executor that gets it.
    #[serde(default)]
    pub to_peer_id: Option<String>,
    /// `accepted`, `delivered`, `picked_up` or `failed`.
    pub delivery_state: String,
    /// The reason for this state, if there is one.
    pub reason: Option<String>,
    /// What it says, as long as it has not arrived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// When it was accepted.
    #[schema(value_type = schema::Instant)]
    pub accepted_at: Timestamp,
    /// Its earliest delivery, if it was given a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<schema::Instant>)]
    pub not_before: Option<Timestamp>,
    /// What that rests on.
    pub provenance: ReceiptProvenance,
    /// The same, by the binding contract's name; a daemon of an earlier version leaves it out.
    #[serde(default)]
    pub delivery_receipt_provenance: Option<ReceiptProvenance>,
}

impl Receipt {
    /// The same receipt with the source of the event that it rests on.
    #[must_use]
    pub fn seen_in(self, origin: &Origin, locator: &str) -> Self {
        let provenance = ReceiptProvenance {
            source_kind: format!("runtime_{}", origin.as_str()),
            runtime_source_uri: Some(locator.to_owned()),
            ..self.provenance
        };
        Self { delivery_receipt_provenance: Some(provenance.clone()), provenance, ..self }
    }
}

/// The messages that wait for a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Queue {
    /// The version of this document.
    pub schema_version: u32,
    /// The session.
    pub session_id: String,
    /// The first one to be delivered first.
    pub messages: Vec<Receipt>,
}

/// How many messages were taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RemovedPrompts {
    /// The version of this document.
    pub schema_version: u32,
    /// How many.
    pub removed: u32,
}

impl From<Message> for Receipt {
    fn from(it: Message) -> Self {
        let word = match it.state {
            // Clients outside see four steps: a message that is being delivered does not count as
            // delivered.
            Delivery::Delivering => Delivery::Accepted,
            Delivery::Removed => Delivery::Failed,
            other => other,
        };
        let provenance = ReceiptProvenance {
            source_kind: if it.heard_as.is_some() { "runtime_unknown" } else { "ctm_input" }
                .to_owned(),
            source_event_id: it.heard_as,
            runtime_source_uri: None,
            observed_by_peer_id: it.to_peer_id.clone(),
            observed_at: it.moved_at,
        };
        Self {
            schema_version: SCHEMA_VERSION,
            correlation_id: it.id.as_str().to_owned(),
            from_repowire_session_id: it.from.session_id,
            to_repowire_session_id: Some(it.session_id),
            from_peer_id: it.from.peer_id.clone(),
            to_peer_id: it.to_peer_id.clone(),
            from: Endpoint { repowire_session_id: it.from.session_id, peer_id: it.from.peer_id },
            to: Endpoint { repowire_session_id: Some(it.session_id), peer_id: it.to_peer_id },
            delivery_state: word.as_str().to_owned(),
            reason: it.why,
            text: Some(it.text).filter(|it| !it.is_empty()),
            accepted_at: it.accepted_at,
            not_before: it.schedule.map(|it| it.not_before),
            delivery_receipt_provenance: Some(provenance.clone()),
            provenance,
        }
    }
}
