//! Whether a person looks at a session already.

use taffrail_capture::{Focus, TmuxClient, clients};
use taffrail_context::{Settings, is_away};
use taffrail_run::servers_with;

/// The terminals tmux is shown on: those of the usual servers, and of the servers agents run in.
pub(crate) fn terminals(settings: &Settings, executors: Vec<String>) -> Vec<TmuxClient> {
    clients(&servers_with(settings, executors))
}

/// The panes that are looked at; none where the user is away, or nobody says so.
pub(crate) fn looked_at(settings: &Settings, executors: Vec<String>) -> Vec<String> {
    if is_away(settings) {
        return Vec::new();
    }
    let here = terminals(settings, executors).into_iter().filter(|it| it.focus == Focus::Here);
    here.map(|it| it.shows).collect()
}
