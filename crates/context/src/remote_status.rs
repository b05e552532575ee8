//! The status of other devices' sessions: each device's last report, and when it was last seen.

use crate::atomic_write::remove_file;
use crate::devices::Devices;
use crate::live_status::LiveStatus;
use crate::settings::Settings;
use serde::{Deserialize, Serialize};
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use taffrail_model::evidence::{Evidence, Life};
use taffrail_model::redact::redact;
use taffrail_model::replication::{Order, RelayedStatus, device_of, told_as};
use taffrail_model::status::{Status, WaitingFor};
use taffrail_model::text::cut;
use taffrail_model::{DeviceId, Origin, SessionId, Signal, Timestamp, hash};
use taffrail_store::SessionRow;

/// The longest text about what a session waits for, in bytes.
const WORDS: usize = 4096;
/// The most answers of a question.
const OPTIONS: usize = 16;
/// The folder of statuses, below the data folder: a folder for each device, with a file for each
/// session. It is not indexed.
const FOLDER: &str = "remote-status";
/// The former name of the folder.
const OLD_FOLDER: &str = "stands";
/// The file with the time when the device was last seen, and the skew of its clock.
const HEARD: &str = "heard";
/// Clocks that differ by at most this many seconds count as equal.
const SKEW: i64 = 30;

/// The status of a session as other devices receive it: without texts if those stay here.
pub fn said_of(settings: &Settings, card: &LiveStatus, bodies: bool) -> RelayedStatus {
    let reading = &card.reading;
    let redacted = |text: &String| redact(text).into_owned();
    let waiting_for = reading.waiting_for.as_ref().map(|it| match bodies {
        true => WaitingFor {
            kind: it.kind,
            text: redacted(&it.text),
            options: it.options.iter().map(redacted).collect(),
        },
        false => WaitingFor::new(it.kind, String::new()),
    });
    RelayedStatus {
        status: reading.status,
        since: reading.since,
        at: (settings.now)(),
        confidence: reading.confidence.clone(),
        waiting_for,
        failure: reading.failure,
    }
}

/// When another device was last seen, by our clock.
pub fn heard_at(data: &Path, device: &DeviceId) -> Option<Timestamp> {
    heard(data, device).map(|it| it.0)
}

/// When another device was last seen, and how many seconds our clock is ahead of its, if known.
fn heard(data: &Path, device: &DeviceId) -> Option<(Timestamp, Option<i64>)> {
    let text = fs::read_to_string(folder(data, device).join(HEARD)).ok()?;
    let mut words = text.split_whitespace();
    let at = words.next()?.parse().ok()?;
    Some((at, words.next().and_then(|it| it.parse().ok())))
}

/// How many seconds our clock is ahead of another device's, if that is more than a delay.
pub fn skew(data: &Path, device: &DeviceId) -> Option<i64> {
    heard(data, device)?.1.filter(|it| it.abs() > SKEW)
}

/// The status of a session, as stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct StoredStatus {
    #[serde(flatten)]
    status: RelayedStatus,
    /// Its position in the stream, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    order: Option<String>,
}

impl StoredStatus {
    fn order(&self) -> Option<Order> {
        self.order.as_deref().and_then(Order::parse)
    }
}

/// The last status that a device published for a session; `None` if it cannot be read.
fn said(data: &Path, device: &DeviceId, session: SessionId) -> Option<StoredStatus> {
    let bytes = fs::read(file_of(data, device, session)).ok()?;
    // A crash may leave the end of the previous content.
    let read = serde_json::Deserializer::from_slice(&bytes).into_iter().next()?;
    let logged = read.inspect_err(|error| {
        tracing::debug!(%session, column = error.column(), "cannot read the status of a session");
    });
    logged.ok()
}

fn folder(data: &Path, device: &DeviceId) -> PathBuf {
    root(data).join(device.as_str())
}

/// The folder of all devices; renames one with the old name.
fn root(data: &Path) -> PathBuf {
    let (folder, old) = (data.join(FOLDER), data.join(OLD_FOLDER));
    if !folder.exists() && old.exists() {
        // If this fails, statuses of other devices are unknown until they arrive again.
        fs::rename(old, &folder).ok();
    }
    folder
}

fn file_of(data: &Path, device: &DeviceId, session: SessionId) -> PathBuf {
    folder(data, device).join(hash::to_hex(session.as_bytes()))
}

