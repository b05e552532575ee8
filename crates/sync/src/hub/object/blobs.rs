//! Blobs: bytes under their hash, and pointers that are created once.

use super::{Created, ObjectHub, meant};
use crate::hub::{Blob, BlobName, Content, HubError, Pointer, Put, Result};
use bytes::BytesMut;
use futures_util::{StreamExt, TryStreamExt};
use object_store::path::Path;
use object_store::{Error, ObjectStoreExt, WriteMultipart};
use tokio::io::AsyncReadExt;

/// The size of an upload part; S3 accepts no parts smaller than 5 MiB.
const PART: usize = 8 * 1024 * 1024;
/// How many parts are uploaded concurrently.
const PARTS_AT_ONCE: usize = 4;

pub(super) async fn put(hub: &ObjectHub, name: &BlobName, content: &Content) -> Result<Put> {
    let pointer = content.pointer().await?;
    if let Some(there) = pointer_of(hub, name).await? {
        return Ok(compare(&there, &pointer));
    }
    let bytes_at = bytes_path(hub, &pointer)?;
    if !hub.exists(&bytes_at).await? {
        send(hub, &bytes_at, content, &pointer).await?;
    }
    let text = serde_json::to_vec(&pointer).map_err(|it| HubError::Refused(it.to_string()))?;
    if hub.create(&name_path(hub, name)?, &text).await? == Created::New {
        // The bytes that were there may have been removed meanwhile.
        if !hub.exists(&bytes_at).await? {
            send(hub, &bytes_at, content, &pointer).await?;
        }
        return Ok(Put::New);
    }
    let there = pointer_of(hub, name).await?;
    Ok(there.map_or(Put::Conflict, |there| compare(&there, &pointer)))
}

pub(super) async fn get(hub: &ObjectHub, name: &BlobName) -> Result<Option<Blob>> {
    let Some(pointer) = pointer_of(hub, name).await? else { return Ok(None) };
    let found = match hub.store.get(&bytes_path(hub, &pointer)?).await {
        Ok(found) => found,
        Err(Error::NotFound { .. }) => {
            return Err(HubError::Corrupt(format!("the bytes of {name} are gone")));
        }
        Err(error) => return Err(meant(error)),
    };
    Ok(Some(Blob::new(pointer, found.into_stream().map_err(meant).boxed())))
}

fn compare(there: &Pointer, ours: &Pointer) -> Put {
    if there == ours { Put::Already } else { Put::Conflict }
}

/// Sends the bytes. They get their name only when they are complete.
async fn send(hub: &ObjectHub, to: &Path, content: &Content, pointer: &Pointer) -> Result<()> {
    let mut reader = content.open().await?;
    let upload = hub.store.put_multipart(to).await.map_err(meant)?;
    let mut upload = WriteMultipart::new_with_chunk_size(upload, PART);
    let mut buffer = BytesMut::with_capacity(PART);
    loop {
        let read = reader.read_buf(&mut buffer).await;
        let read = read.map_err(|error| HubError::Refused(error.to_string()))?;
        if read == 0 {
            break;
        }
        upload.wait_for_capacity(PARTS_AT_ONCE).await.map_err(meant)?;
        upload.put(buffer.split().freeze());
        buffer.reserve(PART);
    }
    if let Err(error) = reader.must_be(pointer) {
        // The uploaded parts have no name; a store may keep them until it cleans up.
        if let Err(error) = upload.abort().await {
            tracing::debug!(%error, "cannot abort an upload");
        }
        return Err(error);
    }
    upload.finish().await.map_err(meant)?;
    Ok(())
}

pub(super) async fn pointer_of(hub: &ObjectHub, name: &BlobName) -> Result<Option<Pointer>> {
    let Some(text) = hub.read(&name_path(hub, name)?).await? else { return Ok(None) };
    let pointer: Option<Pointer> = serde_json::from_slice(&text).ok();
    let pointer = pointer.filter(|it| it.blake3.bytes().all(|it| it.is_ascii_hexdigit()));
    let odd = || HubError::Corrupt(format!("the pointer {name} is not one"));
    pointer.ok_or_else(odd).map(Some)
}

pub(super) fn name_path(hub: &ObjectHub, name: &BlobName) -> Result<Path> {
    hub.path(&format!("blobs/{name}.blob"))
}

pub(super) fn bytes_path(hub: &ObjectHub, pointer: &Pointer) -> Result<Path> {
    hub.path(&format!("bytes/{}", pointer.blake3))
}
