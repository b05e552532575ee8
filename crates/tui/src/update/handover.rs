//! Leaves the board for a session's agent, and shows the brief for another one. Obstacles are
//! reported on the board, before another program gets the terminal.

use crate::state::keys::Action;
use crate::state::message::{Ask, Effect, Folder};
use crate::state::{Overlay, State};
use crate::table;
use crate::terminal::shown;
use crate::view::brief::fitted;
use crate::view::footer::leads_to_pane;
use taffrail_api::{ResumeReply, ResumeState};
use taffrail_model::SessionId;

/// Goes to the pane of the chosen session; without a pane, opens its transcript.
pub(crate) fn enter(state: &mut State) {
    match state.session().filter(|it| leads_to_pane(state, it)).map(|it| it.id) {
        Some(id) => {
            state.log(Action::Enter);
            run(state, "attach", id);
        }
        None => super::transcript::open(state),
    }
}

/// Gives the terminal to the command that asks, and then ends the agent of the target session.
pub(crate) fn stop(state: &mut State) {
    match state.session().filter(|it| it.pid.is_some()).map(|it| it.id) {
        Some(id) => {
            state.log(Action::Stop);
            run(state, "stop", id);
        }
        None => state.complain("it is not running"),
    }
}

/// Asks whether the target session can be resumed.
pub(crate) fn resume(state: &mut State) {
    ask(state, Action::Resume, Ask::Resume);
}

/// Asks for a brief of the target session.
pub(crate) fn handoff(state: &mut State) {
    ask(state, Action::Handoff, Ask::Handoff);
}

fn ask(state: &mut State, action: Action, ask: impl Fn(SessionId) -> Ask) {
    let Some(id) = state.target() else {
        state.complain("no session is chosen");
        return;
    };
    state.log(action);
    state.ask(ask(id));
}

/// Gives the terminal away if the session can be resumed; otherwise reports why it cannot.
pub(crate) fn planned(state: &mut State, id: SessionId, plan: &ResumeReply, folder: Folder) {
    state.came(&Ask::Resume(id));
    let is_tmux = plan.executor.as_deref().is_some_and(|it| it.starts_with("tmux:"));
    match (plan.state, folder) {
        (ResumeState::ResumeAvailable, Folder::There) => run(state, "resume", id),
        (ResumeState::ResumeAvailable, Folder::Gone) => {
            let folder = plan.cwd.as_deref().map_or("its folder".to_owned(), shown);
            state.complain(format!("{folder} no longer exists, so it cannot be resumed here"));
        }
        (ResumeState::ActiveExecutor, _) if is_tmux => run(state, "attach", id),
        (ResumeState::ActiveExecutor, _) => {
            state.complain(format!("it runs already: {}", shown(&plan.reason)));
        }
        (ResumeState::Unsupported, _) => state.complain(shown(&plan.reason)),
    }
}

fn run(state: &mut State, command: &str, id: SessionId) {
    state.effects.push(Effect::Run(vec![command.to_owned(), id.to_string()]));
}

/// Shows a brief.
pub(crate) fn brief(state: &mut State, id: SessionId, text: &str) {
    state.came(&Ask::Handoff(id));
    let name = state.sessions.get(id).map_or("session".to_owned(), table::project);
    let lines = crate::terminal::clean(text).lines().map(str::to_owned).collect();
    state.overlay = Overlay::Text { title: format!("Brief of {name}"), lines, from: 0 };
}

/// Handles a key while a text is open.
pub(crate) fn press(
    state: &mut State,
    (title, lines): (String, Vec<String>),
    from: usize,
    key: &str,
) {
    let half = usize::from(state.size.1 / 2);
    let last = fitted(state, &lines).len().saturating_sub(room(state));
    let from = match key {
        "j" | "down" => from + 1,
        "k" | "up" => from.saturating_sub(1),
        "space" | "ctrl-d" | "pagedown" => from + half,
        "ctrl-u" | "pageup" => from.saturating_sub(half),
        "g" | "home" => 0,
        "G" | "end" => last,
        "y" => {
            state.effects.push(Effect::Copy(lines.join("\n")));
            state.say("copied");
            from
        }
        _ => return,
    };
    state.overlay = Overlay::Text { title, lines, from: from.min(last) };
}

/// Lines of text on the screen at a time.
fn room(state: &State) -> usize {
    usize::from(state.size.1.saturating_sub(3))
}
