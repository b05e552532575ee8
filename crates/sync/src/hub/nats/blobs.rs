//! Blobs: bytes in an object store under their hash, and pointers that are created once.

use super::{NatsHub, assets, fault, keys};
use crate::hub::{Blob, BlobName, Content, HubError, Pointer, Put, Result, Swapped};
use async_nats::jetstream::object_store::{GetErrorKind, InfoErrorKind, ObjectStore};
use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt, stream};
use tokio::io::{AsyncRead, AsyncReadExt};

/// How much is handed over at once.
const PIECE: usize = 128 * 1024;

pub(super) async fn put(hub: &NatsHub, name: &BlobName, content: &Content) -> Result<Put> {
    let pointer = content.pointer().await?;
    if let Some(there) = pointer_of(hub, name).await? {
        return Ok(compare(&there, &pointer));
    }
    let store = assets::blob_store(hub).await?;
    if !has(&store, &pointer).await? {
        send(&store, content, &pointer).await?;
    }
    let text = serde_json::to_vec(&pointer).map_err(|it| HubError::Refused(it.to_string()))?;
    let subject = keys::subject(hub, keys::BLOBS, name);
    match keys::cas(hub, &subject, None, text.into()).await? {
        Swapped::Done(_) => Ok(Put::New),
        Swapped::Conflict => {
            let there = pointer_of(hub, name).await?;
            Ok(there.map_or(Put::Conflict, |there| compare(&there, &pointer)))
        }
    }
}

pub(super) async fn get(hub: &NatsHub, name: &BlobName) -> Result<Option<Blob>> {
    let Some(pointer) = pointer_of(hub, name).await? else { return Ok(None) };
    let store = assets::blob_store(hub).await?;
    let object = match store.get(pointer.blake3.as_str()).await {
        Ok(object) => object,
        Err(error) if error.kind() == GetErrorKind::NotFound => {
            return Err(HubError::Corrupt(format!("the bytes of {name} are gone")));
        }
        Err(error) => return Err(fault::unanswered(error)),
    };
    Ok(Some(Blob::new(pointer, stream::unfold(Some(object), piece).boxed())))
}

/// The next piece, and what is left.
async fn piece<R: AsyncRead + Unpin>(reader: Option<R>) -> Option<(Result<Bytes>, Option<R>)> {
    let mut reader = reader?;
    let mut buffer = BytesMut::with_capacity(PIECE);
    match reader.read_buf(&mut buffer).await {
        Ok(0) => None,
        Ok(_) => Some((Ok(buffer.freeze()), Some(reader))),
        Err(error) => Some((Err(fault::unanswered(error)), None)),
    }
}

fn compare(there: &Pointer, ours: &Pointer) -> Put {
    if there == ours { Put::Already } else { Put::Conflict }
}

async fn has(store: &ObjectStore, pointer: &Pointer) -> Result<bool> {
    match store.info(&pointer.blake3).await {
        Ok(info) => Ok(info.size as u64 == pointer.size),
        Err(error) if error.kind() == InfoErrorKind::NotFound => Ok(false),
        Err(error) => Err(fault::unanswered(error)),
    }
}

/// Sends the bytes. They get their name only when they are whole.
async fn send(store: &ObjectStore, content: &Content, pointer: &Pointer) -> Result<()> {
    let mut reader = content.open().await?;
    store.put(pointer.blake3.as_str(), &mut reader).await.map_err(fault::unanswered)?;
    if let Err(error) = reader.must_be(pointer) {
        // Best effort: nothing points there, and the next put of these bytes replaces it.
        store.delete(&pointer.blake3).await.ok();
        return Err(error);
    }
    Ok(())
}

async fn pointer_of(hub: &NatsHub, name: &BlobName) -> Result<Option<Pointer>> {
    let found = keys::get(hub, &keys::subject(hub, keys::BLOBS, name)).await?;
    let Some(found) = found else { return Ok(None) };
    let odd = |_| HubError::Corrupt(format!("the pointer {name} is not one"));
    serde_json::from_slice(&found.bytes).map(Some).map_err(odd)
}
