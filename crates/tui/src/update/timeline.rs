//! The zoom of the timeline, and when its activity is asked for again.

use crate::state::State;
use crate::state::message::Ask;
use taffrail_model::Timestamp;

/// Minutes that can be on the screen.
const SPANS: [u32; 4] = [30, 120, 360, 24 * 60];

/// What is new is asked for at most this often.
const AGAIN_MS: i64 = 10_000;

/// Less or more time on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Zoom {
    In,
    Out,
}

/// Shows less or more time.
pub(crate) fn zoom(state: &mut State, zoom: Zoom) {
    let at = SPANS.iter().position(|it| *it == state.times.span).unwrap_or_default();
    let next = match zoom {
        Zoom::In => at.checked_sub(1),
        Zoom::Out => at.checked_add(1),
    };
    if let Some(span) = next.and_then(|at| SPANS.get(at)) {
        state.times.span = *span;
        begin(state);
    }
}

/// Asks for what the time on the screen went to.
pub(crate) fn begin(state: &mut State) {
    state.times.is_stale = false;
    state.times.asked_at = Some(state.now);
    state.ask(Ask::Activity(state.times.span));
}

/// Asks again where something happened since.
pub(crate) fn look(state: &mut State) {
    let passed = |at: Timestamp| state.now.as_millisecond() - at.as_millisecond();
    let is_due = state.times.asked_at.is_none_or(|at| passed(at) >= AGAIN_MS);
    if state.times.is_stale && is_due {
        begin(state);
    }
}
