//! Which streams of a hub to read, and what the last scans found: a device queries only what is
//! sealed to it and changed.

use super::engine::{Durable, Exchange, ItemSink};
use super::keyring::KeyLookup;
use super::{ExchangeError, Inbox, Outbox, names};
use crate::hub::{BlobName, Hub, KeyName, LogName, NameError, Prefix, Watched};
use std::collections::{BTreeMap, BTreeSet};
use taffrail_model::exchange::{Incarnation, StreamOrigin, Writing};
use taffrail_model::replication::is_share;
use taffrail_model::{DeviceId, StreamName, Timestamp};

/// After this many scans everything is queried again, in case a hint was lost.
const LOOKS: u64 = 20;
/// How many seconds a device counts as running twice after the last sign of it.
const TWICE_SECONDS: i64 = 10 * 60;

/// The logs of a hub, with the number of their entries if known.
pub(super) type Lengths = [(LogName, Option<u64>)];

/// The results of the last scans. Forgetting them is safe: it only costs more queries.
#[derive(Debug, Default)]
pub(super) struct Attention {
    /// The number of scans.
    looks: u64,
    /// The hub's mark of the keys when the roster was last fetched.
    mark: Option<u64>,
    /// Streams without a key for us.
    closed: BTreeSet<(DeviceId, StreamName)>,
    /// Shared streams with a key for us.
    shares: BTreeSet<(DeviceId, StreamName)>,
    /// Streams stalled at a batch whose key is not for us, by the epoch of that key.
    pub(super) blocked: BTreeMap<StreamOrigin, u64>,
    /// The lengths of logs when they were last read to their end.
    ended: BTreeMap<StreamOrigin, u64>,
    /// Streams that existed.
    pub(super) there: BTreeSet<StreamOrigin>,
    /// Devices whose segments were searched, with the mark of the keys at that time.
    searched: BTreeMap<DeviceId, Option<u64>>,
    /// Whether devices say how far they have read.
    pub(super) has_policy: bool,
    /// The names of the segments of a stream, while it is read.
    pub(super) segments: BTreeMap<StreamOrigin, Vec<BlobName>>,
    /// Our keys that are correct on the hub.
    pub(super) written: BTreeSet<String>,
    /// The lengths of other lives of our own streams.
    lives: Option<BTreeMap<StreamOrigin, u64>>,
}

impl Attention {
    /// Forgets everything, so that all is queried again.
    pub(super) fn forget(&mut self) {
        let Self { looks, shares, there, lives, has_policy, .. } = std::mem::take(self);
        *self = Self { looks, shares, there, lives, has_policy, ..Self::default() };
    }

    /// A key changed: forgets what followed from it.
    pub(super) fn forget_key(&mut self, device: &DeviceId, stream: &StreamName) {
        self.closed.remove(&(device.clone(), stream.clone()));
    }
}

/// Our interest in a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Interest {
    /// A stream of another device of this user.
    Ours,
    /// A session that may be shared with us.
    Share,
    /// A stream between another user's devices.
    None,
}

impl<H: Hub, S: Outbox + Inbox, A: ItemSink> Exchange<H, S, A> {
    /// Starts a scan: returns whether keys or blobs were written since the roster was last fetched.
    pub(super) async fn keys_moved(&mut self) -> Result<(bool, Option<u64>), ExchangeError> {
        self.attention.looks += 1;
        if self.attention.looks.is_multiple_of(LOOKS) {
            self.attention.forget();
        }
        let mark = self.hub.mark().await?;
        Ok((mark.is_none() || mark != self.attention.mark, mark))
    }

    /// Notes the mark of the keys at which the roster was fetched.
    pub(super) fn note_mark(&mut self, mark: Option<u64>) {
        self.attention.mark = mark;
    }

