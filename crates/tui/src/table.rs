//! Sessions as rows of text.

use crate::paint::cut;
use crate::paint::text::span;
use crate::paint::theme::{Ink, ink_of};
use crate::printer::{Printer, painted_span};
use crate::terminal::{fit, line, pad};
use crate::when;
use crate::when::Clock;
use ratatui::text::Span;
use taffrail_api::Session;
use taffrail_model::replication::is_locator;
use taffrail_model::status::{Group, Status, WaitingKind, is_recent};
use taffrail_model::{Confidence, Lifecycle};

const ID: usize = 8;
const AGENT: usize = 8;
const AGE: usize = 6;
const PROJECT: usize = 16;
const DEVICE: usize = 10;
/// From this width on, projects may be longer, and from the next, branches are shown.
const WIDE: usize = 120;
const WIDE_PROJECT: usize = 24;
const WIDER: usize = 160;
const BRANCH: usize = 20;
/// The place of the project among the cells of a row.
const PROJECT_CELL: usize = 4;
/// The words for a session of which only prompts are left.
pub const PROMPTS_ONLY: &str = "prompts only";
/// The sign of a session with a star.
const STAR: char = '★';
/// Kinds of findings that the rest of a row shows: a question, a request, an end.
const SHOWN_ANYWAY: [&str; 4] = ["question_asked", "risky_approval", "finished", "several_blocked"];

/// The groups in display order.
pub const GROUPS: [Group; 6] =
    [Group::NeedsYou, Group::Working, Group::YourTurn, Group::Failed, Group::Idle, Group::Done];

/// The heading of a group.
pub fn heading(group: Group) -> &'static str {
    match group {
        Group::NeedsYou => "NEEDS YOU",
        Group::Working => "WORKING",
        Group::YourTurn => "YOUR TURN",
        Group::Failed => "FAILED",
        Group::Idle => "IDLE",
        Group::Done => "DONE",
    }
}

/// Whether the device of each session is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// The sessions are on more than one device.
    Device,
    /// All sessions are on this device.
    Nothing,
}

impl Shown {
    /// The column that these sessions need.
    pub fn of(sessions: &[Session]) -> Self {
        let mut devices = sessions.iter().map(|it| &it.device);
        let first = devices.next();
        let differ = devices.any(|it| Some(it) != first);
        match differ || sessions.iter().any(|it| elsewhere(it).is_some()) {
            true => Self::Device,
            false => Self::Nothing,
        }
    }
}

