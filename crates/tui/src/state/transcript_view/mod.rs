//! The entries of the session that is read, and how far it is scrolled.

pub(crate) mod entries;

use crate::paint::theme::Theme;
use entries::{Entry, Reader, Tools, push, show};
use ratatui::text::Line;
use taffrail_model::{Event, EventId, SessionId};

/// The most events of a session that are read.
pub(crate) const EVENTS: usize = 5_000;

/// Lines above what was searched for.
pub(crate) const ABOVE: usize = 2;

/// So many lines below its beginning, an entry is shown from its beginning.
pub(crate) const NEAR: usize = 6;

/// What is read.
#[derive(Debug, Default)]
pub(crate) struct TranscriptView {
    pub(crate) id: Option<SessionId>,
    /// Its events are still to come.
    pub(crate) wants: bool,
    pub(crate) entries: Vec<Entry>,
    pub(crate) turns: usize,
    /// What the lines were made for.
    pub(crate) shown_for: Option<(usize, Theme, Tools)>,
    pub(crate) tools: Tools,
    /// The first line on the screen; the end where nothing says otherwise.
    pub(crate) top: Option<usize>,
    /// An event that was searched for.
    pub(crate) aim: Option<Aim>,
    /// More of it comes before what is shown.
    pub(crate) is_cut: bool,
    pub(crate) reader: Reader,
}

/// The event a session is opened at, and the words that led to it.
#[derive(Debug)]
pub(crate) struct Aim {
    pub(crate) event: EventId,
    pub(crate) words: Vec<String>,
    /// The whole text of the event: what is shown of it may be folded or cut.
    pub(crate) text: String,
}

impl TranscriptView {
    /// Takes what happens in the session while it is read.
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
            Tools::Folded => Tools::Open,
            Tools::Open => Tools::Folded,
        };
    }

    /// Makes lines of what has none yet.
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

    /// Goes to what was searched for. What its entry does not show by itself is added to it.
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
        // What it belongs to is in sight, too, where both fit.
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

    /// The first line on a screen so many lines high.
    pub(crate) fn first(&self, height: usize) -> usize {
        let last = self.count().saturating_sub(height);
        self.top.map_or(last, |top| top.min(last))
    }
}

/// Whether a line has one of these words.
pub(crate) fn fits(line: &Line<'_>, words: &[String]) -> bool {
    let text: String = line.spans.iter().map(|it| it.content.as_ref()).collect();
    has(&text, words)
}

pub(crate) fn has(text: &str, words: &[String]) -> bool {
    let text = text.to_lowercase();
    words.iter().any(|it| text.contains(it.as_str()))
}

/// A few lines of a text around the first with one of these words; its beginning where none has.
pub(crate) fn around(text: &str, words: &[String]) -> Vec<String> {
    let at = text.lines().position(|it| has(it, words)).unwrap_or_default();
    let from = at.saturating_sub(ABOVE);
    text.lines().skip(from).take(2 * ABOVE + 1).map(str::to_owned).collect()
}
