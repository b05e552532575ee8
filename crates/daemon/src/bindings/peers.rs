//! Executors by their names, as the binding contract's own daemon knows peers.

use crate::live::{Card, Handle};
use crate::standing::is_run;
use crate::{DaemonError, TargetError};
use std::collections::BTreeMap;
use taffrail_api::{Peer, PeerList, PeerStatus, SCHEMA_VERSION};
use taffrail_model::SessionId;
use taffrail_model::status::Status;
use taffrail_store::{IndexReader, Ledger, SessionRow};

/// Who runs sessions now.
pub(crate) fn peers(handle: &Handle) -> Result<PeerList, DaemonError> {
    let mut all: BTreeMap<String, Peer> = BTreeMap::new();
    for (name, row, status) in run_now(handle)? {
        let peer = all.entry(name.clone()).or_insert_with(|| Peer {
            peer_id: name,
            status: PeerStatus::Online,
            backend: row.agent.clone(),
            project_path: row.project_path.clone(),
            sessions: Vec::new(),
        });
        if matches!(status, Status::Running | Status::WaitingApproval) {
            peer.status = PeerStatus::Busy;
        }
        peer.sessions.push(row.id);
    }
    Ok(PeerList { schema_version: SCHEMA_VERSION, peers: all.into_values().collect() })
}

/// The one session a peer runs, or else the one it ran last. `runtime` narrows the choice.
pub(crate) fn peer(
    handle: &Handle,
    name: &str,
    runtime: Option<&str>,
) -> Result<SessionId, DaemonError> {
    let now = run_now(handle)?.into_iter().filter(|(it, ..)| it == name);
    let mut found: Vec<SessionRow> = now.map(|(_, row, _)| row).collect();
    if found.is_empty() {
        found = run_last(handle, name)?;
    }
    found.retain(|it| runtime.is_none_or(|runtime| runtime == it.runtime_id.as_str()));
    match found.as_slice() {
        [one] => Ok(one.id),
        [] => Err(TargetError::NoPeer(name.to_owned()).into()),
        many => {
            let ids = many.iter().map(|it| it.id.to_string()).collect();
            Err(TargetError::ManyPeers(name.to_owned(), ids).into())
        }
    }
}

/// Every session with who runs it, the session by its id.
fn run_now(handle: &Handle) -> Result<Vec<(String, SessionRow, Status)>, DaemonError> {
    let Some(index) = IndexReader::open(&handle.settings().data)? else { return Ok(Vec::new()) };
    let mut cards: Vec<_> = handle.cards().into_iter().filter(|(_, it)| is_run(it)).collect();
    cards.sort_by_key(|(id, _)| *id);
    let mut out = Vec::new();
    for (id, card) in cards {
        let row = index.session_by_id(id)?.filter(|it| it.parent.is_none());
        let name = |card: &Card| card.executor.clone();
        if let (Some(row), Some(name)) = (row, name(&card)) {
            out.push((name, row, card.reading.status));
        }
    }
    Ok(out)
}

fn run_last(handle: &Handle, name: &str) -> Result<Vec<SessionRow>, DaemonError> {
    let data = &handle.settings().data;
    let (Some(index), Some(ledger)) = (IndexReader::open(data)?, Ledger::open_read_only(data)?)
    else {
        return Ok(Vec::new());
    };
    let mut out = Vec::new();
    for id in ledger.last_run_by(name)? {
        out.extend(index.session_by_id(id)?);
    }
    Ok(out)
}
