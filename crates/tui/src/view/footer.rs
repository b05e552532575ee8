//! The last line: the available keys, made from the table of keys; or the latest message.

use crate::paint::Painter;
use crate::paint::text::span;
use crate::paint::theme::Ink;
use crate::state::State;
use crate::state::elsewhere::refusal;
use crate::state::keys::{Action, Binding, KEYS, Screen, Visibility, sign};
use crate::table;
use crate::terminal::{fit, shown};
use ratatui::layout::Rect;
use ratatui::text::Line;
use taffrail_api::Session;
use unicode_width::UnicodeWidthStr;

/// A word in the footer, and its column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) action: Action,
    key: &'static str,
    word: &'static str,
    from: usize,
}

impl Word {
    fn width(&self) -> usize {
        self.key.width() + 1 + self.word.width()
    }

    /// True if a click at this column hits the word.
    pub(crate) fn covers(&self, column: usize) -> bool {
        (self.from..self.from + self.width()).contains(&column)
    }
}

/// The words that fit; help and quit always do.
pub(crate) fn words(state: &State) -> Vec<Word> {
    let below = KEYS
        .iter()
        .filter(|it| it.visibility == Visibility::Below && it.screens.contains(&state.screen));
    let mut all: Vec<Word> = below
        .filter(|it| is_of_use(state, it.action))
        .filter_map(|it| {
            let key = sign(it.keys.first()?);
            Some(Word { action: it.action, key, word: word_of(state, it), from: 0 })
        })
        .collect();
    let room = usize::from(state.size.0).saturating_sub(1);
    // Keys that work on every screen are dropped last.
    while all.len() > 2 && total(&all) > room {
        let at = all.iter().rposition(|it| !is_kept(it.action)).unwrap_or(0);
        all.remove(at);
    }
    let mut from = 1;
    for word in &mut all {
        word.from = from;
        from += word.width() + 2;
    }
    all
}

fn total(words: &[Word]) -> usize {
    words.iter().map(|it| it.width() + 2).sum()
}

fn is_kept(action: Action) -> bool {
    matches!(action, Action::Help | Action::Quit | Action::Approve | Action::Deny | Action::Search)
}

/// The word of a key, where it depends on the chosen session.
fn word_of(state: &State, binding: &Binding) -> &'static str {
    match binding.action {
        Action::Enter if state.session().is_some_and(|it| leads_to_pane(state, it)) => "go to pane",
        _ => binding.word,
    }
}

/// Keys that answer are shown only with a request, and reading has its own key only where Enter
/// does something else.
fn is_of_use(state: &State, action: Action) -> bool {
    if refusal(state, action).is_some() {
        return false;
    }
    match action {
        Action::Open if state.screen == Screen::Board => {
            state.session().is_some_and(|it| leads_to_pane(state, it))
        }
        Action::Approve | Action::Deny => {
            state.request().is_some() || (state.screen == Screen::Board && !state.marked.is_empty())
        }
        _ => true,
    }
}

/// Draws the footer.
pub(crate) fn draw(state: &State, painter: &mut Painter<'_>) {
    let (width, height) = state.size;
    let area = Rect::new(0, height.saturating_sub(1), width, 1);
    let theme = state.theme;
    if let Some(note) = &state.note {
        let ink = if note.is_bad { Ink::Question } else { Ink::Done };
        let text = fit(&format!(" {}", shown(&note.text)), usize::from(width).saturating_sub(10));
        let mut spans = vec![span(text, theme.style(ink))];
        let used = spans.iter().map(|it| it.content.width()).sum::<usize>();
        let gap = usize::from(width).saturating_sub(used + 8);
        spans.push(span(" ".repeat(gap), theme.style(Ink::Plain)));
        spans.push(span("? help", theme.style(Ink::Dim)));
        painter.line(area, &Line::from(spans));
        return;
    }
    let mut spans = vec![span(" ", theme.style(Ink::Plain))];
    for word in words(state) {
        spans.push(span(word.key, theme.style(Ink::Bold)));
        spans.push(span(format!(" {}  ", word.word), theme.style(Ink::Dim)));
    }
    if state.screen == Screen::Search {
        spans = vec![span(" ⏎ open  ↑↓ move  Esc back  ^u clear", theme.style(Ink::Dim))];
    }
    painter.line(area, &Line::from(spans));
}

/// True if a session runs in a tmux pane on this machine.
fn is_in_pane(session: &Session) -> bool {
    let in_tmux = session.executor.as_deref().is_some_and(|it| it.starts_with("tmux:"));
    in_tmux && table::elsewhere(session).is_none()
}

/// True if this board can go to the pane of a session.
pub(crate) fn leads_to_pane(state: &State, session: &Session) -> bool {
    state.host.is_none() && is_in_pane(session)
}
