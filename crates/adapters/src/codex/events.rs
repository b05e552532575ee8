//! Records of type `event_msg`: messages, turns and errors.

use super::reader::{Here, RolloutReader};
use super::record::{Payload, RarePayload, parse};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::borrow::Cow;
use std::collections::BTreeMap;
use taffrail_kit::lenient::{Raw, Text, joined, lenient};
use taffrail_model::{Detail, Draft, Kind, RecordKey, TitleRank};

/// Prefixes of text that Codex itself put into a user's message.
const INJECTED: [&str; 2] = ["<environment_context>", "<user_instructions>"];

#[derive(Default, Deserialize)]
#[serde(default)]
struct Failure<'a> {
    #[serde(borrow, deserialize_with = "lenient")]
    message: Text<'a>,
    #[serde(borrow)]
    codex_error_info: Raw<'a>,
}

impl<'a> Failure<'a> {
    fn draft(self, key: RecordKey<'a>, retrying: Option<bool>) -> Draft<'a> {
        let mut draft = Draft::new(key, 0, Kind::Error);
        draft.text = self.message;
        draft.detail = Detail::Failure { code: code(self.codex_error_info), retrying };
        draft
    }
}

/// The details of an agent's message beyond its text.
pub(super) struct Answer<'a> {
    pub(super) kind: Kind,
    pub(super) text: Text<'a>,
    pub(super) phase: Text<'a>,
    pub(super) id: Text<'a>,
}

impl RolloutReader {
    /// Reads an `event_msg`.
    pub(super) fn event(&mut self, here: &mut Here<'_>, event: Payload<'_>) {
        match event.kind.as_deref().unwrap_or_default() {
            "item_completed" => self.item_completed(here, event),
            "token_count" => self.token_count(here, &event),
            "user_message" => self.user_message(here, event),
            "agent_message" => self.agent_message(here, event),
            "agent_reasoning" | "agent_reasoning_raw_content" => self.agent_reasoning(here, event),
            "task_started" | "turn_started" => self.enter(event.turn_id.as_deref()),
            "task_complete" | "turn_complete" => self.turn_completed(here),
            "turn_aborted" => self.turn_aborted(here),
            "error" => self.error(here, event.message, None),
            "stream_error" => self.error(here, event.message, Some(true)),
            "thread_rolled_back" => self.rolled_back(here),
            "entered_review_mode" => self.event_remark(here, "entered_review_mode"),
            "exited_review_mode" => self.event_remark(here, "exited_review_mode"),
            "image_generation_end" => self.event_remark(here, "image_generation"),
            "sub_agent_activity" => self.event_remark(here, "sub_agent_activity"),
            known if is_silent(known) => {}
            other => self.unknown(here, "event_msg/", other),
        }
    }

    fn user_message(&mut self, here: &mut Here<'_>, event: Payload<'_>) {
        let is_plain = event.message_kind.is_none_or(|kind| kind == "plain");
        let text = event.message.unwrap_or_default();
        if !is_plain || INJECTED.iter().any(|mark| text.starts_with(mark)) {
            return;
        }
        let images = count(event.images) + count(event.local_images);
        let images = (0..images).map(|_| Some(Cow::Borrowed("[image]")));
        let text = images.fold(Some(text).filter(|text| !text.is_empty()), joined);
        let key = self.key(here);
        self.prompt(here, key, text);
    }

    /// Emits a prompt, and whether it opens its turn.
    pub(super) fn prompt(&mut self, here: &mut Here<'_>, key: RecordKey<'_>, text: Text<'_>) {
        let (turn, opens) = self.memory.prompt(self.id_of(&key, 0));
        here.turn = Some(turn);
        self.offer_title(text.as_deref().unwrap_or_default());
        let mut draft = Draft::new(key, 0, Kind::UserPrompt);
        draft.opens_turn = opens;
        draft.text = text;
        draft.detail = Detail::Prompt { asked_by: None };
        self.say(here, draft);
    }

    /// Takes the first prompt as a title; that of a reverted thread is in its first rollout.
    fn offer_title(&mut self, prompt: &str) {
        if self.rollout.is_none() {
            self.memory.facts.offer_title(TitleRank::FirstPrompt, prompt);
        }
    }

    fn agent_message(&mut self, here: &mut Here<'_>, event: Payload<'_>) {
        let answer = Answer {
            kind: Kind::AssistantMessage,
            text: event.message,
            phase: event.phase,
            id: None,
        };
        let key = self.key(here);
        self.answer(here, key, answer);
    }

    fn agent_reasoning(&mut self, here: &mut Here<'_>, event: Payload<'_>) {
        let answer =
            Answer { kind: Kind::AssistantThinking, text: event.text, phase: None, id: None };
        let key = self.key(here);
        self.answer(here, key, answer);
    }

    /// Emits a message or a thought, if it has text.
    pub(super) fn answer(&mut self, here: &mut Here<'_>, key: RecordKey<'_>, answer: Answer<'_>) {
        let Some(text) = answer.text.filter(|text| !text.is_empty()) else {
            return;
        };
        let mut draft = Draft::new(key, 0, answer.kind);
        draft.text = Some(text);
        // The model is not in the record itself: it is in the turn's settings.
        draft.detail =
            Detail::Message { model: None, stop_reason: answer.phase, answer: answer.id };
        self.say(here, draft);
    }

