//! Reads that a server can bind to a team: the subject that is read is part of the request's own
//! subject, so permissions tell teams apart. Requests by stream, such as `STREAM.INFO` and `MSG.GET`,
//! are not used: they would show one team what another one has.
//!
//! The last message of a subject is a direct get. Everything else is a consumer with one filter, which
//! is in the subject that creates it, under a name that nobody can guess; it ends with the read. Replicas
//! may answer, so an answer can be behind for a moment; every write is checked by the leader.

use super::batch::{SEQ, number};
use super::logs::PlacedEntry;
use super::{NatsHub, Spot, assets, fault};
use crate::hub::{Entry, HubError, PAGE_BYTES, Result};
use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::response::Response;
use async_nats::{HeaderMap, Message, RequestErrorKind, Subscriber};
use bytes::Bytes;
use futures_util::StreamExt;
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;

/// How long to wait for the next message.
const NEXT: Duration = Duration::from_secs(5);
/// The server removes a consumer that is idle for this long, in nanoseconds.
const IDLE: u64 = 30_000_000_000;
/// The most messages that are requested at a time.
const PAGE: u64 = 1_000;
/// The header with the position of a directly read message.
const STREAM_SEQ: &str = "Nats-Sequence";

/// Where to start reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum From {
    /// At the first message at this position or after it.
    Position(u64),
    /// At the last message.
    Last,
    /// Only the last message of each subject.
    LastOfEach,
}

/// What to read of each message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Whole,
    Headers,
}

/// A message with its position in the stream.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) at: u64,
    /// When the server stored it, in nanoseconds.
    pub(super) time: i128,
    pub(super) subject: String,
    pub(super) headers: HeaderMap,
    pub(super) bytes: Bytes,
}

#[derive(Debug, Deserialize)]
struct Consumer {
    #[serde(default)]
    num_pending: u64,
}

/// The messages of a filter, at most this many and about [`PAGE_BYTES`]; all of them without a limit.
pub(super) async fn scan(
    hub: &NatsHub,
    (stream, filter): (&str, &str),
    (from, part): (From, Part),
    limit: usize,
) -> Result<Vec<Found>> {
    let name = fresh(hub);
    let Some(pending) = create(hub, (stream, filter), &name, (from, part)).await? else {
        return Ok(Vec::new());
    };
    let wanted = pending.min(limit as u64);
    let bytes = if limit == usize::MAX { usize::MAX } else { PAGE_BYTES };
    let found = match wanted {
        0 => Ok(Vec::new()),
        _ => pull(hub, (stream, &name), wanted, bytes).await,
    };
    // Best effort: the server removes an idle consumer by itself.
    let delete = format!("$JS.API.CONSUMER.DELETE.{stream}.{name}");
    let client = hub.context.client();
    client.publish_with_reply(delete, client.new_inbox(), Bytes::new()).await.ok();
    found
}

/// A part of a name that nobody can guess.
fn fresh(hub: &NatsHub) -> String {
    let inbox = hub.context.client().new_inbox();
    inbox.rsplit('.').next().unwrap_or_default().to_owned()
}

/// Creates a consumer and returns how many messages it has; `None` if the stream is gone, which is made
/// again.
async fn create(
    hub: &NatsHub,
    (stream, filter): (&str, &str),
    name: &str,
    (from, part): (From, Part),
) -> Result<Option<u64>> {
    let (policy, start) = match from {
        From::Position(at) => ("by_start_sequence", Some(at.max(1))),
        From::Last => ("last", None),
        From::LastOfEach => ("last_per_subject", None),
    };
    let config = json!({
        "name": name, "deliver_policy": policy, "opt_start_seq": start, "ack_policy": "none",
        "replay_policy": "instant", "filter_subject": filter, "headers_only": part == Part::Headers,
        "mem_storage": true, "num_replicas": 1, "inactive_threshold": IDLE,
    });
    let ask = format!("CONSUMER.CREATE.{stream}.{name}.{filter}");
    let question = json!({"stream_name": stream, "config": config, "action": "create"});
    let answer: std::result::Result<Response<Consumer>, _> =
        hub.context.request(ask, &question).await;
    match answer {
        Ok(Response::Ok(made)) => Ok(Some(made.num_pending)),
        Ok(Response::Err { error }) if error.error_code() == ErrorCode::STREAM_NOT_FOUND => {
            assets::ensure(hub).await.map(|()| None)
        }
        Ok(Response::Err { error }) => Err(fault::answered(&error)),
        Err(error) => Err(fault::unanswered(error)),
    }
}

async fn pull(
    hub: &NatsHub,
    (stream, name): (&str, &str),
    wanted: u64,
    bytes: usize,
) -> Result<Vec<Found>> {
    let client = hub.context.client();
    let inbox = client.new_inbox();
    let mut answers = client.subscribe(inbox.clone()).await.map_err(fault::unanswered)?;
    let (mut found, mut size) = (Vec::new(), 0);
    while (found.len() as u64) < wanted && size < bytes {
        let batch = (wanted - found.len() as u64).min(PAGE);
        let ask = json!({"batch": batch, "no_wait": true, "max_bytes": PAGE_BYTES});
        let next = format!("$JS.API.CONSUMER.MSG.NEXT.{stream}.{name}");
        let asked = client.publish_with_reply(next, inbox.clone(), ask.to_string().into()).await;
        asked.map_err(fault::unanswered)?;
        let before = found.len();
        take(&mut answers, batch, &mut found).await?;
        if found.len() == before {
            break;
        }
        size += found.iter().skip(before).map(|it| it.bytes.len()).sum::<usize>();
    }
    Ok(found)
}

