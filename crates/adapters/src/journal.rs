//! Reads the journal: entries from hooks, live registries, telemetry and the process table.

use crate::{Descriptor, Reader};
use std::borrow::Cow;
use std::collections::HashMap;
use taffrail_model::conclusion::{Concluded, Conclusion, Holds};
use taffrail_model::journal::{Answered, Entry, Glimpse, Gone, Loss, Sent, Shows, TRIED, Tried};
use taffrail_model::status::{Status, WaitingKind};
use taffrail_model::{
    AgentId, Confidence, Detail, Draft, Facts, Kind, NewUsage, Origin, Process, Record, RecordKey,
    RuntimeIdentity, SessionId, Signal, Sink,
};

/// Reads the journal of one agent; it is stateless between records.
pub(crate) struct JournalReader {
    descriptor: &'static Descriptor,
    read_entry: fn(&mut EntrySink<'_, '_>),
    facts: SessionFacts,
}

/// The facts about each session in the journal.
#[derive(Default)]
struct SessionFacts {
    sessions: Vec<(RuntimeIdentity, Facts)>,
    places: HashMap<SessionId, usize>,
}

/// The current entry, and the sink of its events.
pub(crate) struct EntrySink<'e, 's> {
    pub(crate) entry: &'e Entry<'e>,
    /// The agent's process, among the writer's ancestors.
    pub(crate) process: Option<Process>,
    /// The confidence of the events that follow.
    pub(crate) confidence: Confidence,
    sink: &'s mut dyn Sink,
    facts: &'s mut SessionFacts,
}

impl JournalReader {
    /// `read_entry` reads the agent's own entries: from hooks, its registry, its telemetry.
    pub(crate) fn new(
        descriptor: &'static Descriptor,
        read_entry: fn(&mut EntrySink<'_, '_>),
    ) -> Self {
        Self { descriptor, read_entry, facts: SessionFacts::default() }
    }

    fn process_of(&self, entry: &Entry<'_>) -> Option<Process> {
        let is_agent = |name: &str| self.descriptor.processes.contains(&name);
        let above = entry.ancestors.iter().find(|it| is_agent(&it.name))?;
        Some(Process { pid: above.pid, start: above.start })
    }
}

impl Reader for JournalReader {
    fn read(&mut self, record: &Record<'_>, sink: &mut dyn Sink) {
        if record.bytes.trim_ascii().is_empty() {
            return;
        }
        let Ok(entry) = serde_json::from_slice::<Entry<'_>>(record.bytes) else {
            return sink.unknown("journal/unreadable", None);
        };
        let process = self.process_of(&entry);
        let (confidence, facts) = (Confidence::High, &mut self.facts);
        let sink = &mut EntrySink { entry: &entry, process, confidence, sink, facts };
        match &entry.via {
            Origin::Hook | Origin::Registry | Origin::Telemetry => (self.read_entry)(sink),
            Origin::Process => process_loss(sink, self.descriptor.id),
            Origin::Input => local_action(sink, self.descriptor.id),
            Origin::Pty => screen(sink, self.descriptor.id),
            Origin::Derived => conclusions(sink, self.descriptor.id),
            Origin::Transcript | Origin::Unknown(_) => {
                sink.unknown(&format!("journal/{}", entry.via.as_str()));
            }
        }
    }

    fn facts(&self) -> Vec<(RuntimeIdentity, Facts)> {
        self.facts.sessions.clone()
    }

    fn save(&self) -> String {
        String::new()
    }
}

/// Reads an entry that Taffrail itself wrote about a session of any agent; `false` for another
/// entry.
pub(crate) fn read_own_entry(record: &Record<'_>, sink: &mut dyn Sink) -> bool {
    let Ok(entry) = serde_json::from_slice::<Entry<'_>>(record.bytes) else { return false };
    let (confidence, facts) = (Confidence::High, &mut SessionFacts::default());
    let sink = &mut EntrySink { entry: &entry, process: None, confidence, sink, facts };
    match &entry.via {
        Origin::Process => process_loss(sink, entry.agent.as_str()),
        Origin::Input => local_action(sink, entry.agent.as_str()),
        Origin::Derived => conclusions(sink, entry.agent.as_str()),
        Origin::Hook
        | Origin::Registry
        | Origin::Telemetry
        | Origin::Pty
        | Origin::Transcript
        | Origin::Unknown(_) => return false,
    }
    true
}

