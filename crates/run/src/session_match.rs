//! Finds the session that the agent on our terminal runs: by registry, hook or open file.

use std::collections::BTreeMap;
use std::path::Path;
use taffrail_adapters::Adapter;
use taffrail_capture::{
    Home, RunName, Since, at_and_below, homes, live_entries, lives, runs, start_of, written_by,
};
use taffrail_context::Settings;
use taffrail_model::{Process, RuntimeIdentity, Timestamp};

/// A session and the process that runs it.
pub(crate) type Claim = (RuntimeIdentity, Process);

/// Looks for the session of the processes on our terminal.
pub(crate) struct Claims {
    adapter: &'static dyn Adapter,
    homes: Vec<Home>,
    said: Since,
    /// The latest session that hooks reported for each of our processes.
    hooked: BTreeMap<u32, RuntimeIdentity>,
}

impl Claims {
    pub(crate) fn new(settings: &Settings, adapter: &'static dyn Adapter, now: Timestamp) -> Self {
        let added = settings.added_homes.get(adapter.descriptor().id);
        let added = added.map(Vec::as_slice).unwrap_or_default();
        let homes = homes(adapter, &settings.user_home, &settings.variables, added);
        let said = Since::new(&settings.data, adapter, now);
        Self { adapter, homes, said, hooked: BTreeMap::new() }
    }

    /// The session of the process, or of its nearest descendant that has one.
    pub(crate) fn look(&mut self, data: &Path, child: u32, now: Timestamp) -> Option<Claim> {
        let below = at_and_below(child);
        self.hear(data, now);
        let listed: Vec<_> = self.homes.iter().flat_map(live_entries).map(|(_, it)| it).collect();
        let by_list = |pid: &u32| {
            let mut named = listed.iter().filter_map(|it| Some((&it.session, it.process?)));
            let (who, process) = named.find(|(_, it)| it.pid == *pid && lives(*it))?;
            Some((who.clone(), process))
        };
        let by_hook = |pid: &u32| Some((self.hooked.get(pid)?.clone(), process(*pid)?));
        let by_file = |pid: &u32| self.by_file(*pid);
        let found = below.iter().find_map(by_list);
        found.or_else(|| below.iter().find_map(by_hook)).or_else(|| below.iter().find_map(by_file))
    }

    fn hear(&mut self, data: &Path, now: Timestamp) {
        for (who, facts) in self.said.facts(data, now) {
            let process = facts.process.filter(|it| facts.parent.is_none() && lives(*it));
            // Our own entries add nothing.
            if let Some(process) = process.filter(|_| !is_own(&who)) {
                self.hooked.insert(process.pid, who);
            }
        }
    }

    /// The session whose history a process of the agent writes, if there is exactly one.
    fn by_file(&self, pid: u32) -> Option<Claim> {
        if !runs(pid, self.adapter.descriptor().processes) {
            return None;
        }
        let mut found: Vec<RuntimeIdentity> =
            written_by(pid).iter().filter_map(|it| self.session_in(it)).collect();
        found.dedup();
        match found.as_slice() {
            [one] => Some((one.clone(), process(pid)?)),
            _ => None,
        }
    }

    fn session_in(&self, path: &Path) -> Option<RuntimeIdentity> {
        let below = self.homes.iter().find_map(|it| path.strip_prefix(&it.root).ok())?;
        let place = self.adapter.place(below.to_str()?)?;
        place.session.filter(|_| !place.is_worker)
    }
}

fn process(pid: u32) -> Option<Process> {
    Some(Process { pid, start: start_of(pid)? })
}

/// A session under our own name.
pub(crate) fn own(adapter: &dyn Adapter, name: &RunName) -> RuntimeIdentity {
    let agent = taffrail_model::AgentId::new(adapter.descriptor().id);
    RuntimeIdentity::new(agent, "", name.as_str())
}

fn is_own(who: &RuntimeIdentity) -> bool {
    RunName::parse(who.id.as_str()).is_some()
}
