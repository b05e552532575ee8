//! A directory or a bucket that is opened when it is first needed, and again after it could not be: the
//! place of blobs beside a hub may be away while the hub itself works.

use super::{
    Appended, Aspect, Blob, BlobName, Content, Credentials, Entry, Hints, Hub, HubCheck, HubError,
    HubUrl, KeyName, LogName, ObjectHub, Prefix, Put, Result, Revision, Stored, Swapped, Team,
    Usage, Value, Watched,
};
use bytes::Bytes;
use std::sync::Arc;
use taffrail_model::DeviceId;
use tokio::sync::Mutex;

const NO_SERVER: &str =
    "segments and bundles go to a directory or a bucket beside the hub, not to a server";

/// A directory or a bucket, opened or not. Clones share it.
#[derive(Debug, Clone)]
pub struct LateHub(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    url: HubUrl,
    team: Team,
    credentials: Credentials,
    opened: Mutex<Option<ObjectHub>>,
}

impl LateHub {
    /// Sends no request.
    #[must_use]
    pub fn new(url: HubUrl, team: Team, credentials: Credentials) -> Self {
        Self(Arc::new(Inner { url, team, credentials, opened: Mutex::default() }))
    }

    async fn hub(&self) -> Result<ObjectHub> {
        let mut opened = self.0.opened.lock().await;
        if let Some(hub) = &*opened {
            return Ok(hub.clone());
        }
        let Inner { url, team, credentials, .. } = &*self.0;
        let hub = match url {
            HubUrl::Directory(path) => ObjectHub::directory(path, team)?,
            HubUrl::Bucket(bucket) => ObjectHub::bucket(bucket, team, credentials)?,
            HubUrl::Nats(_) => return Err(HubError::Refused(NO_SERVER.to_owned())),
        };
        *opened = Some(hub.clone());
        Ok(hub)
    }
}

/// Opens the hub and asks it.
macro_rules! ask {
    ($self:ident, $hub:ident => $answer:expr) => {{
        let $hub = $self.hub().await?;
        $answer.await
    }};
}

impl Hub for LateHub {
    async fn append(&self, log: &LogName, seq: u64, bytes: Bytes) -> Result<Appended> {
        ask!(self, hub => hub.append(log, seq, bytes))
    }

    async fn last(&self, log: &LogName) -> Result<u64> {
        ask!(self, hub => hub.last(log))
    }

    async fn read_since(&self, log: &LogName, after: u64, limit: usize) -> Result<Vec<Entry>> {
        ask!(self, hub => hub.read_since(log, after, limit))
    }

    async fn logs(&self, below: &Prefix) -> Result<Vec<LogName>> {
        ask!(self, hub => hub.logs(below))
    }

    async fn lengths(&self, below: &Prefix) -> Result<Vec<(LogName, Option<u64>)>> {
        ask!(self, hub => hub.lengths(below))
    }

    async fn mark(&self) -> Result<Option<u64>> {
        ask!(self, hub => hub.mark())
    }

    async fn beat(&self, device: &DeviceId, bytes: Bytes) -> Result<()> {
        ask!(self, hub => hub.beat(device, bytes))
    }

    async fn get(&self, key: &KeyName) -> Result<Option<Value>> {
        ask!(self, hub => hub.get(key))
    }

    async fn cas(
        &self,
        key: &KeyName,
        expected: Option<Revision>,
        bytes: Bytes,
    ) -> Result<Swapped> {
        ask!(self, hub => hub.cas(key, expected, bytes))
    }

    async fn keys(&self, below: &Prefix) -> Result<Vec<KeyName>> {
        ask!(self, hub => hub.keys(below))
    }

    async fn put_blob(&self, name: &BlobName, content: &Content) -> Result<Put> {
        ask!(self, hub => hub.put_blob(name, content))
    }

    async fn get_blob(&self, name: &BlobName) -> Result<Option<Blob>> {
        ask!(self, hub => hub.get_blob(name))
    }

    async fn blobs(&self, below: &Prefix) -> Result<Vec<BlobName>> {
        ask!(self, hub => hub.blobs(below))
    }

    async fn trim(&self, log: &LogName, first: u64) -> Result<()> {
        ask!(self, hub => hub.trim(log, first))
    }

    async fn remove_blob(&self, name: &BlobName) -> Result<()> {
        ask!(self, hub => hub.remove_blob(name))
    }

    async fn inventory(&self) -> Result<Vec<Stored>> {
        ask!(self, hub => hub.inventory())
    }

    async fn usage(&self) -> Result<Option<Usage>> {
        ask!(self, hub => hub.usage())
    }

    async fn watch(&self, watched: &Watched) -> Result<Hints> {
        ask!(self, hub => hub.watch(watched))
    }

    async fn doctor(&self) -> Vec<HubCheck> {
        match self.hub().await {
            Ok(hub) => hub.doctor().await,
            Err(error) => vec![HubCheck::bad(Aspect::Reached, error.to_string())],
        }
    }
}
