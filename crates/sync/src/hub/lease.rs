//! Leases: the exclusive right to do something for a limited time.
//!
//! A lease is a key with a holder and an end. Taking it is a compare-and-set, so only one caller
//! wins; its revision is the fencing token. Time is an argument. Leases assume that the clocks of
//! any two devices differ by at most [`SKEW`]. A holder stops at the end by its own clock, and
//! others wait [`SKEW`] longer by theirs, so no two hold at the same instant. If clocks differ by
//! more, two can believe they hold it; whatever compares tokens with a [`Fence`] still accepts only
//! the newer one. A lease binds only programs that ask for it.

use super::{Hub, HubError, KeyName, Result, Revision, Swapped, Value};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use taffrail_model::Timestamp;

/// How much the clocks of two devices may differ, in milliseconds.
pub const SKEW: i64 = 30_000;
/// The longest duration of a lease without renewal, in milliseconds.
pub const LONGEST: i64 = 60 * 60 * 1000;
/// How many times a contested key is tried before the caller gets an error.
const TRIES: usize = 8;

/// A lease that is held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// The holder. Two programs that must exclude each other need two names, even on one device.
    pub holder: String,
    /// When it ends, by the holder's clock.
    pub until: Timestamp,
    /// Higher than the token of every earlier holder.
    pub token: Revision,
}

/// The result of requesting a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lease {
    /// The caller holds it.
    Held(Held),
    /// Another holder has it.
    Taken {
        /// The holder.
        holder: String,
        /// When it ends, by the holder's clock.
        until: Timestamp,
    },
    /// A lease to renew is not held by anyone.
    Free,
}

/// A lease as stored on the hub. Times are in milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Written {
    v: u8,
    holder: Option<String>,
    until: i64,
}

const VERSION: u8 = 1;

impl Held {
    /// Whether it is still held, by the holder's own clock.
    #[must_use]
    pub fn is_held(&self, now: Timestamp) -> bool {
        now < self.until
    }
}

/// Takes a lease that is free, has ended, or already belongs to the caller.
pub async fn acquire(
    hub: &impl Hub,
    key: &KeyName,
    holder: &str,
    until: Timestamp,
    now: Timestamp,
) -> Result<Lease> {
    check_length(until, now)?;
    for _ in 0..TRIES {
        let (revision, written) = parts(hub.get(key).await?)?;
        if let Some(other) = other_holder(written.as_ref(), holder, now) {
            return Ok(other);
        }
        if let Some(held) = write(hub, key, revision, (holder, until)).await? {
            return Ok(Lease::Held(held));
        }
    }
    Err(contested(key))
}

/// Extends a lease that is still stored as the caller's, ended or not.
pub async fn renew(
    hub: &impl Hub,
    key: &KeyName,
    held: &Held,
    until: Timestamp,
    now: Timestamp,
) -> Result<Lease> {
    check_length(until, now)?;
    for _ in 0..TRIES {
        let (revision, written) = parts(hub.get(key).await?)?;
        match written.and_then(|it| Some((it.holder?, it.until))) {
            None => return Ok(Lease::Free),
            Some((holder, until)) if holder != held.holder => {
                return Ok(Lease::Taken { holder, until: instant(until) });
            }
            Some(_) => {}
        }
        if let Some(held) = write(hub, key, revision, (&held.holder, until)).await? {
            return Ok(Lease::Held(held));
        }
    }
    Err(contested(key))
}

/// Releases a lease. It is not an error if another holder or none has it.
pub async fn release(hub: &impl Hub, key: &KeyName, holder: &str) -> Result<()> {
    for _ in 0..TRIES {
        let (revision, written) = parts(hub.get(key).await?)?;
        if written.and_then(|it| it.holder).as_deref() != Some(holder) {
            return Ok(());
        }
        let free = Written { v: VERSION, holder: None, until: 0 };
        if let Swapped::Done(_) = hub.cas(key, revision, encode(&free)?).await? {
            return Ok(());
        }
    }
    Err(contested(key))
}

/// The newest token that a guarded resource has seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Fence {
    newest: Option<Revision>,
}

impl Fence {
    /// Whether the holder of this token may still act. A newer token excludes it.
    pub fn admits(&mut self, token: Revision) -> bool {
        let is_new = self.newest.is_none_or(|newest| token >= newest);
        if is_new {
            self.newest = Some(token);
        }
        is_new
    }
}

async fn write(
    hub: &impl Hub,
    key: &KeyName,
    revision: Option<Revision>,
    (holder, until): (&str, Timestamp),
) -> Result<Option<Held>> {
    let written =
        Written { v: VERSION, holder: Some(holder.to_owned()), until: until.as_millisecond() };
    let bytes = encode(&written)?;
    Ok(match hub.cas(key, revision, bytes).await? {
        Swapped::Done(token) => Some(Held { holder: holder.to_owned(), until, token }),
        Swapped::Conflict => None,
    })
}

