//! The summary of the chosen session: its identity, its activity, and its request.

use crate::numbers::short as count;
use crate::paint::text::{span, wrapped};
use crate::paint::theme::{Ink, Theme, ink_of};
use crate::session_text::known_cost;
use crate::state::State;
use crate::state::transcript_view::entries;
use crate::table;
use crate::terminal::{fit, shown};
use crate::when;
use ratatui::text::Line;
use taffrail_api::{ApprovalRow, Session};
use taffrail_model::approval::State as ApprovalState;
use unicode_width::UnicodeWidthStr;

/// The most lines of a request in a small peek.
const REQUEST: usize = 6;
/// How many pieces of evidence a large peek shows.
const EVIDENCE: usize = 5;

/// A few lines, for the bottom of a small screen.
pub(crate) fn short(state: &State, width: usize, most: usize) -> Vec<Line<'static>> {
    let Some(session) = state.session() else { return Vec::new() };
    let mut out = vec![who(state, session, width)];
    let request = state.request_of(session.id);
    let asked = request.map(|it| asked(state, it, width, REQUEST)).unwrap_or_default();
    let room = most.saturating_sub(out.len() + asked.len());
    out.extend(summary(state, session, width).into_iter().take(room));
    out.extend(asked);
    out.truncate(most);
    out
}

/// Everything, for the right half of a large screen: the last turn fills the rest.
pub(crate) fn whole(state: &State, width: usize, height: usize) -> Vec<Line<'static>> {
    let Some(session) = state.session() else { return Vec::new() };
    let mut out = vec![who(state, session, width), Line::default()];
    out.extend(summary(state, session, width));
    if let Some(request) = state.request_of(session.id) {
        out.push(Line::default());
        out.extend(asked(state, request, width, height / 3));
        out.extend(evidence(state, width));
    }
    out.extend(sub_agents(state, session, width));
    let room = height.saturating_sub(out.len() + 2);
    if state.details.of == Some(session.id) && room > 1 {
        let theme = state.theme;
        out.push(Line::default());
        out.push(Line::from(span("Last turn", theme.style(Ink::Heading))));
        let turn = last_turn(state);
        let root = session.project_path.clone().unwrap_or_default();
        let reader = entries::Reader { root, zone: state.zone.clone() };
        let first = usize::try_from(session.turns).unwrap_or_default();
        let lines = entries::lines(turn, (first, &reader), width, theme, entries::Tools::Folded);
        let from = lines.len().saturating_sub(room);
        out.extend(lines.into_iter().skip(from));
    }
    out
}

/// The events since the last prompt.
fn last_turn(state: &State) -> &[taffrail_model::Event] {
    let events = &state.details.events;
    let is_prompt = |it: &taffrail_model::Event| it.kind == taffrail_model::Kind::UserPrompt;
    let from = events.iter().rposition(is_prompt).unwrap_or_default();
    events.get(from..).unwrap_or_default()
}

/// Name, agent, folder, branch and cost.
pub(crate) fn who(state: &State, session: &Session, width: usize) -> Line<'static> {
    let theme = state.theme;
    let mut facts = vec![shown(&session.agent)];
    facts.extend(table::elsewhere(session).map(|it| format!("on {it}")));
    facts.extend(session.project_path.as_deref().map(|it| short_path(state, it)));
    facts.extend(session.git_branch.as_deref().map(shown).filter(|it| !it.is_empty()));
    facts.push(format!("turn {}", session.turns));
    facts.push(format!("{} tok", count(session.usage.total())));
    facts.extend(known_cost(session));
    facts.extend(session.executor.as_deref().map(shown));
    let name = fit(&table::project(session), 24);
    let rest = fit(&format!(" · {}", facts.join(" · ")), width.saturating_sub(name.width()));
    Line::from(vec![span(name, theme.style(Ink::Bold)), span(rest, theme.style(Ink::Dim))])
}

/// A path with `~` for the user's home.
pub(crate) fn short_path(state: &State, path: &str) -> String {
    let below = path.strip_prefix(state.home.as_str());
    match below.filter(|it| it.is_empty() || it.starts_with('/')) {
        Some(below) if !state.home.is_empty() => format!("~{}", shown(below)),
        _ => shown(path),
    }
}

