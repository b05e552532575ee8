//! Requests of agents on other devices, kept until those devices report them settled.

use super::{Asks, MOST, Settlement, begins, name_of};
use crate::error::DevicesError;
use crate::link::ExchangeHandle;
use crate::replication;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use taffrail_api::ApprovalRow;
use taffrail_context::Error;
use taffrail_context::Settings;
use taffrail_model::approval::{ApprovalId, COMMAND_BYTES, State};
use taffrail_model::replication::FOLDER;
use taffrail_model::text::cut;
use taffrail_model::{Confidence, DeviceId, SessionId, Timestamp};
use taffrail_store::StoreError;
use taffrail_sync::Digest;
use taffrail_sync::exchange::Item;
use taffrail_sync::exchange::decision::{Answer, is_of_same_user};
use taffrail_team::ThisDevice;

/// The file of one device's requests, in that device's folder.
const FILE: &str = "requests.json";

/// The requests of one device.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Requests {
    pub(super) open: BTreeMap<ApprovalId, Request>,
    /// The outcomes of requests that were open, latest last.
    pub(super) settled: Vec<(ApprovalId, Settlement)>,
}

/// A request of another device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Request {
    pub(super) session: SessionId,
    pub(super) input: Digest,
    pub(super) expires: Timestamp,
    pub(super) asks: Asks,
    /// The answer given from here.
    #[serde(default)]
    pub(super) answer: Option<Answer>,
}

impl Requests {
    /// Loads the requests of a device; an unreadable file counts as empty.
    pub(super) fn of(settings: &Settings, device: &DeviceId) -> Self {
        // Most devices have no requests and no file.
        let Ok(bytes) = std::fs::read(path(settings, device)) else { return Self::default() };
        serde_json::from_slice(&bytes).unwrap_or_else(|error| {
            tracing::warn!(
                device = device.as_str(),
                place = error.column(),
                "cannot read the requests of a device"
            );
            Self::default()
        })
    }

    /// Saves the requests. They are on disk when this returns.
    pub(super) fn keep(&self, settings: &Settings, device: &DeviceId) -> Result<(), DevicesError> {
        let bytes = serde_json::to_vec(self).map_err(|error| Error::Bug(error.to_string()))?;
        let path = path(settings, device);
        let folder = path.parent().unwrap_or(&path);
        let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(StoreError::from)?;
        Ok(taffrail_context::atomic_write(&path, &bytes).map_err(StoreError::from)?)
    }

    /// Applies a request or its settlement; returns the id that changed.
    fn take(&mut self, item: &Item) -> Option<ApprovalId> {
        match item {
            Item::Request { id, session, input, body, expires } => {
                let mut asks: Asks = serde_json::from_str(body).ok()?;
                asks.truncated |= asks.command.len() > COMMAND_BYTES;
                asks.command = cut(&asks.command, COMMAND_BYTES).to_owned();
                let known = self.open.get(id).and_then(|it| it.answer.clone());
                let (session, input, expires) = (*session, *input, *expires);
                let request = Request { session, input, expires, asks, answer: known };
                self.settled.retain(|(it, _)| it != id);
                self.open.insert(id.clone(), request);
                Some(id.clone())
            }
            Item::Settled { id, body } => {
                let end = serde_json::from_str(body).ok()?;
                self.settled.retain(|(it, _)| it != id);
                self.settled.push((id.clone(), end));
                Some(id.clone())
            }
            _ => None,
        }
    }

    /// Drops what is over, and the oldest entries above the limit.
    fn tidy(&mut self, now: Timestamp) {
        self.open.retain(|id, it| it.expires > now && !self.settled.iter().any(|(of, _)| of == id));
        while self.open.len() > MOST {
            let oldest = self.open.iter().min_by_key(|(_, it)| it.asks.asked_at);
            let Some(oldest) = oldest.map(|(id, _)| id.clone()) else { break };
            self.open.remove(&oldest);
        }
        self.settled.drain(..self.settled.len().saturating_sub(MOST));
    }
}

fn path(settings: &Settings, device: &DeviceId) -> PathBuf {
    replication::folder_of(&settings.data, device).join(FILE)
}

/// Applies a device's items about its requests, and publishes the changes.
pub(super) fn hear(
    handle: &ExchangeHandle,
    own: &ThisDevice,
    (device, items): (&DeviceId, &[&Item]),
) -> Result<(), DevicesError> {
    let settings = handle.settings();
    let _alone = handle.state().alone();
    let mut known = Requests::of(settings, device);
    let before = known.open.clone();
    let changed: Vec<ApprovalId> = items.iter().filter_map(|it| known.take(it)).collect();
    if changed.is_empty() {
        return Ok(());
    }
    let after = known.clone();
    known.tidy((settings.now)());
    known.keep(settings, device)?;
    handle.state().note_settlement();
    for id in changed {
        let request = before.get(&id).or_else(|| after.open.get(&id));
        let end = after.settled.iter().rfind(|(of, _)| *of == id).map(|(_, end)| end);
        if let Some(request) = request {
            handle.publish_request(row(&name_of(own, device), &id, (request, end)));
        }
    }
    Ok(())
}