impl<'e> EntrySink<'e, '_> {
    /// A draft with the fields that all events of this entry share.
    pub(crate) fn draft(&self, part: u32, kind: Kind) -> Draft<'e> {
        let mut draft =
            Draft::new(RecordKey::Provider(Cow::Borrowed(&self.entry.nonce)), part, kind);
        draft.at = Some(self.entry.at);
        draft.origin = self.entry.via.clone();
        draft.confidence = self.confidence.clone();
        draft
    }

    /// Emits an event.
    pub(crate) fn emit(&mut self, who: &RuntimeIdentity, draft: Draft<'_>) {
        self.sink.event(who, draft);
    }

    /// Adds facts about a session.
    pub(crate) fn add_facts(&mut self, who: &RuntimeIdentity, facts: Facts) {
        self.facts.add(who, facts);
    }

    /// Emits the usage of a model's answer.
    pub(crate) fn add_usage(&mut self, who: &RuntimeIdentity, usage: NewUsage) {
        self.sink.usage(who, usage);
    }

    /// Counts an unknown entry.
    pub(crate) fn unknown(&mut self, raw_type: &str) {
        self.sink.unknown(raw_type, None);
    }
}

impl SessionFacts {
    fn add(&mut self, who: &RuntimeIdentity, facts: Facts) {
        let next = self.sessions.len();
        let place = *self.places.entry(who.session()).or_insert(next);
        match self.sessions.get_mut(place) {
            Some((_, known)) => *known = std::mem::take(known).joined(facts),
            None => self.sessions.push((who.clone(), facts)),
        }
    }
}

/// The detail of an event that has only a label.
pub(crate) fn labelled<'a>(
    label: &'static str,
    fields: Vec<(&'static str, serde_json::Value)>,
) -> Detail<'a> {
    Detail::Live { field: "label", name: Cow::Borrowed(label), fields }
}

/// A session lost its process.
fn process_loss(sink: &mut EntrySink<'_, '_>, agent: &str) {
    let Ok(it) = serde_json::from_str::<Gone>(sink.entry.payload.get()) else {
        return sink.unknown("process/unreadable");
    };
    let who = RuntimeIdentity::new(AgentId::new(agent), &it.scope, &it.session);
    let mut draft = sink.draft(0, Kind::SessionExited);
    draft.signal = Some(match it.gone {
        Loss::Died => Signal::Died,
        Loss::Left => Signal::Ended,
    });
    draft.confidence = Confidence::High;
    draft.detail = labelled("process", vec![("pid", it.process.pid.into())]);
    sink.emit(&who, draft);
}

/// What the daemon concluded about a session, each at the time of what it was concluded from.
fn conclusions(sink: &mut EntrySink<'_, '_>, agent: &str) {
    let Ok(it) = serde_json::from_str::<Concluded>(sink.entry.payload.get()) else {
        return sink.unknown("derived/unreadable");
    };
    let who = RuntimeIdentity::new(AgentId::new(agent), &it.scope, &it.session);
    for (part, it) in (0..).zip(it.conclusions) {
        let draft = conclusion(sink, part, it);
        sink.emit(&who, draft);
    }
}

fn conclusion<'e>(sink: &EntrySink<'e, '_>, part: u32, it: Conclusion) -> Draft<'e> {
    let make = |kind, at| Draft { at: Some(at), ..sink.draft(part, kind) };
    let live = |field, name: &str, fields| Detail::Live {
        field,
        name: Cow::Owned(name.to_owned()),
        fields,
    };
    match it {
        Conclusion::TurnStarted { at } => make(Kind::TurnStarted, at),
        Conclusion::TurnCompleted { at, started_at, status } => {
            let lasted = at.as_millisecond() - started_at.as_millisecond();
            let fields =
                vec![("started_at", started_at.to_string().into()), ("duration_ms", lasted.into())];
            let detail = live("status", status.as_str(), fields);
            Draft { detail, ..make(Kind::TurnCompleted, at) }
        }
        Conclusion::Status { at, status, before, confidence, rule, waiting_for } => {
            let optional = [
                ("before", before.map(Status::as_str)),
                ("waiting_for", waiting_for.map(WaitingKind::as_str)),
            ];
            let optional = optional.into_iter().filter_map(|(name, it)| Some((name, it?.into())));
            let fields = optional.chain([("rule", rule.into())]).collect();
            let detail = live("status", status.as_str(), fields);
            Draft { detail, confidence, ..make(Kind::StatusChanged, at) }
        }
        Conclusion::Finding { at, finding, holds, says } => {
            let kind = match holds {
                Holds::Raised => Kind::FindingRaised,
                Holds::Withdrawn => Kind::FindingWithdrawn,
            };
            let detail = live("finding", finding.as_str(), Vec::new());
            Draft { detail, text: Some(Cow::Owned(says)), ..make(kind, at) }
        }
    }
}

