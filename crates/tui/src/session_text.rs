//! A session as text, plain or as its terminal shows it: its head, and its events turn by turn.

use crate::numbers::{self, counted, short};
use crate::paint::text::wrapped;
use crate::paint::theme::{Ink, ink_of};
use crate::phrases::{Outcome, decided, flag, word};
use crate::printer::{Printer, painted_line};
use crate::state::transcript_view::entries::{Entry, Reader, Tools, push, show};
use crate::table::{self, elsewhere};
use crate::terminal::{clean, fit, line};
use crate::when::Clock;
use taffrail_api::Session;
use taffrail_model::{Event, Kind, Lifecycle};

/// The most lines of a message or a result that are shown.
const LINES: usize = 40;
const WIDTH: usize = 100;
const ONLY_PROMPTS: &str =
    "Only its prompts are left, in its agent's prompt history: its transcript is gone.";

/// The head of a session.
#[must_use]
pub fn head_lines(session: &Session, clock: &Clock) -> Vec<String> {
    let words = [
        session.title.as_deref(),
        Some(session.agent.as_str()),
        session.project_path.as_deref(),
        session.git_branch.as_deref(),
        session.model.as_deref(),
    ];
    let mut words: Vec<_> = words.into_iter().flatten().map(line).collect();
    words.extend(elsewhere(session).map(|it| format!("on {it}")));
    let mut out = vec![words.join(" · "), spent(session), table::status(session, clock)];
    out.push(session.id.to_string());
    let lineage = session.lineage.as_ref();
    out.extend(lineage.map(|it| format!("{} of {}", it.kind.as_str(), it.session_id)));
    out.push(line(&session.source_uri));
    if session.lifecycle == Lifecycle::PromptsOnly {
        out.push(ONLY_PROMPTS.to_owned());
    }
    out
}

fn spent(session: &Session) -> String {
    let usage = &session.usage;
    format!(
        "{} · {} · {} tokens in, {} cached, {} out · {} · {}",
        counted(session.turns, "turn"),
        counted(session.tool_calls, "tool call"),
        short(usage.input_tokens + usage.cache_write_tokens),
        short(usage.cache_read_tokens),
        short(usage.output_tokens),
        cost(session),
        lifecycle(session)
    )
}

/// The lifecycle in words.
fn lifecycle(session: &Session) -> &str {
    match &session.lifecycle {
        Lifecycle::PromptsOnly => table::PROMPTS_ONLY,
        other => other.as_str(),
    }
}

fn cost(session: &Session) -> String {
    known_cost(session).unwrap_or_else(|| "cost unknown".to_owned())
}

/// What a session cost, a list price marked as one; nothing if it is unknown.
pub(crate) fn known_cost(session: &Session) -> Option<String> {
    let by_source = &session.cost;
    let (reported, unknown) = (by_source.reported_microdollars, by_source.unknown_answers);
    session.cost_microdollars.map(|known| numbers::cost(Some(known), reported, unknown))
}

/// The head of a session on a terminal.
#[must_use]
pub fn painted_head(session: &Session, clock: &Clock, printer: &Printer) -> Vec<String> {
    let mut out = Vec::new();
    for (number, text) in head_lines(session, clock).iter().enumerate() {
        let ink = match number {
            0 => Ink::Bold,
            1 => Ink::Plain,
            2 => ink_of(session),
            _ => Ink::Dim,
        };
        let rows = wrapped(text, printer.text_width(), LINES);
        out.extend(rows.iter().map(|it| printer.inked(it, ink)));
    }
    let folder = session.project_path.as_deref().filter(|_| elsewhere(session).is_none());
    if let (Some(first), Some(folder)) = (out.first_mut(), folder) {
        *first = printer.links.within(first, folder, &line(folder));
    }
    out
}

/// The turns of a session on a terminal. A turn is printed when the next one begins, because a
/// call shares its line with its result.
#[derive(Debug)]
pub struct Turns<'a> {
    entries: Vec<Entry>,
    turns: usize,
    reader: Reader,
    printer: &'a Printer,
}

