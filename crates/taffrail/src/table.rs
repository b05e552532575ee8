//! Sessions on a screen.

use crate::terminal::{fit, line, pad};
use crate::when;
use taffrail_api::Session;
use taffrail_model::relay::is_locator;
use taffrail_model::status::{Group, Status, WaitingKind};
use taffrail_model::{Confidence, Timestamp};

const ID: usize = 8;
const AGENT: usize = 8;
const AGE: usize = 4;
const PROJECT: usize = 16;
const DEVICE: usize = 10;

/// The groups in the order they are shown.
pub(crate) const GROUPS: [Group; 5] =
    [Group::NeedsYou, Group::Working, Group::YourTurn, Group::Idle, Group::Done];

/// What a group is called.
pub(crate) fn heading(group: Group) -> &'static str {
    match group {
        Group::NeedsYou => "NEEDS YOU",
        Group::Working => "WORKING",
        Group::YourTurn => "YOUR TURN",
        Group::Idle => "IDLE",
        Group::Done => "DONE",
    }
}

/// Whether the device of each session is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// There is more than one.
    Device,
    /// All are on this one.
    Nothing,
}

impl Shown {
    /// As it is needed for these sessions.
    pub(crate) fn of(sessions: &[Session]) -> Self {
        let mut devices = sessions.iter().map(|it| &it.device);
        let first = devices.next();
        let differ = devices.any(|it| Some(it) != first);
        match differ || sessions.iter().any(|it| elsewhere(it).is_some()) {
            true => Self::Device,
            false => Self::Nothing,
        }
    }
}

/// The device a session is on, where it is another one.
pub(crate) fn elsewhere(session: &Session) -> Option<String> {
    let device = session.device.as_deref().filter(|_| is_locator(&session.source_uri));
    device.map(line)
}

fn device(session: &Session, shown: Shown) -> String {
    let name = session.device.as_deref().map_or_else(|| "here".to_owned(), line);
    match shown {
        Shown::Device => format!("{} ", pad(&fit(&name, DEVICE), DEVICE)),
        Shown::Nothing => String::new(),
    }
}

/// One session in `width` columns: how it stands, for how long, and what for.
pub(crate) fn row(session: &Session, now: Timestamp, (width, shown): (usize, Shown)) -> String {
    let id: String = session.id.to_string().chars().take(ID).collect();
    let since = session.status_since.filter(|_| session.group != Group::Done);
    let age = since.or(session.last_event_at).map_or("?".to_owned(), |at| when::ago(at, now));
    let worker = if session.parent_id.is_some() { "└ " } else { "" };
    let row = format!(
        "{}{} {id} {} {age:>AGE$} {}{} {worker}{}",
        shape(session),
        doubt(session),
        pad(short(&session.agent), AGENT),
        device(session, shown),
        pad(&project(session), PROJECT),
        what(session)
    );
    fit(&row, width)
}

/// What is not sure is marked, but for what is over.
pub(crate) fn doubt(session: &Session) -> char {
    let sure = session.confidence == Confidence::High || session.group == Group::Done;
    if sure { ' ' } else { '~' }
}

/// A shape for each state, so that colour never speaks alone.
pub(crate) fn shape(session: &Session) -> char {
    let asked = session.waiting_for.as_ref().is_some_and(|it| it.kind == WaitingKind::Question);
    match session.status {
        _ if session.lifecycle.as_str() == "lost" => '✕',
        Status::WaitingApproval => '●',
        Status::Waiting if asked => '◆',
        Status::Running => '◐',
        Status::Waiting => '◇',
        Status::Idle => '○',
        Status::Exited => '✓',
        Status::Unknown => '?',
    }
}

/// The first word of an agent's id is enough to tell agents apart in a column.
pub(crate) fn short(agent: &str) -> &str {
    agent.split('-').next().unwrap_or(agent)
}

pub(crate) fn project(session: &Session) -> String {
    let path = session.project_path.as_deref().unwrap_or("?");
    line(path.trim_end_matches('/').rsplit('/').next().unwrap_or(path))
}

/// What it waits for, or else its title.
fn what(session: &Session) -> String {
    let waiting = session.waiting_for.as_ref().filter(|it| !it.text.is_empty());
    match waiting.map(|it| (it.kind, line(&it.text))) {
        Some((WaitingKind::Approval, text)) => format!("run  {text}"),
        Some((WaitingKind::Question, text)) => format!("asks \"{text}\""),
        Some((WaitingKind::Prompt, _)) | None => title(session),
    }
}

fn title(session: &Session) -> String {
    let title = session.title.as_deref().map(line).filter(|title| !title.is_empty());
    let title = title.unwrap_or_else(|| "(no title)".to_owned());
    if session.captured { title } else { format!("(not captured) {title}") }
}
