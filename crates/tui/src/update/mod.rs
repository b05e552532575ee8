//! Applies each message to the state. Nothing here blocks, or reads or writes anything else.

pub(crate) mod actions;
pub(crate) mod choice;
pub(crate) mod derive;
pub(crate) mod feed;
pub(crate) mod handover;
pub(crate) mod marks;
pub(crate) mod mouse;
pub(crate) mod movement;
pub(crate) mod new;
pub(crate) mod outbox;
pub(crate) mod search;
pub(crate) mod shown;
pub(crate) mod timeline;
pub(crate) mod transcript;
pub(crate) mod welcome;

use crate::state;
use crate::state::keys;
use crate::state::keys::Screen;
use crate::state::marks::Many;
use crate::state::message::{Answer, Ask, Effect, Message, News};
use crate::state::{Chosen, Details, Link, Overlay, State};
use crate::update::actions::{act, press_over};
use std::collections::HashSet;
use taffrail_api::{Allowed, ApprovalRow, EventLine, Session};
use taffrail_model::status::Group;
use taffrail_model::{Event, SessionId};

/// Applies a message.
pub(crate) fn update(state: &mut State, message: Message) {
    match message {
        Message::Key(key) => press(state, &keys::name(&key)),
        Message::Mouse(mouse) => mouse::moved(state, mouse),
        Message::Paste(text) => paste(state, &text),
        Message::Resize => {}
        Message::Background(background) => state.theme = state.theme.on(background),
        Message::Keyboard => state.effects.push(Effect::Keyboard),
        Message::News(news) => apply_news(state, news),
        Message::Answer(answer) => answered(state, answer),
        Message::End => state.effects.push(Effect::Quit),
    }
}

/// Handles a key, by its name.
pub(crate) fn press(state: &mut State, key: &str) {
    state.note = None;
    if key == "ctrl-c" {
        welcome::leave(state);
        state.effects.push(Effect::Quit);
        return;
    }
    if state.overlay != Overlay::Nothing {
        press_over(state, key);
        return;
    }
    if state.screen == Screen::Search && search::press(state, key) {
        return;
    }
    if let Some(action) = keys::action(state.screen, key) {
        by_hand(state, |state| act(state, action));
    }
}

/// Runs a user's action. The request that becomes the target by it is meant; one that became the
/// target by itself must be read first.
pub(crate) fn by_hand(state: &mut State, what: impl FnOnce(&mut State)) {
    state.mean(Chosen::ByItself);
    what(state);
    state.mean(Chosen::ByHand);
}

fn paste(state: &mut State, text: &str) {
    match &mut state.overlay {
        Overlay::Palette { input, .. }
        | Overlay::Deny { input, .. }
        | Overlay::Send { input, .. }
        | Overlay::Many(Many { input, .. }) => input.paste(text),
        Overlay::New(new) => {
            new.input.paste(text);
            new.commands = None;
        }
        Overlay::Filter { input, .. } => {
            input.paste(text);
            state.filter = input.clone();
            state.sessions.disturb();
        }
        Overlay::Nothing if state.screen == Screen::Search => {
            state.search.input.paste(text);
            search::typed(state);
        }
        Overlay::Nothing
        | Overlay::Help { .. }
        | Overlay::Text { .. }
        | Overlay::Choose(_)
        | Overlay::Risky { .. } => {}
    }
}

fn apply_news(state: &mut State, news: News) {
    match news {
        News::All(sessions, reading) => {
            state.reads = reading;
            begin(state, sessions);
        }
        News::Reading(progress) => state.reads = Some(progress),
        News::Status(session) => apply_status(state, *session),
        News::Event(event) => apply_event(state, &event),
        News::Approval => state.ask(Ask::Approvals),
        News::Finding if state.screen == Screen::Findings => state.ask(Ask::Findings),
        News::Finding => {}
        News::Lost(why) => lost(state, why),
    }
}

/// The connection is lost; why another host is not reached is said once.
fn lost(state: &mut State, why: String) {
    let lost = Link::Lost(why.clone());
    if state.host.is_some() && state.link != lost {
        state.complain(why);
    }
    state.link = lost;
}

/// Connected to the daemon: the statuses are known, the rest is requested.
fn begin(state: &mut State, sessions: Vec<Session>) {
    state.link = Link::Up;
    let alive: HashSet<SessionId> = sessions.iter().map(|it| it.id).collect();
    state.sessions.keep_alive(&alive);
    state.sessions.take(sessions);
    ask_all(state);
    state.details.stale = true;
}

/// Requests what the first screen needs; the board does so before the daemon's first message. An
/// outstanding reply may be from a daemon that had not read everything, so the request is repeated.
pub(crate) fn ask_all(state: &mut State) {
    state.ask(Ask::Approvals);
    state.ask(Ask::Sessions);
}

fn apply_status(state: &mut State, session: Session) {
    let was = state.sessions.get(session.id).map(|it| it.group);
    if session.group == Group::NeedsYou || was == Some(Group::NeedsYou) {
        state.ask(Ask::Approvals);
    }
    touched(state, session.id);
    outbox::look(state, session.id);
    state.unsummed.remove(&session.id);
    state.sessions.put(session);
}

