//! A hub of any engine, selected by its address.

#[cfg(feature = "hub-nats")]
use super::NatsHub;
use super::{
    Appended, Blob, BlobName, Content, Credentials, Entry, Hints, Hub, HubCheck, HubUrl, KeyName,
    LogName, MemoryHub, Prefix, Put, Result, Revision, Stored, Swapped, Team, Usage, Value,
    Watched,
};
#[cfg(feature = "hub-object")]
use super::{LateHub, ObjectHub};
use bytes::Bytes;
use taffrail_model::DeviceId;

/// A hub of any engine. Clones share its connection.
#[derive(Debug, Clone)]
pub enum AnyHub {
    /// In memory, for tests.
    Memory(MemoryHub),
    /// In a directory or a bucket that is opened when it is first needed.
    #[cfg(feature = "hub-object")]
    Late(LateHub),
    /// In a directory or a bucket.
    #[cfg(feature = "hub-object")]
    Object(ObjectHub),
    /// On NATS.
    #[cfg(feature = "hub-nats")]
    Nats(Box<NatsHub>),
}

impl AnyHub {
    /// Opens the hub at an address for a team.
    pub async fn open(url: &HubUrl, team: &Team, credentials: &Credentials) -> Result<Self> {
        match url {
            #[cfg(feature = "hub-object")]
            HubUrl::Directory(path) => ObjectHub::directory(path, team).map(Self::Object),
            #[cfg(feature = "hub-object")]
            HubUrl::Bucket(bucket) => {
                ObjectHub::bucket(bucket, team, credentials).map(Self::Object)
            }
            #[cfg(feature = "hub-nats")]
            HubUrl::Nats(servers) => NatsHub::connect(servers, team, credentials)
                .await
                .map(|hub| Self::Nats(Box::new(hub))),
            #[cfg(not(all(feature = "hub-nats", feature = "hub-object")))]
            other => Err(not_built(other, (team, credentials))),
        }
    }
}

/// The error of a program that was built without an engine.
#[cfg(not(all(feature = "hub-nats", feature = "hub-object")))]
fn not_built(url: &HubUrl, _: (&Team, &Credentials)) -> super::HubError {
    super::HubError::Refused(format!("this program was built without what {url} needs"))
}

/// Calls the hub's own implementation.
macro_rules! ask {
    ($self:ident, $hub:ident => $answer:expr) => {
        match $self {
            Self::Memory($hub) => $answer,
            #[cfg(feature = "hub-object")]
            Self::Late($hub) => $answer,
            #[cfg(feature = "hub-object")]
            Self::Object($hub) => $answer,
            #[cfg(feature = "hub-nats")]
            Self::Nats($hub) => $answer,
        }
    };
}

impl Hub for AnyHub {
    async fn append(&self, log: &LogName, seq: u64, bytes: Bytes) -> Result<Appended> {
        ask!(self, hub => hub.append(log, seq, bytes).await)
    }

    async fn last(&self, log: &LogName) -> Result<u64> {
        ask!(self, hub => hub.last(log).await)
    }

    async fn read_since(&self, log: &LogName, after: u64, limit: usize) -> Result<Vec<Entry>> {
        ask!(self, hub => hub.read_since(log, after, limit).await)
    }

    async fn logs(&self, below: &Prefix) -> Result<Vec<LogName>> {
        ask!(self, hub => hub.logs(below).await)
    }

    async fn get(&self, key: &KeyName) -> Result<Option<Value>> {
        ask!(self, hub => hub.get(key).await)
    }

    async fn cas(
        &self,
        key: &KeyName,
        expected: Option<Revision>,
        bytes: Bytes,
    ) -> Result<Swapped> {
        ask!(self, hub => hub.cas(key, expected, bytes).await)
    }

    async fn keys(&self, below: &Prefix) -> Result<Vec<KeyName>> {
        ask!(self, hub => hub.keys(below).await)
    }

    async fn put_blob(&self, name: &BlobName, content: &Content) -> Result<Put> {
        ask!(self, hub => hub.put_blob(name, content).await)
    }

    async fn get_blob(&self, name: &BlobName) -> Result<Option<Blob>> {
        ask!(self, hub => hub.get_blob(name).await)
    }

    async fn blobs(&self, below: &Prefix) -> Result<Vec<BlobName>> {
        ask!(self, hub => hub.blobs(below).await)
    }

    async fn lengths(&self, below: &Prefix) -> Result<Vec<(LogName, Option<u64>)>> {
        ask!(self, hub => hub.lengths(below).await)
    }

    async fn mark(&self) -> Result<Option<u64>> {
        ask!(self, hub => hub.mark().await)
    }

    async fn beat(&self, device: &DeviceId, bytes: Bytes) -> Result<()> {
        ask!(self, hub => hub.beat(device, bytes).await)
    }

    async fn trim(&self, log: &LogName, first: u64) -> Result<()> {
        ask!(self, hub => hub.trim(log, first).await)
    }

    async fn remove_blob(&self, name: &BlobName) -> Result<()> {
        ask!(self, hub => hub.remove_blob(name).await)
    }

    async fn inventory(&self) -> Result<Vec<Stored>> {
        ask!(self, hub => hub.inventory().await)
    }

    async fn usage(&self) -> Result<Option<Usage>> {
        ask!(self, hub => hub.usage().await)
    }

    async fn watch(&self, watched: &Watched) -> Result<Hints> {
        ask!(self, hub => hub.watch(watched).await)
    }

    async fn doctor(&self) -> Vec<HubCheck> {
        ask!(self, hub => hub.doctor().await)
    }
}
