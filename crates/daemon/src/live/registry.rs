//! Writing down what agents' own lists of live sessions say, whenever they say something new.

use crate::Settings;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::io;
use taffrail_adapters::LiveEntry;
use taffrail_capture::{Home, live_entries, spool};
use taffrail_model::hash::{self, Digest16};
use taffrail_model::journal::{Entry, Gone, Loss};
use taffrail_model::{AgentId, Origin, Process};

/// What each entry said last, by home and name.
#[derive(Debug, Default)]
pub(crate) struct Registries {
    said: HashMap<(String, String), LiveEntry>,
}

impl Registries {
    /// Looks at a home's list and writes down what is new in it.
    pub(crate) fn look(&mut self, settings: &Settings, home: &Home) -> io::Result<()> {
        let agent = home.adapter.descriptor().id;
        let root = home.root.to_string_lossy().into_owned();
        let listed = live_entries(home);
        let is_listed = |name: &String| listed.iter().any(|(it, _)| it == name);
        self.said.retain(|(home, name), _| *home != root || is_listed(name));
        for (name, entry) in listed {
            let before = self.said.insert((root.clone(), name), entry.clone());
            if before.as_ref().is_some_and(|it| it.mark == entry.mark) {
                continue;
            }
            if let Some(left) = before.filter(|it| it.session != entry.session) {
                lost(settings, agent, &left, Loss::Left)?;
            }
            write_entry(settings, (agent, Origin::Registry), entry.mark, &entry.payload)?;
        }
        Ok(())
    }
}

fn lost(settings: &Settings, agent: &str, entry: &LiveEntry, gone: Loss) -> io::Result<()> {
    let Some(process) = entry.process else { return Ok(()) };
    let (session, scope) = (entry.session.id.as_str().to_owned(), entry.session.scope.clone());
    write_gone(settings, agent, &Gone { gone, session, scope, process })
}

/// Writes down that a session lost its process.
pub(crate) fn write_gone(settings: &Settings, agent: &str, gone: &Gone) -> io::Result<()> {
    let Process { pid, start } = gone.process;
    let how: &[u8] = match gone.gone {
        Loss::Died => b"died",
        Loss::Left => b"left",
    };
    let session = gone.session.as_bytes();
    let mark = hash::digest("gone", &[how, session, &pid.to_le_bytes(), &start.to_le_bytes()]);
    write_entry(settings, (agent, Origin::Process), mark, &serde_json::to_string(gone)?)
}

/// What says the same is the same entry, however often it is written down.
pub(crate) fn write_entry(
    settings: &Settings,
    (agent, via): (&str, Origin),
    mark: Digest16,
    payload: &str,
) -> io::Result<()> {
    let payload = RawValue::from_string(payload.to_owned())?;
    let entry = Entry {
        at: (settings.now)(),
        nonce: hash::to_hex(&mark),
        agent: AgentId::new(agent.to_owned()),
        via,
        ancestors: Vec::new(),
        shortened: false,
        payload: &payload,
    };
    spool(&settings.data, &entry)
}
