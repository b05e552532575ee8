//! Executors by name, which the binding contract's own daemon calls peers.

use super::binding::canonical;
use crate::status::is_run;
use std::collections::BTreeMap;
use taffrail_api::{Peer, PeerList, PeerStatus, SCHEMA_VERSION};
use taffrail_context::{Error, TargetError};
use taffrail_context::{Live, LiveStatus};
use taffrail_model::SessionId;
use taffrail_model::status::Status;
use taffrail_run::accepts_text;
use taffrail_store::{IndexReader, Ledger, SessionRow};

/// The executors that run sessions now.
pub fn peers(live: &Live) -> Result<PeerList, Error> {
    let mut all: BTreeMap<String, Peer> = BTreeMap::new();
    for (name, row, status) in run_now(live)? {
        let folder = row.project_path.clone();
        let peer = all.entry(name.clone()).or_insert_with(|| Peer {
            can_receive: accepts_text(&name),
            peer_id: name,
            status: PeerStatus::Online,
            backend: row.agent.clone(),
            project_path: folder.as_deref().and_then(canonical).or(folder),
            sessions: Vec::new(),
        });
        if matches!(status, Status::Running | Status::WaitingApproval) {
            peer.status = PeerStatus::Busy;
        }
        peer.sessions.push(row.id);
    }
    Ok(PeerList { schema_version: SCHEMA_VERSION, peers: all.into_values().collect() })
}

/// The one session that a peer runs, or else the one it ran last. `runtime` narrows the choice.
pub fn peer(live: &Live, name: &str, runtime: Option<&str>) -> Result<SessionId, Error> {
    let now = run_now(live)?.into_iter().filter(|(it, ..)| it == name);
    let mut found: Vec<SessionRow> = now.map(|(_, row, _)| row).collect();
    if found.is_empty() {
        found = run_last(live, name)?;
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

/// Every running session with its executor.
fn run_now(live: &Live) -> Result<Vec<(String, SessionRow, Status)>, Error> {
    let Some(index) = IndexReader::open(&live.settings().data)? else { return Ok(Vec::new()) };
    let mut cards: Vec<_> = live.statuses().into_iter().filter(|(_, it)| is_run(it)).collect();
    cards.sort_by_key(|(id, _)| *id);
    let mut out = Vec::new();
    for (id, card) in cards {
        let row = index.session_by_id(id)?.filter(|it| it.parent.is_none());
        let name = |card: &LiveStatus| card.executor.clone();
        if let (Some(row), Some(name)) = (row, name(&card)) {
            out.push((name, row, card.reading.status));
        }
    }
    Ok(out)
}

fn run_last(live: &Live, name: &str) -> Result<Vec<SessionRow>, Error> {
    let data = &live.settings().data;
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
