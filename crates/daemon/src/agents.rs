//! Which agents are here.

use crate::{DaemonError, Settings};
use taffrail_adapters::owners;
use taffrail_api::{AgentHome, AgentList, AgentRow, SCHEMA_VERSION};
use taffrail_capture::discover;
use taffrail_store::{Filter, IndexReader};

/// Every agent this program knows, with the homes found.
///
/// # Errors
/// When the index cannot be read.
pub fn agents(settings: &Settings) -> Result<AgentList, DaemonError> {
    let homes = settings.homes();
    let found = discover(&homes).found;
    let reader = IndexReader::open(&settings.data)?;
    let mut agents = Vec::new();
    for adapter in taffrail_adapters::agents() {
        let it = adapter.descriptor();
        let mine = homes.iter().filter(|home| home.adapter.descriptor().id == it.id);
        let homes = mine.map(|home| {
            let path = home.root.to_string_lossy().into_owned();
            let here = found.iter().filter(|it| it.home == path);
            let sources =
                here.filter(|it| it.adapter.descriptor().id == home.adapter.descriptor().id);
            AgentHome { sources: sources.count() as u64, path }
        });
        let filter = Filter { agent: Some(it.id.to_owned()), ..Filter::default() };
        let sessions = match &reader {
            Some(reader) => reader.sessions(&filter)?.len() as u64,
            None => 0,
        };
        agents.push(AgentRow {
            id: it.id.to_owned(),
            label: it.label.to_owned(),
            homes: homes.collect(),
            sessions,
            resume_by_id: it.capabilities.resume_by_id,
        });
    }
    Ok(AgentList { schema_version: SCHEMA_VERSION, agents })
}

/// The ids of the agents this program knows, and their names for people.
#[must_use]
pub fn agent_names() -> Vec<(&'static str, &'static str)> {
    owners().map(|adapter| (adapter.descriptor().id, adapter.descriptor().label)).collect()
}
