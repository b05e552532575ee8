//! The actions of keys.

use crate::state::elsewhere::refusal;
use crate::state::input::Input;
use crate::state::keys::{Action, Screen, palette_hits};
use crate::state::message::{Ask, Effect};
use crate::state::{Overlay, State};
use crate::terminal::shown;
use crate::update::choice;
use crate::update::handover;
use crate::update::marks;
use crate::update::movement::{Step, step};
use crate::update::new;
use crate::update::outbox;
use crate::update::timeline;
use crate::update::timeline::Zoom;
use crate::update::transcript;
use crate::update::welcome;
use crate::view::help;
use taffrail_api::{Allowed, ApprovalRow};
use taffrail_model::approval::{ApprovalId, State as ApprovalState};

/// The screens that Tab cycles through.
const SCREENS: [Screen; 6] = [
    Screen::Board,
    Screen::Approvals,
    Screen::Feed,
    Screen::Timeline,
    Screen::Findings,
    Screen::Health,
];

/// Runs the action of a key.
pub(crate) fn act(state: &mut State, action: Action) {
    if let Some(why) = refusal(state, action) {
        state.complain(why);
        return;
    }
    match action {
        Action::Up => step(state, Step::By(-1)),
        Action::Down => step(state, Step::By(1)),
        Action::PageUp => step(state, Step::Half(-1)),
        Action::PageDown => step(state, Step::Half(1)),
        Action::Top => step(state, Step::First),
        Action::Bottom => step(state, Step::Last),
        Action::Enter => handover::enter(state),
        Action::Open => transcript::open(state),
        Action::Back => back(state),
        Action::Quit => quit(state),
        Action::Approve => approve(state),
        Action::Deny => deny(state),
        Action::Explain => explain(state),
        Action::Resume => handover::resume(state),
        Action::Send => outbox::begin(state),
        Action::Handoff => handover::handoff(state),
        Action::New => new::begin(state),
        Action::Stop => handover::stop(state),
        Action::Interrupt => choice::interrupt(state),
        Action::Mark => marks::toggle(state),
        Action::Undo => marks::undo(state),
        Action::Closer => timeline::zoom(state, Zoom::In),
        Action::Wider => timeline::zoom(state, Zoom::Out),
        Action::Editor => edit(state),
        Action::Copy => copy(state),
        Action::Search => super::search::begin(state),
        Action::Filter => filter(state),
        Action::Help => state.overlay = Overlay::Help { from: 0 },
        Action::Palette => state.overlay = Overlay::Palette { input: Input::default(), at: 0 },
        Action::Commands => state.go(Screen::Commands),
        Action::GoBoard => visit(state, action, Screen::Board),
        Action::GoApprovals => visit(state, action, Screen::Approvals),
        Action::GoFeed => visit(state, action, Screen::Feed),
        Action::GoTimeline => visit(state, action, Screen::Timeline),
        Action::GoFindings => visit(state, action, Screen::Findings),
        Action::GoHealth => visit(state, action, Screen::Health),
        Action::NextScreen => next_screen(state),
        Action::NextTurn => transcript::turn(state, 1),
        Action::LastTurn => transcript::turn(state, -1),
        Action::Tools => state.transcript_view.toggle(),
        Action::SubAgent => transcript::worker(state),
        Action::Parent => transcript::parent(state),
        Action::Next => transcript::next_found(state, 1),
        Action::Last => transcript::next_found(state, -1),
        Action::Panic => break_down(),
    }
}

/// Panics on purpose: the only way to see that a terminal survives it.
#[expect(clippy::panic, reason = "asked for by name, to see that the terminal is given back")]
fn break_down() {
    panic!("asked for with :panic");
}

