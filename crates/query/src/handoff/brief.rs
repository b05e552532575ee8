//! The facts of a brief, from captured data. Foreign text is redacted before it is cut, and
//! contains nothing that a terminal would interpret.

use super::outcomes::still_failing;
use taffrail_api::{
    Handoff, HandoffDecision, HandoffFailure, HandoffFile, HandoffResume, HandoffTurn,
    SCHEMA_VERSION,
};
use taffrail_contracts::captured::{AgentSession, Captured};
use taffrail_contracts::craft;
use taffrail_contracts::deeds::{Call, calls, changes, choices, plan, trouble};
use taffrail_model::redact::redact;
use taffrail_model::turn::Turn;

/// How many of the latest turns are included.
const TURNS: usize = 5;
/// The most decisions, files and tasks that are included.
const MOST: usize = 30;
/// The longest prompt or answer, in characters.
const SAID: usize = 700;
/// The longest part of an output, in characters.
const OUTPUT: usize = 1200;
/// The longest single line, in characters.
const LINE: usize = 300;

/// The facts, without their Markdown.
pub(super) fn of(captured: &Captured, command: Vec<String>) -> Handoff {
    let main = &captured.main;
    let done = calls(main);
    let plan = plan(&done).unwrap_or_default();
    let waiting = main.waiting_for.as_ref().map(|it| line(&it.text));
    let text = |it: &Option<String>| it.as_deref().map(line);
    Handoff {
        schema_version: SCHEMA_VERSION,
        session_id: main.id,
        agent: main.agent.to_string(),
        model: text(&main.model),
        project_path: text(&main.project_path),
        git_branch: text(&main.git_branch),
        git_commit: text(&captured.here.git_commit),
        goal: safe(&craft::of(captured).goal),
        status: main.status.as_str().to_owned(),
        imported: None,
        agents: Vec::new(),
        waiting_for: waiting.filter(|it| !it.is_empty()),
        decisions: decisions(main, &done),
        files: files(captured),
        failing: failing(&done),
        error: trouble(main).filter(|_| has_failed(main)).map(|it| line(&it.message)),
        open_tasks: tasks(&plan.open),
        done_tasks: tasks(&plan.done),
        turns: turns(&main.turns),
        resume: resume(main, command),
        markdown: String::new(),
    }
}

fn resume(main: &AgentSession, command: Vec<String>) -> HandoffResume {
    let id = line(main.runtime_id.as_str());
    HandoffResume { runtime_session_id: id, command, cwd: main.project_path.as_deref().map(line) }
}

/// Whether its last turn ended with an error.
fn has_failed(main: &AgentSession) -> bool {
    main.turns.last().is_some_and(|it| it.errors > 0)
}

pub(super) fn decisions(main: &AgentSession, done: &[Call<'_>]) -> Vec<HandoffDecision> {
    let all = choices(main, done);
    let late = all.len().saturating_sub(MOST);
    let told = all.into_iter().skip(late);
    told.map(|it| HandoffDecision {
        at: Some(it.at),
        context: line(&it.context),
        chosen: line(&it.chosen),
    })
    .collect()
}

fn files(captured: &Captured) -> Vec<HandoffFile> {
    let all = changes(captured).files;
    let late = all.len().saturating_sub(MOST);
    let told = all.into_iter().skip(late);
    told.map(|it| HandoffFile { path: line(&it.path), action: it.action.as_str().to_owned() })
        .collect()
}

/// The command that was still failing when the session stopped.
fn failing(done: &[Call<'_>]) -> Option<HandoffFailure> {
    let answered = done.iter().filter(|it| it.answer.is_some());
    let ran: Vec<_> = answered.filter_map(|it| Some((it, it.script()?))).collect();
    let late = ran.len().saturating_sub(MOST);
    let ran: Vec<_> = ran.into_iter().skip(late).collect();
    let outcomes: Vec<_> =
        ran.iter().map(|(call, command)| (command.as_str(), call.has_failed())).collect();
    let (call, command) = ran.get(still_failing(&outcomes)?)?;
    let output = end(&safe(call.said()), OUTPUT);
    Some(HandoffFailure { command: line(command), exit_code: call.exit_code(), output })
}

pub(super) fn tasks(all: &[String]) -> Vec<String> {
    all.iter().take(MOST).map(|it| line(it)).collect()
}

fn turns(all: &[Turn]) -> Vec<HandoffTurn> {
    let late = all.len().saturating_sub(TURNS);
    let told = all.iter().skip(late).map(|it| HandoffTurn {
        at: it.started_at,
        prompt: begin(&safe(&it.prompt), SAID),
        answer: end(&safe(&it.text), SAID),
    });
    told.collect()
}

/// Removes secrets, and characters that a terminal would interpret or hide.
pub(super) fn safe(text: &str) -> String {
    let text = redact(text);
    let shown = |it: char| match it {
        '\n' | '\t' => Some(it),
        '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}' => None,
        it if it.is_control() => Some('\u{fffd}'),
        it => Some(it),
    };
    let shown: String = text.chars().filter_map(shown).collect();
    // A secret may appear only after hidden characters are removed.
    redact(&shown).trim().to_owned()
}

pub(super) fn line(text: &str) -> String {
    let text = safe(text).split_whitespace().collect::<Vec<_>>().join(" ");
    begin(&text, LINE)
}

fn begin(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let kept: String = text.chars().take(limit).collect();
    format!("{}…", kept.trim_end())
}

fn end(text: &str, limit: usize) -> String {
    let over = text.chars().count().saturating_sub(limit);
    if over == 0 {
        return text.to_owned();
    }
    let kept: String = text.chars().skip(over).collect();
    format!("…{}", kept.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_wrote_is_cut_and_safe() {
        assert_eq!(line("a\n\u{1b}[31mb\u{202e} c"), "a \u{fffd}[31mb c");
        assert_eq!(begin("äöü", 2), "äö…");
        assert_eq!(end("äöü", 2), "…öü");
        assert_eq!(end("äö", 2), "äö");
        let secret = format!("ghp_{}", "a1B2c3D4e5".repeat(4).get(..36).unwrap());
        assert!(!safe(&format!("x {secret}")).contains(&secret));
        let hidden: String = secret.chars().flat_map(|it| [it, '\u{200b}']).collect();
        assert!(!safe(&format!("x {hidden}")).contains(&secret));
    }
}
