//! The tool `sessions`.

use crate::page::Page;
use crate::query::{Question, Refusal};
use crate::text::{plain, quoted_line};
use taffrail_api::{Session, SessionList};

/// More sessions than fit on one page.
const AHEAD: usize = 32;

/// Lists sessions, the latest first.
pub(crate) fn sessions(question: &Question) -> Result<String, Refusal> {
    let offset = question.given.offset()?;
    let limit = (offset + AHEAD).to_string();
    let list: SessionList = question.get("/api/sessions", &[("limit", &limit)])?;
    Ok(listed(question, &list.sessions, offset))
}

fn listed(question: &Question, sessions: &[Session], offset: usize) -> String {
    let mut page = Page::new(question.fence.clone(), "Sessions, the latest first.");
    let mut more = (sessions.len() >= offset + AHEAD).then_some(sessions.len());
    for (number, session) in sessions.iter().enumerate().skip(offset) {
        if question.hidden.hides(session.id, session.project_path.as_deref()) {
            continue;
        }
        if !page.add(&place(session), &said(session)) {
            more = Some(number);
            break;
        }
    }
    page.end(None, more.map(|it| it.to_string()).as_deref())
}

/// What we know of a session, in words of ours.
pub(crate) fn place(session: &Session) -> String {
    let last = session.last_event_at.map(|it| format!(" last {it:.0}")).unwrap_or_default();
    let waits = session.waiting_for.as_ref().map(|it| format!(" for {}", plain(it.kind.as_str())));
    let failed = if session.failed { " failed" } else { "" };
    let cost = session.cost_microdollars.map(cost).unwrap_or_default();
    format!(
        "session {} {} {}{}{failed}{last} {} turns{cost}",
        session.id,
        plain(&session.agent),
        session.status.as_str(),
        waits.unwrap_or_default(),
        session.turns,
    )
}

/// What transcripts say of a session.
pub(crate) fn said(session: &Session) -> String {
    let line = |it: Option<&str>, limit| it.map(|it| quoted_line(it, limit));
    let project = line(session.project_path.as_deref(), 120).map(|it| format!("in {it}"));
    let branch = line(session.git_branch.as_deref(), 60).map(|it| format!("on {it}"));
    let model = line(session.model.as_deref(), 40).map(|it| format!("with {it}"));
    let all = [line(session.title.as_deref(), 100), project, branch, model];
    all.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// A cost in dollars, for the end of a line.
pub(crate) fn cost(microdollars: i64) -> String {
    let cents = microdollars / 10_000;
    format!(" ${}.{:02}", cents / 100, (cents % 100).abs())
}