impl<'a> Turns<'a> {
    /// No turn of a session yet.
    #[must_use]
    pub fn new(session: &Session, clock: &Clock, printer: &'a Printer) -> Self {
        let root = session.project_path.clone().unwrap_or_default();
        let reader = Reader { root, zone: clock.zone.clone() };
        Self { entries: Vec::new(), turns: 0, reader, printer }
    }

    /// Takes the next event; returns the lines that are complete with it.
    pub fn push(&mut self, event: &Event) -> Vec<String> {
        let out = if event.kind == Kind::UserPrompt { self.rest() } else { Vec::new() };
        push(&mut self.entries, &mut self.turns, event, &self.reader);
        out
    }

    /// The lines of the last turn.
    pub fn rest(&mut self) -> Vec<String> {
        let mut out = Vec::new();
        for entry in std::mem::take(&mut self.entries) {
            let lines = show(&entry, self.printer.text_width(), self.printer.theme, Tools::Brief);
            if entry.has_space_above() {
                out.push(String::new());
            }
            out.extend(lines.iter().map(painted_line));
        }
        out
    }
}

/// An event, if people want to read it.
#[must_use]
pub fn event_lines(event: &Event, clock: &Clock) -> Vec<String> {
    let text = event.text.as_deref().unwrap_or_default();
    match event.kind {
        Kind::UserPrompt => prompt(event, text, clock),
        Kind::AssistantMessage => [vec![String::new()], block(text, "  ")].concat(),
        Kind::ToolCall => {
            let call = format!("    {} {}", word(event, "tool"), line(text));
            vec![fit(call.trim_end(), WIDTH)]
        }
        Kind::ToolResult => vec![result(event, text)],
        Kind::ContextCompacted => vec!["──── context compacted ────".to_owned()],
        Kind::Error => {
            let again = if flag(event, "retrying") == Some(true) { " (trying again)" } else { "" };
            let what = if text.is_empty() { word(event, "code") } else { line(text) };
            vec![format!("  ✕ error{again}: {}", fit(&what, WIDTH))]
        }
        Kind::ApprovalRequested => {
            vec![format!("    asks for approval: {} {}", word(event, "tool"), line(text))]
        }
        Kind::ApprovalResolved => vec![format!("    approval: {}", decided(event))],
        Kind::AgentStopped if word(event, "reason") == "interrupted" => {
            vec!["  ■ interrupted".to_owned()]
        }
        Kind::Notice => {
            let said = format!("  · {} {}", word(event, "label"), line(text));
            vec![fit(said.trim_end(), WIDTH)]
        }
        _ => Vec::new(),
    }
}

fn prompt(event: &Event, text: &str, clock: &Clock) -> Vec<String> {
    let stale =
        if flag(event, "stale") == Some(true) { " (excerpt: the source is gone)" } else { "" };
    let head = vec![String::new(), format!("▸ {}{stale}", clock.minute(event.created_at))];
    [head, block(text, "▸ ")].concat()
}

/// A result on one line: ✓ and ✕ only where the agent said how it went.
fn result(event: &Event, text: &str) -> String {
    let mark = Outcome::of(event).mark();
    let lines = text.lines().count();
    let first = fit(&line(text.lines().next().unwrap_or_default()), WIDTH - 24);
    let first = if first.is_empty() { "(no output)".to_owned() } else { first };
    let more = match lines {
        0 | 1 => String::new(),
        2 => "  +1 line".to_owned(),
        _ => format!("  +{} lines", lines - 1),
    };
    format!("      {mark} {first}{more}")
}

fn block(text: &str, indent: &str) -> Vec<String> {
    let text = clean(text);
    let mut lines = text.lines();
    let mut out: Vec<_> =
        lines.by_ref().take(LINES).map(|part| format!("{indent}{part}")).collect();
    match lines.count() {
        0 => {}
        more => out.push(format!("{indent}… {more} more lines")),
    }
    out
}
