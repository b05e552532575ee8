//! Continue, in editors and as `cn`: one document a session.

use serde_json::Value;
use taffrail_kit::json::{count, inclusive, list, text, words};
use taffrail_kit::{
    Agent, Descriptor, Evidence, HomeRule, Outcome, Speaker, Store, ToolUse, records,
};
use taffrail_model::{Timestamp, TitleRank};

/// The adapter for Continue.
pub static ADAPTER: Agent = Agent::new(&DESCRIPTOR, &[SESSION]);

static DESCRIPTOR: Descriptor = Descriptor {
    id: "continue",
    label: "Continue",
    short: "continue",
    scheme: "continue-session",
    homes: &[&[HomeRule::env("CONTINUE_GLOBAL_DIR", ""), HomeRule::user(".continue")]],
    roots: &["sessions"],
    rewrites_records: true,
    processes: &["cn"],
    evidence: Evidence::Recorded,
    ..Descriptor::NOTHING
};

/// The list of sessions is in the same folder, so the id comes from the document.
const SESSION: Store = Store {
    head: Some(head),
    beside: &["sessions/sessions.json"],
    ..Store::document("sessions/*.json", "/history", item)
};

fn head(document: &Value, speaker: &mut Speaker<'_, '_>) {
    let Some(id) = text(document, "/sessionId") else { return };
    speaker.session(id);
    speaker.cwd(text(document, "/workspaceDirectory"));
    let title = text(document, "/title");
    let is_default = |it: &&str| matches!(*it, "Untitled Session" | "New Session" | "Chat");
    speaker.title(TitleRank::Generated, title.filter(|it| !is_default(it)));
    let listed = speaker.beside_json("sessions.json").and_then(|it| created(&it, id));
    // A run without a screen is listed when it ends, just after its last answer was written.
    let written = speaker.written();
    let started = listed.map(|at| written.map_or(at, |written| at.min(written)));
    let facts = speaker.facts();
    facts.started_at = started.or(facts.started_at);
}

/// When the list of sessions says that a session was created: milliseconds, as a text.
fn created(sessions: &Value, id: &str) -> Option<Timestamp> {
    let entry = sessions.as_array()?.iter().find(|it| text(it, "/sessionId") == Some(id))?;
    records::time_ms(text(entry, "/dateCreated")?.parse().ok()?)
}

/// One message. None has a time: the last is as old as the file, the others as the session.
fn item(item: &Value, speaker: &mut Speaker<'_, '_>) {
    let written = if speaker.is_last() { speaker.written() } else { None };
    let started = speaker.facts().started_at;
    speaker.at(written.or(started));
    let Some(message) = item.get("message") else { return speaker.unknown("no message") };
    let said = message.get("content").and_then(words);
    let said = said.as_deref().unwrap_or_default();
    match text(message, "/role") {
        Some("user") => speaker.prompt(said),
        Some("assistant") => answer(item, message, said, speaker),
        Some("thinking") => speaker.thought(said),
        // What a tool returned is in the state of its call.
        Some("system" | "tool") => {}
        other => speaker.unknown(&format!("role/{}", other.unwrap_or_default())),
    }
    if let Some(summary) = text(item, "/conversationSummary") {
        speaker.compacted(Some(summary));
    }
}

fn answer(item: &Value, message: &Value, said: &str, speaker: &mut Speaker<'_, '_>) {
    speaker.model(text(message, "/usage/model"));
    if let Some(thought) = text(item, "/reasoning/text") {
        speaker.thought(thought);
    }
    let calls = list(message, "/toolCalls");
    match (calls.is_empty(), said) {
        (true, _) => speaker.last_answer(said),
        (false, "") => {}
        (false, _) => speaker.answer(said),
    }
    for call in calls {
        let id = text(call, "/id").unwrap_or_default();
        let states = list(item, "/toolCallStates").iter();
        called(call, states.clone().find(|it| text(it, "/toolCallId") == Some(id)), speaker);
    }
    let count = |name: &str| count(message, &format!("/usage/{name}"));
    let (input, output) = (count("prompt_tokens"), count("completion_tokens"));
    let (read, write) = ("cached_tokens", "cache_write_tokens");
    let [read, write] = [read, write].map(|it| count(&format!("prompt_tokens_details/{it}")));
    let cents = message.pointer("/usage/cost_cents").and_then(Value::as_f64);
    let cost = cents.filter(|it| *it > 0.0).map(|it| (it * 10_000.0).round() as i64);
    let place = speaker.pointer().to_owned();
    speaker.spent(&place, inclusive(input, output, read, write), cost);
}

/// A call, and what became of it. A call that is generated and not yet called waits for approval.
fn called(call: &Value, state: Option<&Value>, speaker: &mut Speaker<'_, '_>) {
    let id = text(call, "/id").unwrap_or_default();
    let tool = text(call, "/function/name").unwrap_or_default();
    let written = text(call, "/function/arguments").and_then(|it| serde_json::from_str(it).ok());
    let parsed = state.and_then(|it| it.get("parsedArgs")).cloned();
    let input: Option<Value> = parsed.or(written);
    speaker.call(id, tool, input.as_ref());
    let Some(state) = state else { return };
    let outputs = list(state, "/output").iter().filter_map(|it| text(it, "/content"));
    let output = outputs.collect::<Vec<_>>().join("\n");
    match text(state, "/status") {
        Some("generated") => {
            speaker.asked(&ToolUse { call: id, tool, input: input.as_ref(), text: None });
        }
        Some("done") => speaker.result(id, Some(&output), Outcome::failed(false)),
        Some("errored") => speaker.result(id, Some(&output), Outcome::failed(true)),
        Some("canceled") => speaker.result(id, Some("canceled"), Outcome::failed(true)),
        Some("generating" | "calling") => {}
        other => speaker.unknown(&format!("status/{}", other.unwrap_or_default())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_kit::{Adapter, Source};
    use taffrail_model::{Cursor, Draft, EventId, NewUsage, Record, RuntimeIdentity, Sink, TurnId};

    /// When each event was said.
    #[derive(Default)]
    struct Times(Vec<Option<Timestamp>>);

    impl Sink for Times {
        fn event(&mut self, _: &RuntimeIdentity, draft: Draft<'_>) {
            self.0.push(draft.at);
        }
        fn remove(&mut self, _: &RuntimeIdentity, _: EventId) {}
        fn remove_turn(&mut self, _: &RuntimeIdentity, _: TurnId) {}
        fn usage(&mut self, _: &RuntimeIdentity, _: NewUsage) {}
        fn unknown(&mut self, _: &str, _: Option<&str>) {}
    }

    /// The prompt was later than the answer, so the session seemed to work.
    #[test]
    fn a_session_that_was_listed_after_its_last_answer_seemed_to_work() {
        let sessions = br#"[{"sessionId": "s", "dateCreated": "1794999510231"}]"#.to_vec();
        let written = records::time_ms(1_794_999_510_227);
        let beside = [("sessions/sessions.json".to_owned(), sessions)];
        let source =
            Source { path: "sessions/s.json", key: "", scope: "", beside: &beside, written };
        let document = br#"{"sessionId": "s", "history": [
            {"message": {"role": "user", "content": "Go."}},
            {"message": {"role": "assistant", "content": "Done."}}]}"#;
        let mut times = Times::default();
        let at = Cursor::Pointer { pointer: String::new() };
        ADAPTER.reader(&source, None).read(&Record { bytes: document, at }, &mut times);
        assert_eq!(times.0, [written, written]);
    }
}
