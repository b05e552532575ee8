//! Typing a search: the board is filtered at once, history is queried one request at a time.

use crate::state::State;
use crate::state::filter::Filter;
use crate::state::input::Input;
use crate::state::keys::{Action, Screen};
use crate::state::message::Ask;
use crate::update::movement::{Step, step};
use crate::update::transcript;
use taffrail_api::SearchReply;
use taffrail_model::SessionId;

/// Sessions of the board that are shown above the hits.
const SESSIONS: usize = 5;

/// Opens the search with the previous query.
pub(crate) fn begin(state: &mut State) {
    if state.screen != Screen::Search {
        state.search.input = Input::default();
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
        key => {
            if state.search.input.press(key) {
                typed(state);
            }
        }
    }
    true
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
        (search.hits, search.answered, search.total) = (Vec::new(), None, (0, false));
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
    search.hits = reply.hits;
    search.answered = Some(query.to_owned());
    search.why_not = None;
    search.at = search.at.min((search.sessions.len() + search.hits.len()).saturating_sub(1));
    ask(state);
}

/// Handles a query that the daemon refused.
pub(crate) fn refused(state: &mut State, query: &str, why: &str) {
    state.search.asked = None;
    state.search.answered = Some(query.to_owned());
    state.search.hits.clear();
    state.search.why_not = Some(why.to_owned());
    ask(state);
}