/// The device of a session, if it is another one.
pub fn elsewhere(session: &Session) -> Option<String> {
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

/// One session on a line of text: its status, its age, and what it waits for.
pub fn row(session: &Session, clock: &Clock, shown: Shown) -> String {
    cells(session, clock, (shown, 0)).into_iter().map(|(text, _)| text).collect()
}

/// The same on a terminal, in its colours and as wide as it is.
pub fn painted_row(session: &Session, clock: &Clock, shown: Shown, printer: &Printer) -> String {
    let cells = cells(session, clock, (shown, printer.width));
    let spans = cells.into_iter().map(|(text, ink)| span(text, printer.theme.style(ink)));
    let line = cut(spans.collect::<Vec<_>>().into(), printer.width);
    let folder = session.project_path.as_deref().filter(|_| elsewhere(session).is_none());
    let paint = |(number, it): (usize, &Span<'_>)| match folder.filter(|_| number == PROJECT_CELL) {
        Some(folder) => printer.links.within(&painted_span(it), folder, it.content.trim_end()),
        None => painted_span(it),
    };
    line.spans.iter().enumerate().map(paint).collect()
}

fn cells(session: &Session, clock: &Clock, (shown, width): (Shown, usize)) -> Vec<(String, Ink)> {
    let id: String = session.id.to_string().chars().take(ID).collect();
    let since = session.status_since.filter(|_| session.group != Group::Done);
    let age = since.or(session.last_event_at).map_or("?".to_owned(), |at| clock.age(at));
    let project_width = if width >= WIDE { WIDE_PROJECT } else { PROJECT };
    let branch = session.git_branch.as_deref().map(line).unwrap_or_default();
    let branch = if width >= WIDER { format!("{} ", pad(&branch, BRANCH)) } else { String::new() };
    let worker = if session.parent_id.is_some() { "└ " } else { "" };
    let star = if session.starred { format!("{STAR} ") } else { String::new() };
    let tags = tag_words(session).map(|it| format!("  {it}")).unwrap_or_default();
    let ink = if session.group == Group::NeedsYou { Ink::Bold } else { Ink::Plain };
    vec![
        (shape(session).to_string(), ink_of(session)),
        (format!("{} {id} ", doubt(session)), Ink::Dim),
        (pad(short(&session.agent), AGENT), Ink::Plain),
        (format!(" {age:>AGE$} {}", device(session, shown)), Ink::Dim),
        (pad(&project(session), project_width), Ink::Title),
        (format!(" {branch}"), Ink::Dim),
        (format!("{worker}{star}"), Ink::Dim),
        (what(session), ink),
        (tags, Ink::Dim),
    ]
}

/// The status of a session, in words.
pub fn status(session: &Session, clock: &Clock) -> String {
    let since = session.status_since.filter(|at| is_recent(*at, clock.now));
    let since = since.map(|at| format!(" for {}", when::ago(at, clock.now)));
    let failed = if session.failed { ", failed" } else { "" };
    let mark = shape(session);
    if session.lifecycle == Lifecycle::PromptsOnly {
        return format!("{mark} {PROMPTS_ONLY}");
    }
    let status = imported(session).unwrap_or_else(|| session.status.as_str().to_owned());
    format!("{mark} {status}{failed}{}{}", since.unwrap_or_default(), runs_at(session))
}

fn runs_at(session: &Session) -> String {
    match (session.pid, session.executor.as_deref()) {
        (Some(pid), Some(executor)) => format!(" · process {pid} at {}", line(executor)),
        (Some(pid), None) => format!(" · process {pid}"),
        (None, _) => String::new(),
    }
}

/// What was found about a session, in a few words; kinds that its status or its request shows are left
/// out.
pub fn found(session: &Session) -> Option<String> {
    let is_shown = |kind: &str| !SHOWN_ANYWAY.contains(&kind);
    let mut kinds = session.findings.iter().map(String::as_str).filter(|it| is_shown(it));
    let first = kinds.next().map(|it| line(&it.replace('_', " ")))?;
    match kinds.count() {
        0 => Some(first),
        more => Some(format!("{first} +{more}")),
    }
}

/// The star and the tags of a session, each with a sign.
pub fn tags(session: &Session) -> Option<String> {
    let star = session.starred.then(|| STAR.to_string());
    let words: Vec<_> = star.into_iter().chain(tag_words(session)).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

fn tag_words(session: &Session) -> Option<String> {
    let tags: Vec<String> = session.tags.iter().map(|it| format!("#{}", line(it))).collect();
    (!tags.is_empty()).then(|| tags.join(" "))
}

/// Marks an uncertain status, except for a session that is over.
pub fn doubt(session: &Session) -> char {
    let over = matches!(session.group, Group::Done | Group::Failed);
    if over || session.confidence == Confidence::High { ' ' } else { '~' }
}

/// A symbol for each state, so that colour is never the only sign.
pub fn shape(session: &Session) -> char {
    let asked = session.waiting_for.as_ref().is_some_and(|it| it.kind == WaitingKind::Question);
    match session.status {
        _ if session.failed || session.lifecycle.as_str() == "lost" => '✕',
        _ if session.lifecycle == Lifecycle::PromptsOnly => '›',
        Status::WaitingApproval => '●',
        Status::Waiting if asked => '◆',
        Status::Running => '◐',
        Status::Waiting => '◇',
        Status::Idle => '○',
        Status::Exited => '✓',
        Status::Unknown => '?',
    }
}

/// The first word of an agent's id, which is enough to distinguish agents in a column.
pub fn short(agent: &str) -> &str {
    agent.split('-').next().unwrap_or(agent)
}

/// The last folder of a session's project.
pub fn project(session: &Session) -> String {
    let path = session.project_path.as_deref().unwrap_or("?");
    line(path.trim_end_matches('/').rsplit('/').next().unwrap_or(path))
}

/// What the session waits for, or else its title.
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
    let title = if session.captured { title } else { format!("(not captured) {title}") };
    match imported(session) {
        Some(words) => format!("({words}) {title}"),
        None if session.lifecycle == Lifecycle::PromptsOnly => format!("({PROMPTS_ONLY}) {title}"),
        None => title,
    }
}

/// The status that an imported document gives a session, as `imported: in progress, 65 %`.
pub fn imported(session: &Session) -> Option<String> {
    session.imported.as_ref().map(|it| format!("imported: {}", line(&it.words())))
}
