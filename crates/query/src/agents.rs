//! Lists the agents on this machine.

use std::collections::BTreeMap;
use taffrail_adapters::maturity::{Level, test_of};
use taffrail_adapters::{Adapter, by_id, owners};
use taffrail_api::{AgentHome, AgentList, AgentRow, SCHEMA_VERSION};
use taffrail_capture::discover;
use taffrail_context::{Error, Settings};
use taffrail_store::{Filter, Grouping, IndexReader};

/// Every agent that Taffrail knows, with its homes on this machine.
///
/// # Errors
/// When the index cannot be read.
pub fn agents(settings: &Settings) -> Result<AgentList, Error> {
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
        let all = Filter { workers: true, with_transcript: true, ..Filter::default() };
        let filter = Filter { agent: Some(it.id.to_owned()), ..all };
        let counted = reader.as_ref().map(|it| it.tally(&filter, Grouping::Nothing)).transpose()?;
        let counted = counted.and_then(|it| it.into_iter().next()).unwrap_or_default();
        let tests = tests_of(adapter);
        agents.push(AgentRow {
            id: it.id.to_owned(),
            label: it.label.to_owned(),
            homes: homes.collect(),
            sessions: counted.sessions - counted.workers,
            sub_agents: counted.workers,
            resume_by_id: by_id(it.id).is_some_and(Adapter::resumes_by_id),
            read: tests.contains_key("read"),
            live: tests.contains_key("live"),
            answers: tests.contains_key("answers"),
            resumes: tests.contains_key("resumes"),
            carries: tests.contains_key("carries"),
            tests,
            evidence: it.evidence.as_str().to_owned(),
        });
    }
    Ok(AgentList { schema_version: SCHEMA_VERSION, agents })
}

/// The test that shows each level an agent reaches.
fn tests_of(adapter: &dyn Adapter) -> BTreeMap<String, String> {
    let shown =
        |level: Level| Some((level.as_str().to_owned(), test_of(adapter, level)?.into_owned()));
    Level::ALL.into_iter().filter_map(shown).collect()
}

/// The ids and display names of all known agents.
#[must_use]
pub fn agent_names() -> Vec<(&'static str, &'static str)> {
    owners().map(|adapter| (adapter.descriptor().id, adapter.descriptor().label)).collect()
}
