//! A hub on NATS JetStream: a stream with a subject for each log, one with the last value of each
//! key, and one for the bytes of blobs.
//!
//! No device has a durable consumer: readers request batches by subject, and hints are a plain
//! subscription. So the servers keep no state for an absent device.

mod assets;
mod batch;
mod blobs;
mod bound;
mod certificate;
mod conf;
mod connect;
mod doctor;
mod fault;
mod keys;
mod layout;
mod logs;
mod mailbox;
mod monitor;
mod removal;
mod users;
mod watch;

pub use certificate::{ServerCertificate, pin_of};
pub use conf::{Megabytes, NatsPlan, Removal, account_conf, cell_conf, nats_conf};
pub(super) use mailbox::NatsMailbox;
pub use users::{DeviceUser, TeamUsers};

use super::{
    Appended, Blob, BlobName, Content, Entry, Hint, Hints, Hub, HubCheck, KeyName, LogName,
    NatsServers, Prefix, Put, Result, Revision, Stored, Swapped, Team, Usage, Value, Watched,
};
use async_nats::jetstream::Context;
use bytes::Bytes;
use layout::Layout;
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use taffrail_model::DeviceId;
use tokio::sync::broadcast::Sender;

/// A hub on NATS. Clones share its connection.
#[derive(Debug, Clone)]
pub struct NatsHub {
    context: Context,
    team: Team,
    servers: NatsServers,
    layout: Arc<Layout>,
    reads: Reads,
    /// The last known ends of logs. Only a starting point: the server checks every write.
    spots: Arc<Mutex<HashMap<LogName, Spots>>>,
    /// Whether the server forbids beats.
    is_mute: Arc<AtomicBool>,
    /// Sends [`Hint::Anything`] after a reconnection.
    reconnected: Sender<Hint>,
}

/// How to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reads {
    /// By stream, with the fewest requests. Permissions cannot tell the teams of a stream apart.
    Open,
    /// By subject, so that permissions can bind a device to its team.
    Bound,
}

/// An entry and its position in the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Spot {
    seq: u64,
    at: u64,
}

/// The known positions of a log.
#[derive(Debug, Clone, Copy, Default)]
struct Spots {
    /// The last entry that this hub appended or found at the end.
    end: Option<Spot>,
    /// The last entry read.
    read: Option<Spot>,
}

impl NatsHub {
    fn spots(&self) -> MutexGuard<'_, HashMap<LogName, Spots>> {
        // It is only a cache, so its state after a panic is good enough.
        self.spots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Hub for NatsHub {
    async fn append(&self, log: &LogName, seq: u64, bytes: Bytes) -> Result<Appended> {
        logs::append(self, log, seq, bytes).await
    }

    async fn last(&self, log: &LogName) -> Result<u64> {
        Ok(logs::end(self, log).await?.map_or(0, |found| found.spot.seq))
    }

    async fn read_since(&self, log: &LogName, after: u64, limit: usize) -> Result<Vec<Entry>> {
        logs::read_since(self, log, after, limit).await
    }

    async fn logs(&self, below: &Prefix) -> Result<Vec<LogName>> {
        logs::names(self, below).await
    }

    async fn get(&self, key: &KeyName) -> Result<Option<Value>> {
        keys::get(self, key).await
    }

    async fn cas(
        &self,
        key: &KeyName,
        expected: Option<Revision>,
        bytes: Bytes,
    ) -> Result<Swapped> {
        keys::cas(self, key, expected, bytes).await
    }

    async fn keys(&self, below: &Prefix) -> Result<Vec<KeyName>> {
        keys::names(self, below).await
    }

    async fn put_blob(&self, name: &BlobName, content: &Content) -> Result<Put> {
        blobs::put(self, name, content).await
    }

    async fn get_blob(&self, name: &BlobName) -> Result<Option<Blob>> {
        blobs::get(self, name).await
    }

    async fn blobs(&self, below: &Prefix) -> Result<Vec<BlobName>> {
        blobs::names(self, below).await
    }

    async fn lengths(&self, below: &Prefix) -> Result<Vec<(LogName, Option<u64>)>> {
        logs::lengths(self, below).await
    }

    async fn mark(&self) -> Result<Option<u64>> {
        keys::mark(self).await
    }

    async fn beat(&self, device: &DeviceId, bytes: Bytes) -> Result<()> {
        watch::beat(self, device, bytes).await
    }

    async fn trim(&self, log: &LogName, first: u64) -> Result<()> {
        removal::trim(self, log, first).await
    }

    async fn remove_blob(&self, name: &BlobName) -> Result<()> {
        removal::remove_blob(self, name).await
    }

    async fn inventory(&self) -> Result<Vec<Stored>> {
        removal::inventory(self).await
    }

    async fn usage(&self) -> Result<Option<Usage>> {
        removal::usage(self).await
    }

    async fn watch(&self, watched: &Watched) -> Result<Hints> {
        watch::watch(self, watched).await
    }

    async fn doctor(&self) -> Vec<HubCheck> {
        doctor::doctor(self).await
    }
}
