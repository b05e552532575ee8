//! Decisions of the user: answers to questions, plans that were approved or rejected, and tools that
//! were allowed or denied.

use super::calls::Call;
use crate::captured::AgentSession;
use crate::prose::{first_sentences, said, summary};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use taffrail_model::{Event, Kind, Timestamp};

const APPROVED: &str = "approved";
const REJECTED: &str = "rejected";
const ALLOWED: &str = "allowed";
const DENIED: &str = "denied";
/// The ends of results of calls that a person stopped before they ran.
const STOPPED: [&str; 2] = ["aborted by user", "rejected by user"];

/// A decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The time.
    pub at: Timestamp,
    /// The question.
    pub context: String,
    /// The options.
    pub options: Vec<String>,
    /// The option chosen.
    pub chosen: String,
    /// The user's own words about it.
    pub reasoning: Option<String>,
    /// Nothing records who decided; the agent asks a person.
    pub is_assumed: bool,
}

/// The decisions of a session, in order. An unanswered question is not a decision, and neither is
/// what a rule or a setting decided.
#[must_use]
pub fn choices(session: &AgentSession, calls: &[Call<'_>]) -> Vec<Choice> {
    let resolved = resolved(session);
    let own = calls.iter().filter(|call| !call.is_copy);
    let mut out: Vec<Choice> = own.flat_map(|call| of_call(call, resolved.get(call.id))).collect();
    out.extend(session.events.iter().filter_map(by_request));
    let unrecorded = unrecorded(session, calls);
    out.extend(unrecorded.into_iter().map(|(call, chosen)| about_call(call, chosen)));
    out.sort_by_key(|it| it.at);
    out
}

/// The calls that the user denied.
#[must_use]
pub fn denied<'c, 'e>(session: &AgentSession, calls: &'c [Call<'e>]) -> Vec<&'c Call<'e>> {
    let resolved = resolved(session);
    let is_denied = |call: &&Call<'_>| {
        resolved.get(call.id).is_some_and(|it| verdict(it).is_some_and(|it| it == DENIED))
    };
    let recorded = calls.iter().filter(|call| !call.is_copy).filter(is_denied);
    let unrecorded = unrecorded(session, calls).into_iter();
    recorded.chain(unrecorded.filter(|it| it.1 == DENIED).map(|it| it.0)).collect()
}

/// The calls that the agent asked about, whose decision nobody recorded but whose result shows it.
fn unrecorded<'c, 'e>(
    session: &AgentSession,
    calls: &'c [Call<'e>],
) -> Vec<(&'c Call<'e>, &'static str)> {
    let ids = |kind: Kind, name: &'static str| -> BTreeSet<&str> {
        let events = session.events.iter().filter(move |event| event.kind == kind);
        events.filter_map(|event| word(event, name)).collect()
    };
    let asked = ids(Kind::ApprovalRequested, "call_id");
    let resolved = ids(Kind::ApprovalResolved, "call_id");
    let settled = ids(Kind::ApprovalResolved, "approval_id");
    let requests = session.events.iter().filter(|it| it.kind == Kind::ApprovalRequested);
    let ours: BTreeSet<&str> = requests
        .filter(|it| word(it, "approval_id").is_some_and(|id| settled.contains(id)))
        .filter_map(|it| word(it, "call_id"))
        .collect();
    let is_open = |id: &str| asked.contains(id) && !resolved.contains(id) && !ours.contains(id);
    let own = calls.iter().filter(|call| !call.is_copy && !call.id.is_empty() && is_open(call.id));
    own.filter_map(|call| Some((call, shown_by_result(call)?))).collect()
}

