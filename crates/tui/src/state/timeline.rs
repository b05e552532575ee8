//! The time on the screen of the timeline, and what is known of it.

use crate::state::State;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use taffrail_api::{Activity, Lane, Session};
use taffrail_model::{SessionId, Timestamp};

/// Which time is on the screen, and what is known of it.
#[derive(Debug)]
pub(crate) struct Times {
    /// Minutes.
    pub(crate) span: u32,
    /// Activity by minutes: a longer span holds a shorter one, too.
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

    /// Takes what that many minutes went to.
    pub(crate) fn take(&mut self, span: u32, activity: Box<Activity>) {
        self.activity.insert(span, activity);
    }

    /// Something happened.
    pub(crate) fn disturb(&mut self) {
        self.is_stale = true;
    }

    /// What is known of a session in the time on the screen. Until the activity of just this span is known,
    /// that of a longer span serves.
    pub(crate) fn lane(&self, id: SessionId) -> Option<&Lane> {
        let (_, activity) = self.activity.range(self.span..).next()?;
        activity.lanes.iter().find(|it| it.session.id == id)
    }

    /// The most time that is known of.
    pub(crate) fn widest(&self) -> &[Lane] {
        self.activity.last_key_value().map(|(_, it)| it.lanes.as_slice()).unwrap_or_default()
    }
}

/// The sessions of the time on the screen, the latest first.
pub(crate) fn lanes(state: &State) -> Vec<&Session> {
    let begin = state.times.begin(state.now);
    let of_late = |it: &&Session| it.last_event_at.is_some_and(|at| at.as_millisecond() >= begin);
    let mut out: Vec<&Session> =
        state.sessions.all().filter(|it| it.parent_id.is_none()).filter(of_late).collect();
    out.sort_by_key(|it| (it.group, Reverse(it.last_event_at), it.id));
    out
}
