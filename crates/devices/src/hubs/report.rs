//! What `hub doctor` says besides its checks: how much is stored and grows, and who is behind.

use super::{address, blob_place, block_on, check, heard, open};
use crate::error::{DevicesError, HubFault};
use serde::{Deserialize, Serialize};
use taffrail_context::Settings;
use taffrail_model::Timestamp;
use taffrail_model::exchange::Outbox;
use taffrail_store::Ledger;
use taffrail_sync::exchange::{unread, unread_there};
use taffrail_sync::hub::{AnyHub, Hub, HubCheck, Usage, UsageOf};

/// The key of the samples.
const SAMPLES: &str = "hub/usage";
/// Samples are at least this far apart, in seconds.
const APART: i64 = 60 * 60;
/// Growth is known from samples over at least this time, in seconds.
const ENOUGH: i64 = 12 * 60 * 60;
/// How long samples are kept, in seconds.
const KEPT: i64 = 30 * DAY;
const DAY: i64 = 24 * 60 * 60;

/// The state of the hub, in figures.
#[derive(Debug)]
pub struct Report {
    /// The checks.
    pub checks: Vec<HubCheck>,
    /// What is stored; `None` if the hub cannot say.
    pub disk: Option<Disk>,
    /// The other devices of this user.
    pub lag: Vec<Lag>,
}

/// How much a hub stores. What is unknown is `None`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Disk {
    /// The bytes, in both places if there are two.
    pub bytes: u64,
    /// The most it may store.
    pub limit: Option<u64>,
    /// Whose bytes: `team` or `everyone`.
    pub of: &'static str,
    /// The bytes of the other place of segments and bundles.
    pub blobs: Option<u64>,
    /// By how many bytes it grows a day.
    pub growth_per_day: Option<i64>,
    /// After how many days it is full.
    pub days_left: Option<u64>,
}

/// How far another device is behind, and how far this one is behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lag {
    /// The device.
    pub name: String,
    /// Its user.
    pub user: String,
    /// When something of it last arrived here.
    pub heard_at: Option<Timestamp>,
    /// How many of its batches this device has not read.
    pub entries_behind: Option<u64>,
    /// How many batches of this device it has not read.
    pub it_lacks: Option<u64>,
}

/// How much was stored at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Sample {
    at: i64,
    bytes: u64,
}

/// Checks the hub in use, measures it, and notes the measure.
///
/// # Errors
/// When no hub is in use, or it cannot be asked.
pub fn report(settings: &Settings) -> Result<Report, DevicesError> {
    let checks = check(settings)?;
    let own = taffrail_team::own(settings)?;
    let url = address(settings)?;
    let (disk, lag) = block_on(async {
        let hub = open(settings, &url, own.roster.team(), &own.secret).await?;
        let blobs = blob_place(settings, own.roster.team(), &own.secret)?;
        let disk = disk(settings, &hub, blobs.as_ref()).await?;
        Ok((disk, lag(settings, &hub).await?))
    })?;
    Ok(Report { checks, disk, lag })
}

/// Measures what the hub stores, and notes it.
///
/// # Errors
/// When the ledger cannot be read or written.
pub async fn disk(
    settings: &Settings,
    hub: &AnyHub,
    blobs: Option<&AnyHub>,
) -> Result<Option<Disk>, DevicesError> {
    // A hub that does not say has unknown figures; whether it works is a check of its own.
    let Some(usage) = hub.usage().await.ok().flatten() else { return Ok(None) };
    let other = match blobs {
        Some(blobs) => blobs.usage().await.ok().flatten().map(|it| it.bytes),
        None => None,
    };
    let now = Sample { at: (settings.now)().as_second(), bytes: usage.bytes + other.unwrap_or(0) };
    let mut ledger = Ledger::open(&settings.data, &settings.new_device)?;
    let known = Outbox::note(&mut ledger, SAMPLES).map_err(HubFault::from)?;
    let known: Vec<Sample> =
        known.and_then(|it| serde_json::from_slice(&it).ok()).unwrap_or_default();
    let samples = with(known, now);
    // Numbers always serialize.
    let bytes = serde_json::to_vec(&samples).unwrap_or_default();
    ledger.keep_note(SAMPLES, &bytes).map_err(HubFault::from)?;
    Ok(Some(told(&usage, other, growth(&samples, now))))
}