/// The decision that a call's result shows: it ran, or a person stopped it.
fn shown_by_result(call: &Call<'_>) -> Option<&'static str> {
    let is_stopped = STOPPED.iter().any(|words| call.said().trim_end().ends_with(words));
    match (call.exit_code().is_some() || call.is_done(), is_stopped) {
        _ if call.answer.is_none() => None,
        (_, true) => Some(DENIED),
        (true, false) => Some(ALLOWED),
        (false, false) => None,
    }
}

/// A decision about a call without a record of it.
fn about_call(call: &Call<'_>, chosen: &str) -> Choice {
    Choice {
        at: call.answered_at(),
        context: said(&format!("Use {}: {}", call.tool, subject(call))),
        options: [ALLOWED, DENIED].map(str::to_owned).to_vec(),
        chosen: chosen.to_owned(),
        reasoning: None,
        is_assumed: chosen == ALLOWED,
    }
}

/// The decisions about calls that the agent itself recorded, by call.
fn resolved(session: &AgentSession) -> BTreeMap<&str, &Event> {
    let resolved = session.spoken().filter(|event| event.kind == Kind::ApprovalResolved);
    resolved.filter_map(|event| Some((word(event, "call_id")?, event))).collect()
}

fn word<'e>(event: &'e Event, name: &str) -> Option<&'e str> {
    event.data.get(name).and_then(Value::as_str)
}

fn of_call(call: &Call<'_>, resolved: Option<&&Event>) -> Vec<Choice> {
    if let Some(plan) = plan(call, resolved) {
        return vec![plan];
    }
    let answered = if call.answer.is_some() { answers(call) } else { Vec::new() };
    match resolved.and_then(|event| permission(call, event)) {
        Some(permission) if answered.is_empty() => vec![permission],
        Some(_) | None => answered,
    }
}

/// A tool that a person allowed or denied.
fn permission(call: &Call<'_>, event: &Event) -> Option<Choice> {
    let by = word(event, "decided_by")?;
    // Settings, rules and hooks decide without asking anyone.
    if !by.starts_with("user") {
        return None;
    }
    Some(Choice {
        at: event.created_at,
        context: said(&format!("Use {}: {}", call.tool, subject(call))),
        options: [ALLOWED, DENIED].map(str::to_owned).to_vec(),
        chosen: verdict(event)?.to_owned(),
        reasoning: word(event, "reason").map(said),
        is_assumed: false,
    })
}

/// What a call is about: its command, its file, or its whole input.
#[must_use]
pub fn subject(call: &Call<'_>) -> String {
    let file = || call.field(&super::edits::PATH).map(str::to_owned);
    call.script().or_else(file).unwrap_or_else(|| call.input.to_string())
}

fn verdict(event: &Event) -> Option<&'static str> {
    match word(event, "decision")? {
        "accept" | "allow" | "approved" | "approve" => Some(ALLOWED),
        "reject" | "deny" | "denied" | "abort" => Some(DENIED),
        _ => None,
    }
}

/// A request that a person answered through this program.
fn by_request(event: &Event) -> Option<Choice> {
    let is_ours = event.kind == Kind::ApprovalResolved && event.data.contains_key("approval_id");
    let by = word(event, "decided_by").filter(|by| is_ours && *by != "rule")?;
    let reasoning = word(event, "reason").map(said);
    Some(Choice {
        at: event.created_at,
        context: said(&format!("Use a tool: {}", event.text.as_deref()?)),
        options: [ALLOWED, DENIED].map(str::to_owned).to_vec(),
        chosen: verdict(event)?.to_owned(),
        reasoning: reasoning.filter(|_| !by.is_empty()),
        is_assumed: false,
    })
}

/// A plan submitted for approval: the input of a tool has a plan in prose, or the tool leaves plan mode.
fn plan(call: &Call<'_>, resolved: Option<&&Event>) -> Option<Choice> {
    let tool = call.tool.to_ascii_lowercase();
    let is_plan = tool.contains("plan") && (tool.contains("exit") || tool.contains("approv"));
    call.answer.filter(|_| is_plan)?;
    let about = call.field(&["plan"]).map(about_plan).filter(|it| !it.is_empty());
    let context = about.map_or_else(|| "Plan".to_owned(), |it| format!("Plan: {it}"));
    let chosen = if call.has_failed() { REJECTED } else { APPROVED };
    let reasoning = resolved.and_then(|event| word(event, "reason")).map(said);
    let options = [APPROVED, REJECTED].map(str::to_owned).to_vec();
    let (at, chosen) = (call.answered_at(), chosen.to_owned());
    Some(Choice { at, context, options, chosen, reasoning, is_assumed: false })
}