/// A user acted on a session through this program.
fn local_action(sink: &mut EntrySink<'_, '_>, agent: &str) {
    let payload = sink.entry.payload.get();
    if let Ok(it) = serde_json::from_str(payload) {
        decision(sink, agent, it);
    } else if let Ok(it) = serde_json::from_str(payload) {
        prompt_sent(sink, agent, it);
    } else if let Ok(it) = serde_json::from_str(payload) {
        attempt(sink, agent, &it);
    } else {
        sink.unknown("ctm-input/unreadable");
    }
}

/// The agent tried an action that only a person may take, and was refused.
fn attempt(sink: &mut EntrySink<'_, '_>, agent: &str, it: &Tried) {
    let who = RuntimeIdentity::new(AgentId::new(agent), &it.scope, &it.session);
    let mut draft = sink.draft(0, Kind::Heartbeat);
    draft.signal = Some(Signal::Alive);
    draft.confidence = Confidence::High;
    let about = it.approval.as_ref().map(|it| ("approval_id", it.as_str().into()));
    let fields = about.into_iter().chain([("tried", it.tried.as_str().into())]);
    draft.detail = labelled(TRIED, fields.collect());
    draft.text = Some(Cow::Owned(format!("{} tried to {}", it.program, it.tried)));
    sink.emit(&who, draft);
}

/// This program delivered a prompt. The prompt counts once the agent's own record has it.
fn prompt_sent(sink: &mut EntrySink<'_, '_>, agent: &str, it: Sent) {
    let who = RuntimeIdentity::new(AgentId::new(agent), &it.scope, &it.session);
    let mut draft = sink.draft(0, Kind::Heartbeat);
    draft.signal = Some(Signal::Alive);
    draft.confidence = Confidence::High;
    draft.detail = labelled("sent", vec![("correlation_id", it.message.as_str().into())]);
    draft.text = Some(Cow::Owned(it.says));
    sink.emit(&who, draft);
}

/// A terminal that this program runs shows a known state.
fn screen(sink: &mut EntrySink<'_, '_>, agent: &str) {
    let Ok(it) = serde_json::from_str::<Glimpse>(sink.entry.payload.get()) else {
        return sink.unknown("pty/unreadable");
    };
    let asked = Signal::AskedApproval { input: String::new() };
    let (kind, signal, word) = match &it.shows {
        Shows::Ready => (Kind::Heartbeat, Signal::Quiet, "ready"),
        Shows::Working => (Kind::Heartbeat, Signal::Busy, "working"),
        Shows::Approval => (Kind::ApprovalRequested, asked, "approval"),
        Shows::Question => (
            Kind::Heartbeat,
            Signal::Asked { call: String::new(), options: Vec::new() },
            "question",
        ),
        Shows::Unclear => (Kind::Heartbeat, Signal::Alive, "unclear"),
        Shows::Unknown(word) => return sink.unknown(&format!("pty/{word}")),
    };
    let who = RuntimeIdentity::new(AgentId::new(agent), &it.scope, &it.session);
    let mut draft = sink.draft(0, kind);
    draft.signal = Some(signal);
    // A screen is drawn for people and changes with every version.
    draft.confidence = Confidence::Low;
    let mut fields = vec![("shows", word.into()), ("pid", it.process.pid.into())];
    fields.extend(it.repeats.then(|| ("repeats", true.into())));
    draft.detail = labelled("screen", fields);
    draft.text = it.command.map(Cow::Owned);
    let facts = Facts { project_path: it.folder, process: Some(it.process), ..Facts::default() };
    sink.add_facts(&who, facts);
    sink.emit(&who, draft);
}

/// An approval request was decided through this program.
fn decision(sink: &mut EntrySink<'_, '_>, agent: &str, it: Answered) {
    let who = RuntimeIdentity::new(AgentId::new(agent), &it.scope, &it.session);
    let mut draft = sink.draft(0, Kind::ApprovalResolved);
    draft.signal = Some(match it.input.is_empty() {
        true => Signal::Alive,
        false => Signal::Settled { call: String::new(), input: it.input.clone() },
    });
    draft.confidence = Confidence::High;
    let fields = vec![
        ("label", "desk".into()),
        ("approval_id", it.approval.as_str().into()),
        ("decided_by", it.by.into()),
    ];
    let name = Cow::Owned(it.decision.as_str().to_owned());
    draft.detail = Detail::Live { field: "decision", name, fields };
    draft.text = Some(Cow::Owned(it.says));
    sink.emit(&who, draft);
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "fixtures are files")]
mod tests {
    use super::*;
    use crate::{Adapter, by_id};
    use serde_json::{Value, json};
    use std::path::Path;
    use taffrail_model::{Cursor, EventId, TurnId};

