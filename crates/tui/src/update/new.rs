//! Starts an agent in tmux: the commands are shown first, and run when the user confirms them.

use crate::phrases::quoted;
use crate::state::input::Input;
use crate::state::message::Ask;
use crate::state::new::{Go, NewAgent, arguments};
use crate::state::{Overlay, State};
use crate::table;

/// Opens the line, with the agent and in the folder of the chosen session.
pub(crate) fn begin(state: &mut State) {
    let session = state.session().filter(|it| table::elsewhere(it).is_none());
    let folder = session.and_then(|it| it.project_path.clone());
    let agent = session.map(|it| format!("{} ", table::short(&it.agent))).unwrap_or_default();
    state.overlay = Overlay::New(NewAgent { folder, input: Input { text: agent }, commands: None });
}

/// Handles a key while the line is open.
pub(crate) fn press(state: &mut State, mut new: NewAgent, key: &str) {
    match key {
        "esc" => return state.say("nothing was started"),
        "enter" => {
            let Some(words) = arguments(&new.input.text, new.folder.as_deref()) else {
                return state.say("nothing was started");
            };
            if state.under_way.iter().any(|it| matches!(it, Ask::New { .. })) {
                state.overlay = Overlay::New(new);
                return;
            }
            if new.commands.is_some() {
                state.write_down(written(&words));
                state.say("starting …");
                return state.ask(Ask::New { words, go: Go::Start });
            }
            state.ask(Ask::New { words, go: Go::Show });
        }
        other => {
            if new.input.press(other) {
                new.commands = None;
            }
        }
    }
    state.overlay = Overlay::New(new);
}

/// The command as a shell would be given it.
fn written(words: &[String]) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "-_./".contains(it);
    let word = |it: &String| if it.chars().all(is_plain) { it.clone() } else { quoted(it) };
    let words: Vec<_> = words.iter().filter(|it| *it != "--").map(word).collect();
    format!("taffrail {}", words.join(" "))
}

/// Shows the commands that would run, or that the agent was started.
pub(crate) fn answered(state: &mut State, (words, go): (Vec<String>, Go), said: &[String]) {
    if go == Go::Start {
        let last = said.last().map_or("started in tmux", String::as_str);
        state.say(crate::terminal::shown(last));
    } else if let Overlay::New(new) = &mut state.overlay {
        let asked = arguments(&new.input.text, new.folder.as_deref());
        new.commands = (asked.as_ref() == Some(&words)).then(|| said.to_vec());
    }
    state.came(&Ask::New { words, go });
}
