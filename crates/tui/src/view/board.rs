//! The board: every session, grouped by who must act.

use crate::paint::text::span;
use crate::paint::theme::{Ink, ink_of};
use crate::paint::{Painter, left_right};
use crate::state::{Link, State};
use crate::table;
use crate::terminal::{fit, pad, shown};
use crate::view::layout::{Head, Row, rows};
use crate::view::peek;
use crate::view::welcome;
use crate::when;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use taffrail_api::Session;
use taffrail_model::SessionId;
use taffrail_model::status::{Group, WaitingKind};

/// From this width on, the peek is shown to the right.
const WIDE: u16 = 120;
/// From this width on, the peek gets nearly half.
const WIDER: u16 = 160;
/// Columns of a session's name and of its agent.
const NAME: usize = 14;
const WIDE_NAME: usize = 22;
/// From this row width on, names may be long.
const ROOMY: usize = 90;
const AGENT: usize = 9;
/// The widest name of a device.
const DEVICE: usize = 10;
/// The widest remark on a session, and the widest list of its tags.
const FOUND: usize = 15;
const TAGS: usize = 12;
/// Columns of an age.
const AGE: usize = 4;

/// The layout of the board.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) list: Rect,
    pub(crate) rows: Vec<Row>,
    pub(crate) peek: Rect,
    pub(crate) lines: Vec<Line<'static>>,
    pub(crate) is_wide: bool,
}

/// Lays out the board for the current screen.
pub(crate) fn plan(state: &State) -> Plan {
    let (width, height) = state.size;
    let below_it = welcome::height(state);
    let body = Rect::new(0, 1, width, height.saturating_sub(2 + below_it));
    let is_wide = width >= WIDE;
    let (list, peek, lines) = if is_wide { beside(state, body) } else { below(state, body) };
    let rows = rows(&state.sessions, state.chosen, usize::from(list.height));
    Plan { list, rows, peek, lines, is_wide }
}

fn beside(state: &State, body: Rect) -> (Rect, Rect, Vec<Line<'static>>) {
    // Titles need more room than the details do.
    let left = match body.width {
        WIDER.. => body.width * 11 / 20,
        _ => body.width * 3 / 5,
    };
    let list = Rect { width: left.saturating_sub(1), ..body };
    let peek = Rect { x: left + 2, width: body.width.saturating_sub(left + 2), ..body };
    let lines = peek::whole(state, usize::from(peek.width), usize::from(peek.height));
    (list, peek, lines)
}

/// The peek takes what it needs, but leaves room for the groups.
fn below(state: &State, body: Rect) -> (Rect, Rect, Vec<Line<'static>>) {
    let most = body.height.saturating_sub(7).min(body.height / 2);
    let width = usize::from(body.width).saturating_sub(2);
    let lines = peek::short(state, width, usize::from(most.saturating_sub(2)));
    let taken = u16::try_from(lines.len()).unwrap_or(most);
    // One free line above and one below.
    let taken = if taken == 0 { 0 } else { (taken + 2).min(most) };
    let list = Rect { height: body.height - taken, ..body };
    let peek = Rect {
        x: body.x + 1,
        y: list.bottom() + 1,
        width: body.width.saturating_sub(2),
        height: taken.saturating_sub(2),
    };
    (list, peek, lines)
}

/// Draws the board.
pub(crate) fn draw(state: &State, painter: &mut Painter<'_>) {
    let plan = plan(state);
    if state.sessions.len() == 0 {
        empty(state, painter, plan.list);
    }
    for (number, row) in (0..).zip(&plan.rows) {
        let area = Rect { y: plan.list.y + number, height: 1, ..plan.list };
        match row {
            Row::Heads(heads) => painter.line(area, &heads_line(state, heads, area.width)),
            Row::Session(id) => session(state, painter, area, *id),
            Row::Blank => {}
        }
    }
    let lines = welcome::height(state);
    let below_it = Rect::new(0, state.size.1.saturating_sub(1 + lines), state.size.0, lines);
    welcome::draw(state, painter, below_it);
    if plan.is_wide {
        let at = plan.list.right() + 1;
        painter.rule_down(Rect { x: at, width: 1, ..plan.list }, Ink::Dim);
    }
    for (number, line) in (0..).zip(&plan.lines) {
        if number < plan.peek.height {
            painter.line(Rect { y: plan.peek.y + number, height: 1, ..plan.peek }, line);
        }
    }
}

