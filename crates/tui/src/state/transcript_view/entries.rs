//! Events in reading order: a call with its result on one line, everything else unchanged.

use crate::changes::{Change, changes, checklist};
use crate::paint::markdown;
use crate::paint::text::{span, wrapped};
use crate::paint::theme::{Ink, Theme};
use crate::phrases::{Outcome, decided, flag, is_refusal, with_tool, word};
use crate::terminal::{fit, shown};
use crate::when;
use jiff::tz::TimeZone;
use ratatui::text::Line;
use serde_json::Value;
use taffrail_model::{Event, EventId, Kind, Timestamp};

/// The most lines of one text, of a change, and of a tool's output.
const TEXT: usize = 400;
const CHANGE: usize = 60;
const OUTPUT: usize = 30;
/// The most lines of a change and of a failure's output in brief.
const BRIEF_CHANGE: usize = 16;
const BRIEF_OUTPUT: usize = 6;
/// The longest stored output, in characters.
const KEPT: usize = 8_000;

/// Whether calls show their input and output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Tools {
    #[default]
    Folded,
    /// Changes, and the output of failures.
    Brief,
    Open,
}

/// One entry of the transcript.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) event: EventId,
    pub(crate) body: Body,
    /// Search hits that the entry would not show otherwise.
    pub(crate) found: Vec<String>,
    /// The rendered lines; empty until rendered.
    pub(crate) lines: Vec<Line<'static>>,
}

impl Entry {
    /// True if the entry shows an event: its own, or the result of its call.
    pub(crate) fn holds(&self, event: EventId) -> bool {
        let result = match &self.body {
            Body::Tool(tool) => tool.output.as_ref().map(|it| it.event),
            _ => None,
        };
        self.event == event || result == Some(event)
    }
}

impl Entry {
    /// True if a free line above it makes a long text easier to read.
    pub(crate) fn has_space_above(&self) -> bool {
        matches!(self.body, Body::Prompt { .. } | Body::Answer(_))
    }
}

/// The content of an entry.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    /// With the time in the reader's zone.
    Prompt {
        number: usize,
        at: String,
        text: String,
    },
    Answer(String),
    Thinking(String),
    Tool(Box<Tool>),
    Note {
        label: &'static str,
        text: String,
        is_bad: bool,
    },
    Compacted,
}

/// A call and its result.
#[derive(Debug, Clone)]
pub(crate) struct Tool {
    pub(crate) call: Option<String>,
    name: String,
    gist: String,
    changes: Vec<Change>,
    todo: Vec<(char, String)>,
    at: Timestamp,
    output: Option<Output>,
}

impl Tool {
    fn has_failed(&self) -> bool {
        self.output.as_ref().is_some_and(|it| it.outcome == Outcome::Badly)
    }
}

#[derive(Debug, Clone)]
struct Output {
    event: EventId,
    text: String,
    lines: usize,
    outcome: Outcome,
    took_ms: i64,
}

/// The session's context, and the reader's clock.
#[derive(Debug, Clone)]
pub(crate) struct Reader {
    /// The folder of the session.
    pub(crate) root: String,
    pub(crate) zone: TimeZone,
}

impl Default for Reader {
    fn default() -> Self {
        Self { root: String::new(), zone: TimeZone::UTC }
    }
}

/// Adds an event to the entries; returns the index that changed.
pub(crate) fn push(
    entries: &mut Vec<Entry>,
    turns: &mut usize,
    event: &Event,
    reader: &Reader,
) -> Option<usize> {
    if event.kind == Kind::ToolResult
        && let Some(at) = answered(entries, event)
    {
        return Some(at);
    }
    let body = body(event, turns, reader)?;
    entries.push(Entry { event: event.id, body, found: Vec::new(), lines: Vec::new() });
    Some(entries.len() - 1)
}

/// A text with paths below a folder made relative.
pub(crate) fn below(text: &str, root: &str) -> String {
    if root.len() < 2 { text.to_owned() } else { text.replace(&format!("{root}/"), "") }
}

/// Adds the result to its call.
fn answered(entries: &mut [Entry], event: &Event) -> Option<usize> {
    let id = text_of(event, "call_id");
    let is_it = |it: &Entry| match &it.body {
        Body::Tool(tool) => tool.output.is_none() && tool.call == id,
        _ => false,
    };
    let at = entries.iter().rposition(is_it)?;
    let entry = entries.get_mut(at)?;
    if let Body::Tool(tool) = &mut entry.body {
        tool.output = Some(output(event, tool.at));
    }
    entry.lines.clear();
    Some(at)
}

