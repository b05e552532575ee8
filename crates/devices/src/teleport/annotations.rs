//! What the ledger and the index know about a session, as metadata documents; and what is imported
//! from them.

use super::metadata::{self, Descent, Events, Noted, Remarks, SessionEvents, Snapshot, VERSION};
use crate::error::DevicesError;
use taffrail_context::Settings;
use taffrail_model::{SessionId, prompt_history};
use taffrail_query::contracts::ledger;
use taffrail_store::{IndexReader, Ledger, Note, SessionRow, Taken};

/// The creator of the snapshots in a bundle.
const SNAPSHOTS: &str = "taffrail";
/// The longest accepted note or tag, in characters.
const LONGEST: usize = 10_000;
const LONGEST_TAG: usize = 100;

/// The ids of all events in the agent's own history.
pub(super) fn events(
    reader: &IndexReader,
    sessions: &[SessionRow],
) -> Result<Vec<u8>, DevicesError> {
    let mut out = Vec::new();
    for row in sessions {
        let rows = reader.events(row.row)?.into_iter();
        let own = rows.filter(|it| !prompt_history::is_shared(&it.locator));
        out.push(SessionEvents { session: row.id, ids: own.map(|it| it.id).collect() });
    }
    Ok(metadata::written(&Events { version: VERSION, sessions: out }))
}

/// The session's lineage, and the devices it was on.
pub(super) fn descent(
    settings: &Settings,
    row: &SessionRow,
    this: &str,
) -> Result<Vec<u8>, DevicesError> {
    let ledger = Ledger::open_read_only(&settings.data)?;
    let came = ledger.map(|it| it.carried(row.id)).transpose()?.flatten();
    let before = came.and_then(|it| metadata::read::<LedgerExtract>(it.body.as_bytes()));
    let mut devices = before.map(|it| it.devices).unwrap_or_default();
    devices.retain(|it| it != this);
    devices.push(this.to_owned());
    let lineage = row.lineage.clone();
    Ok(metadata::written(&Descent { version: VERSION, lineage, devices }))
}

/// The ledger's remarks on the session.
pub(super) fn remarks(settings: &Settings, session: SessionId) -> Result<Vec<u8>, DevicesError> {
    let ledger = ledger(settings)?;
    let notes = ledger.notes(session)?.into_iter();
    let snapshots = ledger.history(SNAPSHOTS, &session.to_string())?.into_iter();
    let mut approvals = ledger.approvals(true)?;
    approvals.retain(|it| it.session_id == session);
    Ok(metadata::written(&Remarks {
        version: VERSION,
        tags: ledger.tags(session)?,
        notes: notes.map(|it| Noted { at: it.at, text: it.text }).collect(),
        snapshots: snapshots.map(snapshot).collect(),
        approvals,
    }))
}

fn snapshot(it: Taken) -> Snapshot {
    Snapshot { adapter: it.adapter, mark: it.mark, body: it.body, at: it.at }
}

/// Imported metadata that the ledger keeps for history only.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct LedgerExtract {
    pub(super) version: u32,
    pub(super) devices: Vec<String>,
    pub(super) lineage: Option<taffrail_model::Lineage>,
    pub(super) approvals: Vec<taffrail_model::approval::Approval>,
    /// The session it was forked from on import.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) forked_from: Option<SessionId>,
    /// The project's folder on the device it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) project: Option<String>,
}

/// Imports tags and notes that are missing here, and snapshots if there are none. Requests and
/// decisions are never imported: a bundle can allow nothing.
pub(super) fn take_over(
    settings: &Settings,
    session: SessionId,
    came: &Remarks,
) -> Result<(), DevicesError> {
    let mut ledger = ledger(settings)?;
    let tags = came.tags.iter().filter(|it| (1..=LONGEST_TAG).contains(&it.chars().count()));
    let tags: Vec<_> = tags.filter(|it| !it.contains(char::is_control)).cloned().collect();
    ledger.tag(session, &tags, &[])?;
    let known = ledger.notes(session)?;
    for note in &came.notes {
        let note = Note { at: note.at, text: note.text.clone() };
        let fits = (1..=LONGEST).contains(&note.text.chars().count());
        if fits && !known.contains(&note) {
            ledger.note(session, &note)?;
        }
    }
    let id = session.to_string();
    if ledger.latest(SNAPSHOTS, &id)?.is_none() {
        for it in came.snapshots.iter().filter(|it| it.adapter == SNAPSHOTS) {
            let Snapshot { adapter, mark, body, at } = it.clone();
            ledger.record(&Taken { adapter, session: id.clone(), mark, body, at })?;
        }
    }
    Ok(())
}