fn summary(state: &State, session: &Session, width: usize) -> Vec<Line<'static>> {
    let theme = state.theme;
    let mut rows: Vec<(&str, String)> = Vec::new();
    match state.sessions.summary(session.id) {
        Some(it) if !state.sessions.is_summed_up(session) => {
            rows.push(("Recent", shown(&it.recent)));
            rows.push(("Prompt", shown(&it.last_prompt)));
        }
        Some(it) => {
            rows.push(("Current", shown(&it.current)));
            rows.push(("Recent", shown(&it.recent)));
            rows.push(("Prompt", shown(&it.last_prompt)));
        }
        None => rows.push(("Title", session.title.as_deref().map(shown).unwrap_or_default())),
    }
    let options = session.waiting_for.iter().flat_map(|it| &it.options);
    let options: Vec<_> = options.map(|it| shown(it)).collect();
    rows.insert(1.min(rows.len()), ("Options", options.join(" · ")));
    let rows = rows.into_iter().filter(|(_, text)| !text.is_empty());
    rows.map(|(name, text)| {
        let text = fit(&text, width.saturating_sub(9));
        Line::from(vec![
            span(format!("{name:<9}"), theme.style(Ink::Dim)),
            span(text, theme.style(Ink::Plain)),
        ])
    })
    .collect()
}

/// The request in full, and who asks.
pub(crate) fn asked(
    state: &State,
    request: &ApprovalRow,
    width: usize,
    most: usize,
) -> Vec<Line<'static>> {
    let theme = state.theme;
    let ago = when::ago(request.asked_at, state.now);
    let by = request.device.as_ref().or_else(|| request.sources.first());
    let by = by.map_or("hook".to_owned(), |it| shown(it));
    let how = match request.state {
        ApprovalState::Pending => "a approves, d denies",
        _ => "answer it at the agent",
    };
    let tool = shown(&request.tool);
    let risk = format!("{} risk", shown(&request.risk));
    let about = format!("{tool} · asked {ago} ago by {by} · {risk} · {how}");
    let ink = if request.risk == "high" { Ink::Approval } else { Ink::Dim };
    let mut out = command(&request.command, theme, width, most.max(1));
    let missing = match (request.truncated, request.redacted) {
        (true, _) => Some("  this is its beginning only; the rest is at the agent"),
        (false, true) => Some("  something that looks like a secret is hidden here"),
        (false, false) => None,
    };
    if let Some(text) = missing {
        out.push(Line::from(span(text, theme.style(Ink::Approval))));
    }
    out.push(Line::from(span(fit(&about, width), theme.style(ink))));
    out
}

/// A command on as many lines as it needs, at most `most` of them. Only its first line has a `$`,
/// so that one command never looks like two.
pub(crate) fn command(text: &str, theme: Theme, width: usize, most: usize) -> Vec<Line<'static>> {
    let lines = wrapped(text, width.saturating_sub(2), usize::MAX);
    let over = lines.len().saturating_sub(most);
    let shown = lines.into_iter().take(most).enumerate();
    let mut out: Vec<Line<'static>> = shown
        .map(|(number, text)| {
            let mark = if number == 0 { "$ " } else { "  " };
            Line::from(vec![span(mark, theme.style(Ink::Dim)), span(text, theme.style(Ink::Bold))])
        })
        .collect();
    if over > 0 {
        let more = format!("  … {over} more lines; 2 shows all of it");
        out.push(Line::from(span(more, theme.style(Ink::Question))));
    }
    out
}

/// True if a line is the first of a command.
pub(crate) fn is_command(line: &Line<'_>) -> bool {
    line.spans.first().is_some_and(|it| it.content == "$ ")
}

/// The evidence of the status, strongest first.
pub(crate) fn evidence(state: &State, width: usize) -> Vec<Line<'static>> {
    let theme = state.theme;
    let Some(it) = &state.details.explanation else { return Vec::new() };
    let mut out = vec![Line::from(span(
        fit(&format!("because {} · {}", it.rule, it.confidence.as_str()), width),
        theme.style(Ink::Dim),
    ))];
    for row in it.evidence.iter().filter(|it| it.decided).take(EVIDENCE) {
        let ago = when::ago(row.at, state.now);
        let (source, kind) = (row.source.as_str(), shown(&row.kind));
        let text = format!("  {ago:>4} {source} {kind} {} {}", row.says, shown(&row.detail));
        out.push(Line::from(span(fit(&text, width), theme.style(Ink::Dim))));
    }
    out
}

/// The sub-agents of a session, as a tree.
pub(crate) fn sub_agents(state: &State, session: &Session, width: usize) -> Vec<Line<'static>> {
    let all = state.sessions.sub_agents(session.id);
    let mut out = Vec::new();
    let from = all.len().saturating_sub(4);
    for (number, id) in all.iter().enumerate().skip(from) {
        let Some(worker) = state.sessions.get(*id) else { continue };
        let branch = if number + 1 == all.len() { "└ " } else { "├ " };
        let title = worker.title.as_deref().map_or("(no title)".to_owned(), shown);
        out.push(Line::from(vec![
            span(branch, state.theme.style(Ink::Dim)),
            span(table::shape(worker).to_string(), state.theme.style(ink_of(worker))),
            span(fit(&format!(" {title}"), width.saturating_sub(3)), state.theme.style(Ink::Plain)),
        ]));
    }
    out
}