    /// What to watch: logs and beats of this user's devices, and sessions that are shared with us.
    pub(super) fn watched(&self) -> Result<Watched, NameError> {
        let own = self.of_this_user();
        let logs = own.iter().filter(|it| **it != self.us.device).map(names::logs_of);
        let mut logs = logs.collect::<Result<Vec<_>, _>>()?;
        let mut beats = own.clone();
        for (device, stream) in self.attention.shares.iter().filter(|it| !own.contains(&it.0)) {
            logs.push(Prefix::new(format!("{device}/{stream}"))?);
            beats.push(device.clone());
        }
        beats.dedup();
        Ok(Watched { logs, keys: Prefix::everything(), beats })
    }

    /// The devices of this user that are in the team now.
    pub(super) fn of_this_user(&self) -> Vec<DeviceId> {
        let own = self.user().into_iter().flat_map(|user| self.roster.devices_of(user));
        own.map(|it| it.device.id.clone()).collect()
    }

    /// The user of this device, or of its recovery key.
    fn user(&self) -> Option<&str> {
        let member = self.roster.member(&self.us.device).map(|it| it.device.user.as_str());
        let recovered = || self.roster.recovered_by(&self.us.secret.identity().recipient());
        member.or_else(recovered)
    }

    fn interest(&self, origin: &StreamOrigin) -> Interest {
        let member = self.roster.member(&origin.device).filter(|it| it.is_current());
        match member {
            None => Interest::None,
            Some(_) if origin.device == self.us.device => Interest::None,
            Some(_) if is_share(origin.stream.as_str()) => Interest::Share,
            Some(it) if Some(it.device.user.as_str()) == self.user() => Interest::Ours,
            Some(_) => Interest::None,
        }
    }

    /// The existing streams that we may read, with their lengths.
    pub(super) async fn wanted(
        &mut self,
        lengths: &Lengths,
    ) -> Result<BTreeMap<StreamOrigin, Option<u64>>, ExchangeError> {
        let named = lengths.iter().filter_map(|(log, length)| Some((names::origin(log)?, *length)));
        let mut all: BTreeMap<_, _> =
            named.filter(|(it, _)| self.interest(it) != Interest::None).collect();
        for origin in self.in_segments_alone(&all).await? {
            all.entry(origin).or_insert(None);
        }
        self.attention.there = all.keys().cloned().collect();
        Ok(all)
    }

    /// Streams whose log is gone. Searches segments only for a device that has no log or lost one,
    /// and again only after something was written.
    async fn in_segments_alone(
        &mut self,
        logs: &BTreeMap<StreamOrigin, Option<u64>>,
    ) -> Result<Vec<StreamOrigin>, ExchangeError> {
        let mut found = Vec::new();
        if let Durable::Log = self.durable {
            return Ok(found);
        }
        let mut devices = self.of_this_user();
        devices.retain(|it| *it != self.us.device);
        for device in devices {
            let has_any = logs.keys().any(|it| it.device == device);
            let lost =
                self.attention.there.iter().any(|it| it.device == device && !logs.contains_key(it));
            let mark = self.attention.mark;
            let is_new = self.attention.searched.get(&device) != Some(&mark);
            if (!has_any || lost) && is_new {
                found.extend(self.segmented(&device).await?);
                self.attention.searched.insert(device, mark);
            } else if lost {
                let kept = self.attention.there.iter().filter(|it| it.device == device);
                found.extend(kept.cloned());
            }
        }
        found.retain(|it| self.interest(it) != Interest::None);
        Ok(found)
    }

    /// Whether a stream may be for us, by its keys: nothing of the stream is read.
    pub(super) async fn is_for_us(&mut self, origin: &StreamOrigin) -> Result<bool, ExchangeError> {
        match self.interest(origin) {
            Interest::None => return Ok(false),
            Interest::Ours => return Ok(true),
            Interest::Share => {}
        }
        let which = (origin.device.clone(), origin.stream.clone());
        if self.attention.closed.contains(&which) {
            return Ok(false);
        }
        let mut is_open = self.keys.has_any(&which);
        if !is_open {
            for key in self.hub.keys(&names::keys_of(&which.0, &which.1)?).await? {
                is_open |= self.is_key_for_us(origin, &key).await?;
            }
        }
        let (set, other) = match is_open {
            true => (&mut self.attention.shares, &mut self.attention.closed),
            false => (&mut self.attention.closed, &mut self.attention.shares),
        };
        other.remove(&which);
        set.insert(which);
        Ok(is_open)
    }

