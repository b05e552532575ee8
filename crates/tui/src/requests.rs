//! Requests for approval and their decisions, as lines for people.

use crate::changes::{Change, changes};
use crate::phrases::outcome_says;
use crate::terminal::{clean, fit_end, line, pad};
use crate::when::{Clock, MINUTE_WIDTH};
use serde_json::Value;
use taffrail_api::{ApprovalRow, AttemptRow, DecisionRow, DenialRow, LogCheck, ToolInput};

/// The column of a session's title.
const SESSION_WIDTH: usize = 24;

/// Fields that are shown as what they are and not once more by name.
const SHOWN: &[&str] = &[
    "command",
    "old_string",
    "new_string",
    "old_str",
    "new_str",
    "content",
    "file_text",
    "edits",
    "patch",
];

/// The full content of a request, so that people approve what they have read.
#[must_use]
pub fn whole(it: &ApprovalRow) -> Vec<String> {
    let mut out = vec![
        format!("{} {} asks in {}", it.id, line(it.agent.as_str()), project(it)),
        format!("tool: {}", line(&it.tool)),
        format!("risk: {}", line(&it.risk)),
    ];
    out.extend(it.device.as_ref().map(|it| format!("device: {}", line(it))));
    out.extend(fields(it.input.as_ref()));
    out.push(String::new());
    out.extend(it.command.split('\n').map(|text| format!("  {}", clean(text))));
    out.extend(hidden(it).into_iter().map(str::to_owned));
    out.extend(changed(it.input.as_ref()));
    out
}

/// A text on one line, with its line ends to be seen: what follows one is another command.
#[must_use]
pub fn one_line(text: &str) -> String {
    line(&text.replace("\r\n", "\n").replace('\n', " ⏎ "))
}

/// The name of the folder that a request comes from.
#[must_use]
pub fn project(it: &ApprovalRow) -> String {
    let path = it.project_path.as_deref().unwrap_or("?").trim_end_matches('/');
    line(path.rsplit('/').next().unwrap_or(path))
}

/// Every field beside the command, by the agent's own name.
fn fields(input: Option<&ToolInput>) -> Vec<String> {
    let Some(Value::Object(all)) = input.map(|it| &it.fields) else { return Vec::new() };
    let others = all.iter().filter(|(name, _)| !SHOWN.contains(&name.as_str()));
    let line_of = |(name, value): (&String, &Value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        format!("{}: {}", line(name), one_line(&text))
    };
    others.map(line_of).collect()
}

/// What is not here is said to be missing.
fn hidden(it: &ApprovalRow) -> Vec<&'static str> {
    let cut = it.input.as_ref().is_some_and(|it| it.cut);
    let all = [
        (it.truncated, "  … the rest is too long to keep; the agent shows it"),
        (it.redacted, "  … something that looks like a secret is hidden"),
        (cut, "  … part of the tool's input is too long to show"),
    ];
    all.into_iter().filter(|(is_so, _)| *is_so).map(|(_, text)| text).collect()
}

/// What would change in a file.
fn changed(input: Option<&ToolInput>) -> Vec<String> {
    let all = input.map(|it| changes(&it.fields)).unwrap_or_default();
    let space = (!all.is_empty()).then(String::new);
    space.into_iter().chain(all.iter().map(Change::marked).map(|it| format!("  {it}"))).collect()
}

/// One refused attempt.
#[must_use]
pub fn attempt(it: &AttemptRow, clock: &Clock) -> String {
    let at = pad(&clock.minute(it.at), MINUTE_WIDTH);
    let about = it.approval_id.as_ref().map(|it| format!(" {it}")).unwrap_or_default();
    let pid = it.pid.map(|it| format!(" ({it})")).unwrap_or_default();
    let (who, caller) = (line(&it.program), it.caller.as_str());
    format!("{at} {caller} {who}{pid} tried to {}{about}: {}", line(&it.what), line(&it.because))
}

/// Whether the log is what was written.
#[must_use]
pub fn verified(check: &LogCheck) -> String {
    let LogCheck { entries, broken_at, differing, .. } = check;
    if check.forged && broken_at.is_none() {
        return "The log is intact, but this device did not sign its end.".to_owned();
    }
    let signed = check.signed_by.as_deref().map(|it| format!(" Signed by {}.", line(it)));
    let signed = signed.unwrap_or_default();
    match (broken_at, differing.as_slice()) {
        (Some(number), _) => format!(
            "The log was changed: {entries} entries are intact, and entry {number} was changed or removed."
        ),
        (None, []) => format!("{entries} entries, none changed or removed.{signed}"),
        (None, ids) => {
            format!(
                "The log is intact, but these requests record another decision: {}",
                ids.join(", ")
            )
        }
    }
}

/// One decision, with who and why.
#[must_use]
pub fn decision(it: &DecisionRow, clock: &Clock) -> String {
    let at = pad(&clock.minute(it.at), MINUTE_WIDTH);
    let outcome = it.outcome.as_ref().map_or_else(|| "-".to_owned(), outcome_says);
    let why = it.why.as_deref().map(|it| format!(" ({})", line(it))).unwrap_or_default();
    format!(
        "{} {at} {} by {} {} {}{why}",
        it.approval_id,
        pad(&line(it.decision.as_str()), 7),
        pad(&line(&it.by), 14),
        pad(&outcome, 21),
        one_line(&it.command)
    )
}

/// What was refused: when, by whom, in which session, the call, and the person's words.
#[must_use]
pub fn denial(it: &DenialRow, clock: &Clock) -> String {
    let at = pad(&clock.minute(it.at), MINUTE_WIDTH);
    let session = it.title.as_deref().or(it.agent.as_deref()).unwrap_or("a forgotten session");
    let why = it.why.as_deref().map(|it| format!(" ({})", line(it))).unwrap_or_default();
    format!(
        "{at} by {} {} {} {}{why}",
        pad(&line(&it.by), 8),
        pad(&fit_end(&line(session), SESSION_WIDTH), SESSION_WIDTH),
        pad(&line(it.tool.as_deref().unwrap_or("-")), 8),
        one_line(&it.command)
    )
}
