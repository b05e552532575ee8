//! A hub in a directory or a bucket, built on one rule: an object can be created only if it does
//! not exist.
//!
//! ```text
//! PREFIX/taffrail-v1/TEAM/logs/LOG.log               a log exists
//! PREFIX/taffrail-v1/TEAM/entries/LOG/SEQ.entry      an entry
//! PREFIX/taffrail-v1/TEAM/floors/LOG/SEQ.floor       the first entry, where earlier ones were removed
//! PREFIX/taffrail-v1/TEAM/keys/KEY/REVISION.value    a state of a key
//! PREFIX/taffrail-v1/TEAM/blobs/BLOB.blob            a pointer to bytes
//! PREFIX/taffrail-v1/TEAM/bytes/HASH                 bytes
//! PREFIX/taffrail-v1/TEAM/beats/DEVICE.beat          the last sign of life of a device
//! ```
//!
//! No name contains a dot, so no name can be mistaken for something else.

mod blobs;
mod copied;
mod doctor;
mod fault;
mod frame;
mod keys;
mod logs;
mod mailbox;
mod open;
mod removal;
mod watch;

pub(super) use mailbox::ObjectMailbox;

use super::{
    Appended, Blob, BlobName, Content, Entry, Hints, Hub, HubCheck, HubError, KeyName, LogName,
    Name, Prefix, Put, Result, Revision, Stored, Swapped, Usage, Value, Watched,
};
use bytes::Bytes;
use fault::meant;
use futures_util::TryStreamExt;
use object_store::path::Path;
use object_store::{Error, ObjectMeta, ObjectStore, ObjectStoreExt, PutMode, PutOptions};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use taffrail_model::DeviceId;

/// A hub in a directory or a bucket.
#[derive(Debug, Clone)]
pub struct ObjectHub {
    store: Arc<dyn ObjectStore>,
    root: String,
    place: Place,
    /// The directory, if it is in one.
    folder: Option<PathBuf>,
    /// The newest known revision of each key. Only a starting point: it is checked again.
    revisions: Arc<Mutex<HashMap<KeyName, u64>>>,
}

/// The kind of place, which decides how often to poll and what to report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Directory,
    /// A directory that this program copies between machines.
    Copied(&'static str),
    EncryptedBucket,
    PlainBucket,
}

/// Whether this call created an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Created {
    New,
    WasThere,
}

impl ObjectHub {
    fn path(&self, tail: &str) -> Result<Path> {
        let text = format!("{}/{tail}", self.root);
        Path::parse(text).map_err(|error| HubError::Refused(error.to_string()))
    }

    /// A missing directory is not recreated: its mount is elsewhere, and an empty directory in its
    /// place would look as if everything was lost.
    fn must_be_there(&self) -> Result<()> {
        match self.folder.as_deref().filter(|it| !it.is_dir()) {
            Some(gone) => Err(open::no_directory(gone)),
            None => Ok(()),
        }
    }

    async fn create(&self, path: &Path, bytes: &[u8]) -> Result<Created> {
        self.must_be_there()?;
        let options = PutOptions::from(PutMode::Create);
        match self.store.put_opts(path, frame::wrap(bytes).into(), options).await {
            Ok(_) => Ok(Created::New),
            Err(Error::AlreadyExists { .. }) => Ok(Created::WasThere),
            Err(error) => Err(meant(error)),
        }
    }

    async fn read(&self, path: &Path) -> Result<Option<Bytes>> {
        self.must_be_there()?;
        let bytes = match self.store.get(path).await {
            Ok(found) => found.bytes().await.map_err(meant)?,
            Err(Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(meant(error)),
        };
        frame::unwrap(bytes).map(Some).ok_or_else(|| {
            HubError::Corrupt(format!("{path} is torn. Its writer has to write it again"))
        })
    }

    async fn exists(&self, path: &Path) -> Result<bool> {
        self.must_be_there()?;
        match self.store.head(path).await {
            Ok(_) => Ok(true),
            Err(Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(meant(error)),
        }
    }

    async fn list(&self, folder: &Path) -> Result<Vec<ObjectMeta>> {
        self.must_be_there()?;
        self.store.list(Some(folder)).map_err(meant).try_collect().await
    }

    /// The names below a prefix whose objects have this suffix.
    async fn names<K: Ord>(
        &self,
        kind: &str,
        ending: &str,
        below: &Prefix,
    ) -> Result<Vec<Name<K>>> {
        let folder = self.path(kind)?;
        let from = self.path(&join(kind, below.as_str()))?;
        let found = self.list(&from).await?;
        let names = found.iter().filter_map(|it| name_of(&folder, &it.location, ending));
        let mut names: Vec<Name<K>> = names.filter(|name| below.holds(name)).collect();
        names.sort_unstable();
        Ok(names)
    }

    fn known(&self, key: &KeyName) -> Option<u64> {
        // It is only a cache, so its state after a panic is good enough.
        self.revisions.lock().unwrap_or_else(PoisonError::into_inner).get(key).copied()
    }

    fn remember(&self, key: &KeyName, revision: u64) {
        let mut known = self.revisions.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(key.clone(), revision);
    }

    fn pause(&self) -> Duration {
        match self.place {
            Place::Directory | Place::Copied(_) => Duration::from_secs(1),
            Place::EncryptedBucket | Place::PlainBucket => Duration::from_secs(5),
        }
    }
}

fn join(kind: &str, below: &str) -> String {
    if below.is_empty() { kind.to_owned() } else { format!("{kind}/{below}") }
}

fn name_of<K>(folder: &Path, location: &Path, ending: &str) -> Option<Name<K>> {
    let tail = location.as_ref().strip_prefix(folder.as_ref())?.strip_prefix('/')?;
    Name::new(tail.strip_suffix(ending)?).ok()
}

/// Formats numbers with equal length, so that they are listed in order.
fn padded(number: u64) -> String {
    format!("{number:020}")
}

impl Hub for ObjectHub {
    async fn append(&self, log: &LogName, seq: u64, bytes: Bytes) -> Result<Appended> {
        logs::append(self, log, seq, bytes).await
    }

    async fn last(&self, log: &LogName) -> Result<u64> {
        logs::last(self, log, 0).await
    }

    async fn read_since(&self, log: &LogName, after: u64, limit: usize) -> Result<Vec<Entry>> {
        logs::read_since(self, log, after, limit).await
    }

    async fn logs(&self, below: &Prefix) -> Result<Vec<LogName>> {
        self.names("logs", ".log", below).await
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
        if let Place::Copied(by) = self.place {
            return Err(HubError::Refused(doctor::no_rule(by)));
        }
        keys::cas(self, key, expected, bytes).await
    }

    async fn keys(&self, below: &Prefix) -> Result<Vec<KeyName>> {
        Ok(keys::revisions(self, below).await?.into_keys().collect())
    }

    async fn put_blob(&self, name: &BlobName, content: &Content) -> Result<Put> {
        blobs::put(self, name, content).await
    }

    async fn get_blob(&self, name: &BlobName) -> Result<Option<Blob>> {
        blobs::get(self, name).await
    }

    async fn blobs(&self, below: &Prefix) -> Result<Vec<BlobName>> {
        self.names("blobs", ".blob", below).await
    }

    async fn lengths(&self, below: &Prefix) -> Result<Vec<(LogName, Option<u64>)>> {
        Ok(self.logs(below).await?.into_iter().map(|log| (log, None)).collect())
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