fn told(usage: &Usage, blobs: Option<u64>, growth_per_day: Option<i64>) -> Disk {
    let room = usage.limit.map(|it| it.saturating_sub(usage.bytes));
    let grows = growth_per_day.and_then(|it| u64::try_from(it).ok()).filter(|it| *it > 0);
    Disk {
        bytes: usage.bytes,
        limit: usage.limit,
        of: match usage.of {
            UsageOf::Team => "team",
            UsageOf::Everyone => "everyone",
        },
        blobs,
        growth_per_day,
        days_left: room.zip(grows).map(|(room, grows)| room / grows),
    }
}

/// The samples with a new one, if it is far enough from the last. Old ones go.
fn with(mut known: Vec<Sample>, now: Sample) -> Vec<Sample> {
    known.retain(|it| it.at <= now.at && now.at - it.at <= KEPT);
    if known.last().is_none_or(|it| now.at - it.at >= APART) {
        known.push(now);
    }
    known
}

fn growth(samples: &[Sample], now: Sample) -> Option<i64> {
    let oldest = samples.first().filter(|it| now.at - it.at >= ENOUGH)?;
    let grown = i128::from(now.bytes) - i128::from(oldest.bytes);
    i64::try_from(grown * i128::from(DAY) / i128::from(now.at - oldest.at)).ok()
}

async fn lag(settings: &Settings, hub: &AnyHub) -> Result<Vec<Lag>, DevicesError> {
    let own = taffrail_team::own(settings)?;
    let Some(mut ledger) = Ledger::open_read_only(&settings.data)? else { return Ok(Vec::new()) };
    let mut out = Vec::new();
    for device in heard(settings)? {
        let member =
            own.roster.members().find(|it| it.is_current() && it.device.name == device.name);
        let Some(id) = member.map(|it| it.device.id.clone()) else { continue };
        // Figures that cannot be had are unknown.
        let behind = unread(hub, &mut ledger, &id).await.ok();
        let lacks = unread_there(hub, &own.roster, (&own.id, &id)).await.ok().flatten();
        out.push(Lag {
            name: device.name,
            user: device.user,
            heard_at: device.heard_at,
            entries_behind: behind,
            it_lacks: lacks,
        });
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(hours: i64, bytes: u64) -> Sample {
        Sample { at: hours * 3600, bytes }
    }

    #[test]
    fn growth_is_known_after_half_a_day() {
        let samples = with(vec![sample(0, 1_000)], sample(11, 2_000));
        assert_eq!(growth(&samples, sample(11, 2_000)), None);
        let samples = with(samples, sample(24, 3_000));
        assert_eq!(growth(&samples, sample(24, 3_000)), Some(2_000));
        assert_eq!(growth(&samples, sample(24, 500)), Some(-500), "it can shrink");
    }

    #[test]
    fn samples_are_apart_and_go_after_a_month() {
        let near = with(vec![sample(0, 1)], sample(0, 2));
        assert_eq!(near.len(), 1);
        let late = with(vec![sample(0, 1), sample(24, 2)], sample(24 * 31, 3));
        assert_eq!(late, [sample(24, 2), sample(24 * 31, 3)]);
        let set_back = with(vec![sample(24, 1)], sample(2, 2));
        assert_eq!(set_back, [sample(2, 2)], "a clock that was set back starts again");
    }

    #[test]
    fn days_are_left_while_it_grows() {
        let usage = Usage { bytes: 60, limit: Some(100), of: UsageOf::Everyone };
        let left = |growth: Option<i64>| told(&usage, None, growth).days_left;
        assert_eq!(
            [left(Some(10)), left(Some(-1)), left(Some(0)), left(None)],
            [Some(4), None, None, None]
        );
        let unlimited = Usage { limit: None, ..usage };
        assert_eq!(told(&unlimited, None, Some(10)).days_left, None);
    }
}
