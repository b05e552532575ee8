//! The first line: how many sessions need you, how full limits are, the cost, and the current screen.

use crate::gauge;
use crate::numbers::{cost, short};
use crate::paint::text::span;
use crate::paint::theme::Ink;
use crate::paint::{Painter, left_right};
use crate::state::host::Access;
use crate::state::keys::Screen;
use crate::state::{Link, State};
use crate::terminal::shown;
use crate::when::Clock;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use taffrail_model::status::Group;
use unicode_width::UnicodeWidthStr;

/// Draws the header.
pub(crate) fn draw(state: &State, painter: &mut Painter<'_>) {
    let theme = state.theme;
    let area = Rect::new(0, 0, state.size.0, 1);
    let mut left = vec![
        span(" taffrail", theme.style(Ink::Bold)),
        span(host(state), theme.style(Ink::Approval)),
        span(title(state), theme.style(Ink::Dim)),
        span("   ", theme.style(Ink::Plain)),
    ];
    left.extend(counts(state));
    let (left, width) = (Line::from(left), usize::from(area.width));
    let right = right(state, width.saturating_sub(left.width()));
    painter.line(area, &left_right(left, Line::from(right), width));
}

/// The host that is shown, and what the board may do there.
fn host(state: &State) -> String {
    state.host.as_ref().map_or_else(String::new, |it| match it.access {
        Access::Read => format!(" on {}, read-only", shown(&it.name)),
        Access::Answer => format!(" on {}", shown(&it.name)),
    })
}

fn title(state: &State) -> String {
    match state.screen {
        Screen::Board if !state.filter.text.is_empty() => {
            format!(" / {}", shown(&state.filter.text))
        }
        Screen::Board => String::new(),
        Screen::Transcript => " / session".to_owned(),
        Screen::Search => " / search".to_owned(),
        Screen::Approvals => " / approvals".to_owned(),
        Screen::Feed => " / feed".to_owned(),
        Screen::Timeline => " / timeline".to_owned(),
        Screen::Findings => " / findings".to_owned(),
        Screen::Health => " / health".to_owned(),
        Screen::Commands => " / commands".to_owned(),
        Screen::Explain => " / explain".to_owned(),
    }
}

fn counts(state: &State) -> Vec<Span<'static>> {
    let theme = state.theme;
    let count = |group| state.sessions.counts(group);
    let needs = count(Group::NeedsYou);
    let (ink, words) = match needs {
        0 => (Ink::Dim, "nothing needs you".to_owned()),
        1 => (Ink::Approval, "1 needs you".to_owned()),
        many => (Ink::Approval, format!("{many} need you")),
    };
    let mut out = vec![span(words, theme.style(ink))];
    for (group, word, ink) in
        [(Group::Working, "working", Ink::Running), (Group::YourTurn, "your turn", Ink::YourTurn)]
    {
        if count(group) > 0 {
            out.push(span(" · ", theme.style(Ink::Dim)));
            out.push(span(format!("{} {word}", count(group)), theme.style(ink)));
        }
    }
    let failed = state.sessions.recent_failures(state.now);
    if failed > 0 {
        out.push(span(" · ", theme.style(Ink::Dim)));
        out.push(span(format!("✕ {failed} failed"), theme.style(Ink::Failed)));
    }
    if !state.marked.is_empty() {
        out.push(span(" · ", theme.style(Ink::Dim)));
        out.push(span(format!("{} marked", state.marked.len()), theme.style(Ink::Bold)));
    }
    out
}

fn right(state: &State, room: usize) -> Vec<Span<'static>> {
    let theme = state.theme;
    if let Link::Lost(_) = state.link {
        let text = match &state.host {
            Some(host) => format!(" {} does not answer; connecting again ", shown(&host.name)),
            None => " no daemon answers; looking again ".to_owned(),
        };
        return vec![span(text, theme.style(Ink::Failed))];
    }
    if let Some(reads) = state.reads {
        let text = format!(" Reading your history {} % ", reads.percent);
        return vec![span(text, theme.style(Ink::Running))];
    }
    let spent = spent(state);
    let columns = Line::from(spent.clone()).width();
    match (limits(state, room.saturating_sub(columns)), limits(state, room)) {
        (Some(limits), _) => std::iter::once(limits).chain(spent).collect(),
        // A limit stops work, and a cost does not.
        (None, Some(limits)) => vec![limits],
        (None, None) => spent,
    }
}

/// The pace of tokens, and the cost of the day.
fn spent(state: &State) -> Vec<Span<'static>> {
    let theme = state.theme;
    let mut out = Vec::new();
    if let Some(rate) = state.pace.rate() {
        out.push(span(format!(" {} ", state.pace.bars()), theme.style(Ink::Running)));
        out.push(span(format!("{} tok/min ", short(rate)), theme.style(Ink::Dim)));
    }
    if state.pace.today.is_some_and(|it| it > 0) {
        let today = cost(state.pace.today, state.pace.reported, 0);
        out.push(span(format!("  {today} today "), theme.style(Ink::Dim)));
    }
    out
}

/// How full the limits are, in the widest text that fits.
fn limits(state: &State, room: usize) -> Option<Span<'static>> {
    let clock = Clock { now: state.now, zone: state.zone.clone() };
    let texts = gauge::texts(&state.limits.gauges, &clock).into_iter();
    let text = texts.map(|it| format!(" {it} ")).find(|it| it.width() < room)?;
    let first = gauge::fullest(&state.limits.gauges, state.now).first().copied()?;
    let ink = match first.used_percent {
        _ if first.is_stale(state.now) => Ink::Dim,
        ..80 => Ink::Dim,
        80..95 => Ink::Approval,
        95.. => Ink::Failed,
    };
    Some(span(text, state.theme.style(ink)))
}
