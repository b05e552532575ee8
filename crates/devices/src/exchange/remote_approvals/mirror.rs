//! Requests of agents on other devices, kept until those devices report them settled.

use super::{Asks, Settlement, ledger, name_of, read, written};
use crate::error::DevicesError;
use crate::link::ExchangeHandle;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use taffrail_api::ApprovalRow;
use taffrail_context::Error;
use taffrail_context::Settings;
use taffrail_model::approval::{ApprovalId, COMMAND_BYTES, State};
use taffrail_model::text::cut;
use taffrail_model::{Confidence, DeviceId, SessionId, Timestamp};
use taffrail_store::{Ledger, RemoteChange, RemoteRequest};
use taffrail_sync::Digest;
use taffrail_sync::exchange::Item;
use taffrail_sync::exchange::decision::{Answer, is_of_same_user};
use taffrail_team::ThisDevice;

/// A request of another device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Request {
    pub(super) session: SessionId,
    pub(super) input: Digest,
    pub(super) expires: Timestamp,
    pub(super) asks: Asks,
    /// The answer given from here, which has a column of its own.
    #[serde(skip)]
    pub(super) answer: Option<Answer>,
}

impl Request {
    fn of(stored: &RemoteRequest) -> Option<Self> {
        let answer = stored.answer.as_deref().and_then(read);
        Some(Self { answer, ..read(&stored.body)? })
    }

    fn stored(&self, device: &DeviceId, id: &ApprovalId) -> Result<RemoteRequest, DevicesError> {
        Ok(RemoteRequest {
            device: device.clone(),
            id: id.clone(),
            asked_at: self.asks.asked_at,
            expires_at: self.expires,
            body: written(self)?,
            answer: None,
        })
    }
}

/// What a device says about one of its requests.
#[derive(Debug, Clone, PartialEq)]
enum Report {
    Asked(ApprovalId, Box<Request>),
    Settled(ApprovalId, Settlement),
}

impl Report {
    /// Reads a request or its settlement; `None` for other items, and for those of later versions.
    fn of(item: &Item) -> Option<Self> {
        match item {
            Item::Request { id, session, input, body, expires } => {
                let mut asks: Asks = serde_json::from_str(body).ok()?;
                asks.truncated |= asks.command.len() > COMMAND_BYTES;
                asks.command = cut(&asks.command, COMMAND_BYTES).to_owned();
                let (session, input, expires) = (*session, *input, *expires);
                let request = Request { session, input, expires, asks, answer: None };
                Some(Self::Asked(id.clone(), Box::new(request)))
            }
            Item::Settled { id, body } => {
                Some(Self::Settled(id.clone(), serde_json::from_str(body).ok()?))
            }
            _ => None,
        }
    }

    fn stored(&self, device: &DeviceId) -> Result<RemoteChange, DevicesError> {
        Ok(match self {
            Self::Asked(id, request) => RemoteChange::Asked(request.stored(device, id)?),
            Self::Settled(id, end) => {
                RemoteChange::Settled(device.clone(), id.clone(), written(end)?)
            }
        })
    }
}

/// Applies a device's items about its requests, and publishes the changes.
pub(super) fn hear(
    handle: &ExchangeHandle,
    own: &ThisDevice,
    (device, items): (&DeviceId, &[&Item]),
) -> Result<(), DevicesError> {
    let reports: Vec<Report> = items.iter().filter_map(|it| Report::of(it)).collect();
    if reports.is_empty() {
        return Ok(());
    }
    let ledger = ledger(handle.settings())?;
    let changes = reports.iter().map(|it| it.stored(device)).collect::<Result<Vec<_>, _>>()?;
    let open = |id: &ApprovalId| open_request(&ledger, (device, id));
    let outcomes = outcomes(reports, open)?;
    ledger.remote_requests().apply(&changes, (handle.settings().now)())?;
    handle.state().note_settlement();
    for (id, (request, end)) in outcomes {
        handle.publish_request(row(&name_of(own, device), &id, (&request, end.as_ref())));
    }
    Ok(())
}

/// How each reported request is afterwards. A settlement of an unknown request is left out.
fn outcomes(
    reports: Vec<Report>,
    open: impl Fn(&ApprovalId) -> Result<Option<Request>, DevicesError>,
) -> Result<BTreeMap<ApprovalId, (Request, Option<Settlement>)>, DevicesError> {
    let mut all: BTreeMap<ApprovalId, (Request, Option<Settlement>)> = BTreeMap::new();
    for report in reports {
        match report {
            Report::Asked(id, request) => {
                all.insert(id, (*request, None));
            }
            Report::Settled(id, end) => {
                let asked = all.remove(&id).map(|(request, _)| request);
                let asked = asked.map_or_else(|| open(&id), |it| Ok(Some(it)))?;
                all.extend(asked.map(|request| (id, (request, Some(end)))));
            }
        }
    }
    Ok(all)
}

/// A request of a device that still waits.
pub(super) fn open_request(
    ledger: &Ledger,
    of: (&DeviceId, &ApprovalId),
) -> Result<Option<Request>, DevicesError> {
    Ok(ledger.remote_requests().get(of)?.as_ref().and_then(Request::of))
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
        provenance: None,
    }
}

