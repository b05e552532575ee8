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

/// A condition and its value, if the filter has one.
type Condition = (&'static str, Option<Box<dyn ToSql>>);

/// The conditions of a filter, and their values.
pub(crate) fn conditions(filter: &Filter) -> (String, Vec<Box<dyn ToSql>>) {
    let mut clauses = vec!["1 = 1".to_owned()];
    let mut values: Vec<Box<dyn ToSql>> = Vec::new();
    for (clause, value) in by_time(filter).into_iter().chain(by_text(filter)) {
        let Some(value) = value else { continue };
        values.push(value);
        clauses.push(clause.replace('?', &format!("?{}", values.len())));
    }
    if let Some(among) = &filter.among {
        let ids: Vec<_> = among.iter().map(|id| format!("x'{}'", hex(id))).collect();
        clauses.push(format!("uuid IN ({})", ids.join(", ")));
    }
    clauses.extend(without(filter).map(str::to_owned));
    (clauses.join(" AND "), values)
}

fn by_time(filter: &Filter) -> [Condition; 3] {
    let boxed =
        |at: Option<Timestamp>| at.map(|it| -> Box<dyn ToSql> { Box::new(it.as_microsecond()) });
    [
        ("last_at >= ?", boxed(filter.since)),
        ("coalesce(last_at, said_started_at, 0) < ?", boxed(filter.until)),
        ("coalesce(first_at, said_started_at, 0) < ?", boxed(filter.begun_before)),
    ]
}

fn by_text(filter: &Filter) -> [Condition; 13] {
    let project = filter.project.as_deref().map(|it| it.trim_end_matches('/').to_owned());
    let digits = filter.id_prefix.as_deref().map(|it| it.replace('-', "").to_lowercase());
    let (below, not_below) = match &filter.source {
        None => (None, None),
        Some(SourceAt::Below(begins)) => (Some(begins.clone()), None),
        Some(SourceAt::NotBelow(begins)) => (None, Some(begins.clone())),
    };
    let clauses = [
        ("agent = ?", filter.agent.clone()),
        ("model = ?", filter.model.clone()),
        ("(project_path = ? OR substr(project_path, 1, length(?) + 1) = ? || '/')", project),
        ("substr(project_path, -length(?) - 1) = '/' || ?", filter.project_name.clone()),
        ("project_path = ?", filter.exact_project.clone()),
        ("substr(lower(hex(uuid)), 1, length(?)) = ?", digits),
        ("runtime_id = ?", filter.runtime_id.clone()),
        (OF_TOPIC, filter.topic.as_deref().map(str::to_lowercase)),
        (OF_CATEGORY, filter.category.map(|it| it.as_str().to_owned())),
        (OF_SUMMARY, filter.summary.as_deref().map(containing)),
        ("git_branch = ?", filter.branch.clone()),
        ("substr(source_uri, 1, length(?)) = ?", below),
        ("substr(source_uri, 1, length(?)) <> ?", not_below),
    ];
    clauses.map(|(clause, value)| (clause, value.map(|it| -> Box<dyn ToSql> { Box::new(it) })))
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