    fn turn_completed(&mut self, here: &mut Here<'_>) {
        let event: RarePayload<'_> = here.payload();
        match parse::<Failure<'_>>(event.error) {
            Some(failure) => self.turn_failed(here, failure),
            None => self.stopped(here, "complete", event.duration_ms, None),
        }
    }

    fn turn_aborted(&mut self, here: &mut Here<'_>) {
        let event: RarePayload<'_> = here.payload();
        let reason = event.reason.filter(|reason| reason != "interrupted");
        self.stopped(here, "interrupted", event.duration_ms, reason);
    }

    fn stopped(
        &mut self,
        here: &mut Here<'_>,
        reason: &str,
        duration_ms: Option<u64>,
        text: Text<'_>,
    ) {
        let key = self.key(here);
        let mut draft = Draft::new(key, 0, Kind::AgentStopped);
        draft.ends_turn = true;
        draft.text = text;
        draft.detail = Detail::Stopped { reason: Some(reason.into()), duration_ms };
        self.say(here, draft);
    }

    fn turn_failed(&mut self, here: &mut Here<'_>, failure: Failure<'_>) {
        let key = self.key(here);
        let mut draft = failure.draft(key, None);
        draft.ends_turn = true;
        self.say(here, draft);
    }

    fn error(&mut self, here: &mut Here<'_>, message: Text<'_>, retrying: Option<bool>) {
        let event: RarePayload<'_> = here.payload();
        let failure = Failure { message, codex_error_info: event.codex_error_info };
        let key = self.key(here);
        self.say(here, failure.draft(key, retrying));
    }

    /// Removes the last turns.
    fn rolled_back(&mut self, here: &mut Here<'_>) {
        let event: RarePayload<'_> = here.payload();
        let turns = event.num_turns.unwrap_or_default();
        for turn in self.memory.recent.take_last(turns) {
            here.sink.remove_turn(&self.who, turn);
        }
        self.memory.turn = None;
        here.turn = None;
        let key = self.key(here);
        self.remark(here, key, "rolled_back", None);
    }

    fn event_remark(&mut self, here: &mut Here<'_>, label: &str) {
        let event: RarePayload<'_> = here.payload();
        let words = event.user_facing_hint.or(event.revised_prompt);
        let key = self.key(here);
        self.remark(here, key, label, words.or(event.agent_path));
    }

    /// Emits a notice of Codex itself.
    pub(super) fn remark(
        &mut self,
        here: &mut Here<'_>,
        key: RecordKey<'_>,
        label: &str,
        text: Text<'_>,
    ) {
        let mut draft = Draft::new(key, 0, Kind::Notice);
        draft.text = text;
        draft.detail = Detail::Remark { label: label.into() };
        self.say(here, draft);
    }
}

fn count(list: Raw<'_>) -> usize {
    parse::<Vec<IgnoredAny>>(list).map_or(0, |list| list.len())
}

/// Returns the name of an error, which is a word or the only field of an object.
fn code(info: Raw<'_>) -> Text<'_> {
    let word = parse::<Cow<'_, str>>(info);
    let field = || parse::<BTreeMap<Cow<'_, str>, IgnoredAny>>(info)?.into_keys().next();
    word.or_else(field)
}

/// Event types without events of their own: settings, progress, and repetitions of what the records
/// of a tool call or an item contain.
fn is_silent(kind: &str) -> bool {
    matches!(
        kind,
        "thread_settings_applied"
            | "context_compacted"
            | "exec_command_begin"
            | "exec_command_end"
            | "exec_command_output_delta"
            | "terminal_interaction"
            | "patch_apply_begin"
            | "patch_apply_updated"
            | "patch_apply_end"
            | "mcp_tool_call_begin"
            | "mcp_tool_call_end"
            | "web_search_begin"
            | "web_search_end"
            | "image_generation_begin"
            | "view_image_tool_call"
            | "dynamic_tool_call_request"
            | "dynamic_tool_call_response"
            | "collab_agent_spawn_begin"
            | "collab_agent_spawn_end"
            | "collab_agent_interaction_begin"
            | "collab_agent_interaction_end"
            | "collab_waiting_begin"
            | "collab_waiting_end"
            | "collab_close_begin"
            | "collab_close_end"
            | "collab_resume_begin"
            | "collab_resume_end"
            | "agent_reasoning_section_break"
            | "background_event"
            | "guardian_assessment"
            | "hook_started"
            | "hook_completed"
            | "item_started"
            | "model_reroute"
            | "plan_update"
            | "raw_response_item"
            | "session_configured"
            | "shutdown_complete"
            | "thread_goal_updated"
            | "thread_name_updated"
            | "turn_diff"
            | "undo_started"
            | "undo_completed"
            | "deprecation_notice"
            | "guardian_warning"
            | "warning"
    )
}