fn visit(state: &mut State, action: Action, screen: Screen) {
    match screen {
        Screen::Approvals => state.ask(Ask::Approvals),
        Screen::Feed if !state.feed.is_filled => state.ask(Ask::Feed),
        Screen::Findings => state.ask(Ask::Findings),
        Screen::Health => state.ask(Ask::Health),
        Screen::Timeline => timeline::begin(state),
        _ => {}
    }
    state.log(action);
    state.go(screen);
    if screen == Screen::Board {
        state.back.clear();
    }
}

fn next_screen(state: &mut State) {
    let at = SCREENS.iter().position(|it| *it == state.screen);
    let next = at.map_or(0, |at| (at + 1) % SCREENS.len());
    let action = match SCREENS.get(next) {
        Some(Screen::Approvals) => Action::GoApprovals,
        Some(Screen::Feed) => Action::GoFeed,
        Some(Screen::Timeline) => Action::GoTimeline,
        Some(Screen::Findings) => Action::GoFindings,
        Some(Screen::Health) => Action::GoHealth,
        _ => Action::GoBoard,
    };
    act(state, action);
}

/// Goes one step back; on the board it first clears a filter. Never ends anything.
fn back(state: &mut State) {
    if let Some(left) = state.back.pop() {
        (state.screen, state.list_at, state.from) = (left.screen, left.list_at, left.from);
    } else if state.screen != Screen::Board {
        state.screen = Screen::Board;
    } else if welcome::close(state) {
        // Closing the welcome is the whole step.
    } else if !state.filter.text.is_empty() {
        let before = std::mem::take(&mut state.filter);
        marks::narrowed(state, before);
        state.sessions.disturb();
    }
}

fn filter(state: &mut State) {
    let before = state.filter.clone();
    state.overlay = Overlay::Filter { input: before.clone(), before };
}

fn quit(state: &mut State) {
    if state.screen == Screen::Board {
        welcome::leave(state);
        state.effects.push(Effect::Quit);
    } else {
        back(state);
    }
}

/// The target request, if it can be answered from here; otherwise reports why not.
pub(crate) fn answerable(state: &mut State) -> Option<ApprovalRow> {
    let Some(request) = state.request().cloned() else {
        let waits = state.session().is_some_and(|it| it.waiting_for.is_some());
        state.complain(match waits {
            true => "this waits at its agent; answer it there",
            false => "nothing waits for an answer here",
        });
        return None;
    };
    if request.state != ApprovalState::Pending {
        state.complain("only the agent's own dialog can answer this");
        return None;
    }
    let is_same = |it: &Ask| matches!(it, Ask::Decide { id, .. } if *id == request.id);
    if state.under_way.iter().any(is_same) {
        state.say("it is being answered");
        return None;
    }
    if !state.is_on_screen(&request.id) {
        state.complain("the request changed just now; read it first");
        return None;
    }
    if !state.is_readable(&request.id) {
        state.complain("this has just come up; read it first");
        return None;
    }
    Some(request)
}

fn approve(state: &mut State) {
    if !state.marked.is_empty() && state.screen == Screen::Board {
        return marks::ask(state, Allowed::Allow);
    }
    let Some(request) = answerable(state) else { return };
    if request.risk == "high" || request.truncated {
        state.overlay = Overlay::Risky { request: request.id };
    } else {
        decide(state, request, Allowed::Allow, None);
    }
}

fn deny(state: &mut State) {
    if !state.marked.is_empty() && state.screen == Screen::Board {
        return marks::ask(state, Allowed::Deny);
    }
    if let Some(request) = answerable(state) {
        state.overlay = Overlay::Deny { request: request.id, input: Input::default() };
    }
}

pub(crate) fn decide(
    state: &mut State,
    request: ApprovalRow,
    decision: Allowed,
    reason: Option<String>,
) {
    let mut command = match decision {
        Allowed::Allow => format!("taffrail approve {}", request.id),
        Allowed::Deny => format!("taffrail deny {}", request.id),
    };
    if let Some(reason) = &reason {
        command += &format!(" --reason {}", crate::phrases::quoted(reason));
    }
    state.write_down(command);
    state.say(format!("{}: {}", word(decision), shown(&request.command)));
    state.ask(Ask::Decide { id: request.id, decision, reason });
}