/// Stores a status; `false` if a later or an equal one is known. The position in the stream decides
/// which is later: a clock that was wrong for a while has no effect.
pub fn take(
    data: &Path,
    device: &DeviceId,
    (session, mut status, order): (SessionId, RelayedStatus, Option<Order>),
) -> io::Result<bool> {
    if let Some(waits) = &mut status.waiting_for {
        waits.text = cut(&waits.text, WORDS).to_owned();
        waits.options.truncate(OPTIONS);
        for option in &mut waits.options {
            *option = cut(option, WORDS).to_owned();
        }
    }
    let known = said(data, device, session);
    let is_known =
        |it: &StoredStatus| (order.is_some() && it.order() > order) || it.status == status;
    if known.as_ref().is_some_and(is_known) {
        return Ok(false);
    }
    let kept = StoredStatus { status, order: order.map(|it| it.to_string()) };
    let bytes = serde_json::to_vec(&kept)?;
    overwrite(&file_of(data, device, session), &bytes)?;
    Ok(true)
}

/// Overwrites a small file in place, which is much cheaper than replacing it.
fn overwrite(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut open = OpenOptions::new();
    let mut file = open.write(true).create(true).truncate(false).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)
}

/// Removes the status of a session, unless the device published it after this position.
pub fn drop(data: &Path, device: &DeviceId, (session, gone): (SessionId, Order)) -> io::Result<()> {
    let known = said(data, device, session).and_then(|it| it.order());
    match known.is_some_and(|order| order > gone) {
        true => Ok(()),
        false => remove_file(&file_of(data, device, session)),
    }
}

/// Records that the device was seen now.
pub fn note_heard(data: &Path, device: &DeviceId, now: Timestamp) -> io::Result<()> {
    let known = heard(data, device);
    // Compare for equality: a time in the future came from a clock that was corrected since.
    if known.is_some_and(|(it, _)| it.as_second() == now.as_second()) {
        return Ok(());
    }
    keep_heard(data, device, (now, known.and_then(|it| it.1)))
}

/// Records a heartbeat of the device, and the time on its clock.
pub fn note_beat(
    data: &Path,
    device: &DeviceId,
    (now, theirs): (Timestamp, Timestamp),
) -> io::Result<()> {
    let ahead = now.as_second().saturating_sub(theirs.as_second());
    keep_heard(data, device, (now, Some(ahead)))
}

fn keep_heard(
    data: &Path,
    device: &DeviceId,
    (now, ahead): (Timestamp, Option<i64>),
) -> io::Result<()> {
    let folder = folder(data, device);
    DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    let ahead = ahead.map(|it| format!(" {it}")).unwrap_or_default();
    overwrite(&folder.join(HEARD), format!("{now:.9}{ahead}").as_bytes())
}

/// The status of another device's session: as that device published it, never mixed with local
/// evidence. `None` for sessions of this device.
pub fn card_of(
    data: &Path,
    devices: &Devices,
    row: &SessionRow,
    now: Timestamp,
) -> Option<LiveStatus> {
    let device = device_of(&row.source_uri)?;
    let name = devices.name_of(&device);
    // A shared session has its own id on the reader's device.
    let told = told_as(&row.source_uri).unwrap_or(row.id);
    let status = said(data, &device, told).zip(heard_at(data, &device));
    let Some((StoredStatus { status, .. }, heard_at)) = status else {
        return Some(silent(row, &name, now));
    };
    let status = by_our_clock(status, skew(data, &device));
    let reading = status.read(heard_at, now);
    // The caller renders how long ago that was.
    let detail = match reading.status == status.status {
        true => format!("said by {name}"),
        false => format!("{name} last reported at {heard_at:.0}"),
    };
    let evidence = Evidence {
        source: Origin::Unknown("device".to_owned()),
        kind: "status".to_owned(),
        at: status.at,
        confidence: status.confidence.clone(),
        says: Signal::Unknown(status.status.as_str().to_owned()),
        detail,
    };
    Some(LiveStatus {
        reading,
        evidence: vec![evidence],
        process: None,
        life: Life::Unknown,
        executor: None,
    })
}

/// Translates the times of a status to our clock.
fn by_our_clock(status: RelayedStatus, ahead: Option<i64>) -> RelayedStatus {
    let Some(ahead) = ahead else { return status };
    let here = |it: Timestamp| {
        Timestamp::from_nanosecond(it.as_nanosecond() + i128::from(ahead) * 1_000_000_000)
            .unwrap_or(it)
    };
    RelayedStatus { since: here(status.since), at: here(status.at), ..status }
}

