//! Records of type `event_msg`: messages, turns and errors.

use super::record::{Payload, RarePayload, parse};
use super::rollout::Reading;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::borrow::Cow;
use std::collections::BTreeMap;
use taffrail_kit::lenient::{Raw, Text, joined, lenient};
use taffrail_model::{Detail, Kind, TitleRank};

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
    fn parts(self, retrying: Option<bool>) -> (Kind, Text<'a>, Detail<'a>) {
        let code = code(self.codex_error_info);
        (Kind::Error, self.message, Detail::Failure { code, retrying })
    }
}

/// The details of an agent's message beyond its text.
pub(super) struct Answer<'a> {
    pub(super) kind: Kind,
    pub(super) text: Text<'a>,
    pub(super) phase: Text<'a>,
    pub(super) id: Text<'a>,
}

impl Reading<'_, '_, '_> {
    /// Reads an `event_msg`.
    pub(super) fn event(&mut self, event: Payload<'_>) {
        match event.kind.as_deref().unwrap_or_default() {
            "item_completed" => self.item_completed(event),
            "token_count" => {
                self.limits(&event);
                self.token_count(&event);
            }
            "user_message" => self.user_message(event),
            "agent_message" => self.agent_message(event),
            "agent_reasoning" | "agent_reasoning_raw_content" => self.reasoning(event),
            "task_started" | "turn_started" => self.enter(event.turn_id.as_deref()),
            "task_complete" | "turn_complete" => self.turn_completed(&self.payload()),
            "turn_aborted" => self.turn_aborted(self.payload()),
            "error" => self.error(event.message, &self.payload(), None),
            "stream_error" => self.error(event.message, &self.payload(), Some(true)),
            "thread_rolled_back" => self.rolled_back(&self.payload()),
            "image_generation_end" => self.event_remark("image_generation", self.payload()),
            label @ ("entered_review_mode" | "exited_review_mode" | "sub_agent_activity") => {
                self.event_remark(label, self.payload());
            }
            known if is_silent(known) => {}
            other => self.unknown("event_msg/", other),
        }
    }

    fn user_message(&mut self, event: Payload<'_>) {
        let is_plain = event.message_kind.is_none_or(|kind| kind == "plain");
        let text = event.message.unwrap_or_default();
        if !is_plain || INJECTED.iter().any(|mark| text.starts_with(mark)) {
            return;
        }
        let images = count(event.images) + count(event.local_images);
        let images = (0..images).map(|_| Some(Cow::Borrowed("[image]")));
        let text = images.fold(Some(text).filter(|text| !text.is_empty()), joined);
        self.prompt(text);
    }

    /// Emits a prompt, and whether it opens its turn.
    pub(super) fn prompt(&mut self, text: Text<'_>) {
        let prompt = self.speaker.event_id();
        let (turn, opens) = self.turn_of_prompt(prompt);
        self.speaker.only_turn(Some(turn));
        // The first prompt of a reverted thread is in its first rollout.
        if !self.is_reverted() {
            self.speaker.title(TitleRank::FirstPrompt, text.as_deref());
        }
        let said = (Kind::UserPrompt, text, Detail::Prompt { asked_by: None });
        self.say_with(said, |draft| draft.opens_turn = opens);
    }

    fn agent_message(&mut self, event: Payload<'_>) {
        let (kind, text, phase) = (Kind::AssistantMessage, event.message, event.phase);
        self.answer(Answer { kind, text, phase, id: None });
    }

    fn reasoning(&mut self, event: Payload<'_>) {
        let (kind, text) = (Kind::AssistantThinking, event.text);
        self.answer(Answer { kind, text, phase: None, id: None });
    }

    /// Emits a message or a thought, if it has text.
    pub(super) fn answer(&mut self, answer: Answer<'_>) {
        let text = answer.text.filter(|text| !text.is_empty());
        // The model is not in the record itself: it is in the turn's settings.
        let detail = Detail::Message { model: None, stop_reason: answer.phase, answer: answer.id };
        if text.is_some() {
            self.say(answer.kind, text, detail);
        }
    }

    fn turn_completed(&mut self, event: &RarePayload<'_>) {
        match parse::<Failure<'_>>(event.error) {
            Some(failure) => {
                self.say_with(failure.parts(None), |draft| draft.ends_turn = true);
            }
            None => self.stopped("complete", event.duration_ms, None),
        }
    }

    fn turn_aborted(&mut self, event: RarePayload<'_>) {
        let reason = event.reason.filter(|reason| reason != "interrupted");
        self.stopped("interrupted", event.duration_ms, reason);
    }

    fn stopped(&mut self, reason: &str, duration_ms: Option<u64>, text: Text<'_>) {
        let detail = Detail::Stopped { reason: Some(reason.into()), duration_ms };
        let said = (Kind::AgentStopped, text, detail);
        self.say_with(said, |draft| draft.ends_turn = true);
    }

    fn error(&mut self, message: Text<'_>, event: &RarePayload<'_>, retrying: Option<bool>) {
        let failure = Failure { message, codex_error_info: event.codex_error_info };
        self.say_with(failure.parts(retrying), |_| {});
    }

    /// Removes the last turns.
    fn rolled_back(&mut self, event: &RarePayload<'_>) {
        for turn in self.own.recent.take_last(event.num_turns.unwrap_or_default()) {
            self.speaker.remove_turn(turn);
        }
        self.own.turn = None;
        self.speaker.only_turn(None);
        self.remark("rolled_back", None);
    }

    fn event_remark(&mut self, label: &str, event: RarePayload<'_>) {
        let words = event.user_facing_hint.or(event.revised_prompt);
        self.remark(label, words.or(event.agent_path));
    }

    /// Emits a notice of Codex itself.
    pub(super) fn remark(&mut self, label: &str, text: Text<'_>) {
        self.say(Kind::Notice, text, Detail::Remark { label: label.into() });
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
