//! What a hub can do, whatever engine it is.
//!
//! A hub is a shared place between devices. It holds numbered logs with one writer each, keys with
//! compare-and-set, and blobs that are created once. It is never the only copy of anything, and
//! sees only what was sealed before it got here.

mod address;
mod answer;
mod any;
mod blob;
mod credentials;
mod doctor;
mod hints;
pub mod lease;
mod memory;
mod name;
#[cfg(feature = "hub-nats")]
mod nats;
#[cfg(feature = "hub-object")]
mod object;

pub use address::{Bucket, BucketKind, HubUrl, NatsServers, Tls, UrlError};
pub use answer::{
    Appended, BLOB_LIMIT, ENTRY_LIMIT, Entry, Hint, HubError, PAGE_BYTES, PAGE_LIMIT, Put,
    Revision, Swapped, VALUE_LIMIT, Value, Watched,
};
pub use any::AnyHub;
pub use blob::{Blob, Content, Pointer};
pub use credentials::{AzureKey, Credentials, GoogleKey, NatsKey, S3Keys};
pub use doctor::{Aspect, HubCheck, Level};
pub use hints::Hints;
pub use memory::MemoryHub;
pub use name::{
    BlobName, KeyName, LogName, Name, NameError, PART_LIMIT, PARTS_LIMIT, Prefix, Team,
};
#[cfg(feature = "hub-nats")]
pub use nats::{NatsHub, NatsPlan, ServerCertificate, nats_conf, pin_of};
#[cfg(feature = "hub-object")]
pub use object::ObjectHub;

use bytes::Bytes;
use taffrail_model::DeviceId;

/// The answer of a hub, or why there is none.
pub type Result<T> = std::result::Result<T, HubError>;

/// A shared place between devices. Every engine passes the same suite.
///
/// Whatever fails with [`HubError::Unreachable`] may have happened nevertheless, or happen yet.
/// Appends and blobs can simply be given again; after a compare-and-set the key is read.
pub trait Hub: Send + Sync {
    /// Appends an entry under the number its writer gives it; the first is 1.
    fn append(
        &self,
        log: &LogName,
        seq: u64,
        bytes: Bytes,
    ) -> impl Future<Output = Result<Appended>> + Send;

    /// The last number of a log; 0 where it is empty.
    fn last(&self, log: &LogName) -> impl Future<Output = Result<u64>> + Send;

    /// The entries after a number, in order and without gaps: at most `limit`, [`PAGE_LIMIT`] and
    /// about [`PAGE_BYTES`]. Nothing means that there is nothing yet. A replica may answer, so
    /// what was just appended can be missing for a moment.
    fn read_since(
        &self,
        log: &LogName,
        after: u64,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<Entry>>> + Send;

    /// The logs below a prefix, in order.
    fn logs(&self, below: &Prefix) -> impl Future<Output = Result<Vec<LogName>>> + Send;

    /// The logs below a prefix, each with the number of its entries where that is known without
    /// reading them. It costs one question, whatever the number of logs.
    fn lengths(
        &self,
        below: &Prefix,
    ) -> impl Future<Output = Result<Vec<(LogName, Option<u64>)>>> + Send;

    /// A number that is another one after any key was written; nothing where keys may be shown as they
    /// were before.
    fn mark(&self) -> impl Future<Output = Result<Option<u64>>> + Send;

    /// Says that a device lives. Only the last word is kept, or none.
    fn beat(&self, device: &DeviceId, bytes: Bytes) -> impl Future<Output = Result<()>> + Send;

    /// The value of a key.
    fn get(&self, key: &KeyName) -> impl Future<Output = Result<Option<Value>>> + Send;

    /// Writes a key if it still is at a revision; `None` stands for a key that was never written.
    fn cas(
        &self,
        key: &KeyName,
        expected: Option<Revision>,
        bytes: Bytes,
    ) -> impl Future<Output = Result<Swapped>> + Send;

    /// The keys below a prefix, in order.
    fn keys(&self, below: &Prefix) -> impl Future<Output = Result<Vec<KeyName>>> + Send;

    /// Puts a blob under a name that has none.
    fn put_blob(
        &self,
        name: &BlobName,
        content: &Content,
    ) -> impl Future<Output = Result<Put>> + Send;

    /// Reads a blob.
    fn get_blob(&self, name: &BlobName) -> impl Future<Output = Result<Option<Blob>>> + Send;

    /// The blobs below a prefix, in order.
    fn blobs(&self, below: &Prefix) -> impl Future<Output = Result<Vec<BlobName>>> + Send;

    /// Hints that something of this moved, from now on.
    fn watch(&self, watched: &Watched) -> impl Future<Output = Result<Hints>> + Send;

    /// What this hub can do and what it cannot, found by asking and trying. A key and a
    /// blob called `doctor/probe` stay behind.
    fn doctor(&self) -> impl Future<Output = Vec<HubCheck>> + Send;
}