    /// Whether a changed key belongs to a session that is shared with us.
    pub(super) async fn is_share_for_us(
        &mut self,
        (device, stream): (&DeviceId, &StreamName),
    ) -> Result<bool, ExchangeError> {
        if !is_share(stream.as_str()) {
            return Ok(false);
        }
        // A key is valid for all lives of its stream.
        let incarnation = Incarnation { count: 0, random: 0 };
        let (device, stream) = (device.clone(), stream.clone());
        self.is_for_us(&StreamOrigin { device, stream, incarnation }).await
    }

    /// Whether a key is for us; one that may be, once the roster is known, counts.
    async fn is_key_for_us(
        &mut self,
        origin: &StreamOrigin,
        key: &KeyName,
    ) -> Result<bool, ExchangeError> {
        let Some(epoch) = names::epoch_of(key) else { return Ok(false) };
        Ok(match self.their_key(origin, epoch).await? {
            KeyLookup::Key(_) | KeyLookup::RosterBehind => true,
            KeyLookup::Nothing | KeyLookup::NotForUs | KeyLookup::Refused(_) => false,
        })
    }

    /// Whether a stream is still stalled at a batch that is not for us; it continues once its key
    /// is.
    pub(super) async fn is_blocked(
        &mut self,
        origin: &StreamOrigin,
    ) -> Result<bool, ExchangeError> {
        let Some(epoch) = self.attention.blocked.get(origin).copied() else { return Ok(false) };
        if let KeyLookup::NotForUs = self.their_key(origin, epoch).await? {
            return Ok(true);
        }
        self.attention.blocked.remove(origin);
        Ok(false)
    }

    /// Whether a log of this length was read to its end.
    pub(super) fn is_read(&self, origin: &StreamOrigin, length: Option<u64>) -> bool {
        let Some(length) = length else { return false };
        let waits = self.attention.blocked.contains_key(origin);
        if waits || self.health.standing.contains_key(origin) {
            return false;
        }
        // A length is the number of entries or the number of the last one: only the same length again
        // means that nothing came.
        self.attention.ended.get(origin) == Some(&length)
    }

    /// Notes that a log of this length was read to its end.
    pub(super) fn note_read(&mut self, origin: &StreamOrigin, length: Option<u64>) {
        if let Some(length) = length {
            self.attention.ended.insert(origin.clone(), length);
        }
    }

    /// Notes whether another copy of this device writes: a life of our streams that does not belong
    /// to this copy grew.
    pub(super) fn note_lives(&mut self, lengths: &Lengths, ours: &[Writing], now: Timestamp) {
        let is_ours = |it: &StreamOrigin| {
            ours.iter().any(|own| own.stream == it.stream && own.incarnation == it.incarnation)
        };
        let named =
            lengths.iter().filter_map(|(log, length)| Some((names::origin(log)?, (*length)?)));
        let others = named.filter(|(it, _)| it.device == self.us.device && !is_ours(it));
        let others: BTreeMap<_, _> = others.collect();
        let was = self.attention.lives.replace(others.clone());
        let grew = |was: &BTreeMap<_, _>| {
            others.iter().any(|(it, length)| was.get(it).is_some_and(|before| before < length))
        };
        if was.as_ref().is_some_and(grew) {
            self.health.twice = Some(now);
        }
        let is_past = |it: Timestamp| now.as_second() - it.as_second() > TWICE_SECONDS;
        if self.health.twice.is_some_and(is_past) {
            self.health.twice = None;
        }
    }
}
