//! The table of what happens to what is known. Nothing here waits, reads or writes anything but the
//! state.

use super::acting::{act, palette_hits, press_over};
use super::keys::{self, Place};
use super::marks::Many;
use super::message::{Answer, Ask, Errand, Message, News};
use super::state::{Chosen, Details, Link, Over, State};
use super::{marks, mouse, sending, settle};
use std::collections::HashSet;
use taffrail_api::{Allowed, ApprovalRow, EventLine, Session};
use taffrail_model::status::Group;
use taffrail_model::{Event, SessionId};

/// Takes a message.
pub(crate) fn update(state: &mut State, message: Message) {
    match message {
        Message::Key(key) => press(state, &keys::name(&key)),
        Message::Mouse(mouse) => mouse::moved(state, mouse),
        Message::Paste(text) => paste(state, &text),
        Message::Resize => {}
        Message::News(news) => hear(state, news),
        Message::Answer(answer) => answered(state, answer),
        Message::End => state.errands.push(Errand::Quit),
    }
}

/// Presses a key, by its name.
pub(crate) fn press(state: &mut State, key: &str) {
    state.note = None;
    if key == "ctrl-c" {
        state.errands.push(Errand::Quit);
        return;
    }
    if state.over != Over::Nothing {
        press_over(state, key);
        return;
    }
    if state.place == Place::Search && super::search::press(state, key) {
        return;
    }
    if let Some(action) = keys::action(state.place, key) {
        act(state, action);
    }
    // What a person chose is meant; what came up by itself has to be read first.
    state.mean(Chosen::ByHand);
}

fn paste(state: &mut State, text: &str) {
    match &mut state.over {
        Over::Palette { input, .. }
        | Over::Deny { input, .. }
        | Over::Send { input, .. }
        | Over::Many(Many { input, .. }) => input.paste(text),
        Over::Filter { input, .. } => {
            input.paste(text);
            state.filter = input.clone();
            state.fleet.disturb();
        }
        Over::Nothing if state.place == Place::Search => {
            state.search.input.paste(text);
            super::search::typed(state);
        }
        Over::Nothing | Over::Help { .. } | Over::Risky { .. } => {}
    }
}

fn hear(state: &mut State, news: News) {
    match news {
        News::All(sessions) => begin(state, sessions),
        News::Status(session) => stands(state, *session),
        News::Event(event) => heard(state, &event),
        News::Approval => state.ask(Ask::Approvals),
        News::Finding if state.place == Place::Findings => state.ask(Ask::Findings),
        News::Finding => {}
        News::Lost(why) => state.link = Link::Lost(why),
    }
}

/// The daemon is there: how all stand is known, the rest is asked for.
fn begin(state: &mut State, sessions: Vec<Session>) {
    state.link = Link::Up;
    let alive: HashSet<SessionId> = sessions.iter().map(|it| it.id).collect();
    state.fleet.keep_alive(&alive);
    state.fleet.take(sessions);
    ask_all(state);
    state.details.stale = true;
}

/// Asks for what the first screen needs; the board does so before the daemon has told anything.
pub(crate) fn ask_all(state: &mut State) {
    for ask in [Ask::Approvals, Ask::Sessions] {
        // An answer that is still to come is as good.
        if !state.under_way.contains(&ask) {
            state.ask(ask);
        }
    }
}

fn stands(state: &mut State, session: Session) {
    let was = state.fleet.get(session.id).map(|it| it.group);
    if session.group == Group::NeedsYou || was == Some(Group::NeedsYou) {
        state.ask(Ask::Approvals);
    }
    touched(state, session.id);
    sending::look(state, session.id);
    state.unsummed.remove(&session.id);
    state.fleet.put(session);
}

fn heard(state: &mut State, event: &Event) {
    state.fleet.hear(event);
    state.feed.hear(event);
    state.reading.hear(event);
    state.times.disturb();
    touched(state, event.session_id);
    sending::look(state, event.session_id);
}

/// What is shown of a session may be old.
fn touched(state: &mut State, id: SessionId) {
    state.details.stale |= state.details.of == Some(id);
}

fn answered(state: &mut State, answer: Answer) {
    match answer {
        Answer::Sessions(sessions) => {
            state.came(&Ask::Sessions);
            state.fleet.fill(sessions);
            // What the first screen does not need must not hold it up.
            state.ask(Ask::Recent);
            state.ask(Ask::Today);
        }
        Answer::Recent(sessions) => {
            state.came(&Ask::Recent);
            state.pace.look(&sessions, state.now);
            state.fleet.take(sessions);
        }
        Answer::Approvals(rows) => {
            state.came(&Ask::Approvals);
            asked_for(state, rows);
        }
        Answer::Decided { decision, row } => decided(state, decision, &row),
        Answer::Receipt { id, receipt } => sending::told(state, id, &receipt),
        Answer::Search { query, reply } => super::search::found(state, &query, reply),
        Answer::Failed { asked, why } => failed(state, &asked, &why),
        Answer::Summary(..) | Answer::Explain(..) | Answer::Events { .. } => of_one(state, answer),
        Answer::Findings(_)
        | Answer::Health(_)
        | Answer::Today(_)
        | Answer::Feed(_)
        | Answer::Activity { .. } => of_all(state, answer),
    }
}