fn parts(value: Option<Value>) -> Result<(Option<Revision>, Option<Written>)> {
    let Some(value) = value else { return Ok((None, None)) };
    let written: Option<Written> = serde_json::from_slice(&value.bytes).ok();
    let written = written.filter(|it| it.v == VERSION);
    let odd = || HubError::Corrupt("a lease is not one, or of a newer program".to_owned());
    Ok((Some(value.revision), Some(written.ok_or_else(odd)?)))
}

fn other_holder(written: Option<&Written>, holder: &str, now: Timestamp) -> Option<Lease> {
    let written = written?;
    let other = written.holder.as_ref().filter(|it| *it != holder)?;
    let is_over = now.as_millisecond() >= written.until.saturating_add(SKEW);
    let until = instant(written.until);
    (!is_over).then(|| Lease::Taken { holder: other.clone(), until })
}

fn check_length(until: Timestamp, now: Timestamp) -> Result<()> {
    let length = until.as_millisecond().saturating_sub(now.as_millisecond());
    if (1..=LONGEST).contains(&length) {
        return Ok(());
    }
    Err(HubError::Refused("a lease runs for at least a moment and at most an hour".to_owned()))
}

fn instant(milliseconds: i64) -> Timestamp {
    Timestamp::from_millisecond(milliseconds).unwrap_or(Timestamp::MAX)
}

fn encode(written: &Written) -> Result<Bytes> {
    let bytes = serde_json::to_vec(written);
    bytes.map(Bytes::from).map_err(|error| HubError::Refused(error.to_string()))
}

fn contested(key: &KeyName) -> HubError {
    HubError::Unreachable(format!("{key} is written by many at once"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hub::MemoryHub;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    fn key() -> KeyName {
        KeyName::new("lease/x").unwrap()
    }

    async fn take(hub: &MemoryHub, holder: &str, until: i64, now: i64) -> Lease {
        acquire(hub, &key(), holder, at(until), at(now)).await.unwrap()
    }

    fn held(holder: &str, until: i64, token: u64) -> Held {
        Held { holder: holder.to_owned(), until: at(until), token: Revision(token) }
    }

    fn taken(holder: &str, until: i64) -> Lease {
        Lease::Taken { holder: holder.to_owned(), until: at(until) }
    }

    #[tokio::test]
    async fn one_holds_at_a_time() {
        let hub = MemoryHub::new();
        assert_eq!(take(&hub, "a", 100, 0).await, Lease::Held(held("a", 100, 1)));
        assert_eq!(take(&hub, "b", 100, 50).await, taken("a", 100));
        assert_eq!(take(&hub, "b", 200, 129).await, taken("a", 100), "clocks may differ");
        assert_eq!(take(&hub, "b", 200, 130).await, Lease::Held(held("b", 200, 2)));
        assert_eq!(take(&hub, "b", 210, 140).await, Lease::Held(held("b", 210, 3)));
    }

    #[tokio::test]
    async fn a_lease_is_renewed_and_given_back() {
        let hub = MemoryHub::new();
        let Lease::Held(first) = take(&hub, "a", 100, 0).await else { panic!("it is free") };
        let longer = renew(&hub, &key(), &first, at(150), at(90)).await.unwrap();
        assert_eq!(longer, Lease::Held(held("a", 150, 2)));
        release(&hub, &key(), &first.holder).await.unwrap();
        assert_eq!(renew(&hub, &key(), &first, at(150), at(91)).await.unwrap(), Lease::Free);
        assert_eq!(take(&hub, "b", 200, 91).await, Lease::Held(held("b", 200, 4)));
        assert_eq!(renew(&hub, &key(), &first, at(150), at(92)).await.unwrap(), taken("b", 200));
        release(&hub, &key(), &first.holder).await.unwrap();
        assert_eq!(take(&hub, "c", 200, 93).await, taken("b", 200));
    }

    #[tokio::test]
    async fn a_length_has_bounds() {
        let hub = MemoryHub::new();
        for (until, is_fine) in [(0, false), (1, true), (3600, true), (3601, false)] {
            let answer = acquire(&hub, &key(), "a", at(until), at(0)).await;
            assert_eq!(answer.is_ok(), is_fine, "{until}: {answer:?}");
        }
    }

    #[tokio::test]
    async fn what_is_no_lease_is_not_taken() {
        let hub = MemoryHub::new();
        hub.cas(&key(), None, "{}".into()).await.unwrap();
        let answer = acquire(&hub, &key(), "a", at(10), at(0)).await;
        assert!(matches!(answer, Err(HubError::Corrupt(_))), "{answer:?}");
    }

    #[test]
    fn a_fence_admits_only_the_newest() {
        let mut fence = Fence::default();
        let admitted = [2, 2, 5, 3, 5, 4].map(|token| fence.admits(Revision(token)));
        assert_eq!(admitted, [true, true, true, false, true, false]);
    }
}
