//! Hook payloads in the shape that several agents share.

use crate::gist;
use crate::journal::EntrySink;
use crate::lenient::{self, Raw, Text, filled, lenient, made_of_objects};
use crate::records::LONGEST_ID;
use crate::tool_input::{file_in, options_in, question_in};
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;
use taffrail_model::approval::input_mark;
use taffrail_model::rules::command_in;
use taffrail_model::{
    ApprovalId, Detail, Draft, Facts, Kind, RuntimeIdentity, SessionId, Signal, TitleRank, TurnId,
};

/// The payload that a hook gets on its standard input.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Payload<'a> {
    #[serde(borrow, deserialize_with = "filled")]
    pub hook_event_name: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    pub session_id: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    pub agent_id: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub agent_type: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    pub cwd: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    model: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    permission_mode: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub prompt: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    turn_id: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    pub tool_name: Text<'a>,
    #[serde(borrow)]
    pub tool_input: Raw<'a>,
    #[serde(borrow)]
    pub tool_response: Raw<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    pub tool_use_id: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    tool_calls: Option<Vec<Option<ToolCall<'a>>>>,
    #[serde(borrow, deserialize_with = "filled")]
    pub source: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    reason: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    trigger: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    message: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    pub notification_type: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    error: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    error_details: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    pub last_assistant_message: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    background_tasks: Option<Vec<Option<Task<'a>>>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ToolCall<'a> {
    #[serde(borrow, deserialize_with = "filled")]
    tool_use_id: Text<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Task<'a> {
    #[serde(borrow, deserialize_with = "filled")]
    status: Text<'a>,
}

made_of_objects! {
    Payload<'de>, ToolCall<'de>, Task<'de>
}

/// The meaning of a hook.
pub struct HookMeaning<'p> {
    pub kind: Kind,
    pub signal: Signal,
    pub text: Option<Cow<'p, str>>,
}

/// The final states of a background task, as agents write them; any other state means it runs.
const FINISHED: &[&str] =
    &["completed", "complete", "done", "failed", "killed", "stopped", "cancelled", "canceled"];

impl<'a> Payload<'a> {
    /// Parses a payload; `None` if it is torn, or lacks the hook's name or a valid session id.
    pub fn of(json: &'a str) -> Option<Self> {
        let payload: Self = lenient::value_in(json)?;
        let is_named = |id: &Text<'_>| id.as_ref().is_some_and(|id| id.len() <= LONGEST_ID);
        let is_whole = is_named(&payload.session_id) && payload.hook_event_name.is_some();
        is_whole.then_some(payload)
    }

    /// The session that the hook names.
    pub fn session(&self) -> &str {
        self.session_id.as_deref().unwrap_or_default()
    }

    /// The sub-agent of the hook, if it names one.
    pub fn worker(&self) -> Option<&str> {
        self.agent_id.as_deref().filter(|id| id.len() <= LONGEST_ID)
    }