fn word(decision: Allowed) -> &'static str {
    match decision {
        Allowed::Allow => "allowing",
        Allowed::Deny => "denying",
    }
}

fn explain(state: &mut State) {
    let Some(id) = state.target() else { return };
    state.log(Action::Explain);
    state.chosen = Some(id);
    state.moved = true;
    state.go(Screen::Explain);
}

fn edit(state: &mut State) {
    let path = state.session().and_then(|it| it.project_path.clone());
    match path {
        Some(path) => state.effects.push(Effect::Edit(path)),
        None => state.complain("its folder is not known"),
    }
}

fn copy(state: &mut State) {
    if let Some(id) = state.target() {
        state.say(format!("copied {id}"));
        state.effects.push(Effect::Copy(id.to_string()));
    }
}

/// Handles a key while an overlay is open.
pub(crate) fn press_over(state: &mut State, key: &str) {
    match std::mem::take(&mut state.overlay) {
        Overlay::Nothing => {}
        Overlay::Help { from } => state.overlay = help::press(state, from, key),
        Overlay::Text { title, lines, from } => handover::press(state, (title, lines), from, key),
        Overlay::Palette { input, at } => press_palette(state, input, at, key),
        Overlay::Deny { request, input } => press_deny(state, request, input, key),
        Overlay::Risky { request } => press_risky(state, &request, key),
        Overlay::Filter { input, before } => press_filter(state, input, before, key),
        Overlay::Many(many) => marks::press(state, many, key),
        Overlay::New(it) => new::press(state, it, key),
        Overlay::Send { to, input } => outbox::press(state, to, input, key),
        Overlay::Choose(it) => choice::press(state, it, key),
    }
}

fn press_palette(state: &mut State, mut input: Input, at: usize, key: &str) {
    let hits = palette_hits(state.screen, &input.text);
    let at = match key {
        "esc" => return,
        "enter" => {
            if let Some(binding) = hits.get(at) {
                act(state, binding.action);
            }
            return;
        }
        "up" => at.saturating_sub(1),
        "down" | "tab" => (at + 1).min(hits.len().saturating_sub(1)),
        other => {
            input.press(other);
            0
        }
    };
    state.overlay = Overlay::Palette { input, at };
}

fn press_deny(state: &mut State, request: ApprovalId, mut input: Input, key: &str) {
    match key {
        "esc" => state.say("nothing was decided"),
        "enter" => {
            let reason = Some(input.text.trim().to_owned()).filter(|it| !it.is_empty());
            if let Some(row) = shown_request(state, &request) {
                decide(state, row, Allowed::Deny, reason);
            }
        }
        other => {
            input.press(other);
            state.overlay = Overlay::Deny { request, input };
        }
    }
}

fn press_risky(state: &mut State, request: &ApprovalId, key: &str) {
    match key {
        "y" => {
            if let Some(row) = shown_request(state, request) {
                decide(state, row, Allowed::Allow, None);
            }
        }
        _ => state.say("nothing was decided"),
    }
}

/// The request of a dialog, if the dialog was on the screen; otherwise reports why not.
fn shown_request(state: &mut State, id: &ApprovalId) -> Option<ApprovalRow> {
    if !state.is_on_screen(id) {
        state.complain("nothing was decided: the question was not shown yet");
        return None;
    }
    state.approvals.iter().find(|it| it.id == *id).cloned()
}

/// Filters the board while the user types.
fn press_filter(state: &mut State, mut input: Input, before: Input, key: &str) {
    match key {
        "esc" => {
            state.filter = Input::default();
            marks::narrowed(state, before);
        }
        "enter" => marks::narrowed(state, before),
        other => {
            input.press(other);
            state.filter = input.clone();
            state.overlay = Overlay::Filter { input, before };
        }
    }
    state.sessions.disturb();
}