/// The first sentence of a plan; of its heading, if there is nothing else.
fn about_plan(plan: &str) -> String {
    let text = summary(plan, 1);
    if text.is_empty() {
        first_sentences(plan.trim_start_matches(['#', ' ', '\n']), 1)
    } else {
        text
    }
}

fn answers(call: &Call<'_>) -> Vec<Choice> {
    if call.has_failed() {
        return Vec::new();
    }
    let several = call.input.get("questions").and_then(Value::as_array);
    let one = std::slice::from_ref(&*call.input);
    let questions = several.map_or(one, Vec::as_slice);
    let given = serde_json::from_str::<Value>(call.said()).ok();
    let choice = |question: &Value| {
        let asked = question.get("question")?.as_str()?;
        let id = question.get("id").and_then(Value::as_str).unwrap_or(asked);
        let (chosen, reasoning) = match &given {
            Some(given) => (in_json(given, [id, asked]), None),
            None => (in_words(call.said(), asked), notes_in(call.said(), asked)),
        };
        let options = question.get("options").and_then(Value::as_array);
        let options = options.into_iter().flatten().filter_map(label).collect();
        let chosen = chosen.filter(|it| !it.is_empty())?;
        let (at, context) = (call.answered_at(), said(asked));
        Some(Choice { at, context, options, chosen, reasoning, is_assumed: false })
    };
    questions.iter().filter_map(choice).collect()
}

fn label(option: &Value) -> Option<String> {
    let text = option.as_str().or_else(|| option.get("label")?.as_str())?;
    Some(said(text))
}

/// The answer in an object: under the question's id or text, as a string, a list, or an object with
/// `answers`.
fn in_json(given: &Value, names: [&str; 2]) -> Option<String> {
    let answers = given.get("answers").unwrap_or(given);
    let answer = names.iter().find_map(|name| answers.get(*name))?;
    let answer = answer.get("answers").unwrap_or(answer);
    let texts: Vec<_> = match answer {
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        other => other.as_str().into_iter().collect(),
    };
    Some(said(&texts.join(", ")))
}

/// The answer in a sentence: `"question"="answer"` pairs, else the whole sentence.
fn in_words(text: &str, question: &str) -> Option<String> {
    let Some(after) = after_question(text, question) else {
        return (!text.contains("\"=\"")).then(|| said(text));
    };
    let ends = ["\", \"", "\" user notes:", "\" selected preview:", "\". ", "\".\n"];
    let end = ends.iter().filter_map(|end| after.find(end)).min();
    let end = end.or_else(|| after.rfind('"')).unwrap_or(after.len());
    after.get(..end).map(said)
}

fn after_question<'t>(text: &'t str, question: &str) -> Option<&'t str> {
    text.split_once(&format!("\"{question}\"=\"")).map(|(_, after)| after)
}

/// The user's notes beside an answer, up to the next answer or the end of the list.
fn notes_in(text: &str, question: &str) -> Option<String> {
    let after = after_question(text, question)?;
    let answer = after.find("\", \"").unwrap_or(after.len());
    let (_, notes) = after.split_once("\" user notes: ").filter(|(own, _)| own.len() < answer)?;
    let ends = [", \"", " selected preview:", ". You can now", ". You can "];
    let end = ends.iter().filter_map(|end| notes.find(end)).min().unwrap_or(notes.len());
    notes.get(..end).map(said).filter(|it| !it.is_empty())
}
