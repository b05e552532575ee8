//! Whether the user is already looking at a session.

use taffrail_capture::{Focus, TmuxClient, clients};
use taffrail_context::{Settings, is_away};
use taffrail_run::servers_with;

/// The terminals that show tmux: those of the default servers, and of the servers that agents run
/// in.
pub(crate) fn terminals(settings: &Settings, executors: Vec<String>) -> Vec<TmuxClient> {
    clients(&servers_with(settings, executors))
}

/// The panes that the user looks at; none if the user is away, or the focus is unknown.
pub(crate) fn looked_at(settings: &Settings, executors: Vec<String>) -> Vec<String> {
    if is_away(settings) {
        return Vec::new();
    }
    let here = terminals(settings, executors).into_iter().filter(|it| it.focus == Focus::Here);
    here.map(|it| it.shows).collect()
}