fn apply_event(state: &mut State, event: &Event) {
    state.sessions.apply_event(event);
    state.feed.push(event);
    state.transcript_view.apply_event(event);
    state.times.disturb();
    touched(state, event.session_id);
    outbox::look(state, event.session_id);
}

/// Marks what is shown of a session as stale.
fn touched(state: &mut State, id: SessionId) {
    state.details.stale |= state.details.of == Some(id);
}

fn answered(state: &mut State, answer: Answer) {
    match answer {
        Answer::Sessions(sessions) => {
            // If the list is requested again, later messages count more than that reply.
            state.sessions.fill(sessions);
            state.came(&Ask::Sessions);
            // Requests that the first screen does not need must not delay it.
            state.ask(Ask::Recent);
            state.ask(Ask::Today);
            state.limits.asked(state.now);
            state.ask(Ask::Quota);
        }
        Answer::Session(session) => {
            state.came(&Ask::Session(session.id));
            state.sessions.put(*session);
        }
        Answer::Recent(sessions) => {
            state.came(&Ask::Recent);
            state.pace.look(&sessions, state.now);
            state.sessions.take(sessions);
        }
        Answer::Approvals(rows) => {
            state.came(&Ask::Approvals);
            asked_for(state, rows);
        }
        Answer::Decided { decision, row } => decided(state, decision, &row),
        Answer::Resume { id, plan, folder } => handover::planned(state, id, &plan, folder),
        Answer::Machine { agents, hooks } => welcome::machine(state, agents, hooks),
        Answer::New { words, go, said } => new::answered(state, (words, go), &said),
        Answer::Handoff { id, text } => handover::brief(state, id, &text),
        Answer::Receipt { id, receipt } => outbox::receipt(state, id, &receipt),
        Answer::Pressed(asked) => choice::pressed(state, &asked),
        Answer::Search { query, reply } => search::found(state, &query, reply),
        Answer::Around { id, event, window } => search::around(state, id, event, *window),
        Answer::Failed { asked, why } => failed(state, &asked, &why),
        Answer::Summary(..) | Answer::Explain(..) | Answer::Events { .. } => of_one(state, answer),
        Answer::Findings(_)
        | Answer::Health(_)
        | Answer::Today(_)
        | Answer::Quota(_)
        | Answer::Feed(_)
        | Answer::Activity { .. } => of_all(state, answer),
    }
}

/// Applies a reply about one session.
fn of_one(state: &mut State, answer: Answer) {
    match answer {
        Answer::Summary(id, summary) => {
            state.came(&Ask::Summary(id));
            state.sessions.summed_up(id, *summary);
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

/// Applies a reply about all sessions.
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
        Answer::Quota(quotas) => {
            state.came(&Ask::Quota);
            state.limits.take(&quotas, state.now);
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

/// Counts a reply about the chosen session.
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
    // Whatever requests appear or disappear, the same one stays chosen.
    let still = state.approvals.iter().position(|it| Some(&it.id) == before.as_ref());
    let last = state.approvals.len().saturating_sub(1);
    state.approval_at = still.unwrap_or(state.approval_at.min(last));
    let gone = |id| !state.approvals.iter().any(|it| it.id == id);
    let is_over = match &state.overlay {
        Overlay::Deny { request, .. } | Overlay::Risky { request } => gone(request.clone()),
        _ => false,
    };
    if is_over {
        state.overlay = Overlay::Nothing;
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
    state.say(format!("{word}: {}", crate::terminal::shown(&row.command)));
    state.ask(Ask::Approvals);
}

fn events(state: &mut State, id: SessionId, limit: usize, lines: Vec<EventLine>) {
    let events = lines.into_iter().filter_map(|it| match it {
        EventLine::Event(event) => Some(*event),
        EventLine::Removed(_) => None,
    });
    let events: Vec<Event> = events.collect();
    if limit == state::transcript_view::EVENTS {
        if state.transcript_view.id == Some(id) {
            state.transcript_view.fill(&events);
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
            if state.transcript_view.id == Some(*id) && state.screen == Screen::Transcript {
                state.complain(why);
            }
        }
        Ask::Session(id) => {
            state.unsummed.insert(*id);
        }
        // A new user who cannot see the facts is welcomed at the next start.
        Ask::Machine => state.welcome = None,
        Ask::Search { query } => search::refused(state, query, why),
        Ask::Decide { .. } => {
            state.complain(why);
            state.ask(Ask::Approvals);
        }
        // What is always shown is requested again; the header shows that the connection is lost.
        Ask::Sessions | Ask::Recent | Ask::Approvals | Ask::Today | Ask::Quota => {}
        Ask::Findings | Ask::Health | Ask::Feed | Ask::Activity(_) => state.complain(why),
        Ask::Resume(_) | Ask::Handoff(_) | Ask::New { .. } => state.complain(why),
        Ask::Choose { .. } => state.complain(format!("not answered: {why}")),
        Ask::Interrupt(_) => state.complain(format!("not interrupted: {why}")),
        Ask::Send { id, text } => outbox::refused(state, *id, text, why),
        // The progress is requested again when the session changes.
        Ask::Receipt { .. } => {}
        // The excerpt of the hit is shown alone.
        Ask::Around { .. } => {}
    }
}

/// Switches to another session.
pub(crate) fn look_at(state: &mut State, id: SessionId) {
    state.details = Details { of: Some(id), stale: true, ..Details::default() };
}
