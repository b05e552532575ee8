//! Auggie, by Augment: one document a session, with an exchange for each answer of the model.

use serde_json::Value;
use taffrail_kit::json::{count, exclusive, list, text, time};
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, Outcome, Speaker, StartPlan, Store};
use taffrail_model::TitleRank;

/// The adapter for Auggie.
pub static ADAPTER: Agent = Agent {
    start: Some(&StartPlan {
        resume: &["auggie", "--resume", "{id}"],
        resume_in: &[],
        brief: &["auggie", "{ask}"],
        repeated: &["--model="],
    }),
    ..Agent::new(
        &DESCRIPTOR,
        &[Store { head: Some(head), ..Store::document("sessions/*.json", "/chatHistory", read) }],
    )
};

static DESCRIPTOR: Descriptor = Descriptor {
    id: "auggie",
    label: "Auggie",
    short: "auggie",
    scheme: "auggie-session",
    homes: &[&[HomeRule::user(".augment")]],
    // Beside the sessions are `session.json`, which is a secret, and settings.
    roots: &["sessions"],
    rewrites_records: true,
    processes: &["auggie"],
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

fn head(session: &Value, speaker: &mut Speaker<'_, '_>) {
    // A backup that is made before a rewind names its original.
    if let Some(id) = text(session, "/sessionId") {
        speaker.session(id);
    }
    speaker.facts().started_at = time(session, "/created");
    speaker.model(text(session, "/agentState/modelId"));
    speaker.title(TitleRank::Generated, text(session, "/title"));
    speaker.title(TitleRank::Given, text(session, "/customTitle"));
    if let Some(parent) = text(session, "/parentConversationId") {
        speaker.child_of(parent);
    }
}

/// Reads one exchange.
fn read(entry: &Value, speaker: &mut Speaker<'_, '_>) {
    let Some(exchange) = entry.get("exchange") else { return speaker.unknown("no exchange") };
    let id = text(exchange, "/request_id").unwrap_or_default();
    speaker.id(id);
    speaker.at(time(entry, "/finishedAt"));
    if entry.get("isHistorySummary") == Some(&Value::Bool(true)) {
        return speaker.compacted(None);
    }
    for node in list(exchange, "/request_nodes") {
        given(node, speaker);
    }
    if let Some(said) = text(exchange, "/request_message") {
        speaker.prompt(said);
    }
    answer(exchange, id, speaker);
}

/// What the model was given beside the prompt: results, and the state of the workspace.
fn given(node: &Value, speaker: &mut Speaker<'_, '_>) {
    if let Some(result) = node.get("tool_result_node") {
        let failed = result.get("is_error") == Some(&Value::Bool(true));
        let call = text(result, "/tool_use_id").unwrap_or_default();
        speaker.result(call, text(result, "/content"), Outcome::failed(failed));
    }
    let folder = node.pointer("/ide_state_node/workspace_folders/0");
    let root = folder.and_then(|it| text(it, "/repository_root").or(text(it, "/folder_root")));
    if speaker.facts().project_path.is_none() {
        speaker.cwd(root);
    }
}

/// Without a call the answer ends the turn.
fn answer(exchange: &Value, id: &str, speaker: &mut Speaker<'_, '_>) {
    let nodes = list(exchange, "/response_nodes");
    for thought in nodes.iter().filter_map(|it| text(it, "/thinking/content")) {
        speaker.thought(thought);
    }
    let calls: Vec<_> = nodes.iter().filter_map(|it| it.get("tool_use")).collect();
    let calls: Vec<_> = calls.into_iter().filter(|it| it.is_object()).collect();
    match (text(exchange, "/response_text"), calls.is_empty()) {
        (Some(said), true) => speaker.last_answer(said),
        (Some(said), false) => speaker.answer(said),
        (None, _) => {}
    }
    for call in calls {
        let input = text(call, "/input_json").and_then(|it| serde_json::from_str::<Value>(it).ok());
        let name = text(call, "/tool_name").unwrap_or_default();
        speaker.call(text(call, "/tool_use_id").unwrap_or_default(), name, input.as_ref());
    }
    for (index, usage) in nodes.iter().filter_map(|it| it.get("token_usage")).enumerate() {
        let count = |name: &str| count(usage, &format!("/{name}"));
        let tokens = exclusive(
            count("input_tokens"),
            count("output_tokens"),
            count("cache_read_input_tokens"),
            count("cache_creation_input_tokens"),
        );
        speaker.spent(&format!("{id}/{index}"), tokens, None);
    }
}