/// Requests of other devices that can be answered from here, oldest first.
pub(super) fn open_elsewhere(settings: &Settings) -> Result<Vec<ApprovalRow>, DevicesError> {
    let Some(ledger) = Ledger::open_read_only(&settings.data)? else { return Ok(Vec::new()) };
    let mut open = ledger.remote_requests().open()?;
    open.retain(|it| it.expires_at > (settings.now)());
    if open.is_empty() {
        return Ok(Vec::new());
    }
    let own = taffrail_team::own(settings)?;
    let ours = open.iter().filter(|it| is_of_same_user(&own.roster, &own.id, &it.device));
    let rows = ours
        .filter_map(|it| Some(row(&name_of(&own, &it.device), &it.id, (&Request::of(it)?, None))));
    let mut rows: Vec<_> = rows.collect();
    rows.sort_by_key(|it| it.asked_at);
    Ok(rows)
}

/// Returns the one request of another device whose id has this prefix.
pub(super) fn find(
    settings: &Settings,
    beginning: &str,
) -> Result<Option<(DeviceId, ApprovalId)>, DevicesError> {
    let Some(ledger) = Ledger::open_read_only(&settings.data)? else { return Ok(None) };
    let mut found = ledger.remote_requests().beginning(beginning)?;
    match found.len() {
        0 | 1 => Ok(found.pop()),
        _ => Err(Error::Undecided(format!(
            "`{beginning}` is ambiguous: it matches several requests"
        ))
        .into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn asked(id: &str) -> Item {
        let body = serde_json::json!({"agent": "toy", "tool": "Bash", "command": "ls",
            "input_hash": "00", "risk": "low", "asked_at": at(1)});
        Item::Request {
            id: ApprovalId::new(id),
            session: SessionId::from_bytes([1; 16]),
            input: Digest::from_bytes([2; 32]),
            body: body.to_string(),
            expires: at(20),
        }
    }

    fn settled(id: &str) -> Item {
        let body = r#"{"state":"decided","decision":"allow","by":"cli","at":null}"#.to_owned();
        Item::Settled { id: ApprovalId::new(id), body }
    }

    #[test]
    fn screens_see_how_each_request_is_in_the_end() {
        let known = Report::of(&asked("known"));
        let check = |items: &[Item], expected: &[(&str, State)]| {
            let open = |id: &ApprovalId| match &known {
                Some(Report::Asked(it, request)) if it == id => Ok(Some(Request::clone(request))),
                _ => Ok(None),
            };
            let reports = items.iter().filter_map(Report::of).collect();
            let seen = outcomes(reports, open).unwrap().into_iter().map(|(id, (request, end))| {
                (id.to_string(), row("tower", &id, (&request, end.as_ref())).state)
            });
            let expected = expected.iter().map(|(id, state)| ((*id).to_owned(), state.clone()));
            assert_eq!(seen.collect::<Vec<_>>(), expected.collect::<Vec<_>>(), "{items:?}");
        };
        let odd = Item::Settled { id: ApprovalId::new("a"), body: "?".to_owned() };
        check(&[asked("a"), odd], &[("a", State::Pending)]);
        check(&[asked("a"), settled("a")], &[("a", State::Decided)]);
        check(&[asked("a"), settled("a"), asked("a")], &[("a", State::Pending)]);
        check(&[settled("known")], &[("known", State::Decided)]);
        check(&[settled("unknown")], &[]);
    }

    /// The file of an earlier version, exactly as it was written.
    #[test]
    fn a_file_of_an_earlier_version_is_taken_over() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("remote/tower");
        std::fs::create_dir_all(&place).unwrap();
        let (session, digest) = ("01".repeat(16), "02".repeat(32));
        let answer = format!(
            r#"{{"to":"tower","session":"{session}","request":"a","input":"{digest}","expires":"1970-01-01T00:00:20Z","decision":"{{}}","by":"here","salt":"{digest}"}}"#
        );
        let asks = r#"{"agent":"toy","tool":"Bash","command":"ls","input_hash":"00","risk":"low","asked_at":"1970-01-01T00:00:01Z","redacted":false,"truncated":false}"#;
        let open = format!(
            r#"{{"session":"{session}","input":"{digest}","expires":"1970-01-01T00:00:20Z","asks":{asks},"answer":{answer}}}"#
        );
        let end = r#"{"state":"decided","decision":"allow","by":"cli","at":null}"#;
        let file = format!(r#"{{"open":{{"a":{open}}},"settled":[["b",{end}]]}}"#);
        std::fs::write(place.join("requests.json"), file).unwrap();
        let ledger = Ledger::open(folder.path(), &DeviceId::new("here")).unwrap();
        let (tower, a, b) = (DeviceId::new("tower"), ApprovalId::new("a"), ApprovalId::new("b"));
        let Some(Report::Asked(_, request)) = Report::of(&asked("a")) else { panic!() };
        let answer: Answer = serde_json::from_str(&answer).unwrap();
        let expected = Request { answer: Some(answer), ..*request };
        assert_eq!(open_request(&ledger, (&tower, &a)).unwrap(), Some(expected));
        let end = ledger.remote_requests().settlement((&tower, &b)).unwrap().unwrap();
        assert_eq!(read::<Settlement>(&end).unwrap().state, State::Decided);
        assert!(!place.join("requests.json").exists());
    }
}
