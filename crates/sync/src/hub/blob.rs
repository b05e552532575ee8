//! Blobs: writing, reading and verifying them.
//!
//! Bytes are stored under their hash. A name is a small pointer that is created once and never
//! changed, so a name never leads to half a blob, and a repetition has no effect.

use super::HubError;
use super::answer::{BLOB_LIMIT, fits_long};
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncReadExt, ReadBuf};

/// The content to put. It can be read more than once: to hash it, to send it, and to retry.
#[derive(Debug, Clone)]
pub enum Content {
    /// Bytes in memory.
    Bytes(Bytes),
    /// A file that does not change meanwhile.
    File(PathBuf),
}

/// The hash and length of a blob, as stored on the hub.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pointer {
    /// BLAKE3, in hex.
    pub blake3: String,
    /// The number of bytes.
    pub size: u64,
}

type Reader = Box<dyn AsyncRead + Send + Unpin>;

impl Content {
    /// Opens it from its start.
    pub(crate) async fn open(&self) -> Result<Hashing, HubError> {
        let reader: Reader = match self {
            Self::Bytes(bytes) => Box::new(io::Cursor::new(bytes.clone())),
            Self::File(path) => {
                Box::new(tokio::fs::File::open(path).await.map_err(|it| unreadable(&it))?)
            }
        };
        Ok(Hashing { reader, hasher: blake3::Hasher::new(), size: 0 })
    }

    /// Its hash and length; refuses too much before anything is sent.
    pub(crate) async fn pointer(&self) -> Result<Pointer, HubError> {
        let mut reader = self.open().await?;
        let mut buffer = vec![0; 64 * 1024];
        while reader.read(&mut buffer).await.map_err(|it| unreadable(&it))? > 0 {
            fits_long(reader.size, BLOB_LIMIT)?;
        }
        Ok(reader.pointer())
    }
}

fn unreadable(error: &io::Error) -> HubError {
    HubError::Refused(format!("what is to be put cannot be read: {error}"))
}

/// A reader that hashes what it reads.
pub(crate) struct Hashing {
    reader: Reader,
    hasher: blake3::Hasher,
    size: u64,
}

impl Hashing {
    /// The hash and length so far.
    pub(crate) fn pointer(&self) -> Pointer {
        Pointer { blake3: self.hasher.finalize().to_hex().to_string(), size: self.size }
    }

    /// Checks that the content is what was announced.
    pub(crate) fn must_be(&self, announced: &Pointer) -> Result<(), HubError> {
        if self.pointer() == *announced {
            return Ok(());
        }
        Err(HubError::Refused("the file changed while it was read".to_owned()))
    }
}

impl AsyncRead for Hashing {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let this = &mut *self;
        let polled = Pin::new(&mut this.reader).poll_read(context, buffer);
        let new = buffer.filled().get(before..).unwrap_or_default();
        this.hasher.update(new);
        this.size += new.len() as u64;
        polled
    }
}

/// A blob being read. Its hash is checked at the end.
pub struct Blob {
    pointer: Pointer,
    stream: BoxStream<'static, Result<Bytes, HubError>>,
    hasher: blake3::Hasher,
    size: u64,
    is_over: bool,
}

impl std::fmt::Debug for Blob {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Blob").field("pointer", &self.pointer).finish_non_exhaustive()
    }
}

impl Blob {
    pub(crate) fn new(
        pointer: Pointer,
        stream: BoxStream<'static, Result<Bytes, HubError>>,
    ) -> Self {
        Self { pointer, stream, hasher: blake3::Hasher::new(), size: 0, is_over: false }
    }

    /// The number of bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.pointer.size
    }

    /// The next piece. Earlier pieces are valid only once `None` was reached without an error.
    pub async fn next(&mut self) -> Option<Result<Bytes, HubError>> {
        if self.is_over {
            return None;
        }
        match self.stream.next().await {
            Some(Ok(bytes)) => Some(self.seen(bytes)),
            Some(Err(error)) => {
                self.is_over = true;
                Some(Err(error))
            }
            None => {
                self.is_over = true;
                self.check().err().map(Err)
            }
        }
    }

    /// All bytes, if they are within the limit.
    pub async fn bytes(mut self, limit: u64) -> Result<Bytes, HubError> {
        fits_long(self.size(), limit)?;
        let mut all = Vec::with_capacity(usize::try_from(self.size()).unwrap_or_default());
        while let Some(piece) = self.next().await {
            all.extend_from_slice(&piece?);
        }
        Ok(all.into())
    }

    fn seen(&mut self, bytes: Bytes) -> Result<Bytes, HubError> {
        self.hasher.update(&bytes);
        self.size += bytes.len() as u64;
        if self.size > self.pointer.size {
            self.is_over = true;
            return Err(HubError::Corrupt("a blob is longer than it was".to_owned()));
        }
        Ok(bytes)
    }

    fn check(&self) -> Result<(), HubError> {
        let is_whole = self.size == self.pointer.size;
        if is_whole && self.hasher.finalize().to_hex().as_str() == self.pointer.blake3 {
            return Ok(());
        }
        Err(HubError::Corrupt("a blob is not what was put".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::stream;

    async fn read(announced: &Content, pieces: &[&'static str]) -> Result<Bytes, HubError> {
        let pointer = announced.pointer().await.unwrap();
        let pieces: Vec<_> = pieces.iter().map(|it| Ok(Bytes::from(*it))).collect();
        Blob::new(pointer, stream::iter(pieces).boxed()).bytes(100).await
    }

    #[tokio::test]
    async fn what_is_read_is_what_was_put() {
        let put = Content::Bytes("hello".into());
        assert_eq!(read(&put, &["he", "llo"]).await, Ok("hello".into()));
        let damaged = |why: &str| Err(HubError::Corrupt(why.to_owned()));
        assert_eq!(read(&put, &["he"]).await, damaged("a blob is not what was put"));
        assert_eq!(read(&put, &["hella"]).await, damaged("a blob is not what was put"));
        assert_eq!(read(&put, &["hello", "!"]).await, damaged("a blob is longer than it was"));
        let long = Content::Bytes(vec![0; 101].into());
        let too_large = Err(HubError::TooLarge { size: 101, limit: 100 });
        assert_eq!(read(&long, &[]).await, too_large);
    }
}