/// A request as the user interfaces list it.
pub(super) fn row(
    device: &str,
    id: &ApprovalId,
    (it, end): (&Request, Option<&Settlement>),
) -> ApprovalRow {
    ApprovalRow {
        id: id.clone(),
        session_id: it.session,
        project_path: None,
        agent: it.asks.agent.clone(),
        tool: it.asks.tool.clone(),
        command: it.asks.command.clone(),
        truncated: it.asks.truncated,
        redacted: it.asks.redacted,
        input_hash: it.asks.input_hash.clone(),
        risk: it.asks.risk.clone(),
        state: end.map_or(State::Pending, |it| it.state.clone()),
        outcome: None,
        asked_at: it.asks.asked_at,
        expires_at: it.expires,
        sources: vec!["device".to_owned()],
        confidence: Confidence::High,
        device: Some(device.to_owned()),
        input: None,
    }
}

/// Requests of other devices that can be answered from here, oldest first.
pub(super) fn open_elsewhere(settings: &Settings) -> Result<Vec<ApprovalRow>, DevicesError> {
    let now = (settings.now)();
    let of = |it: DeviceId| {
        let open = Requests::of(settings, &it).open;
        (it, open)
    };
    let all = asking(&settings.data).into_iter().map(of).filter(|(_, open)| !open.is_empty());
    let all: Vec<_> = all.collect();
    if all.is_empty() {
        return Ok(Vec::new());
    }
    let own = taffrail_team::own(settings)?;
    let mut rows = Vec::new();
    for (device, open) in all.iter().filter(|(it, _)| is_of_same_user(&own.roster, &own.id, it)) {
        let open = open.iter().filter(|(_, it)| it.expires > now);
        rows.extend(open.map(|(id, it)| row(&name_of(&own, device), id, (it, None))));
    }
    rows.sort_by_key(|it| it.asked_at);
    Ok(rows)
}

/// Returns the one open request of another device whose id has this prefix.
pub(super) fn find(
    settings: &Settings,
    beginning: &str,
) -> Result<Option<(DeviceId, ApprovalId)>, DevicesError> {
    let mut found = Vec::new();
    for device in asking(&settings.data) {
        let requests = Requests::of(settings, &device);
        let ids = requests.open.into_keys().chain(requests.settled.into_iter().map(|it| it.0));
        found.extend(ids.filter(|it| begins(it, beginning)).map(|it| (device.clone(), it)));
    }
    found.dedup();
    match found.len() {
        0 | 1 => Ok(found.pop()),
        _ => Err(Error::Undecided(format!("`{beginning}` begins several ids")).into()),
    }
}

/// The devices that have ever published a request.
fn asking(data: &Path) -> Vec<DeviceId> {
    let entries = std::fs::read_dir(data.join(FOLDER)).into_iter().flatten().flatten();
    let asked = entries.filter(|it| it.path().join(FILE).exists());
    let names = asked.filter_map(|it| it.file_name().into_string().ok());
    let mut names: Vec<_> = names.filter(|it| taffrail_model::replication::is_name(it)).collect();
    names.sort();
    names.into_iter().map(DeviceId::new).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn asked(id: &str, expires: i64) -> Item {
        let body = serde_json::json!({"agent": "toy", "tool": "Bash", "command": "ls",
            "input_hash": "00", "risk": "low", "asked_at": at(1)});
        Item::Request {
            id: ApprovalId::new(id),
            session: SessionId::from_bytes([1; 16]),
            input: Digest::from_bytes([2; 32]),
            body: body.to_string(),
            expires: at(expires),
        }
    }

    fn settled(id: &str) -> Item {
        let body = r#"{"state":"decided","decision":"allow","by":"cli","at":null}"#.to_owned();
        Item::Settled { id: ApprovalId::new(id), body }
    }

    #[test]
    fn a_request_is_open_until_it_is_settled_or_late() {
        let check = |items: &[Item], open: &[&str], over: &[&str]| {
            let mut known = Requests::default();
            // Applying it again after a crash changes nothing.
            for item in items.iter().chain(items) {
                known.take(item);
            }
            known.tidy(at(10));
            let ids: Vec<_> = known.open.keys().map(ApprovalId::as_str).collect();
            let ends: Vec<_> = known.settled.iter().map(|(id, _)| id.as_str()).collect();
            assert_eq!((ids.as_slice(), ends.as_slice()), (open, over), "{items:?}");
        };
        check(&[asked("a", 20), asked("b", 20)], &["a", "b"], &[]);
        check(&[asked("a", 20), asked("b", 10)], &["a"], &[]);
        check(&[asked("a", 20), settled("a")], &[], &["a"]);
        // A settlement is kept once, however often it is received.
        check(&[settled("a"), settled("b")], &[], &["a", "b"]);
        // Its hook came back.
        check(&[asked("a", 20), settled("a"), asked("a", 20)], &["a"], &[]);
        let odd = Item::Settled { id: ApprovalId::new("a"), body: "?".to_owned() };
        check(&[asked("a", 20), odd], &["a"], &[]);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut known = Requests::default();
        for number in 0..MOST + 5 {
            known.take(&asked(&format!("{number:04}"), 20));
        }
        known.tidy(at(10));
        assert_eq!(known.open.len(), MOST);
    }
}