/// A machine without sessions: the reason, and what to do.
fn empty(state: &State, painter: &mut Painter<'_>, list: Rect) {
    let lines: [&str; 3] = match &state.link {
        Link::Waiting => ["Looking for sessions …", "", ""],
        Link::Lost(_) if state.host.is_some() => {
            ["The host does not answer.", "The board connects again by itself.", ""]
        }
        Link::Lost(_) => [
            "No daemon answers.",
            "The board keeps trying to connect.",
            "Next: taffrail daemon logs",
        ],
        Link::Up if state.reads.is_some() => ["Reading your history …", "", ""],
        Link::Up => [
            "No sessions in the last 24 hours.",
            "Older ones: / searches all history, taffrail ls --all lists it.",
            "Next: start an agent, or see taffrail agents and taffrail doctor",
        ],
    };
    for (number, text) in (0..).zip(lines) {
        let area = Rect { x: 2, y: list.bottom().saturating_sub(4) + number, height: 1, ..list };
        if area.y > list.y + 5 {
            painter.line(area, &Line::from(span(text, state.theme.style(Ink::Dim))));
        }
    }
}

fn heads_line(state: &State, heads: &[Head], width: u16) -> Line<'static> {
    let width = usize::from(width).saturating_sub(1);
    let count = heads.len().max(1);
    let each = width / count;
    let mut spans = vec![span(" ", state.theme.style(Ink::Plain))];
    for (number, head) in heads.iter().enumerate() {
        let room = if number + 1 == count { width - each * (count - 1) } else { each };
        let title = fit(&title(head), room.saturating_sub(2));
        let rule = room.saturating_sub(unicode_width::UnicodeWidthStr::width(title.as_str()) + 1);
        let ink = if head.group == Group::NeedsYou && head.count > 0 {
            Ink::Approval
        } else {
            Ink::Heading
        };
        let tail = if number + 1 == count {
            "─".repeat(rule)
        } else {
            format!("{} ", "─".repeat(rule.saturating_sub(1)))
        };
        spans.push(span(title, state.theme.style(ink)));
        spans.push(span(" ", state.theme.style(Ink::Plain)));
        spans.push(span(tail, state.theme.style(Ink::Dim)));
    }
    Line::from(spans)
}

/// The heading of a group: its name, its count, and which sessions are visible if not all are.
fn title(head: &Head) -> String {
    let name = table::heading(head.group);
    let (first, shown) = head.shown;
    match head.count {
        0 => format!("{name} (0)"),
        count if shown == 0 => format!("{name} ({count})"),
        count if shown == 1 && count > 1 => format!("{name} ({count}) ─ {}", first + 1),
        count if shown < count => {
            format!("{name} ({count}) ─ {}–{}", first + 1, (first + shown).min(count))
        }
        count => format!("{name} ({count})"),
    }
}

fn session(state: &State, painter: &mut Painter<'_>, area: Rect, id: SessionId) {
    let Some(session) = state.sessions.get(id) else { return };
    let chosen = state.chosen == Some(id);
    if chosen {
        painter.background(area, state.theme.background());
    }
    painter.line(area, &row(state, session, usize::from(area.width), chosen));
}

/// The width of a name in a row of this width.
pub(crate) fn name_width(width: usize) -> usize {
    if width >= ROOMY { WIDE_NAME } else { NAME }
}

