//! Hints by looking again and again: a store does not call.

use super::{ObjectHub, keys, logs};
use crate::hub::{Hint, Hints, Hub, KeyName, LogName, Prefix, Result};
use std::collections::BTreeMap;
use tokio::sync::broadcast::Sender;

/// How far everything was when it was last looked at.
#[derive(Debug, Default, Clone)]
struct Seen {
    logs: BTreeMap<LogName, u64>,
    keys: BTreeMap<KeyName, u64>,
}

pub(super) async fn watch(hub: &ObjectHub, below: &Prefix) -> Result<Hints> {
    let seen = look(hub, below, &Seen::default()).await?;
    let (hub, prefix) = (hub.clone(), below.clone());
    Ok(Hints::fed(below.clone(), |sender| give(hub, prefix, seen, sender)))
}

async fn give(hub: ObjectHub, below: Prefix, mut seen: Seen, sender: Sender<Hint>) {
    loop {
        tokio::time::sleep(hub.pause()).await;
        // A store that does not answer has nothing to say; readers who look learn why.
        let Ok(now) = look(&hub, &below, &seen).await else { continue };
        for hint in moved(&seen, &now) {
            if sender.send(hint).is_err() {
                return;
            }
        }
        seen = now;
    }
}

async fn look(hub: &ObjectHub, below: &Prefix, seen: &Seen) -> Result<Seen> {
    let keys = keys::revisions(hub, below).await?;
    let mut logs = BTreeMap::new();
    for log in hub.logs(below).await? {
        let last = last_of(hub, &log, seen).await?;
        logs.insert(log, last);
    }
    Ok(Seen { logs, keys })
}

/// From where it was last time, unless the hub was emptied since.
async fn last_of(hub: &ObjectHub, log: &LogName, seen: &Seen) -> Result<u64> {
    let known = seen.logs.get(log).copied().unwrap_or(0);
    let is_there = known == 0 || hub.exists(&logs::entry_path(hub, log, known)?).await?;
    logs::last(hub, log, if is_there { known } else { 0 }).await
}

fn moved(seen: &Seen, now: &Seen) -> Vec<Hint> {
    let logs = now.logs.iter().filter(|(log, last)| seen.logs.get(log) != Some(last));
    let keys = now.keys.iter().filter(|(key, last)| seen.keys.get(key) != Some(last));
    let logs = logs.map(|(log, _)| Hint::Log(log.clone()));
    logs.chain(keys.map(|(key, _)| Hint::Key(key.clone()))).collect()
}
