//! The entries of the open session, and its scroll position.

pub(crate) mod entries;

use crate::paint::theme::Theme;
use entries::{Entry, Reader, Tools, push, show};
use ratatui::text::Line;
use taffrail_model::{Event, EventId, SessionId};

/// The most events of a session that are loaded.
pub(crate) const EVENTS: usize = 5_000;

/// Lines shown above a search hit.
pub(crate) const ABOVE: usize = 2;

/// A hit at most this many lines into its entry is shown with the beginning of the entry.
pub(crate) const NEAR: usize = 6;

/// The open transcript.
#[derive(Debug, Default)]
pub(crate) struct TranscriptView {
    pub(crate) id: Option<SessionId>,
    /// The events have not arrived yet.
    pub(crate) wants: bool,
    pub(crate) entries: Vec<Entry>,
    pub(crate) turns: usize,
    /// The width, theme and mode that the lines were rendered for.
    pub(crate) shown_for: Option<(usize, Theme, Tools)>,
    pub(crate) tools: Tools,
    /// The first line on the screen; `None` follows the end.
    pub(crate) top: Option<usize>,
    /// The event to scroll to.
    pub(crate) aim: Option<Aim>,
    /// Earlier events exist that are not loaded.
    pub(crate) is_cut: bool,
    pub(crate) reader: Reader,
}

/// The event at which to open a session, and the words of the search.
#[derive(Debug)]
pub(crate) struct Aim {
    pub(crate) event: EventId,
    pub(crate) words: Vec<String>,
    /// The full text of the event: the entry may be collapsed or cut.
    pub(crate) text: String,
}

impl TranscriptView {
    /// Adds a new event of the open session.
    pub(crate) fn apply_event(&mut self, event: &Event) {
        if self.id != Some(event.session_id) || self.wants {
            return;
        }
        if self.entries.iter().rev().take(64).any(|it| it.event == event.id) {
            return;
        }
        let at = push(&mut self.entries, &mut self.turns, event, &self.reader);
        self.refresh(at);
    }

    /// Takes the events of the session.
    pub(crate) fn fill(&mut self, events: &[Event]) {
        (self.entries, self.turns) = (Vec::new(), 0);
        for event in events {
            push(&mut self.entries, &mut self.turns, event, &self.reader);
            if let Some(aim) = self.aim.as_mut().filter(|it| it.event == event.id) {
                aim.text = event.text.clone().unwrap_or_default();
            }
        }
        self.is_cut = events.len() >= EVENTS;
        self.wants = false;
        self.shown_for = None;
    }

    pub(crate) fn toggle(&mut self) {
        self.tools = match self.tools {
            Tools::Folded | Tools::Brief => Tools::Open,
            Tools::Open => Tools::Folded,
        };
    }

    /// Renders the entries that have no lines.
    pub(crate) fn lay_out(&mut self, width: usize, theme: Theme) {
        let wanted = (width, theme, self.tools);
        if self.shown_for != Some(wanted) {
            self.shown_for = Some(wanted);
            for entry in &mut self.entries {
                entry.lines = show(entry, width, theme, self.tools);
            }
        }
        if let Some(aim) = self.aim.take_if(|_| !self.wants) {
            self.go_to(&aim);
        }
    }

    /// Scrolls to the hit. Adds text to its entry that the entry does not show by itself.
    pub(crate) fn go_to(&mut self, aim: &Aim) {
        let Some(at) = self.entries.iter().position(|it| it.holds(aim.event)) else { return };
        let first = self.line_of(at);
        let fits = |it: &Line<'_>| fits(it, &aim.words);
        let is_shown = |it: &Entry| it.lines.iter().any(fits);
        if let Some(entry) = self.entries.get_mut(at).filter(|it| !is_shown(it)) {
            entry.found = around(&aim.text, &aim.words);
            self.refresh(Some(at));
        }
        let lines = self.entries.get(at).map(|it| it.lines.as_slice()).unwrap_or_default();
        let below = lines.iter().position(fits).unwrap_or_default();
        // The beginning of the entry is visible, too, if both fit.
        self.top = Some((first + below.saturating_sub(NEAR)).saturating_sub(ABOVE));
    }

    pub(crate) fn refresh(&mut self, at: Option<usize>) {
        let Some((width, theme, tools)) = self.shown_for else { return };
        if let Some(entry) = at.and_then(|at| self.entries.get_mut(at)) {
            entry.lines = show(entry, width, theme, tools);
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.entries.iter().map(|it| it.lines.len()).sum()
    }

    /// The first line of an entry.
    pub(crate) fn line_of(&self, entry: usize) -> usize {
        self.entries.iter().take(entry).map(|it| it.lines.len()).sum()
    }

    /// All lines, from the first to the last.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &Line<'static>> {
        self.entries.iter().flat_map(|it| &it.lines)
    }

    /// The first visible line on a screen of this height.
    pub(crate) fn first(&self, height: usize) -> usize {
        let last = self.count().saturating_sub(height);
        self.top.map_or(last, |top| top.min(last))
    }
}

/// True if a line contains one of these words.
pub(crate) fn fits(line: &Line<'_>, words: &[String]) -> bool {
    let text: String = line.spans.iter().map(|it| it.content.as_ref()).collect();
    has(&text, words)
}

pub(crate) fn has(text: &str, words: &[String]) -> bool {
    let text = text.to_lowercase();
    words.iter().any(|it| text.contains(it.as_str()))
}

/// A few lines of a text around the first match; its beginning if there is none.
pub(crate) fn around(text: &str, words: &[String]) -> Vec<String> {
    let at = text.lines().position(|it| has(it, words)).unwrap_or_default();
    let from = at.saturating_sub(ABOVE);
    text.lines().skip(from).take(2 * ABOVE + 1).map(str::to_owned).collect()
}
