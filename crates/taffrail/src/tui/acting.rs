//! What keys do.

use super::input::Input;
use super::keys::{Action, Binding, KEYS, Place, Told};
use super::message::{Ask, Errand, Then};
use super::moving::{Step, step};
use super::state::{Over, State};
use super::text::shown;
use super::timeline::{self, Zoom};
use super::{help, marks, reading, sending};
use taffrail_api::{Allowed, ApprovalRow};
use taffrail_model::approval::{ApprovalId, State as Standing};

/// The places one goes through with Tab.
const PLACES: [Place; 6] =
    [Place::Board, Place::Approvals, Place::Feed, Place::Timeline, Place::Findings, Place::Health];

/// Does what a key is for.
pub(crate) fn act(state: &mut State, action: Action) {
    match action {
        Action::Up => step(state, Step::By(-1)),
        Action::Down => step(state, Step::By(1)),
        Action::PageUp => step(state, Step::Half(-1)),
        Action::PageDown => step(state, Step::Half(1)),
        Action::Top => step(state, Step::First),
        Action::Bottom => step(state, Step::Last),
        Action::Open => reading::open(state),
        Action::Back => back(state),
        Action::Quit => quit(state),
        Action::Approve => approve(state),
        Action::Deny => deny(state),
        Action::Explain => explain(state),
        Action::Resume => run(state, action, "resume", Then::Back),
        Action::Send => sending::begin(state),
        Action::Handoff => run(state, action, "handoff", Then::Read),
        Action::Mark => marks::toggle(state),
        Action::Undo => marks::undo(state),
        Action::Closer => timeline::zoom(state, Zoom::In),
        Action::Wider => timeline::zoom(state, Zoom::Out),
        Action::Editor => edit(state),
        Action::Copy => copy(state),
        Action::Search => super::search::begin(state),
        Action::Filter => filter(state),
        Action::Help => state.over = Over::Help { from: 0 },
        Action::Palette => state.over = Over::Palette { input: Input::default(), at: 0 },
        Action::Commands => state.go(Place::Commands),
        Action::GoBoard => visit(state, action, Place::Board),
        Action::GoApprovals => visit(state, action, Place::Approvals),
        Action::GoFeed => visit(state, action, Place::Feed),
        Action::GoTimeline => visit(state, action, Place::Timeline),
        Action::GoFindings => visit(state, action, Place::Findings),
        Action::GoHealth => visit(state, action, Place::Health),
        Action::NextPlace => next_place(state),
        Action::NextTurn => reading::turn(state, 1),
        Action::LastTurn => reading::turn(state, -1),
        Action::Tools => state.reading.toggle(),
        Action::Worker => reading::worker(state),
        Action::Parent => reading::parent(state),
        Action::Next => reading::next_found(state, 1),
        Action::Last => reading::next_found(state, -1),
        Action::Panic => break_down(),
    }
}

/// Breaks down on purpose: the one way to see that a terminal survives it.
#[expect(clippy::panic, reason = "asked for by name, to see that the terminal is given back")]
fn break_down() {
    panic!("asked for with :panic");
}

fn visit(state: &mut State, action: Action, place: Place) {
    match place {
        Place::Approvals => state.ask(Ask::Approvals),
        Place::Feed if !state.feed.is_filled => state.ask(Ask::Feed),
        Place::Findings => state.ask(Ask::Findings),
        Place::Health => state.ask(Ask::Health),
        Place::Timeline => timeline::begin(state),
        _ => {}
    }
    state.log(action);
    state.go(place);
    if place == Place::Board {
        state.back.clear();
    }
}

fn next_place(state: &mut State) {
    let at = PLACES.iter().position(|it| *it == state.place);
    let next = at.map_or(0, |at| (at + 1) % PLACES.len());
    let action = match PLACES.get(next) {
        Some(Place::Approvals) => Action::GoApprovals,
        Some(Place::Feed) => Action::GoFeed,
        Some(Place::Timeline) => Action::GoTimeline,
        Some(Place::Findings) => Action::GoFindings,
        Some(Place::Health) => Action::GoHealth,
        _ => Action::GoBoard,
    };
    act(state, action);
}

/// One step back; on the board a filter goes first. Never ends anything.
fn back(state: &mut State) {
    if let Some(left) = state.back.pop() {
        (state.place, state.list_at, state.from) = (left.place, left.list_at, left.from);
    } else if state.place != Place::Board {
        state.place = Place::Board;
    } else if !state.filter.text.is_empty() {
        let before = std::mem::take(&mut state.filter);
        marks::narrowed(state, before);
        state.fleet.disturb();
    }
}

fn filter(state: &mut State) {
    let before = state.filter.clone();
    state.over = Over::Filter { input: before.clone(), before };
}

fn quit(state: &mut State) {
    if state.place == Place::Board {
        state.errands.push(Errand::Quit);
    } else {
        back(state);
    }
}

