//! The interface of a hub, for every engine.
//!
//! A hub is a store shared between devices. It holds numbered logs with one writer each, keys with
//! compare-and-set, and blobs that are created once. It never has the only copy of anything, and
//! sees only sealed data.

mod address;
mod answer;
mod any;
mod blob;
mod credentials;
mod doctor;
mod hints;
#[cfg(feature = "hub-object")]
mod late;
pub mod lease;
mod mailbox;
mod memory;
mod name;
#[cfg(feature = "hub-nats")]
mod nats;
#[cfg(feature = "hub-object")]
mod object;
mod stored;

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
#[cfg(feature = "hub-object")]
pub use late::LateHub;
pub use mailbox::{Mail, Mailbox, MemoryMailbox, Side, Slot};
pub use memory::MemoryHub;
pub use name::{
    BlobName, KeyName, LogName, Name, NameError, PART_LIMIT, PARTS_LIMIT, Prefix, Team,
};
#[cfg(feature = "hub-nats")]
pub use nats::{
    DeviceUser, Megabytes, NatsHub, NatsPlan, Removal, ServerCertificate, TeamUsers, account_conf,
    cell_conf, nats_conf, pin_of,
};
#[cfg(feature = "hub-object")]
pub use object::ObjectHub;
pub use stored::{Stored, StoredItem, Usage, UsageOf};

use bytes::Bytes;
use taffrail_model::DeviceId;

/// The result of a hub operation.
pub type Result<T> = std::result::Result<T, HubError>;

/// A store shared between devices. Every engine passes the same tests.
///
/// An operation that fails with [`HubError::Unreachable`] may have happened nevertheless, or may
/// still happen. Appends and blobs can simply be repeated; after a compare-and-set, read the key.
pub trait Hub: Send + Sync {
    /// Appends an entry under the number that its writer assigns; the first is 1.
    fn append(
        &self,
        log: &LogName,
        seq: u64,
        bytes: Bytes,
    ) -> impl Future<Output = Result<Appended>> + Send;

    /// The last number of a log; 0 if it is empty.
    fn last(&self, log: &LogName) -> impl Future<Output = Result<u64>> + Send;

    /// The entries after a number, in order and without gaps: at most `limit`, [`PAGE_LIMIT`] and
    /// about [`PAGE_BYTES`]. An empty answer means that there are none so far. A replica may
    /// answer, so an entry that was just appended can be missing for a moment.
    fn read_since(
        &self,
        log: &LogName,
        after: u64,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<Entry>>> + Send;

    /// The logs below a prefix, in order.
    fn logs(&self, below: &Prefix) -> impl Future<Output = Result<Vec<LogName>>> + Send;

    /// The logs below a prefix, each with the number of its entries if known without reading them.
    /// It takes one request, whatever the number of logs.
    fn lengths(
        &self,
        below: &Prefix,
    ) -> impl Future<Output = Result<Vec<(LogName, Option<u64>)>>> + Send;

    /// A number that changes whenever any key is written; `None` if reads of keys may be stale.
    fn mark(&self) -> impl Future<Output = Result<Option<u64>>> + Send;

    /// Sends a heartbeat of a device. The hub stores only the last one, or none.
    fn beat(&self, device: &DeviceId, bytes: Bytes) -> impl Future<Output = Result<()>> + Send;

    /// The value of a key.
    fn get(&self, key: &KeyName) -> impl Future<Output = Result<Option<Value>>> + Send;

    /// Writes a key if it is still at a revision; `None` means that the key was never written.
    fn cas(
        &self,
        key: &KeyName,
        expected: Option<Revision>,
        bytes: Bytes,
    ) -> impl Future<Output = Result<Swapped>> + Send;

    /// The keys below a prefix, in order.
    fn keys(&self, below: &Prefix) -> impl Future<Output = Result<Vec<KeyName>>> + Send;

    /// Puts a blob under an unused name.
    fn put_blob(
        &self,
        name: &BlobName,
        content: &Content,
    ) -> impl Future<Output = Result<Put>> + Send;

    /// Reads a blob.
    fn get_blob(&self, name: &BlobName) -> impl Future<Output = Result<Option<Blob>>> + Send;

    /// The blobs below a prefix, in order.
    fn blobs(&self, below: &Prefix) -> impl Future<Output = Result<Vec<BlobName>>> + Send;

    /// Removes the entries of a log before this number, except its last one. Reading them is then
    /// [`HubError::Gone`].
    fn trim(&self, log: &LogName, first: u64) -> impl Future<Output = Result<()>> + Send;

    /// Removes a blob, if it is there.
    fn remove_blob(&self, name: &BlobName) -> impl Future<Output = Result<()>> + Send;

    /// All entries and blobs, with their ages and sizes. It reads as much as there is: use it seldom.
    fn inventory(&self) -> impl Future<Output = Result<Vec<Stored>>> + Send;

    /// How much is stored; `None` if it cannot be known.
    fn usage(&self) -> impl Future<Output = Result<Option<Usage>>> + Send;

    /// Hints about changes of these names, from now on.
    fn watch(&self, watched: &Watched) -> impl Future<Output = Result<Hints>> + Send;

    /// Checks the hub's abilities by queries and tests. A key and a blob named `doctor/probe`
    /// remain.
    fn doctor(&self) -> impl Future<Output = Vec<HubCheck>> + Send;
}
