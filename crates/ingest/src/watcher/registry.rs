//! Writes the entries of agents' registries to the journal whenever they change.

use std::collections::HashMap;
use std::io;
use taffrail_adapters::LiveEntry;
use taffrail_capture::{Home, live_entries};
use taffrail_context::Settings;
use taffrail_context::{write_entry, write_gone};
use taffrail_model::Origin;
use taffrail_model::journal::{Gone, Loss};

/// The last content of each entry, by home and name.
#[derive(Debug, Default)]
pub(super) struct Registries {
    said: HashMap<(String, String), LiveEntry>,
}

impl Registries {
    /// Reads a home's registry and writes down what is new in it.
    pub(super) fn look(&mut self, settings: &Settings, home: &Home) -> io::Result<()> {
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