/// One session on one line.
pub(crate) fn row(state: &State, session: &Session, width: usize, chosen: bool) -> Line<'static> {
    let theme = state.theme;
    let plain = theme.style(if chosen { Ink::Chosen } else { Ink::Plain });
    let request = state.request_of(session.id);
    let fresh = request.is_some_and(|it| state.is_fresh(&it.id));
    let shape = theme.style(if fresh { Ink::Fresh } else { ink_of(session) });
    let name = name_width(width);
    let left = Line::from(vec![
        span(if chosen { "▸" } else { " " }, plain),
        span(table::shape(session).to_string(), shape),
        mark(state, session),
        span(pad(&table::project(session), name), plain),
        span(" ", plain),
        span(pad(table::short(&session.agent), AGENT), theme.style(Ink::Dim)),
        span(" ", plain),
        span(what(state, session), plain),
    ]);
    let mut right = Vec::new();
    if let Some(device) = table::elsewhere(session) {
        right.push(span(format!(" {}", fit(&device, DEVICE)), theme.style(Ink::Dim)));
    }
    right.extend(remarks(state, session));
    if request.is_some_and(|it| it.risk == "high") {
        right.push(span(" risky ", theme.style(Ink::Approval)));
    }
    right.push(span(format!(" {:>AGE$}", age(state, session)), theme.style(Ink::Dim)));
    left_right(left, Line::from(right), width)
}

/// What was found about a session, and its tags; each keeps a part of the row only.
fn remarks(state: &State, session: &Session) -> Vec<Span<'static>> {
    let remark = |text: Option<String>, room, ink| {
        text.map(|it| span(format!(" {}", fit(&it, room)), state.theme.style(ink)))
    };
    let found = remark(table::found(session), FOUND, Ink::Question);
    let tags = remark(table::tags(session), TAGS, Ink::Dim);
    found.into_iter().chain(tags).collect()
}

/// The mark of a marked session; otherwise the sign of an uncertain status.
fn mark(state: &State, session: &Session) -> Span<'static> {
    match state.marked.contains(&session.id) {
        true => span("+", state.theme.style(Ink::Bold)),
        false => span(table::doubt(session).to_string(), state.theme.style(Ink::Dim)),
    }
}

fn age(state: &State, session: &Session) -> String {
    let since = session.status_since.filter(|_| session.group != Group::Done);
    let at = since.or(session.last_event_at);
    at.map_or("?".to_owned(), |at| when::ago(at, state.now))
}

/// What the session waits for or does, in one line.
fn what(state: &State, session: &Session) -> String {
    let waiting = session.waiting_for.as_ref().filter(|it| !it.text.is_empty());
    let title = session.auto_title.as_deref().or(session.title.as_deref());
    let title = || title.map(shown).filter(|it| !it.is_empty());
    let known = || title().unwrap_or_else(|| "(no title)".to_owned());
    // A summary from before the current status says nothing about it.
    let summary =
        state.sessions.summary(session.id).filter(|_| state.sessions.is_summed_up(session));
    if let Some(words) = table::imported(session) {
        return format!("{words} · {}", known());
    }
    match (session.group, waiting.map(|it| (it.kind, shown(&it.text)))) {
        (_, Some((WaitingKind::Approval, text))) => format!("run  {text}"),
        (_, Some((WaitingKind::Question, text))) => format!("asks \"{text}\""),
        (Group::Working, _) => with_workers(
            state,
            session,
            match state.sessions.doing(session.id) {
                Some(doing) => doing.to_owned(),
                None => summary
                    .map(|it| shown(&it.current))
                    .filter(|it| !it.is_empty())
                    .unwrap_or_else(known),
            },
        ),
        (Group::YourTurn, _) => {
            let recent = summary.map(|it| shown(&it.recent)).filter(|it| !it.is_empty());
            recent.unwrap_or_else(known)
        }
        _ => known(),
    }
}

fn with_workers(state: &State, session: &Session, text: String) -> String {
    let works =
        |id: &&SessionId| state.sessions.get(**id).is_some_and(|it| it.group == Group::Working);
    match state.sessions.sub_agents(session.id).iter().filter(works).count() {
        0 => text,
        1 => format!("{text} · 1 sub-agent"),
        count => format!("{text} · {count} sub-agents"),
    }
}
