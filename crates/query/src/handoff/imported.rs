//! The facts of a brief, from an imported session state. The document is foreign text: every part is
//! redacted and cut like the text of a captured session.

use super::brief::{line, safe, tasks};
use taffrail_api::{
    Handoff, HandoffAgent, HandoffDecision, HandoffFile, HandoffResume, SCHEMA_VERSION,
};
use taffrail_contracts::craft::{AgentState, Decision, State};
use taffrail_model::{Imported, SessionId};

/// The name of such a session where an agent's name would be.
pub(super) const LABEL: &str = "an imported document";
/// The agent of such sessions.
const AGENT: &str = "imported";
/// The most agents, decisions and files that are included.
const MOST: usize = 30;

/// The facts, without their Markdown.
pub(super) fn of(session: SessionId, state: &State) -> Handoff {
    let status = state.status.as_str().to_owned();
    Handoff {
        schema_version: SCHEMA_VERSION,
        session_id: session,
        agent: AGENT.to_owned(),
        model: None,
        project_path: Some(line(&state.project)),
        git_branch: remark(state, "git_branch"),
        git_commit: remark(state, "git_commit"),
        goal: safe(&state.goal),
        imported: Some(Imported {
            status: Some(status.clone()),
            progress: Some(state.progress.clone()),
        }),
        agents: state.agents.iter().take(MOST).map(agent).collect(),
        status,
        waiting_for: None,
        decisions: latest(state.decisions_made.as_deref().unwrap_or_default())
            .map(decision)
            .collect(),
        files: latest(&state.files_modified)
            .map(|it| HandoffFile { path: line(&it.path), action: it.action.as_str().to_owned() })
            .collect(),
        failing: None,
        error: state.agents.iter().rev().find_map(failure),
        open_tasks: tasks(&state.pending_tasks),
        done_tasks: tasks(&state.completed_work),
        turns: Vec::new(),
        resume: HandoffResume {
            runtime_session_id: line(&state.session_id),
            command: Vec::new(),
            cwd: Some(line(&state.project)),
        },
        markdown: String::new(),
    }
}

fn latest<T>(all: &[T]) -> impl Iterator<Item = &T> {
    all.iter().skip(all.len().saturating_sub(MOST))
}

fn remark(state: &State, name: &str) -> Option<String> {
    state.metadata.as_ref()?.get(name)?.as_str().map(line)
}

fn agent(agent: &AgentState) -> HandoffAgent {
    HandoffAgent {
        id: line(&agent.id),
        kind: line(&agent.kind),
        status: line(agent.status.as_str()),
        summary: agent.output_summary.clone().flatten().map(|it| line(&it)),
    }
}

fn failure(agent: &AgentState) -> Option<String> {
    let error = agent.error.as_ref()?.as_ref()?;
    error.message.as_deref().map(|it| line(&format!("{}: {it}", agent.id)))
}

/// A decision, with its reason.
fn decision(decision: &Decision) -> HandoffDecision {
    let at = decision.timestamp.as_deref().and_then(|it| it.parse().ok());
    let chosen = decision.chosen.as_deref().unwrap_or_default();
    let chosen = match decision.reasoning.as_ref().and_then(Option::as_deref) {
        Some(why) => format!("{chosen} ({why})"),
        None => chosen.to_owned(),
    };
    HandoffDecision {
        at,
        context: line(decision.context.as_deref().unwrap_or_default()),
        chosen: line(&chosen),
    }
}