fn body(event: &Event, turns: &mut usize, reader: &Reader) -> Option<Body> {
    let text = || event.text.clone().unwrap_or_default();
    let note = |label, text: String, is_bad| Some(Body::Note { label, text, is_bad });
    match &event.kind {
        Kind::UserPrompt => {
            *turns += 1;
            let mut at = when::dated(event.created_at, &reader.zone);
            if flag(event, "stale") == Some(true) {
                at += " (excerpt: the source is gone)";
            }
            Some(Body::Prompt { number: *turns, at, text: text() })
        }
        Kind::AssistantMessage => Some(Body::Answer(text())),
        Kind::AssistantThinking => Some(Body::Thinking(text())),
        Kind::ToolCall => Some(Body::Tool(Box::new(call(event, &reader.root)))),
        Kind::ToolResult => Some(Body::Tool(Box::new(unasked(event)))),
        Kind::ContextCompacted => Some(Body::Compacted),
        Kind::Error => note("error", format!("{} {}", word(event, "code"), text()), true),
        Kind::ApprovalRequested => note("asks", with_tool(event), false),
        Kind::ApprovalResolved => note("decided", decided(event), is_refusal(event)),
        Kind::AgentStopped if word(event, "reason") == "interrupted" => {
            note("interrupted", String::new(), true)
        }
        Kind::Notice => note("notice", format!("{} {}", word(event, "label"), text()), false),
        Kind::SessionExited => note("over", String::new(), false),
        _ => None,
    }
}

fn call(event: &Event, root: &str) -> Tool {
    let input = event.data.get("input");
    Tool {
        call: text_of(event, "call_id"),
        name: word(event, "tool"),
        gist: below(&event.text.as_deref().map(shown).unwrap_or_default(), root),
        changes: input.map(changes).unwrap_or_default(),
        todo: input.map(checklist).unwrap_or_default(),
        at: event.created_at,
        output: None,
    }
}

fn unasked(event: &Event) -> Tool {
    let (name, gist) = ("result".to_owned(), String::new());
    let output = Some(output(event, event.created_at));
    let (changes, todo) = (Vec::new(), Vec::new());
    Tool { call: None, name, gist, changes, todo, at: event.created_at, output }
}

fn output(event: &Event, asked: Timestamp) -> Output {
    let text = event.text.as_deref().unwrap_or_default();
    let measured = event.data.get("duration_ms").and_then(Value::as_i64);
    let passed = event.created_at.as_millisecond() - asked.as_millisecond();
    Output {
        event: event.id,
        lines: text.lines().count(),
        text: text.chars().take(KEPT).collect(),
        outcome: match flag(event, "failed") {
            None if event.data.get("exit_code").is_none() => Outcome::Well,
            _ => Outcome::of(event),
        },
        took_ms: measured.unwrap_or(passed),
    }
}

fn text_of(event: &Event, name: &str) -> Option<String> {
    event.data.get(name).and_then(Value::as_str).map(str::to_owned)
}

/// Renders all events as lines: of a session in that folder, starting with that turn.
pub(crate) fn lines(
    events: &[Event],
    (first, reader): (usize, &Reader),
    width: usize,
    theme: Theme,
    tools: Tools,
) -> Vec<Line<'static>> {
    let (mut entries, mut turns) = (Vec::new(), first.saturating_sub(1));
    for event in events {
        push(&mut entries, &mut turns, event, reader);
    }
    entries.iter().flat_map(|it| show(it, width, theme, tools)).collect()
}

/// Renders one entry as lines.
pub(crate) fn show(entry: &Entry, width: usize, theme: Theme, tools: Tools) -> Vec<Line<'static>> {
    let mut out = show_body(entry, width, theme, tools);
    for text in entry.found.iter().flat_map(|it| wrapped(it, width.saturating_sub(6), TEXT)) {
        let mark = span("    │ ", theme.style(Ink::Dim));
        out.push(Line::from(vec![mark, span(text, theme.style(Ink::Plain))]));
    }
    out
}

fn show_body(entry: &Entry, width: usize, theme: Theme, tools: Tools) -> Vec<Line<'static>> {
    let dim = theme.style(Ink::Dim);
    match &entry.body {
        Body::Prompt { number, at, text } => prompt((*number, at), text, width, theme),
        Body::Answer(text) => answer(text, width, theme),
        Body::Thinking(text) => match tools {
            Tools::Open => thought(text, width, theme),
            Tools::Folded | Tools::Brief => {
                let text = fit(&format!("  ∴ {}", shown(text)), width);
                vec![Line::from(span(text, dim))]
            }
        },
        Body::Tool(tool) => tool_lines(tool, width, theme, tools),
        Body::Note { label, text, is_bad } => {
            let ink = if *is_bad { Ink::Failed } else { Ink::Dim };
            let mark = if *is_bad { "✕" } else { "·" };
            let text = fit(&format!("  {mark} {label} {}", shown(text)), width);
            vec![Line::from(span(text, theme.style(ink)))]
        }
        Body::Compacted => {
            let rest = "═".repeat(width.saturating_sub(24));
            vec![Line::from(span(format!("═══ context compacted {rest}"), dim))]
        }
    }
}

