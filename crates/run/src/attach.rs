//! Shows the tmux pane that a session runs in.

use std::path::{Path, PathBuf};
use taffrail_capture::PaneName;

/// A pane and its server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PanePlace {
    /// The socket of the server.
    pub socket: PathBuf,
    /// The pane, as `%3`.
    pub pane: String,
}

impl PanePlace {
    /// The pane that an executor names; `None` if it names something else.
    #[must_use]
    pub fn of(executor: &str) -> Option<Self> {
        let name = PaneName::of(executor)?;
        Some(Self { socket: name.server().to_owned(), pane: name.id().to_owned() })
    }

    /// The command that shows the pane. `inside` is the tmux server of this terminal, if any: on
    /// that server the command switches to the pane, elsewhere it attaches.
    #[must_use]
    pub fn command(&self, inside: Option<&Path>) -> Vec<String> {
        let socket = self.socket.to_string_lossy().into_owned();
        let pane = self.pane.as_str();
        let words: &[&str] = match inside.is_some_and(|it| is_same(it, &self.socket)) {
            true => &["switch-client", "-t", pane],
            // Attaching alone shows whichever window the session was left at.
            false => &[
                "select-window",
                "-t",
                pane,
                ";",
                "select-pane",
                "-t",
                pane,
                ";",
                "attach-session",
                "-t",
                pane,
            ],
        };
        let begin = ["tmux".to_owned(), "-S".to_owned(), socket];
        begin.into_iter().chain(words.iter().map(|it| (*it).to_owned())).collect()
    }
}

/// The tmux server of this terminal, from the variable that tmux sets.
#[must_use]
pub fn tmux_around(variable: Option<&str>) -> Option<PathBuf> {
    let socket = variable?.split(',').next().filter(|it| !it.is_empty())?;
    Some(PathBuf::from(socket))
}

/// Whether two paths lead to the same socket.
fn is_same(one: &Path, other: &Path) -> bool {
    let real = |it: &Path| it.canonicalize().unwrap_or_else(|_| it.to_owned());
    real(one) == real(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_server_switches_and_another_is_attached() {
        let place = PanePlace::of("tmux:/x/sock:%7").unwrap();
        let check = |variable: Option<&str>, expected: &str| {
            let inside = tmux_around(variable);
            assert_eq!(place.command(inside.as_deref()).join(" "), expected, "{variable:?}");
        };
        let attach =
            "tmux -S /x/sock select-window -t %7 ; select-pane -t %7 ; attach-session -t %7";
        check(None, attach);
        check(Some(""), attach);
        check(Some("/y/sock,12,0"), attach);
        check(Some("/x/sock,12,0"), "tmux -S /x/sock switch-client -t %7");
        assert_eq!(PanePlace::of("process:12"), None);
        assert_eq!(PanePlace::of("tmux:nonsense"), None);
    }
}
