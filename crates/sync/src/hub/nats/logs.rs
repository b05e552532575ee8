//! Logs as subjects of one stream. The server accepts an entry only if the one before it is still
//! the last of its subject, so a log has no gaps, no duplicates and one order.

use super::{NatsHub, Reads, Spot, assets, batch, bound, fault};
use crate::hub::answer::fits;
use crate::hub::memory::page;
use crate::hub::{
    Appended, ENTRY_LIMIT, Entry, HubError, LogName, Name, PAGE_LIMIT, Prefix, Result,
};
use async_nats::jetstream::message::PublishMessage;
use bytes::Bytes;
use futures_util::TryStreamExt;

/// An entry with its position in the stream.
#[derive(Debug)]
pub(super) struct PlacedEntry {
    pub(super) spot: Spot,
    pub(super) bytes: Bytes,
}

pub(super) fn subject(hub: &NatsHub, log: &LogName) -> String {
    format!("{}{}", hub.layout.log_root, log.dotted())
}

pub(super) async fn append(
    hub: &NatsHub,
    log: &LogName,
    seq: u64,
    bytes: Bytes,
) -> Result<Appended> {
    fits(bytes.len(), ENTRY_LIMIT)?;
    let known = hub.spots().get(log).and_then(|spots| spots.end);
    if let Some(known) = known.filter(|known| known.seq + 1 == seq)
        && publish(hub, log, known, &bytes).await? == Fenced::Let
    {
        return Ok(Appended::New);
    }
    let last = end(hub, log).await?;
    let spot = last.as_ref().map_or(Spot::default(), |found| found.spot);
    if spot.seq + 1 != seq {
        return settle(hub, log, (seq, &bytes), last).await;
    }
    if publish(hub, log, spot, &bytes).await? == Fenced::Let {
        return Ok(Appended::New);
    }
    // Another writer was faster, perhaps our own earlier attempt. Its entry may not be readable so
    // far.
    let last = end(hub, log).await?;
    if last.as_ref().map_or(0, |found| found.spot.seq) + 1 == seq {
        return Err(HubError::Unreachable(format!("an entry of {log} is on its way")));
    }
    settle(hub, log, (seq, &bytes), last).await
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fenced {
    Let,
    Kept,
}

/// Publishes the entry after a spot, if that is still the end.
async fn publish(hub: &NatsHub, log: &LogName, after: Spot, bytes: &Bytes) -> Result<Fenced> {
    let seq = after.seq + 1;
    let message = PublishMessage::build()
        .payload(bytes.clone())
        .header(batch::SEQ, seq.to_string())
        .expected_last_subject_sequence(after.at);
    // The end of the log is unknown until the server answers.
    hub.spots().entry(log.clone()).or_default().end = None;
    let Some(at) = fenced_publish(hub, subject(hub, log), message).await? else {
        return Ok(Fenced::Kept);
    };
    hub.spots().entry(log.clone()).or_default().end = Some(Spot { seq, at });
    Ok(Fenced::Let)
}

/// The stream position of the new message; `None` if another message was the last of its subject.
pub(super) async fn fenced_publish(
    hub: &NatsHub,
    subject: String,
    message: PublishMessage,
) -> Result<Option<u64>> {
    let answer = match hub.context.send_publish(subject, message).await {
        Ok(sent) => sent.await,
        Err(error) => Err(error),
    };
    match answer {
        Ok(answer) => Ok(Some(answer.sequence)),
        Err(error) if fault::is_fenced(&error) => Ok(None),
        Err(error) => Err(fault::publishing(hub, &error).await),
    }
}

/// Classifies an entry that cannot be appended at the end of the log.
async fn settle(
    hub: &NatsHub,
    log: &LogName,
    (seq, bytes): (u64, &Bytes),
    end: Option<PlacedEntry>,
) -> Result<Appended> {
    let last = end.as_ref().map_or(0, |found| found.spot.seq);
    if seq == 0 || seq > last {
        return Ok(Appended::Conflict { last });
    }
    let there = match end.filter(|found| found.spot.seq == seq) {
        Some(found) => Some(found.bytes),
        None => match read_since(hub, log, seq - 1, 1).await {
            Ok(entries) => entries.into_iter().next().map(|entry| entry.bytes),
            Err(HubError::Gone { .. }) => None,
            Err(error) => return Err(error),
        },
    };
    let is_same = there.as_ref() == Some(bytes);
    Ok(if is_same { Appended::Already } else { Appended::Conflict { last } })
}

/// The last entry; where reads are not bound to a team, from the leader.
pub(super) async fn end(hub: &NatsHub, log: &LogName) -> Result<Option<PlacedEntry>> {
    let found = match hub.reads {
        Reads::Open => open_end(hub, log).await?,
        Reads::Bound => bound::end(hub, &subject(hub, log)).await?,
    };
    match &found {
        Some(found) => hub.spots().entry(log.clone()).or_default().end = Some(found.spot),
        None => drop(hub.spots().remove(log)),
    }
    Ok(found)
}

async fn open_end(hub: &NatsHub, log: &LogName) -> Result<Option<PlacedEntry>> {
    let stream = assets::handle(hub, &hub.layout.log_stream).await?;
    let answer = stream.get_last_raw_message_by_subject(&subject(hub, log)).await;
    let Some(message) = fault::found(hub, answer).await? else { return Ok(None) };
    let seq = batch::number(&message.headers, batch::SEQ)?;
    let spot = Spot { seq, at: message.sequence };
    Ok(Some(PlacedEntry { spot, bytes: message.payload }))
}

pub(super) async fn read_since(
    hub: &NatsHub,
    log: &LogName,
    after: u64,
    limit: usize,
) -> Result<Vec<Entry>> {
    let limit = limit.min(PAGE_LIMIT);
    if limit == 0 {
        return Ok(Vec::new());
    }
    let read = hub.spots().get(log).and_then(|spots| spots.read);
    let known = read.filter(|spot| spot.seq == after);
    if let Some(known) = known {
        let found = entries(hub, &subject(hub, log), known.at + 1, limit).await?;
        if found.first().is_some_and(|(spot, _)| spot.seq == after + 1) {
            return accept(hub, log, found, limit);
        }
    }
    // Nothing new, or a recreated stream: the leader knows.
    let last = end(hub, log).await?.map_or(Spot::default(), |found| found.spot);
    if after > last.seq {
        return Err(HubError::Lost { last: last.seq });
    }
    if after == last.seq {
        return Ok(Vec::new());
    }
    let from = place_of(hub, log, after + 1, last).await?;
    let found = entries(hub, &subject(hub, log), from, limit).await?;
    accept(hub, log, found, limit)
}

async fn entries(
    hub: &NatsHub,
    subject: &str,
    from: u64,
    limit: usize,
) -> Result<Vec<(Spot, Entry)>> {
    batch::read(hub, (&hub.layout.log_stream, subject), from, limit).await
}

/// Entries without gaps, and where they end.
fn accept(
    hub: &NatsHub,
    log: &LogName,
    found: Vec<(Spot, Entry)>,
    limit: usize,
) -> Result<Vec<Entry>> {
    let has_gap = found.windows(2).any(|pair| matches!(pair, [a, b] if a.0.seq + 1 != b.0.seq));
    if has_gap {
        return Err(HubError::Corrupt(format!("the log {log} has a gap")));
    }
    let spots: Vec<Spot> = found.iter().map(|(spot, _)| *spot).collect();
    let entries = page(found.into_iter().map(|(_, entry)| entry), limit);
    let end = entries.len().checked_sub(1).and_then(|at| spots.get(at));
    hub.spots().entry(log.clone()).or_default().read = end.copied();
    Ok(entries)
}

/// The stream position of an entry, by binary search: entries of a log are in order.
pub(super) async fn place_of(hub: &NatsHub, log: &LogName, seq: u64, last: Spot) -> Result<u64> {
    let subject = subject(hub, log);
    // An entry cannot come before as many others.
    let (mut low, mut high) = (seq, last.at);
    while low < high {
        let middle = low + (high - low) / 2;
        let found = entries(hub, &subject, middle, 1).await?;
        let (spot, _) = found.first().ok_or_else(|| behind(log))?;
        if spot.seq < seq {
            low = spot.at + 1;
        } else if spot.seq > seq {
            high = middle;
        } else {
            return Ok(spot.at);
        }
    }
    let found = entries(hub, &subject, low, 1).await?;
    match found.first().map(|(spot, _)| *spot) {
        // Other subjects can have taken the positions in between.
        Some(spot) if spot.seq == seq => Ok(spot.at),
        Some(spot) if spot.seq > seq => Err(HubError::Gone { first: spot.seq }),
        Some(_) => Err(HubError::Corrupt(format!("the log {log} has lost its entry {seq}"))),
        None => Err(behind(log)),
    }
}

fn behind(log: &LogName) -> HubError {
    HubError::Unreachable(format!("a server is behind with {log}"))
}

pub(super) async fn names(hub: &NatsHub, below: &Prefix) -> Result<Vec<LogName>> {
    names_under(hub, &hub.layout.log_stream, &hub.layout.log_root, below).await
}

/// The logs below a prefix with the number of their entries, or of the last one.
pub(super) async fn lengths(hub: &NatsHub, below: &Prefix) -> Result<Vec<(LogName, Option<u64>)>> {
    let (stream, root) = (&hub.layout.log_stream, &hub.layout.log_root);
    let counted = counted_under(hub, stream, root, below).await?;
    Ok(counted.into_iter().map(|(name, count)| (name, Some(count))).collect())
}

/// The names below a prefix that a stream has subjects for.
pub(super) async fn names_under<K: Ord>(
    hub: &NatsHub,
    stream: &str,
    root: &str,
    below: &Prefix,
) -> Result<Vec<Name<K>>> {
    let counted = counted_under(hub, stream, root, below).await?;
    Ok(counted.into_iter().map(|(name, _)| name).collect())
}

/// The same with the number of their messages, or of the last one.
async fn counted_under<K: Ord>(
    hub: &NatsHub,
    stream: &str,
    root: &str,
    below: &Prefix,
) -> Result<Vec<(Name<K>, u64)>> {
    let filter = format!("{root}{}>", below.dotted());
    let mut named = match hub.reads {
        Reads::Open => counted(hub, stream, root, filter).await?,
        Reads::Bound => numbered(hub, stream, root, &filter).await?,
    };
    named.sort_unstable();
    Ok(named)
}

/// The names with the number of the last entry: one header of each subject is read.
async fn numbered<K>(
    hub: &NatsHub,
    stream: &str,
    root: &str,
    filter: &str,
) -> Result<Vec<(Name<K>, u64)>> {
    let from = (bound::From::LastOfEach, bound::Part::Headers);
    let found = bound::scan(hub, (stream, filter), from, usize::MAX).await?;
    let named = found.iter().filter_map(|it| {
        let name = Name::from_dotted(it.subject.strip_prefix(root)?)?;
        // Only entries have a number; of other messages the names alone count.
        Some((name, batch::number(&it.headers, batch::SEQ).unwrap_or(1)))
    });
    Ok(named.collect())
}

async fn counted<K>(
    hub: &NatsHub,
    stream: &str,
    root: &str,
    filter: String,
) -> Result<Vec<(Name<K>, u64)>> {
    let stream = assets::handle(hub, stream).await?;
    let answer = stream.info_with_subjects(filter).await;
    let Some(subjects) = fault::described(hub, answer).await? else { return Ok(Vec::new()) };
    let subjects: Vec<(String, usize)> = subjects.try_collect().await.map_err(fault::unanswered)?;
    let named = subjects.iter().filter_map(|(subject, count)| {
        let name = Name::from_dotted(subject.strip_prefix(root)?)?;
        Some((name, *count as u64))
    });
    Ok(named.collect())
}
