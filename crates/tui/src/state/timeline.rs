//! The time span of the timeline, and its data.

use crate::state::State;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use taffrail_api::{Activity, Lane, Session};
use taffrail_model::{SessionId, Timestamp};

/// The time span on the screen, and its data.
#[derive(Debug)]
pub(crate) struct Times {
    /// Minutes.
    pub(crate) span: u32,
    /// Activity by span in minutes: a longer span includes a shorter one.
    pub(crate) activity: BTreeMap<u32, Box<Activity>>,
    pub(crate) is_stale: bool,
    pub(crate) asked_at: Option<Timestamp>,
}

impl Default for Times {
    fn default() -> Self {
        Self { span: 24 * 60, activity: BTreeMap::new(), is_stale: false, asked_at: None }
    }
}

impl Times {
    /// The first instant on the screen, in milliseconds.
    pub(crate) fn begin(&self, now: Timestamp) -> i64 {
        now.as_millisecond() - i64::from(self.span) * 60_000
    }

    /// Takes the activity of this many minutes.
    pub(crate) fn take(&mut self, span: u32, activity: Box<Activity>) {
        self.activity.insert(span, activity);
    }

    /// Marks the data as stale.
    pub(crate) fn disturb(&mut self) {
        self.is_stale = true;
    }

    /// The lane of a session on the screen. Until the activity of this very span arrives, that of a
    /// longer span is used.
    pub(crate) fn lane(&self, id: SessionId) -> Option<&Lane> {
        let (_, activity) = self.activity.range(self.span..).next()?;
        activity.lanes.iter().find(|it| it.session.id == id)
    }

    /// The lanes of the longest known span.
    pub(crate) fn widest(&self) -> &[Lane] {
        self.activity.last_key_value().map(|(_, it)| it.lanes.as_slice()).unwrap_or_default()
    }
}

/// The sessions on the screen, latest first.
pub(crate) fn lanes(state: &State) -> Vec<&Session> {
    let begin = state.times.begin(state.now);
    let recent = |it: &&Session| it.last_event_at.is_some_and(|at| at.as_millisecond() >= begin);
    let mut out: Vec<&Session> =
        state.sessions.all().filter(|it| it.parent_id.is_none()).filter(recent).collect();
    out.sort_by_key(|it| (it.group, Reverse(it.last_event_at), it.id));
    out
}
