//! How sessions of other devices stand: what each device last said, and when it was last heard.

use super::{Devices, files};
use crate::Settings;
use crate::live::Card;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use taffrail_model::evidence::{Evidence, Life};
use taffrail_model::relay::{RelayedStatus, device_of, told_as};
use taffrail_model::status::{Status, WaitingFor};
use taffrail_model::text::cut;
use taffrail_model::{DeviceId, Origin, SessionId, Signal, Timestamp, hash};
use taffrail_store::SessionRow;

/// The longest words about what a session waits for, in bytes.
const WORDS: usize = 4096;
/// The folder of how sessions stand, below our data: in it one for each device, with a file for each session.
/// Nothing is indexed from there.
const FOLDER: &str = "stands";
/// The file that says when the device was last heard.
const HEARD: &str = "heard";

/// How a session stands, as other devices are told: without the words where texts stay here.
pub(super) fn said_of(settings: &Settings, card: &Card, bodies: bool) -> RelayedStatus {
    let reading = &card.reading;
    let waiting_for = reading.waiting_for.clone().map(|it| WaitingFor {
        text: match bodies {
            true => taffrail_model::redact::redact(&it.text).into_owned(),
            false => String::new(),
        },
        ..it
    });
    RelayedStatus {
        status: reading.status,
        since: reading.since,
        at: (settings.now)(),
        confidence: reading.confidence.clone(),
        waiting_for,
    }
}

/// When another device was last heard.
pub(crate) fn heard_at(data: &Path, device: &DeviceId) -> Option<Timestamp> {
    fs::read_to_string(folder(data, device).join(HEARD)).ok()?.parse().ok()
}

/// What a device last said of a session; what cannot be read was not said.
fn said(data: &Path, device: &DeviceId, session: SessionId) -> Option<RelayedStatus> {
    let bytes = fs::read(file_of(data, device, session)).ok()?;
    // A crash may leave the end of what stood there before.
    serde_json::Deserializer::from_slice(&bytes).into_iter().next()?.ok()
}

fn folder(data: &Path, device: &DeviceId) -> PathBuf {
    data.join(FOLDER).join(device.as_str())
}

fn file_of(data: &Path, device: &DeviceId, session: SessionId) -> PathBuf {
    folder(data, device).join(hash::to_hex(session.as_bytes()))
}

/// Takes a status; `false` where a later one is known, or the same.
pub(super) fn take(
    data: &Path,
    device: &DeviceId,
    (session, mut status): (SessionId, RelayedStatus),
) -> io::Result<bool> {
    if let Some(waits) = &mut status.waiting_for {
        waits.text = cut(&waits.text, WORDS).to_owned();
    }
    let known = said(data, device, session);
    if known.is_some_and(|it| it.at > status.at || it == status) {
        return Ok(false);
    }
    let bytes = serde_json::to_vec(&status)?;
    overwrite(&file_of(data, device, session), &bytes)?;
    Ok(true)
}

/// Writes over what stands in a small file: much cheaper than a new one in its place.
fn overwrite(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut open = OpenOptions::new();
    let mut file = open.write(true).create(true).truncate(false).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)
}

/// Nothing was said of a session.
pub(super) fn drop(data: &Path, device: &DeviceId, session: SessionId) -> io::Result<()> {
    files::remove(&file_of(data, device, session))
}

/// The device was heard.
pub(super) fn note_heard(data: &Path, device: &DeviceId, now: Timestamp) -> io::Result<()> {
    let folder = folder(data, device);
    DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    match heard_at(data, device).is_some_and(|it| it.as_second() >= now.as_second()) {
        true => Ok(()),
        false => overwrite(&folder.join(HEARD), format!("{now:.9}").as_bytes()),
    }
}

/// How a session of another device stands: as that said, never mixed with what was seen here. `None` for
/// sessions of this device.
pub(crate) fn card_of(
    data: &Path,
    devices: &Devices,
    row: &SessionRow,
    now: Timestamp,
) -> Option<Card> {
    let device = device_of(&row.source_uri)?;
    let name = devices.name_of(&device);
    // With who reads it, a session that is shared has an id of its own.
    let told = told_as(&row.source_uri).unwrap_or(row.id);
    let status = said(data, &device, told).zip(heard_at(data, &device));
    let Some((status, heard_at)) = status else { return Some(silent(row, &name, now)) };
    let reading = status.read(heard_at, now);
    // How long ago that was is told by who shows it.
    let detail = match reading.status == status.status {
        true => format!("said by {name}"),
        false => format!("{name} was last heard at {heard_at:.0}"),
    };
    let evidence = Evidence {
        source: Origin::Unknown("device".to_owned()),
        kind: "status".to_owned(),
        at: status.at,
        confidence: status.confidence.clone(),
        says: Signal::Unknown(status.status.as_str().to_owned()),
        detail,
    };
    Some(Card {
        reading,
        evidence: vec![evidence],
        process: None,
        life: Life::Unknown,
        executor: None,
    })
}

/// Nothing was said of how it stands.
fn silent(row: &SessionRow, name: &str, now: Timestamp) -> Card {
    let since = row.last_event_at.or(row.started_at).unwrap_or(now);
    let reading = taffrail_model::status::Reading {
        status: Status::Unknown,
        since,
        confidence: taffrail_model::Confidence::Low,
        waiting_for: None,
        rule: "its own device did not say how it stands",
        rests_on: vec![0],
        until: None,
    };
    let evidence = Evidence {
        source: Origin::Unknown("device".to_owned()),
        kind: "status".to_owned(),
        at: since,
        confidence: taffrail_model::Confidence::Low,
        says: Signal::Unknown("unknown".to_owned()),
        detail: format!("{name} said nothing"),
    };
    Card { reading, evidence: vec![evidence], process: None, life: Life::Unknown, executor: None }
}
