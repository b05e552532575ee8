//! A mailbox in a directory or a bucket: an object for each slot, removed after the meeting.

use super::{Created, ObjectHub, meant};
use crate::hub::mailbox::{Mail, Slot, check_size};
use crate::hub::{Bucket, Credentials, HubError, Put, Result, Team};
use bytes::Bytes;
use object_store::path::Path as ObjectPath;
use object_store::{Error, ObjectStoreExt};
use std::path::Path;
use std::time::Duration;

/// The folder of all meetings. Names of teams are longer.
const FOLDER: &str = "link";
/// How long the messages of a meeting stay that broke off, in seconds, by the store's clock.
const KEPT_SECONDS: i64 = 60 * 60;

/// A mailbox in a directory or a bucket.
#[derive(Debug)]
pub struct ObjectMailbox {
    hub: ObjectHub,
    place: String,
}

impl ObjectMailbox {
    pub(in crate::hub) fn directory(path: &Path, place: &str) -> Result<Self> {
        Ok(Self { hub: ObjectHub::directory(path, &folder()?)?, place: place.to_owned() })
    }

    pub(in crate::hub) fn bucket(
        bucket: &Bucket,
        place: &str,
        credentials: &Credentials,
    ) -> Result<Self> {
        let hub = ObjectHub::bucket(bucket, &folder()?, credentials)?;
        Ok(Self { hub, place: place.to_owned() })
    }

    fn path(&self, slot: Slot) -> Result<ObjectPath> {
        self.hub.path(&format!("{}/{}.message", self.place, slot.as_str()))
    }

    pub(in crate::hub) async fn put(&self, slot: Slot, bytes: &Bytes) -> Result<Put> {
        check_size(bytes)?;
        let path = self.path(slot)?;
        if self.hub.create(&path, bytes).await? == Created::New {
            return Ok(Put::New);
        }
        match self.hub.read(&path).await? {
            Some(there) if there == *bytes => Ok(Put::Already),
            Some(_) | None => Ok(Put::Conflict),
        }
    }

    pub(in crate::hub) async fn get(&self, slot: Slot) -> Result<Mail> {
        if let Some(bytes) = self.hub.read(&self.path(slot)?).await? {
            return Ok(Mail::Message(bytes));
        }
        let waits = slot != Slot::Offer && self.hub.exists(&self.path(Slot::Offer)?).await?;
        Ok(if waits { Mail::NotYet } else { Mail::Nobody })
    }

    pub(in crate::hub) async fn clear(&self) -> Result<()> {
        // The offer goes first: without it nobody answers any more.
        for slot in Slot::ALL {
            self.remove(&self.path(slot)?).await?;
        }
        self.remove_folder(&self.place);
        Ok(())
    }

    /// Removes the messages of meetings that broke off long before this one.
    pub(in crate::hub) async fn sweep(&self) -> Result<()> {
        let folder = self.hub.path("")?;
        let found = self.hub.list(&folder).await?;
        let Some(newest) = found.iter().map(|it| it.last_modified).max() else { return Ok(()) };
        for old in
            found.iter().filter(|it| (newest - it.last_modified).num_seconds() > KEPT_SECONDS)
        {
            self.remove(&old.location).await?;
            let place = old.location.as_ref().rsplit('/').nth(1);
            place.into_iter().for_each(|it| self.remove_folder(it));
        }
        Ok(())
    }

    async fn remove(&self, path: &ObjectPath) -> Result<()> {
        match self.hub.store.delete(path).await {
            Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(meant(error)),
        }
    }

    /// A directory keeps the folder of what was in it; only an empty one can be removed.
    fn remove_folder(&self, place: &str) {
        let Some(top) = &self.hub.folder else { return };
        if let Err(error) = std::fs::remove_dir(top.join(&self.hub.root).join(place)) {
            tracing::debug!(%error, "an empty folder of the hub stays");
        }
    }

    pub(in crate::hub) fn pause(&self) -> Duration {
        self.hub.pause() / 2
    }
}

fn folder() -> Result<Team> {
    Team::new(FOLDER).map_err(|error| HubError::Refused(error.to_string()))
}