/// The request that is meant, if it can be answered from here; says why not otherwise.
pub(super) fn answerable(state: &mut State) -> Option<ApprovalRow> {
    let Some(request) = state.request().cloned() else {
        let waits = state.session().is_some_and(|it| it.waiting_for.is_some());
        state.complain(match waits {
            true => "this waits at its agent; answer it there",
            false => "nothing waits for an answer here",
        });
        return None;
    };
    if request.state != Standing::Pending {
        state.complain("only the agent's own dialog can answer this");
        return None;
    }
    let is_same = |it: &Ask| matches!(it, Ask::Decide { id, .. } if *id == request.id);
    if state.under_way.iter().any(is_same) {
        state.say("it is being answered");
        return None;
    }
    if !state.is_readable(&request.id) {
        state.complain("this has just come up; read it first");
        return None;
    }
    Some(request)
}

fn approve(state: &mut State) {
    if !state.marked.is_empty() && state.place == Place::Board {
        return marks::ask(state, Allowed::Allow);
    }
    let Some(request) = answerable(state) else { return };
    if request.risk == "high" {
        state.over = Over::Risky { request: request.id };
    } else {
        decide(state, request, Allowed::Allow, None);
    }
}

fn deny(state: &mut State) {
    if !state.marked.is_empty() && state.place == Place::Board {
        return marks::ask(state, Allowed::Deny);
    }
    if let Some(request) = answerable(state) {
        state.over = Over::Deny { request: request.id, input: Input::default() };
    }
}

pub(super) fn decide(
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
        command += &format!(" --reason {}", super::search::quoted(reason));
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
    state.go(Place::Explain);
}

/// Gives the terminal to one of our own commands.
fn run(state: &mut State, action: Action, command: &str, then: Then) {
    let Some(id) = state.target() else {
        state.complain("no session is chosen");
        return;
    };
    state.log(action);
    let words = vec![command.to_owned(), id.to_string()];
    state.errands.push(Errand::Run { words, then });
}

fn edit(state: &mut State) {
    let path = state.session().and_then(|it| it.project_path.clone());
    match path {
        Some(path) => state.errands.push(Errand::Edit(path)),
        None => state.complain("its folder is not known"),
    }
}

fn copy(state: &mut State) {
    if let Some(id) = state.target() {
        state.say(format!("copied {id}"));
        state.errands.push(Errand::Copy(id.to_string()));
    }
}

/// Presses a key while something lies over the screen.
pub(crate) fn press_over(state: &mut State, key: &str) {
    match std::mem::take(&mut state.over) {
        Over::Nothing => {}
        Over::Help { from } => state.over = help::press(state, from, key),
        Over::Palette { input, at } => press_palette(state, input, at, key),
        Over::Deny { request, input } => press_deny(state, request, input, key),
        Over::Risky { request } => press_risky(state, &request, key),
        Over::Filter { input, before } => press_filter(state, input, before, key),
        Over::Many(many) => marks::press(state, many, key),
        Over::Send { to, input } => sending::press(state, to, input, key),
    }
}

fn press_palette(state: &mut State, mut input: Input, at: usize, key: &str) {
    let hits = palette_hits(state.place, &input.text);
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
    state.over = Over::Palette { input, at };
}

/// What fits a palette's line: words that begin so first, then those that say so in their help.
/// What does nothing here is not offered.
pub(crate) fn palette_hits(place: Place, input: &str) -> Vec<&'static Binding> {
    let wanted = input.trim().to_lowercase();
    let is_told = |it: &&Binding| it.told != Told::Nowhere || it.word == wanted;
    let rank = |it: &Binding| match () {
        () if it.word.starts_with(&wanted) => Some(0),
        () if it.word.contains(&wanted) => Some(1),
        () if it.help.contains(&wanted) => Some(2),
        () => None,
    };
    let here = KEYS.iter().filter(|it| it.places.contains(&place));
    let hits = here.filter(is_told).filter_map(|it| Some((rank(it)?, it)));
    let mut hits: Vec<_> = hits.collect();
    hits.sort_by_key(|(rank, _)| *rank);
    hits.into_iter().map(|(_, it)| it).collect()
}

fn press_deny(state: &mut State, request: ApprovalId, mut input: Input, key: &str) {
    match key {
        "esc" => state.say("nothing was decided"),
        "enter" => {
            let reason = Some(input.text.trim().to_owned()).filter(|it| !it.is_empty());
            if let Some(row) = find(state, &request) {
                decide(state, row, Allowed::Deny, reason);
            }
        }
        other => {
            input.press(other);
            state.over = Over::Deny { request, input };
        }
    }
}

fn press_risky(state: &mut State, request: &ApprovalId, key: &str) {
    match key {
        "y" => {
            if let Some(row) = find(state, request) {
                decide(state, row, Allowed::Allow, None);
            }
        }
        _ => state.say("nothing was decided"),
    }
}

fn find(state: &State, id: &ApprovalId) -> Option<ApprovalRow> {
    state.approvals.iter().find(|it| it.id == *id).cloned()
}

/// The board is narrowed while one types.
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
            state.over = Over::Filter { input, before };
        }
    }
    state.fleet.disturb();
}
