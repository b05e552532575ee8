//! Many messages of one subject in one request (a batched direct get).

use super::{NatsHub, Reads, Spot, bound, fault};
use crate::hub::{Entry, HubError, PAGE_BYTES, Result};
use async_nats::{HeaderMap, Message, StatusCode, Subscriber};
use futures_util::StreamExt;
use serde::Serialize;
use std::time::Duration;

/// The header with the number that the writer gave an entry.
pub(super) const SEQ: &str = "Taffrail-Seq";
/// The header with the number that the stream gave a message.
const STREAM_SEQ: &str = "Nats-Sequence";
/// How long to wait for the next message of a batch.
const NEXT: Duration = Duration::from_secs(5);
/// The status after the last message of a batch.
const END: u16 = 204;

#[derive(Debug, Serialize)]
struct Question<'a> {
    seq: u64,
    next_by_subj: &'a str,
    batch: usize,
    max_bytes: usize,
}

/// The messages of a subject from a position in its stream on, with their positions.
pub(super) async fn read(
    hub: &NatsHub,
    (stream, subject): (&str, &str),
    from: u64,
    limit: usize,
) -> Result<Vec<(Spot, Entry)>> {
    if hub.reads == Reads::Bound {
        return bound::entries(hub, (stream, subject), from, limit).await;
    }
    let question =
        Question { seq: from.max(1), next_by_subj: subject, batch: limit, max_bytes: PAGE_BYTES };
    let question = serde_json::to_vec(&question).map_err(|it| HubError::Refused(it.to_string()))?;
    let client = hub.context.client();
    let inbox = client.new_inbox();
    let mut answers = client.subscribe(inbox.clone()).await.map_err(fault::unanswered)?;
    let ask = format!("$JS.API.DIRECT.GET.{stream}");
    let asked = client.publish_with_reply(ask, inbox, question.into()).await;
    asked.map_err(fault::unanswered)?;
    gather(&mut answers).await
}

async fn gather(answers: &mut Subscriber) -> Result<Vec<(Spot, Entry)>> {
    let mut found = Vec::new();
    loop {
        let message = tokio::time::timeout(NEXT, answers.next()).await;
        let message = message.map_err(|_| fault::unanswered("no answer in time"))?;
        let message = message.ok_or_else(|| fault::unanswered("the connection is closed"))?;
        match message.status {
            None => found.push(entry(message)?),
            Some(StatusCode::NOT_FOUND) => return Ok(found),
            Some(status) if status.as_u16() == END => return Ok(found),
            Some(status) => {
                let why = message.description.unwrap_or_default();
                return Err(HubError::Unreachable(format!("a batch ended with {status}: {why}")));
            }
        }
    }
}

fn entry(message: Message) -> Result<(Spot, Entry)> {
    let headers = message.headers.unwrap_or_default();
    let at = number(&headers, STREAM_SEQ)?;
    let seq = number(&headers, SEQ)?;
    Ok((Spot { seq, at }, Entry { seq, bytes: message.payload }))
}

/// The number in a header.
pub(super) fn number(headers: &HeaderMap, name: &str) -> Result<u64> {
    let number = headers.get(name).and_then(|it| it.as_str().parse().ok());
    number.ok_or_else(|| HubError::Corrupt(format!("an entry has no {name}")))
}
