//! What is stored, and removing it by purging subjects. A server admits that only where its
//! configuration says so.

use super::batch::{SEQ, number};
use super::bound::{Found, From, Part, scan};
use super::{NatsHub, Reads, blobs, fault, logs};
use crate::hub::{
    BlobName, HubError, LogName, Name, Pointer, Result, Stored, StoredItem, Usage, UsageOf,
};
use async_nats::jetstream::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};
use taffrail_model::Timestamp;

/// The header with the size of a message whose bytes were not sent.
const SIZE: &str = "Nats-Msg-Size";

#[derive(Debug, Deserialize)]
struct Purged {
    success: bool,
}

pub(super) async fn trim(hub: &NatsHub, log: &LogName, first: u64) -> Result<()> {
    let last = logs::end(hub, log).await?.map_or(super::Spot::default(), |it| it.spot);
    let first = first.min(last.seq);
    if first <= 1 {
        return Ok(());
    }
    let at = match logs::place_of(hub, log, first, last).await {
        Ok(at) => at,
        // It was trimmed further before.
        Err(HubError::Gone { .. }) => return Ok(()),
        Err(error) => return Err(error),
    };
    purge(hub, &hub.layout.log_stream, &logs::subject(hub, log), Some(at)).await
}

/// Removes the name first, so that it never leads to half a blob.
pub(super) async fn remove_blob(hub: &NatsHub, name: &BlobName) -> Result<()> {
    let Some(pieces) = blobs::pieces(hub, name).await? else { return Ok(()) };
    let stream = &hub.layout.blob_stream;
    purge(hub, stream, &blobs::name_subject(hub, name), None).await?;
    purge(hub, stream, &pieces, None).await
}

/// Removes the messages of a subject, or those before a position.
async fn purge(hub: &NatsHub, stream: &str, subject: &str, before: Option<u64>) -> Result<()> {
    let question = match before {
        Some(at) => json!({"filter": subject, "seq": at}),
        None => json!({"filter": subject}),
    };
    let ask = format!("STREAM.PURGE.{stream}");
    let answer: std::result::Result<Response<Purged>, _> =
        hub.context.request(ask, &question).await;
    match answer {
        Ok(Response::Ok(Purged { success: true })) => Ok(()),
        Ok(Response::Ok(Purged { success: false })) => Err(not_allowed("it did not say why")),
        Ok(Response::Err { error }) => Err(not_allowed(&error.to_string())),
        // A server that does not let this device purge gives no answer.
        Err(error) => Err(not_allowed(&error.to_string())),
    }
}

fn not_allowed(why: &str) -> HubError {
    HubError::Refused(format!(
        "the server removes nothing ({why}): write its configuration again with `taffrail hub config` while \
         hub.keep_days or hub.keep_mb is set, and reload it. Streams of an earlier version can never be \
         purged; an emptied server gets new ones"
    ))
}

pub(super) async fn inventory(hub: &NatsHub) -> Result<Vec<Stored>> {
    let layout = &hub.layout;
    let logs = format!("{}>", layout.log_root);
    let logs = (layout.log_stream.as_str(), logs.as_str());
    let entries = scan(hub, logs, (From::Position(1), Part::Headers), usize::MAX).await?;
    let blobs = format!("{}>", layout.blob_root);
    let blobs = (layout.blob_stream.as_str(), blobs.as_str());
    let pointers = scan(hub, blobs, (From::Position(1), Part::Whole), usize::MAX).await?;
    let entries = entries.iter().filter_map(|it| entry(&layout.log_root, it));
    Ok(entries.chain(pointers.iter().filter_map(|it| blob(&layout.blob_root, it))).collect())
}

fn entry(root: &str, found: &Found) -> Option<Stored> {
    let log: LogName = Name::from_dotted(found.subject.strip_prefix(root)?)?;
    let seq = number(&found.headers, SEQ).ok()?;
    let bytes = number(&found.headers, SIZE).ok()?;
    Some(Stored { item: StoredItem::Entry(log, seq), at: instant(found)?, bytes })
}

fn blob(root: &str, found: &Found) -> Option<Stored> {
    let name: BlobName = Name::from_dotted(found.subject.strip_prefix(root)?)?;
    let pointer: Pointer = serde_json::from_slice(&found.bytes).ok()?;
    Some(Stored { item: StoredItem::Blob(name), at: instant(found)?, bytes: pointer.size })
}

fn instant(found: &Found) -> Option<Timestamp> {
    Timestamp::from_nanosecond(found.time).ok()
}

/// The storage of the account; of the team's streams if the account does not say; unknown where the
/// server has several teams.
pub(super) async fn usage(hub: &NatsHub) -> Result<Option<Usage>> {
    if hub.reads == Reads::Bound {
        return Ok(None);
    }
    let answer: std::result::Result<Value, _> = hub.context.request("INFO", &json!({})).await;
    let info = answer.map_err(fault::unanswered)?;
    let number = |path: &str| info.pointer(path).and_then(Value::as_i64);
    let Some(bytes) = number("/storage").and_then(|it| u64::try_from(it).ok()) else {
        return Ok(None);
    };
    let limit = number("/limits/max_storage").and_then(|it| u64::try_from(it).ok());
    let limit = limit.filter(|it| *it > 0);
    Ok(Some(Usage { bytes, limit, of: UsageOf::Everyone }))
}
