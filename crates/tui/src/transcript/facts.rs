//! The facts of a session, in words.

use crate::numbers::{counted, short};
use crate::session_text::known_cost;
use crate::terminal::line;
use crate::when::Clock;
use taffrail_api::Session;

/// Its title, on one line.
pub(super) fn title(session: &Session) -> String {
    let title = session.title.as_deref().map(line).filter(|title| !title.is_empty());
    title.unwrap_or_else(|| "(no title)".to_owned())
}

/// The facts beside the title.
pub(super) fn essentials(session: &Session) -> Vec<String> {
    let usage = &session.usage;
    let tokens = format!("{} tokens in, {} out", short(usage.read()), short(usage.output_tokens));
    let words = [
        Some(session.agent.clone()),
        session.project_path.clone(),
        session.git_branch.clone(),
        session.model.clone(),
        Some(tokens),
        known_cost(session),
    ];
    words.into_iter().flatten().map(|word| line(&word)).collect()
}

/// Everything else, by name.
pub(super) fn particulars(session: &Session, clock: &Clock) -> Vec<(&'static str, String)> {
    let at = |time| clock.stated(time);
    let lineage = session.lineage.as_ref();
    let facts = [
        ("began", session.started_at.map(at)),
        ("last event", session.last_event_at.map(at)),
        ("work", Some(work(session))),
        ("descent", lineage.map(|it| format!("{} of {}", it.kind.as_str(), it.session_id))),
        ("id", Some(session.id.to_string())),
        ("source", Some(session.source_uri.clone())),
    ];
    let known = facts.into_iter().filter_map(|(name, fact)| Some((name, fact?)));
    known.map(|(name, fact)| (name, line(&fact))).collect()
}

fn work(session: &Session) -> String {
    let (turns, calls) = (counted(session.turns, "turn"), counted(session.tool_calls, "tool call"));
    format!("{turns}, {calls}")
}
