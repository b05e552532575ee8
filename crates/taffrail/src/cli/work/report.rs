//! The output of `taffrail work`.

use super::{Held, Origin};
use crate::error::CliError;
use crate::output::{Out, columns, say};
use serde_json::{Value, json};
use taffrail_api::{ErrorKind, SCHEMA_VERSION, Session};
use taffrail_contracts::ai_session::{
    ErrorContext, FeatureStatus, HistoryLine, Outcome, Plan, TaskStatus,
};
use taffrail_model::Timestamp;
use taffrail_tui::terminal::{fit, line, pad};
use taffrail_tui::when::{Clock, MINUTE_WIDTH};
use taffrail_workspace::{Archived, Audit, Feature, Migrated, Overview, Recovered};

/// A feature as a list shows it.
pub(super) struct Row {
    id: String,
    status: FeatureStatus,
    started_at: Option<Timestamp>,
    last_active: Option<Timestamp>,
    name: Option<String>,
    active_task: Option<String>,
    tasks: Option<(usize, usize)>,
    origin: Origin,
}

impl Row {
    pub(super) fn listed(it: &Overview) -> Self {
        Self {
            id: it.listed.feature_id.clone(),
            status: it.listed.status,
            started_at: Some(it.listed.started_at),
            last_active: Some(it.listed.last_active),
            name: it.name.clone(),
            active_task: it.active_task.clone(),
            tasks: it.tasks,
            origin: Origin::Listed,
        }
    }

    /// Only a completed feature is archived.
    pub(super) fn archived(it: &Archived) -> Self {
        Self {
            id: it.feature_id.clone(),
            status: FeatureStatus::Completed,
            started_at: it.started_at,
            last_active: it.last_active,
            name: it.name.clone(),
            active_task: None,
            tasks: it.tasks,
            origin: Origin::Archive,
        }
    }

    fn document(&self) -> Value {
        json!({
            "feature_id": self.id,
            "name": self.name,
            "status": self.status,
            "started_at": self.started_at,
            "last_active": self.last_active,
            "active_task": self.active_task,
            "tasks_completed": self.tasks.map(|it| it.0),
            "tasks": self.tasks.map(|it| it.1),
            "archived": self.origin == Origin::Archive,
        })
    }
}

/// The list of features, or a word where there is none.
pub(super) fn list(rows: &[Row], none: &str, json: bool, clock: &Clock) -> Result<(), CliError> {
    let mut out = Out::new();
    if json {
        let rows: Vec<_> = rows.iter().map(Row::document).collect();
        return out.json(&json!({ "schema_version": SCHEMA_VERSION, "features": rows }));
    }
    if rows.is_empty() {
        say(none);
    }
    let wide = rows.iter().map(|it| it.id.len()).max().unwrap_or(0);
    for it in rows {
        let tasks = it.tasks.map_or("?".to_owned(), |(done, all)| format!("{done}/{all}"));
        let age = it.last_active.map_or("?".to_owned(), |at| clock.age(at));
        let name = line(it.name.as_deref().unwrap_or("?"));
        let (id, status) = (pad(&it.id, wide), pad(it.status.as_str(), 9));
        out.line(&fit(&format!("{id}  {status} {tasks:>5} {age:>6}  {name}"), columns()))?;
    }
    out.end()
}

/// A feature: the state file's content, how it is listed, its plan, and the sessions that work for it.
pub(super) fn show(
    held: &Held,
    sessions: &[Session],
    json: bool,
    clock: &Clock,
) -> Result<(), CliError> {
    let feature = held.feature()?;
    if json {
        let mut document = feature.state.document.clone();
        if let Some(fields) = document.as_object_mut() {
            fields.insert("schema_version".to_owned(), json!(SCHEMA_VERSION));
            fields.insert("feature".to_owned(), json!(feature.listed().ok().flatten()));
            fields.insert("plan".to_owned(), json!(feature.plan_document().ok()));
            fields.insert("archived".to_owned(), json!(held.origin == Origin::Archive));
            let sessions: Vec<_> = sessions.iter().map(session_row).collect();
            fields.insert("sessions".to_owned(), json!(sessions));
        }
        return Out::new().json(&document);
    }
    let status = feature.listed().ok().flatten().map(|it| it.status);
    let unlisted = match held.origin {
        Origin::Listed => "not listed",
        Origin::Archive => "archived",
    };
    let status = status.map_or(unlisted, FeatureStatus::as_str);
    let state = &feature.state.current;
    let mut out = Out::new();
    out.line(&format!("{} · {status} · {}", feature.id, state.model_in_use.as_str()))?;
    let (began, last) = (clock.minute(state.started_at), clock.minute(feature.state.last_updated));
    out.line(&format!("began {began}, last changed {last}"))?;
    out.line(&match &state.active_task {
        Some(task) => format!("at work on {}", line(task)),
        None => "no task is being worked on".to_owned(),
    })?;
    match feature.plan() {
        Ok(plan) => lines_of(&plan).iter().try_for_each(|it| out.line(it).map(|_| ()))?,
        Err(error) => say(&format!("the plan cannot be shown: {}", line(&error.to_string()))),
    }
    if !sessions.is_empty() {
        out.line("")?;
        out.line("sessions")?;
    }
    for it in sessions {
        let id: String = it.id.to_string().chars().take(8).collect();
        let age = it.last_event_at.map_or("?".to_owned(), |at| clock.age(at));
        let title = it.title.as_deref().map_or("(no title)".to_owned(), line);
        out.line(&fit(&format!("  {id} {age:>6}  {}  {title}", line(&it.agent)), columns()))?;
    }
    out.end()
}

