//! Selects sessions, as SQL.

use super::finals::{OF_CATEGORY, OF_SUMMARY, OF_TOPIC, containing};
use rusqlite::ToSql;
use taffrail_model::summary::Category;
use taffrail_model::{SessionId, Timestamp};

/// Selects sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Include sub-agents.
    pub workers: bool,
    /// Leave out sessions of which only prompts are left.
    pub with_transcript: bool,
    /// The most sessions to return, the latest first.
    pub limit: Option<usize>,
    /// Of this agent only.
    pub agent: Option<String>,
    /// With an event at or after this instant.
    pub since: Option<Timestamp>,
    /// With no event at or after this instant.
    pub until: Option<Timestamp>,
    /// That began before this instant.
    pub begun_before: Option<Timestamp>,
    /// Whose last known model is this one.
    pub model: Option<String>,
    /// In this folder or below it.
    pub project: Option<String>,
    /// In a folder of this name.
    pub project_name: Option<String>,
    /// In exactly this folder.
    pub exact_project: Option<String>,
    /// Whose id begins with these hex digits.
    pub id_prefix: Option<String>,
    /// With this runtime id.
    pub runtime_id: Option<String>,
    /// With this topic in their final summary.
    pub topic: Option<String>,
    /// With this category in their final summary.
    pub category: Option<Category>,
    /// With this text in their final summary.
    pub summary: Option<String>,
    /// With a history at this place.
    pub source: Option<SourceAt>,
    /// On this branch.
    pub branch: Option<String>,
    /// One of these.
    pub among: Option<Vec<SessionId>>,
}

/// Selects a history by the prefix of its locator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceAt {
    /// The locator has this prefix.
    Below(String),
    /// The locator does not have this prefix.
    NotBelow(String),
}

/// The conditions of a filter, and their values.
pub(crate) fn conditions(filter: &Filter) -> (String, Vec<Box<dyn ToSql>>) {
    let mut clauses = vec!["1 = 1".to_owned()];
    let mut values: Vec<Box<dyn ToSql>> = Vec::new();
    let mut add = |clause: &str, value: Box<dyn ToSql>| {
        values.push(value);
        clauses.push(clause.replace('?', &format!("?{}", values.len())));
    };
    if let Some(agent) = &filter.agent {
        add("agent = ?", Box::new(agent.clone()));
    }
    if let Some(since) = filter.since {
        add("last_at >= ?", Box::new(since.as_microsecond()));
    }
    if let Some(until) = filter.until {
        add("coalesce(last_at, said_started_at, 0) < ?", Box::new(until.as_microsecond()));
    }
    if let Some(end) = filter.begun_before {
        add("coalesce(first_at, said_started_at, 0) < ?", Box::new(end.as_microsecond()));
    }
    if let Some(model) = &filter.model {
        add("model = ?", Box::new(model.clone()));
    }
    if let Some(project) = &filter.project {
        let project = project.trim_end_matches('/').to_owned();
        add(
            "(project_path = ? OR substr(project_path, 1, length(?) + 1) = ? || '/')",
            Box::new(project),
        );
    }
    if let Some(name) = &filter.project_name {
        add("substr(project_path, -length(?) - 1) = '/' || ?", Box::new(name.clone()));
    }
    if let Some(project) = &filter.exact_project {
        add("project_path = ?", Box::new(project.clone()));
    }
    if let Some(prefix) = &filter.id_prefix {
        let digits = prefix.replace('-', "").to_lowercase();
        add("substr(lower(hex(uuid)), 1, length(?)) = ?", Box::new(digits));
    }
    if let Some(runtime) = &filter.runtime_id {
        add("runtime_id = ?", Box::new(runtime.clone()));
    }
    if let Some(topic) = &filter.topic {
        add(OF_TOPIC, Box::new(topic.to_lowercase()));
    }
    if let Some(category) = filter.category {
        add(OF_CATEGORY, Box::new(category.as_str()));
    }
    if let Some(text) = &filter.summary {
        add(OF_SUMMARY, Box::new(containing(text)));
    }
    if let Some(branch) = &filter.branch {
        add("git_branch = ?", Box::new(branch.clone()));
    }
    match &filter.source {
        None => {}
        Some(SourceAt::Below(begins)) => {
            add("substr(source_uri, 1, length(?)) = ?", Box::new(begins.clone()));
        }
        Some(SourceAt::NotBelow(begins)) => {
            add("substr(source_uri, 1, length(?)) <> ?", Box::new(begins.clone()));
        }
    }
    if let Some(among) = &filter.among {
        let ids: Vec<_> = among.iter().map(|id| format!("x'{}'", hex(id))).collect();
        clauses.push(format!("uuid IN ({})", ids.join(", ")));
    }
    clauses.extend(without(filter).map(str::to_owned));
    (clauses.join(" AND "), values)
}

/// What a filter leaves out unless it is asked for.
fn without(filter: &Filter) -> impl Iterator<Item = &'static str> {
    let prompts = filter.with_transcript.then_some("lifecycle <> 'prompts_only'");
    let workers = (!filter.workers).then_some("parent IS NULL");
    prompts.into_iter().chain(workers)
}

fn hex(id: &SessionId) -> String {
    id.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}