    /// Events as lines: session, kind, signal and text; and unknown entries.
    #[derive(Default)]
    struct Recorder {
        lines: Vec<String>,
        events: Vec<Value>,
        unknown: Vec<String>,
    }

    impl Sink for Recorder {
        fn event(&mut self, who: &RuntimeIdentity, draft: Draft<'_>) {
            let signal = draft.signal.as_ref().map(Signal::to_text).unwrap_or_default();
            let text = draft.text.as_deref().unwrap_or_default();
            let (kind, ends) = (draft.kind.as_str(), if draft.ends_turn { " ends" } else { "" });
            let scope = who.scope.as_str();
            self.lines.push(format!("{scope}/{} {kind}{ends} {signal} '{text}'", who.id.as_str()));
            let id = EventId::of(who.session(), &draft.key, draft.part);
            self.events.push(json!({
                "id": id, "origin": draft.origin.as_str(), "at": draft.at,
                "data": draft.detail.to_json(), "label": draft.detail.label(),
                "confidence": draft.confidence.as_str(),
            }));
        }
        fn remove(&mut self, _: &RuntimeIdentity, _: EventId) {}
        fn remove_turn(&mut self, _: &RuntimeIdentity, _: TurnId) {}
        fn usage(&mut self, _: &RuntimeIdentity, _: NewUsage) {}
        fn unknown(&mut self, raw_type: &str, _: Option<&str>) {
            self.unknown.push(raw_type.to_owned());
        }
    }

    fn entry(agent: &str, via: &str, payload: &Value) -> Value {
        json!({"at": "2026-11-15T10:00:00Z", "nonce": "n1", "agent": agent, "via": via, "payload": payload})
    }

    fn read_line(adapter: &dyn Adapter, line: &str) -> (Recorder, Vec<(RuntimeIdentity, Facts)>) {
        let (mut recorder, mut reader) = (Recorder::default(), adapter.journal());
        let at = Cursor::Bytes { byte_offset: 0, length: 0 };
        reader.read(&Record { bytes: line.as_bytes(), at }, &mut recorder);
        assert_eq!(reader.save(), "");
        (recorder, reader.facts())
    }

    fn read_payload(agent: &str, via: &str, payload: &Value) -> Recorder {
        read_line(by_id(agent).unwrap(), &entry(agent, via, payload).to_string()).0
    }

    /// Checks the events of a hook of session `s`, without digests of inputs.
    fn check(agent: &str, hook: &str, more: &Value, expected: &[&str]) {
        let mut payload = json!({"session_id": "s", "hook_event_name": hook, "cwd": "/w"});
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let recorder = read_payload(agent, "hook", &payload);
        let lines: Vec<_> = recorder.lines.iter().map(|it| without_marks(it)).collect();
        assert_eq!(lines, expected, "{hook}");
        let own = recorder.events.iter().filter(|it| it["data"].get("hook").is_some());
        assert!(own.clone().all(|it| it["data"]["hook"] == hook), "{hook}");
        assert!(own.count() > 0, "{hook}");
        assert!(recorder.unknown.is_empty(), "{:?}", recorder.unknown);
    }

