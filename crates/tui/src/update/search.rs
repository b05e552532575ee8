//! Typing a search: the board is filtered at once, history is queried one request at a time.

use crate::state::State;
use crate::state::filter::Filter;
use crate::state::input::Input;
use crate::state::keys::{Action, Screen};
use crate::state::message::Ask;
use crate::state::search::{Context, Weak};
use crate::update::movement::{Step, step};
use crate::update::transcript;
use taffrail_api::{SearchReply, Window};
use taffrail_model::{EventId, SessionId};

/// Sessions of the board that are shown above the hits.
const SESSIONS: usize = 5;

/// Opens the search with the previous query.
pub(crate) fn begin(state: &mut State) {
    if state.screen != Screen::Search {
        state.search.input = Input::default();
        state.search.show(Weak::Counted);
    }
    state.go(Screen::Search);
    typed(state);
}

/// Handles a key; `false` if the search box does not use it.
pub(crate) fn press(state: &mut State, key: &str) -> bool {
    match key {
        "esc" => return false,
        "enter" => {
            state.log(Action::Search);
            transcript::open(state);
        }
        "down" | "tab" | "ctrl-n" => step(state, Step::By(1)),
        "up" | "ctrl-p" => step(state, Step::By(-1)),
        "pagedown" => step(state, Step::Half(1)),
        "pageup" => step(state, Step::Half(-1)),
        "ctrl-a" => toggle_weak(state),
        key => {
            if state.search.input.press(key) {
                typed(state);
            }
        }
    }
    true
}

/// Shows the weak matches, or only counts them.
fn toggle_weak(state: &mut State) {
    let search = &mut state.search;
    search.show(match search.weak {
        Weak::Counted => Weak::Shown,
        Weak::Shown => Weak::Counted,
    });
    search.at = search.at.min((search.sessions.len() + search.hits.len()).saturating_sub(1));
}

/// Requests the events around the chosen hit, one request at a time.
pub(crate) fn look(state: &mut State) {
    let Some((id, of)) = state.search.hit().map(|it| (it.session_id, it.event_id)) else { return };
    let is_known = state.search.context.as_ref().is_some_and(|it| it.of == of);
    if is_known || state.under_way.iter().any(|it| matches!(it, Ask::Around { .. })) {
        return;
    }
    state.search.context = Some(Context { of, window: None });
    state.ask(Ask::Around { id, event: of });
}

/// Takes the events around a hit.
pub(crate) fn around(state: &mut State, id: SessionId, event: EventId, window: Window) {
    state.came(&Ask::Around { id, event });
    if let Some(context) = state.search.context.as_mut().filter(|it| it.of == event) {
        context.window = Some(window);
    }
}

/// Handles a change of the query: filters the board at once, and queries history one request at a
/// time.
pub(crate) fn typed(state: &mut State) {
    let filter = Filter::read(&state.search.input.text);
    state.search.at = 0;
    state.search.sessions = match filter.is_empty() {
        true => Vec::new(),
        false => {
            let fits = |id: &SessionId| {
                let session = state.sessions.get(*id);
                session.is_some_and(|it| filter.fits(it, state.sessions.doing(*id)))
            };
            state.sessions.order().filter(fits).take(SESSIONS).collect()
        }
    };
    ask(state);
}

fn ask(state: &mut State) {
    let text = state.search.input.text.trim().to_owned();
    let search = &mut state.search;
    if text.is_empty() {
        search.fill(Vec::new(), 0);
        (search.answered, search.total) = (None, (0, false));
        return;
    }
    if search.asked.is_some() || search.answered.as_ref() == Some(&text) {
        return;
    }
    search.asked = Some(text.clone());
    state.ask(Ask::Search { query: text });
}

/// Takes the hits; if the query changed in the meantime, requests the next.
pub(crate) fn found(state: &mut State, query: &str, reply: SearchReply) {
    state.came(&Ask::Search { query: query.to_owned() });
    let search = &mut state.search;
    search.asked = None;
    search.total = (reply.total, reply.total_is_at_least);
    search.fill(reply.hits, reply.weaker);
    search.answered = Some(query.to_owned());
    search.why_not = None;
    search.at = search.at.min((search.sessions.len() + search.hits.len()).saturating_sub(1));
    ask(state);
}

/// Handles a query that the daemon refused.
pub(crate) fn refused(state: &mut State, query: &str, why: &str) {
    state.search.asked = None;
    state.search.answered = Some(query.to_owned());
    state.search.fill(Vec::new(), 0);
    state.search.why_not = Some(why.to_owned());
    ask(state);
}
