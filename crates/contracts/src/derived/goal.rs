//! The goal of a session: what was asked, not how the conversation was opened.

use super::small_talk::is_small_talk;
use crate::captured::AgentSession;
use crate::prose::{plain_lines, said, sentences};
use taffrail_model::redact::redact;

/// The most sentences of a goal.
const SENTENCES: usize = 3;
/// First words of a sentence that asks for something.
const ASKING: &str = "add adjust allow analyse analyze apply build bump change check clean compare configure \
    convert create debug delete deploy describe design diagnose document drop enable ensure explain export \
    extend extract find fix format generate give handle help implement import improve increase inspect install \
    integrate introduce investigate limit list look make merge migrate mock move open optimise optimize parse \
    port prepare print profile prove publish put raise read rebase reduce refactor release remove rename \
    replace reply report reproduce research resolve restore return review rewrite run search send set show \
    simplify sort speed split start stop store summarise summarize support switch tell test translate try tune \
    turn update upgrade use validate verify wire write";
/// Phrases that ask for something anywhere in a sentence.
const PHRASES: [&str; 14] = [
    "please",
    "can you",
    "could you",
    "would you",
    "i want",
    "i need",
    "i'd like",
    "we need",
    "we want",
    "let's",
    "lets ",
    "should",
    "must ",
    "has to",
];

/// A goal, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Goal {
    /// The goal, in at most three sentences.
    pub text: String,
    /// `title`, `first_prompt`, `prompt` for a later one, or `compaction_summary`.
    pub from: &'static str,
}

/// The goal of a session: its title, else what was asked.
#[must_use]
pub fn goal(session: &AgentSession) -> Option<Goal> {
    let titled = session
        .title
        .as_deref()
        .filter(|it| !is_small_talk(it))
        .map(|it| Goal { text: task_in(it).unwrap_or_else(|| said(it)), from: "title" });
    titled.or_else(|| asked(session))
}

/// What was asked first, else what a summary of the context says.
#[must_use]
pub fn asked(session: &AgentSession) -> Option<Goal> {
    let prompts = session.prompts().enumerate();
    let mut tasks = prompts.filter_map(|(place, text)| {
        let from = if place == 0 { "first_prompt" } else { "prompt" };
        task_in(text).map(|text| Goal { text, from })
    });
    let summaries = || session.compactions().find_map(task_in);
    tasks.next().or_else(|| summaries().map(|text| Goal { text, from: "compaction_summary" }))
}

/// The task in a prompt: up to three sentences from the one that asks for something, without small
/// talk. `None` if there is only small talk.
pub(super) fn task_in(prompt: &str) -> Option<String> {
    let redacted = redact(prompt);
    let all: Vec<String> = plain_lines(&redacted).iter().flat_map(|it| sentences(it)).collect();
    let all: Vec<String> = all.into_iter().filter_map(|it| without_greeting(&it)).collect();
    let begins = all.iter().position(|it| asks(it)).unwrap_or(0);
    // All of a short prompt is kept: what comes before the task explains it.
    let begins = if all.len() <= SENTENCES { 0 } else { begins };
    let kept: Vec<_> = all.into_iter().skip(begins).take(SENTENCES).collect();
    (!kept.is_empty()).then(|| said(&kept.join(" ")))
}

/// A sentence without the greeting before its first comma; `None` for small talk.
fn without_greeting(sentence: &str) -> Option<String> {
    if is_small_talk(sentence) {
        return None;
    }
    match sentence.split_once(", ") {
        Some((greeting, rest)) if is_small_talk(greeting) => Some(rest.to_owned()),
        _ => Some(sentence.to_owned()),
    }
}

fn asks(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let first = lower.split(|it: char| !it.is_alphanumeric()).find(|it| !it.is_empty());
    let is_verb = first.is_some_and(|it| ASKING.split_ascii_whitespace().any(|verb| verb == it));
    is_verb || sentence.ends_with('?') || PHRASES.iter().any(|it| lower.contains(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_the_task_and_not_the_greeting() {
        let check = |prompt: &str, expected: Option<&str>| {
            assert_eq!(task_in(prompt).as_deref(), expected, "{prompt}");
        };
        check("hey, good morning!", None);
        check("hi", None);
        check("Hi, fix the parser.", Some("fix the parser."));
        check("Fix it. Then test. Why? Because. Really.", Some("Fix it. Then test. Why?"));
        let long = "hey, morning. So the thing from yesterday again. Clients still get through. See the log. \
                    Replace the window by a token bucket. Keep the tests green.";
        check(long, Some("Replace the window by a token bucket. Keep the tests green."));
        check("```\nlog\n```\nWhat does this mean?", Some("What does this mean?"));
    }
}