    /// Hashes are 32 hex digits.
    fn without_marks(line: &str) -> String {
        let is_mark = |it: &str| it.len() == 32 && it.bytes().all(|it| it.is_ascii_hexdigit());
        let words = line.split(' ').map(|word| {
            let parts = word.split(':').map(|part| if is_mark(part) { "*" } else { part });
            parts.collect::<Vec<_>>().join(":")
        });
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn hooks_that_several_agents_share() {
        let bash = || json!({"tool_name": "Bash", "tool_input": {"command": "npm test\nls", "description": "d"}, "tool_use_id": "t1"});
        for agent in ["claude-code", "codex"] {
            let check =
                |hook: &str, more: Value, expected: &[&str]| check(agent, hook, &more, expected);
            let started: &[&str] = &["/s heartbeat started ''", "/s session.started  ''"];
            check("SessionStart", json!({"source": "startup"}), started);
            check("SessionStart", json!({"source": "resume"}), started);
            check("SessionStart", json!({"source": "compact"}), &["/s heartbeat alive ''"]);
            check(
                "UserPromptSubmit",
                json!({"prompt": "fix it"}),
                &["/s heartbeat prompted 'fix it'", "/s user.prompt  'fix it'"],
            );
            check("UserPromptSubmit", json!({"prompt": " "}), &["/s heartbeat prompted ' '"]);
            let called = &["/s heartbeat called:*:t1 'npm test'", "/s tool.call  'npm test'"];
            check("PreToolUse", bash(), called);
            let asked = "/s approval.requested asked-approval:* 'npm test\nls'";
            check("PermissionRequest", bash(), &[asked]);
            check("PostToolUse", bash(), &["/s heartbeat answered:t1 ''", "/s tool.result  ''"]);
            check("PreCompact", json!({"trigger": "auto"}), &["/s heartbeat compacting ''"]);
            check("PostCompact", json!({"trigger": "auto"}), &["/s heartbeat compacted ''"]);
            let done = json!({"last_assistant_message": "Done."});
            let over = "/s agent.stopped ends turn-over 'Done.'";
            check("Stop", done, &[over, "/s assistant.message ends  'Done.'"]);
            check("SessionEnd", json!({"reason": "other"}), &["/s session.exited ended 'other'"]);
        }
    }

    #[test]
    fn what_stands_on_a_terminal_is_believed_a_little() {
        let check = |shows: &str, command: Option<&str>, expected: &str| {
            let process = json!({"pid": 7, "start": 5});
            let payload = json!({"session": "run-1", "process": process, "folder": "/w", "shows": shows, "command": command});
            for agent in ["claude-code", "codex"] {
                let line = entry(agent, "pty", &payload).to_string();
                let (recorder, facts) = read_line(by_id(agent).unwrap(), &line);
                assert_eq!(recorder.lines, [expected], "{agent} {shows}");
                let event = &recorder.events[0];
                assert_eq!(
                    (&event["origin"], &event["confidence"]),
                    (&"pty".into(), &"low".into())
                );
                let (who, facts) = &facts[0];
                assert_eq!(who.id.as_str(), "run-1");
                assert_eq!(facts.process, Some(Process { pid: 7, start: 5 }));
                assert_eq!(facts.project_path.as_deref(), Some("/w"));
            }
        };
        check("ready", None, "/run-1 heartbeat quiet ''");
        check("working", None, "/run-1 heartbeat busy ''");
        check("approval", Some("ls"), "/run-1 approval.requested asked-approval: 'ls'");
        check("question", None, "/run-1 heartbeat asked ''");
        check("unclear", None, "/run-1 heartbeat alive ''");
        let again = json!({"session": "s", "process": {"pid": 7, "start": 5}, "shows": "working", "repeats": true});
        let recorder = read_payload("codex", "pty", &again);
        assert_eq!(recorder.lines, ["/s heartbeat busy ''"]);
        assert_eq!(recorder.events[0]["data"]["repeats"], true, "{:?}", recorder.events);
        let later = json!({"session": "s", "process": {"pid": 7, "start": 5}, "shows": "dreaming"});
        let recorder = read_payload("codex", "pty", &later);
        assert_eq!((recorder.lines, recorder.unknown), (vec![], vec!["pty/dreaming".to_owned()]));
        assert_eq!(
            read_payload("codex", "pty", &json!({"shows": "ready"})).unknown,
            ["pty/unreadable"]
        );
    }

    #[test]
    fn a_stop_counts_what_goes_on() {
        let stop = |tasks: Value, expected: &str| {
            check("claude-code", "Stop", &json!({"background_tasks": tasks}), &[expected]);
        };
        let over = "/s agent.stopped ends turn-over ''";
        let goes_on = "/s agent.stopped working-on ''";
        stop(json!([]), over);
        stop(json!([{"status": "completed"}, {"status": "killed"}]), over);
        stop(json!([{"status": "running"}]), goes_on);
        stop(json!([{"status": "completed"}, {"status": "dreaming"}]), goes_on);
        stop(json!([{}]), goes_on);
        stop(json!("many"), over);
    }

    #[test]
    fn a_request_is_joined_with_its_call_by_the_input() {
        let signal = |hook: &str, input: Value| {
            let payload = json!({"session_id": "s", "hook_event_name": hook, "tool_name": "Bash", "tool_input": input});
            let recorder = read_payload("codex", "hook", &payload);
            recorder.lines[0].split_once(':').unwrap().1.get(..32).unwrap().to_owned()
        };
        let called = signal("PreToolUse", json!({"command": "ls", "n": 1}));
        let why = json!({"n": 1, "command": "ls", "description": "May I?"});
        assert_eq!(called, signal("PermissionRequest", why));
        assert_ne!(called, signal("PermissionRequest", json!({"command": "ls -l", "n": 1})));
    }

    #[test]
    fn hooks_of_workers_belong_to_the_worker() {
        let more = || json!({"agent_id": "a1", "agent_type": "general", "tool_use_id": "t1"});
        let answered = &["s/a1 heartbeat answered:t1 ''", "s/a1 tool.result  ''"];
        check("claude-code", "PostToolUse", &more(), answered);
        check("claude-code", "SubagentStart", &more(), &["s/a1 heartbeat prompted ''"]);
        check("claude-code", "SubagentStop", &more(), &["s/a1 heartbeat ended ''"]);
        let folding = json!({"agent_id": "a1", "agent_type": ""});
        check("claude-code", "SubagentStop", &folding, &["/s heartbeat alive ''"]);
        check("codex", "SubagentStart", &more(), &["/a1 heartbeat prompted ''"]);
        check(
            "codex",
            "PostToolUse",
            &more(),
            &["/a1 heartbeat answered:t1 ''", "/a1 tool.result  ''"],
        );
        let mut line = entry(
            "codex",
            "hook",
            &json!({"session_id": "s", "hook_event_name": "Stop", "agent_id": "a1"}),
        );
        line["ancestors"] =
            json!([{"pid": 9, "start": 1, "name": "sh"}, {"pid": 7, "start": 5, "name": "codex"}]);
        let (_, facts) = read_line(by_id("codex").unwrap(), &line.to_string());
        let (who, facts) = &facts[0];
        assert_eq!(who.id.as_str(), "a1");
        assert_eq!(facts.parent.as_ref().unwrap().id.as_str(), "s");
        assert_eq!(facts.process, Some(Process { pid: 7, start: 5 }));
    }

    #[test]
    fn hooks_of_one_agent() {
        let check = |hook: &str, more: Value, expected: &[&str]| {
            check("claude-code", hook, &more, expected);
        };
        let ask = || json!({"tool_name": "AskUserQuestion", "tool_use_id": "t1", "tool_input": {"questions": [{"question": "Which?"}]}});
        let asked = &["/s heartbeat asked:t1 'Which?'", "/s tool.call  'AskUserQuestion'"];
        check("PreToolUse", ask(), asked);
        let mut request = ask();
        request.as_object_mut().unwrap().remove("tool_use_id");
        check("PermissionRequest", request, &["/s heartbeat asked 'Which?'"]);
        let plan = json!({"tool_name": "ExitPlanMode", "tool_use_id": "t1", "tool_input": {"plan": "First."}});
        check(
            "PreToolUse",
            plan,
            &["/s heartbeat asked:t1 'First.'", "/s tool.call  'ExitPlanMode'"],
        );
        let edit =
            json!({"tool_name": "Edit", "tool_input": {"file_path": "/w/a.rs", "new_string": "x"}});
        check(
            "PermissionRequest",
            edit,
            &["/s approval.requested asked-approval:* 'Edit /w/a.rs'"],
        );
        let batch = json!({"tool_calls": [{"tool_use_id": "t1"}, {"tool_use_id": "t2"}]});
        check(
            "PostToolBatch",
            batch,
            &["/s heartbeat answered:t1 ''", "/s heartbeat answered:t2 ''"],
        );
        check("PostToolBatch", json!({}), &["/s heartbeat alive ''"]);
        let denied =
            json!({"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "ls"}});
        check("PermissionDenied", denied, &["/s approval.resolved settled:*:t1 'ls'"]);
        check(
            "StopFailure",
            json!({"error": "rate_limit"}),
            &["/s error ends failed 'rate_limit'"],
        );
        let remind = |kind: &str| json!({"notification_type": kind, "message": "m"});
        check("Notification", remind("permission_prompt"), &["/s notice asked-approval: 'm'"]);
        check("Notification", remind("idle_prompt"), &["/s notice quiet 'm'"]);
        check("Notification", remind("agent_needs_input"), &["/s notice asked 'm'"]);
        check("Notification", remind("auth_success"), &["/s notice alive 'm'"]);
        check("CwdChanged", json!({}), &["/s heartbeat alive ''"]);
    }

    #[test]
    fn what_is_not_known_is_counted() {
        let check = |agent: &str, via: &str, payload: Value, lines: &[&str], unknown: &[&str]| {
            let recorder = read_payload(agent, via, &payload);
            assert_eq!(
                (recorder.lines, recorder.unknown),
                (owned(lines), owned(unknown)),
                "{payload}"
            );
        };
        let new = json!({"session_id": "s", "hook_event_name": "Tomorrow"});
        check("codex", "hook", new.clone(), &["/s heartbeat alive ''"], &["hook/Tomorrow"]);
        check("claude-code", "hook", new, &["/s heartbeat alive ''"], &["hook/Tomorrow"]);
        check("codex", "hook", json!({"hook_event_name": "Stop"}), &[], &["hook/unreadable"]);
        check("codex", "hook", json!({"session_id": "s"}), &[], &["hook/unreadable"]);
        check("codex", "hook", json!([1]), &[], &["hook/unreadable"]);
        check("codex", "registry", json!({}), &[], &["registry/unreadable"]);
        check("codex", "pty", json!({}), &[], &["pty/unreadable"]);
        check("codex", "ctm-input", json!({}), &[], &["ctm-input/unreadable"]);
        check("codex", "tomorrow", json!({}), &[], &["journal/tomorrow"]);
        check("codex", "process", json!({"gone": true}), &[], &["process/unreadable"]);
    }

    #[test]
    fn a_shortened_payload_still_says_what_is_left_of_it() {
        let payload = json!({"session_id": "s", "hook_event_name": "Stop"});
        let whole = entry("codex", "hook", &payload);
        let mut short = whole.clone();
        short["shortened"] = json!(true);
        let lines = |entry: &Value| read_line(by_id("codex").unwrap(), &entry.to_string()).0.lines;
        assert_eq!(lines(&short), lines(&whole));
        assert_eq!(lines(&short).len(), 1);
    }

    fn owned(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|it| (*it).to_owned()).collect()
    }

    #[test]
    fn a_lost_process_is_told() {
        let process = Process { pid: 7, start: 5 };
        let check = |loss: Loss, expected: &str| {
            let gone = Gone { gone: loss, session: "s".into(), scope: "p".into(), process };
            let recorder = read_payload("claude-code", "process", &json!(gone));
            assert_eq!(recorder.lines, [expected]);
            assert_eq!(recorder.events[0]["origin"], "process");
        };
        check(Loss::Died, "p/s session.exited died ''");
        check(Loss::Left, "p/s session.exited ended ''");
    }

    #[test]
    fn a_decision_of_ours_is_told() {
        let check = |input: &str, expected: &str| {
            let answered = json!({"approval": "a1", "decision": "deny", "by": "cli", "session": "s",
                "scope": "p", "says": "rm -rf build", "input": input});
            let recorder = read_payload("claude-code", "ctm-input", &answered);
            assert_eq!(recorder.lines, [expected]);
            let data = json!({"label": "desk", "approval_id": "a1", "decision": "deny", "decided_by": "cli"});
            assert_eq!(
                (&recorder.events[0]["origin"], &recorder.events[0]["data"]),
                (&json!("ctm-input"), &data)
            );
        };
        check("00ff", "p/s approval.resolved settled:00ff: 'rm -rf build'");
        check("", "p/s approval.resolved alive 'rm -rf build'");
    }

    /// A request in the event log could not be joined with the pending approval.
    #[test]
    fn a_request_carries_the_id_of_its_approval() {
        let payload = json!({"session_id": "s", "hook_event_name": "PermissionRequest",
            "tool_name": "Bash", "tool_input": {"command": "ls"}, "turn_id": "u1"});
        for agent in ["claude-code", "codex"] {
            let recorder = read_payload(agent, "hook", &payload);
            let id = taffrail_model::ApprovalId::of("n1");
            assert_eq!(recorder.events[0]["data"]["approval_id"], id.as_str(), "{agent}");
        }
    }

    #[test]
    fn a_result_of_a_hook_names_its_call_and_says_how_it_went() {
        let events = |hook: &str, more: Value| {
            let mut payload = json!({"session_id": "s", "hook_event_name": hook, "tool_name": "Bash",
                "tool_input": {"command": "make"}, "tool_use_id": "t1"});
            payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            read_payload("claude-code", "hook", &payload)
        };
        let check = |hook: &str, more: Value, line: &str, data: Value| {
            let recorder = events(hook, more);
            assert_eq!((recorder.lines[1].as_str(), &recorder.events[1]["data"]), (line, &data));
        };
        let call = json!({"call_id": "t1", "tool": "Bash", "input": {"command": "make"}});
        check("PreToolUse", json!({}), "/s tool.call  'make'", call);
        let ok = json!({"tool_response": {"stdout": "ok", "stderr": "", "interrupted": false}});
        check("PostToolUse", ok, "/s tool.result  'ok'", json!({"call_id": "t1"}));
        let text = json!({"tool_response": "done"});
        check("PostToolUse", text, "/s tool.result  'done'", json!({"call_id": "t1"}));
        let failed = json!({"error": "Exit code 2"});
        let data = json!({"call_id": "t1", "failed": true});
        check("PostToolUseFailure", failed, "/s tool.result  'Exit code 2'", data);
        let code = json!({"tool_response": {"output": "no", "exit_code": 2}});
        check(
            "PostToolUse",
            code,
            "/s tool.result  'no'",
            json!({"call_id": "t1", "exit_code": 2}),
        );
    }

    #[test]
    fn what_the_daemon_concluded_is_read_again() {
        let concluded = json!({"session": "s", "scope": "p", "conclusions": [
            {"kind": "turn_started", "at": "2026-11-15T09:59:00Z"},
            {"kind": "status", "at": "2026-11-15T09:59:00Z", "status": "running", "before": "idle",
             "confidence": "high", "rule": "a turn is open"},
            {"kind": "turn_completed", "at": "2026-11-15T09:59:05Z",
             "started_at": "2026-11-15T09:59:00Z", "status": "lost"},
            {"kind": "finding", "at": "2026-11-15T09:58:00Z", "finding": "stuck",
             "holds": "raised", "says": "Nothing moves."},
        ]});
        for agent in ["claude-code", "codex", "gemini-cli", "goose"] {
            let recorder = read_payload(agent, "derived", &concluded);
            let expected = [
                "p/s turn.started  ''",
                "p/s status.changed  ''",
                "p/s turn.completed  ''",
                "p/s finding.raised  'Nothing moves.'",
            ];
            assert_eq!(recorder.lines, expected, "{agent}");
            assert_eq!(recorder.unknown, Vec::<String>::new());
            let data: Vec<_> = recorder.events.iter().map(|it| it["data"].clone()).collect();
            assert_eq!(
                data[1],
                json!({"status": "running", "before": "idle", "rule": "a turn is open"})
            );
            assert_eq!(
                data[2],
                json!({"status": "lost", "duration_ms": 5000,
                "started_at": "2026-11-15T09:59:00Z"})
            );
            assert_eq!(recorder.events[1]["at"], "2026-11-15T09:59:00Z");
        }
    }

    /// Our own entries about Gemini's sessions were counted as records that are not understood.
    #[test]
    fn our_own_entries_are_understood_for_every_agent() {
        let gone = Gone {
            gone: Loss::Died,
            session: "s".into(),
            scope: String::new(),
            process: Process { pid: 7, start: 5 },
        };
        let sent = json!({"message": "m1", "session": "s", "says": "go on"});
        for adapter in crate::owners() {
            let agent = adapter.descriptor().id;
            for (via, payload) in [("process", json!(gone)), ("ctm-input", sent.clone())] {
                let recorder = read_payload(agent, via, &payload);
                assert_eq!((recorder.lines.len(), recorder.unknown.len()), (1, 0), "{agent} {via}");
            }
        }
    }

    #[test]
    fn what_an_agent_tried_is_told() {
        let tried = json!({"tried": "approve", "program": "claude", "approval": "a1", "session": "s", "scope": "p"});
        let recorder = read_payload("claude-code", "ctm-input", &tried);
        assert_eq!(recorder.lines, ["p/s heartbeat alive 'claude tried to approve'"]);
        let data = json!({"label": "tried", "approval_id": "a1", "tried": "approve"});
        assert_eq!(recorder.events[0]["data"], data);
    }

    #[test]
    fn a_prompt_of_ours_is_told_and_is_no_prompt_of_its_own() {
        let sent = json!({"message": "m1", "session": "s", "scope": "p", "says": "go on"});
        let recorder = read_payload("claude-code", "ctm-input", &sent);
        assert_eq!(recorder.lines, ["p/s heartbeat alive 'go on'"]);
        let data = json!({"label": "sent", "correlation_id": "m1"});
        assert_eq!(
            (&recorder.events[0]["origin"], &recorder.events[0]["data"]),
            (&json!("ctm-input"), &data)
        );
    }

    #[test]
    fn every_cut_of_every_entry_is_silence_and_every_entry_has_its_own_id() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/replay");
        for folder in std::fs::read_dir(root).unwrap() {
            let journal = folder.unwrap().path().join("journal.jsonl");
            let mut ids = std::collections::HashSet::new();
            for line in std::fs::read_to_string(&journal).unwrap().lines() {
                let agent = serde_json::from_str::<Value>(line).unwrap()["agent"].clone();
                let adapter = by_id(agent.as_str().unwrap()).unwrap();
                let (whole, _) = read_line(adapter, line);
                assert!(!whole.lines.is_empty() && whole.unknown.is_empty(), "{line}");
                assert!(whole.events.iter().all(|it| ids.insert(it["id"].to_string())), "{line}");
                for cut in (1..line.len()).filter_map(|end| line.get(..end)) {
                    let (recorder, _) = read_line(adapter, cut);
                    assert!(recorder.lines.is_empty() && recorder.unknown.len() == 1, "{cut}");
                }
            }
        }
    }
}