fn prompt(
    (number, at): (usize, &str),
    text: &str,
    width: usize,
    theme: Theme,
) -> Vec<Line<'static>> {
    let head = format!("── turn {number} · {at} ");
    let rule = "─".repeat(width.saturating_sub(head.chars().count()));
    let mut out = vec![Line::from(span(format!("{head}{rule}"), theme.style(Ink::Dim)))];
    for text in wrapped(text, width.saturating_sub(2), TEXT) {
        out.push(Line::from(vec![
            span("› ", theme.style(Ink::Running)),
            span(text, theme.style(Ink::Bold)),
        ]));
    }
    out
}

fn answer(text: &str, width: usize, theme: Theme) -> Vec<Line<'static>> {
    let mut lines = markdown::lines(text, width.saturating_sub(2), TEXT, theme);
    lines.iter_mut().for_each(|it| it.spans.insert(0, span("  ", theme.style(Ink::Plain))));
    lines
}

fn thought(text: &str, width: usize, theme: Theme) -> Vec<Line<'static>> {
    let lines = wrapped(text, width.saturating_sub(2), TEXT);
    lines.into_iter().map(|it| Line::from(span(format!("  {it}"), theme.style(Ink::Dim)))).collect()
}

fn tool_lines(tool: &Tool, width: usize, theme: Theme, tools: Tools) -> Vec<Line<'static>> {
    let mut out = vec![tool_line(tool, width, theme, tools)];
    for (mark, text) in &tool.todo {
        out.push(Line::from(span(
            fit(&format!("    {mark} {text}"), width),
            theme.style(Ink::Plain),
        )));
    }
    let (changes, lines) = match tools {
        Tools::Folded => (0, 0),
        Tools::Brief if tool.has_failed() => (BRIEF_CHANGE, BRIEF_OUTPUT),
        Tools::Brief => (BRIEF_CHANGE, 0),
        Tools::Open => (CHANGE, OUTPUT),
    };
    if changes > 0 {
        change_lines(&mut out, tool, (width, changes), theme);
    }
    if let Some(output) = tool.output.as_ref().filter(|_| lines > 0) {
        for text in wrapped(&output.text, width.saturating_sub(4), lines) {
            out.push(Line::from(span(format!("    {text}"), theme.style(Ink::Dim))));
        }
        more(&mut out, output.lines.saturating_sub(lines), theme);
    }
    out
}

fn change_lines(
    out: &mut Vec<Line<'static>>,
    tool: &Tool,
    (width, most): (usize, usize),
    theme: Theme,
) {
    for change in tool.changes.iter().take(most) {
        let (mark, ink) = match change {
            Change::Added(_) => ('+', Ink::Added),
            Change::Removed(_) => ('-', Ink::Removed),
            Change::Same(_) => (' ', Ink::Dim),
        };
        let text = fit(&change.text().replace('\t', "    "), width.saturating_sub(6));
        out.push(Line::from(span(format!("    {mark} {text}"), theme.style(ink))));
    }
    more(out, tool.changes.len().saturating_sub(most), theme);
}

fn more(out: &mut Vec<Line<'static>>, count: usize, theme: Theme) {
    if count > 0 {
        out.push(Line::from(span(format!("    … {count} more lines"), theme.style(Ink::Dim))));
    }
}

fn tool_line(tool: &Tool, width: usize, theme: Theme, tools: Tools) -> Line<'static> {
    let fold = if tools == Tools::Open { '▾' } else { '▸' };
    let (mark, ink) = match tool.output.as_ref().map(|it| it.outcome) {
        Some(Outcome::Well) => ("✓", Ink::Done),
        Some(Outcome::Badly) => ("✕", Ink::Failed),
        Some(Outcome::Unknown) => ("·", Ink::Dim),
        None => ("◐", Ink::Running),
    };
    let tail = format!(" {}", extent(tool));
    let gap = if tool.gist.is_empty() { "" } else { " " };
    let name = format!("  {fold} {}{gap}", tool.name);
    let room = width.saturating_sub(name.chars().count() + tail.chars().count() + 2);
    Line::from(vec![
        span(name, theme.style(Ink::Dim)),
        span(fit(&tool.gist, room), theme.style(Ink::Plain)),
        span(format!(" {mark}"), theme.style(ink)),
        span(tail, theme.style(Ink::Dim)),
    ])
}

/// The duration and the size of a call.
fn extent(tool: &Tool) -> String {
    let Some(output) = &tool.output else { return "under way".to_owned() };
    let mut parts = Vec::new();
    if output.took_ms >= 100 {
        parts.push(duration(output.took_ms));
    }
    let added = tool.changes.iter().filter(|it| matches!(it, Change::Added(_))).count();
    let removed = tool.changes.iter().filter(|it| matches!(it, Change::Removed(_))).count();
    if added + removed > 0 {
        parts.push(format!("+{added} −{removed}"));
    } else if output.lines > 1 {
        parts.push(format!("{} lines", output.lines));
    }
    parts.join("  ")
}

fn duration(ms: i64) -> String {
    match ms {
        ..10_000 => format!("{:.1}s", ms as f64 / 1e3),
        10_000..60_000 => format!("{}s", ms / 1_000),
        _ => format!("{}m{:02}s", ms / 60_000, ms / 1_000 % 60),
    }
}
