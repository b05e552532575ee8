//! Whether a person looks at a session already.

use crate::{Settings, is_away};
use std::path::{Path, PathBuf};
use taffrail_capture::{Focus, TmuxClient, clients, tmux_sockets, tmux_sockets_below};

/// The terminals tmux is shown on.
pub(super) fn terminals(settings: &Settings) -> Vec<TmuxClient> {
    clients(&sockets(settings))
}

fn sockets(settings: &Settings) -> Vec<PathBuf> {
    let mut out = tmux_sockets();
    let below = settings.variables.get("TMUX_TMPDIR").map(|it| tmux_sockets_below(Path::new(it)));
    out.extend(below.unwrap_or_default());
    out.sort();
    out.dedup();
    out
}

/// The panes that are looked at; none where the user is away, or nobody says so.
pub(super) fn looked_at(settings: &Settings) -> Vec<String> {
    if is_away(settings) {
        return Vec::new();
    }
    let here = terminals(settings).into_iter().filter(|it| it.focus == Focus::Here);
    here.map(|it| it.shows).collect()
}