/// Takes the messages of one request, up to a message that ends it.
async fn take(answers: &mut Subscriber, batch: u64, found: &mut Vec<Found>) -> Result<()> {
    for _ in 0..batch {
        let message = tokio::time::timeout(NEXT, answers.next()).await;
        let message = message.map_err(|_| fault::unanswered("no answer in time"))?;
        let message = message.ok_or_else(|| fault::unanswered("the connection is closed"))?;
        if message.status.is_some() {
            return Ok(());
        }
        found.push(placed(message)?);
    }
    Ok(())
}

fn placed(message: Message) -> Result<Found> {
    let odd = || HubError::Corrupt("a delivered message has no position".to_owned());
    let (at, time) = message.reply.as_deref().and_then(position).ok_or_else(odd)?;
    Ok(Found {
        at,
        time,
        subject: message.subject.to_string(),
        headers: message.headers.unwrap_or_default(),
        bytes: message.payload,
    })
}

/// The position and the time in a subject for acknowledgements:
/// `$JS.ACK.[DOMAIN.ACCOUNT.]STREAM.CONSUMER.DELIVERED.POSITION.NUMBER.TIME.PENDING`.
fn position(reply: &str) -> Option<(u64, i128)> {
    let parts: Vec<&str> = reply.strip_prefix("$JS.ACK.")?.split('.').collect();
    let skipped = if parts.len() > 7 { 2 } else { 0 };
    let (at, time) = (parts.get(skipped + 3)?, parts.get(skipped + 5)?);
    Some((at.parse().ok()?, time.parse().ok()?))
}

/// The entries of a subject from a position on.
pub(super) async fn entries(
    hub: &NatsHub,
    place: (&str, &str),
    from: u64,
    limit: usize,
) -> Result<Vec<(Spot, Entry)>> {
    let found = scan(hub, place, (From::Position(from), Part::Whole), limit).await?;
    found.into_iter().map(entry).collect()
}

fn entry(found: Found) -> Result<(Spot, Entry)> {
    let seq = number(&found.headers, SEQ)?;
    Ok((Spot { seq, at: found.at }, Entry { seq, bytes: found.bytes }))
}

/// The last message of a subject with its position.
pub(super) async fn last(
    hub: &NatsHub,
    stream: &str,
    subject: &str,
) -> Result<Option<(u64, Message)>> {
    let ask = format!("$JS.API.DIRECT.GET.{stream}.{subject}");
    match hub.context.client().request(ask, Bytes::new()).await {
        Ok(message) if message.status.is_some() => Ok(None),
        Ok(message) => {
            let headers = message.headers.clone().unwrap_or_default();
            Ok(Some((number(&headers, STREAM_SEQ)?, message)))
        }
        Err(error) if error.kind() == RequestErrorKind::NoResponders => {
            assets::ensure(hub).await.map(|()| None)
        }
        Err(error) => Err(fault::unanswered(error)),
    }
}

/// The last entry of a log.
pub(super) async fn end(hub: &NatsHub, subject: &str) -> Result<Option<PlacedEntry>> {
    let Some((at, message)) = last(hub, &hub.layout.log_stream, subject).await? else {
        return Ok(None);
    };
    let seq = number(&message.headers.unwrap_or_default(), SEQ)?;
    Ok(Some(PlacedEntry { spot: Spot { seq, at }, bytes: message.payload }))
}

/// Whether the team's streams are there.
pub(super) async fn has_streams(hub: &NatsHub) -> Result<bool> {
    let places = [
        (&hub.layout.log_stream, &hub.layout.log_root),
        (&hub.layout.key_stream, &hub.layout.key_root),
        (&hub.layout.blob_stream, &hub.layout.blob_root),
    ];
    for (stream, root) in places {
        let ask = format!("$JS.API.DIRECT.GET.{stream}.{root}none");
        match hub.context.client().request(ask, Bytes::new()).await {
            Ok(_) => {}
            Err(error) if error.kind() == RequestErrorKind::NoResponders => return Ok(false),
            Err(error) => return Err(fault::unanswered(error)),
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_read_from_both_forms() {
        let check = |reply: &str, expected: Option<(u64, i128)>| {
            assert_eq!(position(reply), expected, "{reply}");
        };
        check("$JS.ACK.S.c.1.42.1.1700000000000000000.0", Some((42, 1_700_000_000_000_000_000)));
        check("$JS.ACK._.hash.S.c.1.42.1.17.0", Some((42, 17)));
        check("$JS.ACK.S.c", None);
        check("_INBOX.x", None);
    }
}
