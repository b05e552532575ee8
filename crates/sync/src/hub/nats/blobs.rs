//! Blobs: bytes as numbered pieces under a subject nobody used before, and pointers to them.
//!
//! Nothing in the stream is ever replaced: of several pointers under one name the first counts, and of
//! several pieces under one number too. So whoever may write cannot take away what is there.

use super::{NatsHub, assets, batch, fault, keys, logs};
use crate::hub::blob::Hashing;
use crate::hub::{Blob, BlobName, Content, HubError, Pointer, Put, Result};
use async_nats::jetstream::message::PublishMessage;
use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt, stream};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use tokio::io::AsyncReadExt;

/// How long a piece is.
const PIECE: usize = 128 * 1024;
/// How many pieces are on their way at once.
const ABREAST: usize = 16;
/// How many pieces are asked for at once.
const PAGE: usize = 32;

/// What stands under a name.
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
    logs::names_under(hub, assets::blob_stream(hub), &assets::blob_root(hub), below).await
}

fn compare(there: &Pointer, ours: &Pointer) -> Put {
    if there == ours { Put::Already } else { Put::Conflict }
}

fn name_subject(hub: &NatsHub, name: &BlobName) -> String {
    format!("{}{}", assets::blob_root(hub), name.dotted())
}

fn piece_subject(hub: &NatsHub, pieces: &str) -> String {
    format!("{}{pieces}", assets::piece_root(hub))
}

/// A part of a subject nobody used before.
fn fresh(hub: &NatsHub) -> String {
    let inbox = hub.context.client().new_inbox();
    inbox.rsplit('.').next().unwrap_or_default().to_owned()
}

/// Sends the bytes. They get their name only when they are whole.
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

/// The next bytes, as many as a piece has; fewer only at the end.
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

/// A blob that is being read.
struct Reading {
    hub: NatsHub,
    subject: String,
    name: String,
    /// How many bytes are still to come.
    left: u64,
    /// The number of the piece that comes next.
    next: u64,
    /// Where in the stream it is looked for.
    from: u64,
    read: VecDeque<Bytes>,
}

/// The next piece, and what is left to read.
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
    /// Asks for the next pieces. What somebody else put under the same subject is passed over.
    async fn page(&mut self) -> Result<()> {
        let stream = assets::blob_stream(&self.hub);
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

/// What was first put under a name, as the leader knows it: a replica may be behind.
async fn laid(hub: &NatsHub, name: &BlobName) -> Result<Option<Laid>> {
    let found = keys::first(hub, &name_subject(hub, name)).await?;
    let Some(found) = found else { return Ok(None) };
    let odd = |_| HubError::Corrupt(format!("the pointer {name} is not one"));
    serde_json::from_slice(&found).map(Some).map_err(odd)
}