    /// The tool call in one line.
    pub fn gist(&self) -> Option<Cow<'_, str>> {
        let gist = self.tool_input.map(gist::of).filter(|gist| !gist.is_empty());
        gist.or_else(|| self.tool_name.as_deref().map(Cow::Borrowed))
    }

    /// The approval request: a whole command, else the tool and its gist.
    pub fn request(&self) -> Option<Cow<'_, str>> {
        self.tool_input?;
        self.command().map(Cow::Owned).or_else(|| {
            let tool = self.tool_name.as_deref().unwrap_or_default();
            let gist = self.tool_input.map(gist::of).unwrap_or_default();
            Some(Cow::Owned(format!("{tool} {gist}").trim().to_owned()))
        })
    }

    /// The shell command, if there is one, whatever its field is called.
    pub fn command(&self) -> Option<String> {
        command_in(&self.input()?)
    }

    /// The file a tool works on, if it names one.
    pub fn file(&self) -> Option<String> {
        self.tool_input.and_then(|it| file_in(it.get()))
    }

    /// The folder the agent works in.
    pub fn folder(&self) -> Option<String> {
        self.cwd.as_deref().map(str::to_owned)
    }

    /// The question to the user.
    pub fn question(&self) -> Option<Cow<'_, str>> {
        question_in(self.tool_input?.get()).map(Cow::Owned).or_else(|| self.gist())
    }

    /// The signal of a question, with the answers it offers.
    pub fn question_signal(&self) -> Signal {
        Signal::Asked { call: self.call(), options: self.options() }
    }

    /// The signal of a call that is about to run.
    pub fn call_signal(&self) -> Signal {
        Signal::Called { call: self.call(), input: self.input_mark() }
    }

    /// The id of the call, or empty.
    pub fn call(&self) -> String {
        self.call_id().unwrap_or_default().to_owned()
    }

    /// The agent's own id of the call.
    pub fn call_id(&self) -> Option<&str> {
        self.tool_use_id.as_deref().filter(|id| id.len() <= LONGEST_ID)
    }

    /// The turn, where the hook names it.
    pub fn turn(&self, session: SessionId) -> Option<TurnId> {
        let id = self.turn_id.as_deref().filter(|id| id.len() <= LONGEST_ID);
        id.map(|id| TurnId::of(session, id))
    }

    /// The working directory.
    pub fn cwd(&self) -> Option<Cow<'_, str>> {
        borrowed(&self.cwd)
    }

    /// The tool's input.
    pub fn input(&self) -> Option<Value> {
        self.tool_input.and_then(|it| serde_json::from_str(it.get()).ok())
    }

    /// The digest of the tool's input.
    pub fn input_mark(&self) -> String {
        let tool = self.tool_name.as_deref().unwrap_or_default();
        input_mark(tool, self.input().unwrap_or_default())
    }

    /// The number of tasks that still run although the agent stopped.
    pub fn running_tasks(&self) -> usize {
        let tasks = self.background_tasks.iter().flatten();
        let goes_on = |status: Option<&str>| status.is_none_or(|it| !FINISHED.contains(&it));
        tasks.filter(|task| goes_on(task.as_ref().and_then(|it| it.status.as_deref()))).count()
    }

    /// The answers that a question offers.
    pub fn options(&self) -> Vec<String> {
        self.tool_input.map(|it| options_in(it.get())).unwrap_or_default()
    }

    /// The meaning of a hook that all agents share; `None` for any other hook.
    pub fn meaning(&self) -> Option<HookMeaning<'_>> {
        self.meaning_of(self.hook_event_name.as_deref()?)
    }

    /// The meaning of a hook under the name that most agents give it.
    pub fn meaning_of(&self, hook: &str) -> Option<HookMeaning<'_>> {
        let plain = |signal| HookMeaning { kind: Kind::Heartbeat, signal, text: None };
        Some(match hook {
            "SessionStart" if self.source.as_deref() == Some("compact") => plain(Signal::Alive),
            "SessionStart" if self.source.as_deref() == Some("clear") => plain(Signal::TookOver),
            "SessionStart" => plain(Signal::Started),
            "UserPromptSubmit" => {
                HookMeaning { text: borrowed(&self.prompt), ..plain(Signal::Prompted) }
            }
            "PreToolUse" => HookMeaning { text: self.gist(), ..plain(self.call_signal()) },
            "PermissionRequest" => HookMeaning {
                kind: Kind::ApprovalRequested,
                signal: Signal::AskedApproval { input: self.input_mark() },
                text: self.request(),
            },
            "PostToolUse" | "PostToolUseFailure" => plain(Signal::Answered { call: self.call() }),
            "PreCompact" => plain(Signal::Compacting),
            "PostCompact" => plain(Signal::Compacted),
            "Stop" => self.stop(),
            "SubagentStart" => plain(Signal::Prompted),
            "SubagentStop" => {
                HookMeaning { text: borrowed(&self.last_assistant_message), ..plain(Signal::Ended) }
            }
            "SessionEnd" => HookMeaning {
                kind: Kind::SessionExited,
                signal: Signal::Ended,
                text: borrowed(&self.reason),
            },
            _ => return None,
        })
    }

    fn stop(&self) -> HookMeaning<'_> {
        let signal = match self.running_tasks() {
            0 => Signal::TurnOver,
            _ => Signal::WorkingOn,
        };
        HookMeaning {
            kind: Kind::AgentStopped,
            signal,
            text: borrowed(&self.last_assistant_message),
        }
    }

    /// The text of an error.
    pub fn failure(&self) -> Option<Cow<'_, str>> {
        borrowed(&self.error_details).or_else(|| borrowed(&self.error))
    }

    /// The text of a notification.
    pub fn remark(&self) -> Option<Cow<'_, str>> {
        borrowed(&self.message)
    }

    /// The ids of a batch's finished calls.
    pub fn batch(&self) -> Vec<String> {
        let calls = self.tool_calls.iter().flatten().flatten();
        let ids = calls.filter_map(|it| it.tool_use_id.as_deref());
        ids.filter(|id| id.len() <= LONGEST_ID).map(str::to_owned).collect()
    }

    /// The small fields of the hook, by name.
    fn fields(&self) -> Vec<(&'static str, Value)> {
        let texts = [
            ("tool", &self.tool_name),
            ("call_id", &self.tool_use_id),
            ("source", &self.source),
            ("reason", &self.reason),
            ("trigger", &self.trigger),
            ("type", &self.notification_type),
            ("error", &self.error),
            ("agent_type", &self.agent_type),
            ("permission_mode", &self.permission_mode),
        ];
        let named = texts.into_iter().filter_map(|(name, text)| {
            let text = text.as_deref().filter(|text| !text.is_empty() && text.len() <= LONGEST_ID);
            Some((name, Value::from(text?)))
        });
        let mut fields: Vec<_> = named.collect();
        if let Some(tasks) = &self.background_tasks {
            fields.push(("background", tasks.len().into()));
            fields.push(("running", self.running_tasks().into()));
        }
        fields
    }

    /// Emits the event of the hook.
    pub fn emit(
        &self,
        sink: &mut EntrySink<'_, '_>,
        who: &RuntimeIdentity,
        meaning: HookMeaning<'_>,
    ) {
        self.emit_part(sink, who, (0, meaning));
    }

    /// Emits one of several events of the hook.
    pub fn emit_part(
        &self,
        sink: &mut EntrySink<'_, '_>,
        who: &RuntimeIdentity,
        (part, meaning): (u32, HookMeaning<'_>),
    ) {
        let mut draft: Draft<'_> = sink.draft(part, meaning.kind);
        draft.ends_turn = matches!(meaning.signal, Signal::TurnOver | Signal::Failed)
            && matches!(draft.kind, Kind::AgentStopped | Kind::Error);
        draft.signal = Some(meaning.signal);
        draft.text = meaning.text;
        let mut fields = self.fields();
        if draft.kind == Kind::ApprovalRequested {
            // The broker computes the same id from the same entry.
            let id = ApprovalId::of(&sink.entry.nonce);
            fields.push(("approval_id", id.as_str().into()));
            draft.turn = self.turn(who.session());
        }
        let hook = self.hook_event_name.as_deref().unwrap_or_default();
        let (field, name) = match draft.kind {
            // The only decision that a hook reports.
            Kind::ApprovalResolved => {
                fields.push(("hook", hook.into()));
                ("decision", "deny")
            }
            _ => ("hook", hook),
        };
        draft.detail = Detail::Live { field, name: Cow::Borrowed(name), fields };
        sink.emit(who, draft);
    }

    /// The facts about the session.
    pub fn facts(&self, sink: &EntrySink<'_, '_>, parent: Option<RuntimeIdentity>) -> Facts {
        let owned = |text: &Text<'_>| text.as_deref().map(str::to_owned);
        let mut facts = Facts {
            project_path: owned(&self.cwd),
            model: owned(&self.model),
            process: sink.process,
            parent,
            ..Facts::default()
        };
        if let Some(prompt) = self.titling_prompt() {
            facts.offer_title(TitleRank::LastPrompt, prompt);
        }
        facts
    }

    /// The prompt, unless it is a command to the agent program.
    fn titling_prompt(&self) -> Option<&str> {
        let is_prompt = self.hook_event_name.as_deref() == Some("UserPromptSubmit");
        let prompt = self.prompt.as_deref().filter(|_| is_prompt)?.trim_start();
        (!prompt.starts_with(['/', '<'])).then_some(prompt)
    }
}

fn borrowed<'p>(text: &'p Text<'_>) -> Option<Cow<'p, str>> {
    text.as_deref().map(Cow::Borrowed)
}