/// What is known of one session.
fn of_one(state: &mut State, answer: Answer) {
    match answer {
        Answer::Summary(id, summary) => {
            state.came(&Ask::Summary(id));
            state.fleet.summed_up(id, *summary);
            one_less(state, id);
        }
        Answer::Explain(id, explanation) => {
            state.came(&Ask::Explain(id));
            if state.details.of == Some(id) {
                state.details.explanation = Some(*explanation);
            }
            one_less(state, id);
        }
        Answer::Events { id, limit, lines } => {
            state.came(&Ask::Events { id, limit });
            events(state, id, limit, lines);
        }
        _ => {}
    }
}

/// What is known of all of them.
fn of_all(state: &mut State, answer: Answer) {
    match answer {
        Answer::Findings(findings) => {
            state.came(&Ask::Findings);
            state.findings = findings;
        }
        Answer::Health(health) => {
            state.came(&Ask::Health);
            state.health = Some(health);
        }
        Answer::Today(stats) => {
            state.came(&Ask::Today);
            state.pace.take(&stats, state.now);
        }
        Answer::Feed(events) => {
            state.came(&Ask::Feed);
            state.feed.fill(&events);
        }
        Answer::Activity { span, activity } => {
            state.came(&Ask::Activity(span));
            state.times.take(span, activity);
        }
        _ => {}
    }
}

/// One of the answers about the chosen session came.
fn one_less(state: &mut State, id: SessionId) {
    if state.details.of == Some(id) {
        state.details.awaited = state.details.awaited.saturating_sub(1);
    }
}

fn asked_for(state: &mut State, rows: Vec<ApprovalRow>) {
    let now = state.now;
    for row in &rows {
        state.seen.entry(row.id.clone()).or_insert(now);
    }
    state.seen.retain(|id, _| rows.iter().any(|it| it.id == *id));
    let before = state.approvals.get(state.approval_at).map(|it| it.id.clone());
    state.approvals = rows;
    // Whatever came or went, the same request stays chosen.
    let still = state.approvals.iter().position(|it| Some(&it.id) == before.as_ref());
    let last = state.approvals.len().saturating_sub(1);
    state.approval_at = still.unwrap_or(state.approval_at.min(last));
    let gone = |id| !state.approvals.iter().any(|it| it.id == id);
    let is_over = match &state.over {
        Over::Deny { request, .. } | Over::Risky { request } => gone(request.clone()),
        _ => false,
    };
    if is_over {
        state.over = Over::Nothing;
        state.complain("it was answered elsewhere");
    }
    marks::keep_open(state);
}

fn decided(state: &mut State, decision: Allowed, row: &ApprovalRow) {
    state.under_way.retain(|it| !matches!(it, Ask::Decide { id, .. } if *id == row.id));
    let word = match decision {
        Allowed::Allow => "allowed",
        Allowed::Deny => "denied",
    };
    state.approvals.retain(|it| it.id != row.id);
    state.say(format!("{word}: {}", super::text::shown(&row.command)));
    state.ask(Ask::Approvals);
}

fn events(state: &mut State, id: SessionId, limit: usize, lines: Vec<EventLine>) {
    let events = lines.into_iter().filter_map(|it| match it {
        EventLine::Event(event) => Some(*event),
        EventLine::Removed(_) => None,
    });
    let events: Vec<Event> = events.collect();
    if limit == super::reading::EVENTS {
        if state.reading.id == Some(id) {
            state.reading.fill(&events);
        }
        return;
    }
    if state.details.of == Some(id) {
        state.details.events = events;
    }
    one_less(state, id);
}

fn failed(state: &mut State, asked: &Ask, why: &str) {
    state.came(asked);
    match asked {
        Ask::Summary(id) | Ask::Explain(id) | Ask::Events { id, .. } => {
            state.unsummed.insert(*id);
            one_less(state, *id);
            if state.reading.id == Some(*id) && state.place == Place::Transcript {
                state.complain(why);
            }
        }
        Ask::Search { query } => super::search::refused(state, query, why),
        Ask::Decide { .. } => {
            state.complain(why);
            state.ask(Ask::Approvals);
        }
        // What is shown all the time is asked for again; that it failed is told by the link.
        Ask::Sessions | Ask::Recent | Ask::Approvals | Ask::Today => {}
        Ask::Findings | Ask::Health | Ask::Feed | Ask::Activity(_) => state.complain(why),
        Ask::Send { id, text } => sending::refused(state, *id, text, why),
        // How far it has come is asked again when the session moves.
        Ask::Receipt { .. } => {}
    }
}

/// Brings everything derived up to date before it is drawn.
pub(crate) fn settled(state: &mut State) {
    settle::settle(state);
}

/// Begins to look at another session.
pub(crate) fn look_at(state: &mut State, id: SessionId) {
    state.details = Details { of: Some(id), stale: true, ..Details::default() };
}

/// What fits a palette's line, for drawing it.
pub(crate) fn palette_of(place: Place, input: &str) -> Vec<&'static keys::Binding> {
    palette_hits(place, input)
}