fn session_row(it: &Session) -> Value {
    json!({
        "session_id": it.id,
        "agent": it.agent,
        "title": it.title,
        "last_event_at": it.last_event_at,
        "lifecycle": it.lifecycle,
    })
}

/// The plan only.
pub(super) fn plan(held: &Held, json: bool) -> Result<(), CliError> {
    let feature = held.feature()?;
    let mut out = Out::new();
    if json {
        let plan = feature.plan_document()?;
        return out.json(&json!({ "schema_version": SCHEMA_VERSION, "plan": plan }));
    }
    let plan = feature.plan()?;
    out.line(&line(&plan.feature.name))?;
    if !plan.feature.description.is_empty() {
        out.line(&line(&plan.feature.description))?;
    }
    lines_of(&plan).iter().try_for_each(|it| out.line(it).map(|_| ()))?;
    out.end()
}

fn lines_of(plan: &Plan) -> Vec<String> {
    let mut out = Vec::new();
    let wide = plan.tasks().map(|it| line(&it.task_id).chars().count()).max().unwrap_or(0);
    for phase in &plan.phases {
        out.push(String::new());
        out.push(line(&phase.name));
        for task in &phase.tasks {
            let (id, what) = (pad(&line(&task.task_id), wide), line(&task.description));
            let text = format!("  {} {id}  {what}  ({})", mark(task.status), line(&task.agent));
            out.push(fit(&text, columns()));
        }
    }
    out
}

/// A shape for each status, so that colour never speaks alone.
fn mark(status: TaskStatus) -> char {
    match status {
        TaskStatus::Pending => '○',
        TaskStatus::InProgress => '◐',
        TaskStatus::Completed => '✓',
        TaskStatus::Blocked => '✕',
    }
}

/// The last lines of a history.
pub(super) fn history(
    held: &Held,
    count: usize,
    json: bool,
    clock: &Clock,
) -> Result<(), CliError> {
    let feature: Feature<'_> = held.feature()?;
    let lines = feature.history()?;
    let last = lines.get(lines.len().saturating_sub(count)..).unwrap_or_default();
    let mut out = Out::new();
    for it in last {
        if json {
            out.json_line(it)?;
        } else {
            out.line(&fit(&told(it, clock), columns()))?;
        }
    }
    out.end()
}

fn told(it: &HistoryLine, clock: &Clock) -> String {
    let (at, command) = (pad(&clock.minute(it.timestamp), MINUTE_WIDTH), line(&it.command));
    let (mark, error) = match it.status {
        Outcome::Success => ('✓', String::new()),
        Outcome::Failure => ('✕', format!(": {}", line(it.error.as_deref().unwrap_or("")))),
    };
    let (agent, arguments) = (line(&it.agent), line(&it.arguments));
    format!("{at} {mark} {agent} {command} {arguments}{error}")
}

/// What a check found.
pub(super) fn audit(audit: &Audit, json: bool) -> Result<(), CliError> {
    let mut out = Out::new();
    if json {
        let errors: Vec<_> = audit.errors.iter().map(context).collect();
        let warnings: Vec<_> = audit.warnings.iter().map(context).collect();
        return out.json(&json!({
            "schema_version": SCHEMA_VERSION, "errors": errors, "warnings": warnings,
        }));
    }
    if audit.errors.is_empty() {
        out.line("every file conforms to the contract")?;
    }
    let words = |it: &ErrorContext| format!("{}: {}", line(&it.file), line(&it.details));
    let warnings = audit.warnings.iter().map(|it| format!("warning: {}", words(it)));
    out.lines(audit.errors.iter().map(words).chain(warnings))
}

fn context(error: &ErrorContext) -> Value {
    json!({ "error_context": error })
}

/// What was repaired, and what is left.
pub(super) fn recovered(recovered: &Recovered, left: &Audit, json: bool) -> Result<(), CliError> {
    if json {
        let repairs = recovered.repairs.iter();
        let repairs: Vec<_> =
            repairs.map(|it| json!({ "file": it.file, "done": it.done })).collect();
        let errors: Vec<_> = left.errors.iter().map(context).collect();
        let version = SCHEMA_VERSION;
        Out::new()
            .json(&json!({ "schema_version": version, "repairs": repairs, "errors": errors }))?;
    } else {
        if recovered.repairs.is_empty() {
            say("nothing to repair");
        }
        recovered
            .repairs
            .iter()
            .for_each(|it| say(&format!("{}: {}", line(&it.file), line(&it.done))));
        left.errors
            .iter()
            .for_each(|it| say(&format!("left: {}: {}", line(&it.file), line(&it.details))));
    }
    match left.errors.is_empty() {
        true => Ok(()),
        false if json => Err(CliError::silent(ErrorKind::Refused)),
        false => Err(CliError::refused("some faults remain", "taffrail work check")),
    }
}

/// What was brought to the version of the contract.
pub(super) fn migrated(all: &[Migrated], json: bool) -> Result<(), CliError> {
    if json {
        let rows = all.iter();
        let rows: Vec<_> =
            rows.map(|it| json!({ "feature_id": it.feature_id, "kept_as": it.kept_as })).collect();
        return Out::new().json(&json!({ "schema_version": SCHEMA_VERSION, "migrated": rows }));
    }
    if all.is_empty() {
        say("every state file already has this version");
    }
    all.iter()
        .for_each(|it| say(&format!("{}: the old state is kept as {}", it.feature_id, it.kept_as)));
    Ok(())
}
