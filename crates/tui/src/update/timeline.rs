//! The zoom of the timeline, and when its activity is requested again.

use crate::state::State;
use crate::state::message::Ask;
use taffrail_model::Timestamp;

/// The spans in minutes.
const SPANS: [u32; 4] = [30, 120, 360, 24 * 60];

/// The shortest time between two requests.
const AGAIN_MS: i64 = 10_000;

/// The direction of a zoom.
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

/// Requests the activity of the span.
pub(crate) fn begin(state: &mut State) {
    state.times.is_stale = false;
    state.times.asked_at = Some(state.now);
    state.ask(Ask::Activity(state.times.span));
}

/// Requests it again if something happened since.
pub(crate) fn look(state: &mut State) {
    let passed = |at: Timestamp| state.now.as_millisecond() - at.as_millisecond();
    let is_due = state.times.asked_at.is_none_or(|at| passed(at) >= AGAIN_MS);
    if state.times.is_stale && is_due {
        begin(state);
    }
}
