//! Events across all sessions, latest last.

use crate::feed_line::{FeedLine, FeedLines, of};
use std::collections::VecDeque;
use taffrail_model::{Event, EventId};

/// The most lines that are kept.
pub(crate) const KEPT: usize = 2_000;

/// The lines, latest last.
#[derive(Debug, Default)]
pub(crate) struct Feed {
    pub(crate) all: VecDeque<FeedLine>,
    pub(crate) is_filled: bool,
    pub(crate) lines: FeedLines,
}

impl Feed {
    /// Adds one event.
    pub(crate) fn push(&mut self, event: &Event) {
        let is_known = |id: EventId| self.all.iter().rev().take(256).any(|it| it.event_id == id);
        if of(event).is_none_or(|it| is_known(it.event_id)) {
            return;
        }
        self.all.extend(self.lines.take(event));
        if self.all.len() > KEPT {
            self.all.pop_front();
        }
    }

    /// Adds events from before the board started.
    pub(crate) fn fill(&mut self, events: &[Event]) {
        self.is_filled = true;
        let known: Vec<EventId> = self.all.iter().map(|it| it.event_id).collect();
        let mut lines = FeedLines::default();
        let old = events.iter().filter_map(|it| lines.take(it));
        let old = old.filter(|it| !known.contains(&it.event_id));
        let mut all: Vec<FeedLine> = old.chain(self.all.drain(..)).collect();
        all.sort_by_key(|it| it.at);
        let over = all.len().saturating_sub(KEPT);
        self.all = all.into_iter().skip(over).collect();
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// The line at a position, counted from the latest.
    pub(crate) fn at(&self, place: usize) -> Option<&FeedLine> {
        self.all.iter().rev().nth(place)
    }
}
