//! The first line: how many need you, what is spent, and where we are.

use super::keys::Place;
use super::paint::{Pen, left_right};
use super::state::{Link, State};
use super::text::{shown, span};
use super::theme::Ink;
use crate::numbers::{dollars, short};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use taffrail_model::status::Group;

/// Draws it.
pub(crate) fn draw(state: &State, pen: &mut Pen<'_>) {
    let theme = state.theme;
    let area = Rect::new(0, 0, state.size.0, 1);
    let mut left = vec![
        span(" taffrail", theme.style(Ink::Bold)),
        span(title(state), theme.style(Ink::Dim)),
        span("   ", theme.style(Ink::Plain)),
    ];
    left.extend(counts(state));
    let right = right(state);
    pen.line(area, &left_right(Line::from(left), Line::from(right), usize::from(area.width)));
}

fn title(state: &State) -> String {
    match state.place {
        Place::Board if !state.filter.text.is_empty() => {
            format!(" / {}", shown(&state.filter.text))
        }
        Place::Board => String::new(),
        Place::Transcript => " / session".to_owned(),
        Place::Search => " / search".to_owned(),
        Place::Approvals => " / approvals".to_owned(),
        Place::Feed => " / feed".to_owned(),
        Place::Timeline => " / timeline".to_owned(),
        Place::Findings => " / findings".to_owned(),
        Place::Health => " / health".to_owned(),
        Place::Commands => " / commands".to_owned(),
        Place::Explain => " / explain".to_owned(),
    }
}

fn counts(state: &State) -> Vec<Span<'static>> {
    let theme = state.theme;
    let count = |group| state.fleet.counts(group);
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
