//! Blobs: bytes as numbered pieces under an unused subject, and pointers to them.
//!
//! Nothing in the stream is ever replaced: of several pointers under one name the first counts, and
//! so does the first of several pieces under one number. So a writer cannot remove existing data.

use super::{NatsHub, batch, fault, keys, logs};
use crate::hub::blob::Hashing;
use crate::hub::{Blob, BlobName, Content, HubError, Pointer, Put, Result};
use async_nats::jetstream::message::PublishMessage;
use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt, stream};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use tokio::io::AsyncReadExt;

/// The length of a piece.
const PIECE: usize = 128 * 1024;
/// How many pieces are sent concurrently.
const ABREAST: usize = 16;
/// How many pieces are requested at once.
const PAGE: usize = 32;

/// The pointer stored under a name.
#[derive(Debug, Serialize, Deserialize)]
struct Laid {
    #[serde(flatten)]
    pointer: Pointer,
    /// The last part of the subject of its pieces.
    pieces: String,
}

pub(super) async fn put(hub: &NatsHub, name: &BlobName, content: &Content) -> Result<Put> {
    let pointer = content.pointer().await?;
    if let Some(there) = laid(hub, name).await? {
        return Ok(compare(&there.pointer, &pointer));
    }
    let pieces = fresh(hub);
    send(hub, content, (&pointer, &pieces)).await?;
    let new = Laid { pointer, pieces };
    let text = serde_json::to_vec(&new).map_err(|it| HubError::Refused(it.to_string()))?;
    let message = PublishMessage::build().payload(text.into()).expected_last_subject_sequence(0);
    match logs::fenced_publish(hub, name_subject(hub, name), message).await? {
        Some(_) => Ok(Put::New),
        None => {
            let there = laid(hub, name).await?;
            Ok(there.map_or(Put::Conflict, |there| compare(&there.pointer, &new.pointer)))
        }
    }
}

pub(super) async fn get(hub: &NatsHub, name: &BlobName) -> Result<Option<Blob>> {
    let Some(Laid { pointer, pieces }) = laid(hub, name).await? else { return Ok(None) };
    let reading = Reading {
        hub: hub.clone(),
        subject: piece_subject(hub, &pieces),
        name: name.to_string(),
        left: pointer.size,
        next: 1,
        from: 1,
        read: VecDeque::new(),
    };
    Ok(Some(Blob::new(pointer, stream::unfold(Some(reading), piece).boxed())))
}

pub(super) async fn names(hub: &NatsHub, below: &crate::hub::Prefix) -> Result<Vec<BlobName>> {
    logs::names_under(hub, &hub.layout.blob_stream, &hub.layout.blob_root, below).await
}

/// The subject of the pieces of a blob.
pub(super) async fn pieces(hub: &NatsHub, name: &BlobName) -> Result<Option<String>> {
    Ok(laid(hub, name).await?.map(|it| piece_subject(hub, &it.pieces)))
}

fn compare(there: &Pointer, ours: &Pointer) -> Put {
    if there == ours { Put::Already } else { Put::Conflict }
}

pub(super) fn name_subject(hub: &NatsHub, name: &BlobName) -> String {
    format!("{}{}", hub.layout.blob_root, name.dotted())
}

fn piece_subject(hub: &NatsHub, pieces: &str) -> String {
    format!("{}{pieces}", hub.layout.piece_root)
}

/// An unused part of a subject.
fn fresh(hub: &NatsHub) -> String {
    let inbox = hub.context.client().new_inbox();
    inbox.rsplit('.').next().unwrap_or_default().to_owned()
}

/// Sends the bytes. They get their name only when they are complete.
async fn send(hub: &NatsHub, content: &Content, (pointer, pieces): (&Pointer, &str)) -> Result<()> {
    let (mut reader, subject) = (content.open().await?, piece_subject(hub, pieces));
    let (mut sent, mut number) = (VecDeque::new(), 0_u64);
    loop {
        let bytes = filled(&mut reader).await?;
        if bytes.is_empty() {
            break;
        }
        number += 1;
        let message = PublishMessage::build().payload(bytes).header(batch::SEQ, number.to_string());
        match hub.context.send_publish(subject.clone(), message).await {
            Ok(answer) => sent.push_back(answer),
            Err(error) => return Err(fault::publishing(hub, &error).await),
        }
        if sent.len() >= ABREAST {
            confirmed(hub, sent.pop_front()).await?;
        }
    }
    while let Some(answer) = sent.pop_front() {
        confirmed(hub, Some(answer)).await?;
    }
    reader.must_be(pointer)
}

async fn confirmed(
    hub: &NatsHub,
    answer: Option<async_nats::jetstream::context::PublishAckFuture>,
) -> Result<()> {
    let Some(answer) = answer else { return Ok(()) };
    match answer.await {
        Ok(_) => Ok(()),
        Err(error) => Err(fault::publishing(hub, &error).await),
    }
}

/// The next bytes, of the length of a piece; shorter only at the end.
async fn filled(reader: &mut Hashing) -> Result<Bytes> {
    let mut buffer = BytesMut::with_capacity(PIECE);
    while buffer.len() < PIECE {
        let rest = u64::try_from(PIECE - buffer.len()).unwrap_or(0);
        let read = (&mut *reader).take(rest).read_buf(&mut buffer).await;
        let read = read.map_err(|error| {
            HubError::Refused(format!("what is to be put cannot be read: {error}"))
        })?;
        if read == 0 {
            break;
        }
    }
    Ok(buffer.freeze())
}

/// A blob being read.
struct Reading {
    hub: NatsHub,
    subject: String,
    name: String,
    /// The number of bytes left.
    left: u64,
    /// The number of the next piece.
    next: u64,
    /// The position in the stream to search from.
    from: u64,
    read: VecDeque<Bytes>,
}

/// The next piece, and the state after it.
async fn piece(reading: Option<Reading>) -> Option<(Result<Bytes>, Option<Reading>)> {
    let mut reading = reading?;
    if reading.left == 0 {
        return None;
    }
    if reading.read.is_empty()
        && let Err(error) = reading.page().await
    {
        return Some((Err(error), None));
    }
    let Some(bytes) = reading.read.pop_front() else {
        let gone = HubError::Corrupt(format!("the bytes of {} are gone", reading.name));
        return Some((Err(gone), None));
    };
    reading.left = reading.left.saturating_sub(bytes.len() as u64);
    Some((Ok(bytes), Some(reading)))
}

impl Reading {
    /// Requests the next pieces, skipping foreign messages under the same subject.
    async fn page(&mut self) -> Result<()> {
        let stream = self.hub.layout.blob_stream.clone();
        loop {
            let found = batch::read(&self.hub, (&stream, &self.subject), self.from, PAGE).await?;
            let Some((last, _)) = found.last() else { return Ok(()) };
            self.from = last.at + 1;
            for (spot, entry) in found {
                if spot.seq == self.next {
                    self.next += 1;
                    self.read.push_back(entry.bytes);
                }
            }
            if !self.read.is_empty() {
                return Ok(());
            }
        }
    }
}

/// The first pointer under a name, from the leader: a replica may be behind.
async fn laid(hub: &NatsHub, name: &BlobName) -> Result<Option<Laid>> {
    let found = keys::first(hub, &name_subject(hub, name)).await?;
    let Some(found) = found else { return Ok(None) };
    let odd = |_| HubError::Corrupt(format!("the pointer {name} is not one"));
    serde_json::from_slice(&found).map(Some).map_err(odd)
}