/// The status of a session for which the device published none.
fn silent(row: &SessionRow, name: &str, now: Timestamp) -> LiveStatus {
    let since = row.last_event_at.or(row.started_at).unwrap_or(now);
    let reading = taffrail_model::status::Reading {
        status: Status::Unknown,
        since,
        confidence: taffrail_model::Confidence::Low,
        waiting_for: None,
        rule: taffrail_model::status::StatusRule::RemoteUnreported,
        rests_on: vec![0],
        until: None,
        failure: None,
    };
    let evidence = Evidence {
        source: Origin::Unknown("device".to_owned()),
        kind: "status".to_owned(),
        at: since,
        confidence: taffrail_model::Confidence::Low,
        says: Signal::Unknown("unknown".to_owned()),
        detail: format!("{name} said nothing"),
    };
    LiveStatus {
        reading,
        evidence: vec![evidence],
        process: None,
        life: Life::Unknown,
        executor: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_model::Confidence;
    use taffrail_model::exchange::Incarnation;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn says(status: Status, second: i64) -> RelayedStatus {
        let (since, at, confidence) = (at(second), at(second), Confidence::High);
        RelayedStatus { status, since, at, confidence, waiting_for: None, failure: None }
    }

    fn order(life: u32, number: u64) -> Option<Order> {
        Some(Order { life: Incarnation { count: life, random: 1 }, number })
    }

    #[test]
    fn statuses_in_the_folder_of_an_older_version_are_still_known() {
        let data = tempfile::tempdir().unwrap();
        let old = data.path().join(OLD_FOLDER).join("laptop");
        fs::create_dir_all(&old).unwrap();
        fs::write(old.join(HEARD), "2026-10-01T10:30:00Z 0").unwrap();
        let (device, at) = (DeviceId::new("laptop"), "2026-10-01T10:30:00Z".parse().ok());
        assert_eq!(heard_at(data.path(), &device), at);
        assert_eq!(heard_at(data.path(), &device), at, "again, from the folder of today");
        assert!(!data.path().join(OLD_FOLDER).exists());
    }

    #[test]
    fn a_status_said_with_a_wrong_clock_sticks() {
        let folder = tempfile::tempdir().unwrap();
        let (data, device) = (folder.path(), DeviceId::new("laptop"));
        let session = SessionId::from_bytes([1; 16]);
        note_heard(data, &device, at(1_000)).unwrap();
        let check = |said: RelayedStatus, order, taken: bool, stands: Status| {
            assert_eq!(take(data, &device, (session, said, order)).unwrap(), taken, "{order:?}");
            assert_eq!(super::said(data, &device, session).unwrap().status.status, stands);
        };
        // Two hours ahead, then correct again.
        check(says(Status::Exited, 8_200), order(1, 4), true, Status::Exited);
        check(says(Status::Running, 1_010), order(1, 5), true, Status::Running);
        // Received again after a crash, or from a copy of the device that lost its incarnation.
        check(says(Status::Exited, 8_200), order(1, 4), false, Status::Running);
        check(says(Status::Idle, 1_000), order(2, 1), true, Status::Idle);
        check(says(Status::Running, 9_000), order(1, 6), false, Status::Idle);
        check(says(Status::Running, 1_020), order(2, 2), true, Status::Running);
    }

    #[test]
    fn a_status_kept_without_its_order_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (data, device) = (folder.path(), DeviceId::new("laptop"));
        let session = SessionId::from_bytes([1; 16]);
        note_heard(data, &device, at(1_000)).unwrap();
        let old = serde_json::to_vec(&says(Status::Running, 5_000)).unwrap();
        fs::write(file_of(data, &device, session), old).unwrap();
        assert_eq!(said(data, &device, session).unwrap().status.status, Status::Running);
        let new = (session, says(Status::Exited, 1_000), order(1, 1));
        assert!(take(data, &device, new).unwrap());
        assert_eq!(said(data, &device, session).unwrap().status.status, Status::Exited);
    }

    #[test]
    fn a_reader_whose_clock_is_off_shows_sessions_as_unknown() {
        let device = DeviceId::new("laptop");
        for (ours, expected) in [(10_180, Some(180)), (9_820, Some(-180)), (10_020, None)] {
            let folder = tempfile::tempdir().unwrap();
            let data = folder.path();
            note_beat(data, &device, (at(ours), at(10_000))).unwrap();
            assert_eq!(skew(data, &device), expected);
            let said = by_our_clock(says(Status::Running, 9_990), skew(data, &device));
            let read = said.read(heard_at(data, &device).unwrap(), at(ours + 60));
            assert_eq!(read.status, Status::Running, "{ours}");
            let age = ours - read.since.as_second();
            assert!((0..=40).contains(&age), "it runs for {age} s");
            // Items received in between do not change that.
            note_heard(data, &device, at(ours + 5)).unwrap();
            assert_eq!(skew(data, &device), expected);
        }
    }

    #[test]
    fn a_clock_that_was_set_back_does_not_make_a_device_silent() {
        let folder = tempfile::tempdir().unwrap();
        let (data, device) = (folder.path(), DeviceId::new("laptop"));
        note_heard(data, &device, at(8_000)).unwrap();
        note_heard(data, &device, at(1_000)).unwrap();
        assert_eq!(heard_at(data, &device), Some(at(1_000)), "by the clock as it is now");
    }
}
