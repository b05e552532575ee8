//! How sessions of other devices stand: what each device last said, and when it was last heard.

use super::{Devices, files};
use crate::Settings;
use crate::live::Card;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use taffrail_model::evidence::{Evidence, Life};
use taffrail_model::relay::{FOLDER, RelayedStatus, device_of, is_name, told_as};
use taffrail_model::status::{Status, WaitingFor};
use taffrail_model::text::cut;
use taffrail_model::{DeviceId, Origin, SessionId, Signal, Timestamp};
use taffrail_store::SessionRow;

/// The most sessions of one device whose status is kept.
const MOST: usize = 4096;
/// The longest words about what a session waits for, in bytes.
const WORDS: usize = 4096;
/// The file of one device's statuses, in its folder.
const FILE: &str = "statuses.json";

/// How the sessions of one device stand.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Statuses {
    heard_at: Option<Timestamp>,
    sessions: BTreeMap<String, RelayedStatus>,
}

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
pub(crate) fn heard_at(settings: &Settings, device: &DeviceId) -> Option<Timestamp> {
    Statuses::of(&files::folder(&settings.data, device)).heard_at
}

impl Statuses {
    /// What a device last said; one that cannot be read said nothing.
    pub(crate) fn of(folder: &Path) -> Self {
        let bytes = fs::read(folder.join(FILE)).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    /// What every device last said.
    pub(crate) fn all(settings: &Settings) -> HashMap<DeviceId, Self> {
        let entries = fs::read_dir(settings.data.join(FOLDER)).into_iter().flatten().flatten();
        let named = entries.filter_map(|it| it.file_name().into_string().ok());
        let named = named.filter(|it| is_name(it)).map(DeviceId::new);
        named.map(|it| (it.clone(), Self::of(&files::folder(&settings.data, &it)))).collect()
    }

    /// Takes a status; `false` where a later one is known, or the same.
    pub(super) fn take(&mut self, session: SessionId, mut status: RelayedStatus) -> bool {
        if let Some(waits) = &mut status.waiting_for {
            waits.text = cut(&waits.text, WORDS).to_owned();
        }
        let known = self.sessions.get(&session.to_string());
        if known.is_some_and(|it| it.at > status.at || *it == status) {
            return false;
        }
        self.sessions.insert(session.to_string(), status);
        true
    }

    pub(super) fn drop(&mut self, session: SessionId) {
        self.sessions.remove(&session.to_string());
    }

    /// The device was heard.
    pub(super) fn heard(&mut self, now: Timestamp) {
        self.heard_at = self.heard_at.max(Some(now));
        while self.sessions.len() > MOST {
            let oldest = self.sessions.iter().min_by_key(|(id, it)| (it.at, *id));
            let Some(oldest) = oldest.map(|(id, _)| id.clone()) else { break };
            self.sessions.remove(&oldest);
        }
    }

    /// Writes it whole. What is lost is said again.
    pub(super) fn keep(&self, folder: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let bytes = serde_json::to_vec(self)?;
        files::put(&folder.join(FILE), &bytes)
    }

    fn status(&self, session: SessionId) -> Option<(&RelayedStatus, Timestamp)> {
        Some((self.sessions.get(&session.to_string())?, self.heard_at?))
    }
}

/// How a session of another device stands: as that said, never mixed with what was seen here. `None` for
/// sessions of this device.
pub(crate) fn card_of(
    devices: &Devices,
    said: &HashMap<DeviceId, Statuses>,
    row: &SessionRow,
    now: Timestamp,
) -> Option<Card> {
    let device = device_of(&row.source_uri)?;
    let name = devices.name_of(&device);
    // With who reads it, a session that is shared has an id of its own.
    let told = told_as(&row.source_uri).unwrap_or(row.id);
    let status = said.get(&device).and_then(|it| it.status(told));
    let Some((status, heard_at)) = status else { return Some(silent(row, &name, now)) };
    let reading = status.read(heard_at, now);
    let detail = match reading.status == status.status {
        true => format!("said by {name}, {} ago", age(status.at, now)),
        false => format!("{name} was not heard for {}", age(heard_at, now)),
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

/// How long ago something was, in one unit.
fn age(at: Timestamp, now: Timestamp) -> String {
    let seconds = now.as_second().saturating_sub(at.as_second()).max(0);
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..86_400 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}
