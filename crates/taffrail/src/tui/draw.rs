//! Everything that is known, as a screen: a function of the state and nothing else.

use super::keys::Place;
use super::paint::Pen;
use super::state::State;
use super::text::guard;
use super::{approvals, board, feed, footer, header, help, lists, reading, search, timeline};
use ratatui::buffer::Buffer;

/// The smallest screen anything is drawn on.
const SMALLEST: (u16, u16) = (20, 6);

/// Draws the screen; gives the place of the cursor, if it is to be seen.
pub(crate) fn draw(state: &State, buffer: &mut Buffer) -> Option<(u16, u16)> {
    let mut pen = Pen { buffer, theme: state.theme, cursor: None };
    if state.size.0 < SMALLEST.0 || state.size.1 < SMALLEST.1 {
        return None;
    }
    header::draw(state, &mut pen);
    match state.place {
        Place::Board => board::draw(state, &mut pen),
        Place::Transcript => reading::draw(state, &mut pen),
        Place::Search => search::draw(state, &mut pen),
        Place::Approvals => approvals::draw(state, &mut pen),
        Place::Feed => feed::draw(state, &mut pen),
        Place::Timeline => timeline::draw(state, &mut pen),
        Place::Findings => lists::findings(state, &mut pen),
        Place::Health => lists::health(state, &mut pen),
        Place::Commands => lists::commands(state, &mut pen),
        Place::Explain => lists::explain(state, &mut pen),
    }
    footer::draw(state, &mut pen);
    help::draw(state, &mut pen);
    let cursor = pen.cursor;
    guard(buffer);
    cursor
}
