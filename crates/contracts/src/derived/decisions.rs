//! Decisions of the user: answers to questions, and plans that were approved or rejected.

use super::calls::Call;
use crate::prose::{first_sentences, said};
use serde_json::Value;
use taffrail_model::Timestamp;

const APPROVED: &str = "approved";
const REJECTED: &str = "rejected";

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
}

/// The decisions of a session, in order. An unanswered question is not a decision.
#[must_use]
pub fn choices(calls: &[Call<'_>]) -> Vec<Choice> {
    let own = calls.iter().filter(|call| !call.is_copy && call.answer.is_some());
    own.flat_map(|call| approval(call).map_or_else(|| answers(call), |it| vec![it])).collect()
}

/// A plan submitted for approval: the input of a tool has a plan in prose, or the tool leaves plan mode.
fn approval(call: &Call<'_>) -> Option<Choice> {
    let tool = call.tool.to_ascii_lowercase();
    if !(tool.contains("plan") && (tool.contains("exit") || tool.contains("approv"))) {
        return None;
    }
    let plan = call.field(&["plan"]).map(|it| it.trim_start_matches(['#', ' ', '\n']));
    let context =
        plan.map_or_else(|| "Plan".to_owned(), |it| format!("Plan: {}", first_sentences(it, 1)));
    let chosen = if call.has_failed() { REJECTED } else { APPROVED };
    let options = [APPROVED, REJECTED].map(str::to_owned).to_vec();
    Some(Choice { at: call.answered_at(), context, options, chosen: chosen.to_owned() })
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
        let chosen = match &given {
            Some(given) => in_json(given, [id, asked]),
            None => in_words(call.said(), asked),
        };
        let options = question.get("options").and_then(Value::as_array);
        let options = options.into_iter().flatten().filter_map(label).collect();
        let chosen = chosen.filter(|it| !it.is_empty())?;
        Some(Choice { at: call.answered_at(), context: said(asked), options, chosen })
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
    let Some((_, after)) = text.split_once(&format!("\"{question}\"=\"")) else {
        return (!text.contains("\"=\"")).then(|| said(text));
    };
    let ends = ["\", \"", "\" user notes:", "\" selected preview:", "\". ", "\".\n"];
    let end = ends.iter().filter_map(|end| after.find(end)).min();
    let end = end.or_else(|| after.rfind('"')).unwrap_or(after.len());
    after.get(..end).map(said)
}
