//! The first line: how many sessions need you, the cost, and the current screen.

use crate::numbers::{dollars, short};
use crate::paint::text::span;
use crate::paint::theme::Ink;
use crate::paint::{Painter, left_right};
use crate::state::keys::Screen;
use crate::state::{Link, State};
use crate::terminal::shown;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use taffrail_model::status::Group;

/// Draws the header.
pub(crate) fn draw(state: &State, painter: &mut Painter<'_>) {
    let theme = state.theme;
    let area = Rect::new(0, 0, state.size.0, 1);
    let mut left = vec![
        span(" taffrail", theme.style(Ink::Bold)),
        span(title(state), theme.style(Ink::Dim)),
        span("   ", theme.style(Ink::Plain)),
    ];
    left.extend(counts(state));
    let right = right(state);
    painter.line(area, &left_right(Line::from(left), Line::from(right), usize::from(area.width)));
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

fn right(state: &State) -> Vec<Span<'static>> {
    let theme = state.theme;
    if let Link::Lost(_) = state.link {
        return vec![span(" no daemon answers; looking again ", theme.style(Ink::Failed))];
    }
    if let Some(reads) = state.reads {
        let text = format!(" Reading your history {} % ", reads.percent);
        return vec![span(text, theme.style(Ink::Running))];
    }
    let mut out = Vec::new();
    if let Some(rate) = state.pace.rate() {
        out.push(span(format!(" {} ", state.pace.bars()), theme.style(Ink::Running)));
        out.push(span(format!("{} tok/min ", short(rate)), theme.style(Ink::Dim)));
    }
    if state.pace.today.is_some_and(|it| it > 0) {
        out.push(span(format!("  {} today ", dollars(state.pace.today)), theme.style(Ink::Dim)));
    }
    out
}
