//! Sessions on a screen.

use crate::terminal::{fit, line, pad};
use crate::when;
use taffrail_api::Session;
use taffrail_model::Timestamp;

const ID: usize = 8;
const AGENT: usize = 8;
const AGE: usize = 4;
const TURNS: usize = 5;
const PROJECT: usize = 18;

/// The names of the columns.
pub(crate) fn head() -> String {
    format!(
        "{} {} {:>AGE$} {:>TURNS$}  {} title",
        pad("id", ID),
        pad("agent", AGENT),
        "age",
        "turns",
        pad("project", PROJECT)
    )
}

/// One session in `width` columns.
pub(crate) fn row(session: &Session, now: Timestamp, width: usize) -> String {
    let id: String = session.id.to_string().chars().take(ID).collect();
    let age = session.last_event_at.map_or("?".to_owned(), |at| when::ago(at, now));
    let turns = if session.turns == 0 { "-".to_owned() } else { session.turns.to_string() };
    let worker = if session.parent_id.is_some() { "└ " } else { "" };
    let row = format!(
        "{id} {} {age:>AGE$} {turns:>TURNS$}  {} {worker}{}",
        pad(short(&session.agent), AGENT),
        pad(&project(session), PROJECT),
        title(session)
    );
    fit(&row, width)
}

/// The first word of an agent's id is enough to tell agents apart in a column.
fn short(agent: &str) -> &str {
    agent.split('-').next().unwrap_or(agent)
}

fn project(session: &Session) -> String {
    let path = session.project_path.as_deref().unwrap_or("?");
    line(path.trim_end_matches('/').rsplit('/').next().unwrap_or(path))
}

fn title(session: &Session) -> String {
    let title = session.title.as_deref().map(line).filter(|title| !title.is_empty());
    let title = title.unwrap_or_else(|| "(no title)".to_owned());
    let lost = if session.lifecycle.as_str() == "lost" { "✕ " } else { "" };
    format!("{lost}{title}")
}
