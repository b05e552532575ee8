//! Claude Code: one JSON-lines transcript per session, and another for each of its sub-agents.
//!
//! The format is internal to the program and undocumented; the README beside this file lists the
//! observed records and their events.

mod answers;
mod approvals;
mod hooks;
mod install;
mod live;
mod memory;
mod place;
mod prompts;
mod reader;
mod record;
mod record_sink;
mod record_types;
mod screen;
mod status_line;
mod system_records;
mod telemetry;
mod transfer;
pub(crate) mod twin;
mod user;

use serde_json::{Map, Value};
use taffrail_kit::journal::JournalReader;
use taffrail_kit::{
    Adapter, Advice, AdvisedSetting, ApprovalPlan, Descriptor, Evidence, HomeRule, HookPlan, Place,
    Reader, Retention, Screen, ScreenState, Source, StartPlan, StatusLinePlan, TelemetryPlan,
    Traces, TransferPlan, records,
};
use taffrail_model::journal;

const ADAPTER_ID: &str = "claude-code";

/// The adapter of Claude Code.
pub static ADAPTER: ClaudeCode = ClaudeCode;

/// Claude Code.
#[derive(Debug)]
pub struct ClaudeCode;

static DESCRIPTOR: Descriptor = Descriptor {
    id: ADAPTER_ID,
    label: "Claude Code",
    short: "claude",
    scheme: "claude-jsonl",
    homes: &[&[HomeRule::env("CLAUDE_CONFIG_DIR", ""), HomeRule::user(".claude")]],
    roots: &["projects"],
    in_projects: false,
    scoped_ids: false,
    rewrites_records: false,
    processes: &["claude", "claude.exe", "node"],
    traces: Traces {
        programs: &["claude-code"],
        marks: &["CLAUDECODE"],
        instructions: &["CLAUDE.md", "CLAUDE.local.md"],
    },
    live: Some(live::PLAN),
    retention: Some(Retention {
        file: "settings.json",
        pointer: "/cleanupPeriodDays",
        switch: None,
        default_days: Some(30),
        fix: "Set \"cleanupPeriodDays\" in the agent's settings.json to as many days as you want \
              its transcripts to be kept.",
    }),
    advice: &[Advice {
        setting: Some(AdvisedSetting {
            file: "settings.json",
            pointer: "/permissions/defaultMode",
            word: "auto",
        }),
        id: "claude-code-auto-mode",
        text: "Interactive sessions start in permission mode `auto`, which rarely asks, so few \
               requests for approval will be seen.",
        fix: "Start it with `claude --permission-mode default` to be asked.",
    }],
    evidence: Evidence::Recorded,
};

/// The fields of a record that events cover, and those too bulky to repeat.
pub(crate) const SPOKEN_OF: &[&str] = &[
    "type",
    "uuid",
    "parentUuid",
    "logicalParentUuid",
    "sessionId",
    "session_id",
    "agentId",
    "isSidechain",
    "timestamp",
    "cwd",
    "gitBranch",
    "version",
    "entrypoint",
    "message",
    "requestId",
    "isMeta",
    "isCompactSummary",
    "isVisibleInTranscriptOnly",
    "promptSource",
    "attachment",
    "rendered",
    "toolUseResult",
    "subtype",
    "content",
    "durationMs",
    "error",
    "isApiErrorMessage",
];

static START: StartPlan = StartPlan {
    resume: &["claude", "--resume", "{id}"],
    resume_in: &[],
    brief: &["claude", "{ask}"],
    repeated: &[
        "--model=",
        "--fallback-model=",
        "--effort=",
        "--append-system-prompt=",
        "--verbose",
        "--ide",
    ],
};

impl Adapter for ClaudeCode {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn place(&self, path: &str) -> Option<Place> {
        place::of(path)
    }

    fn reader(&self, source: &Source<'_>, saved: Option<&str>) -> Box<dyn Reader> {
        Box::new(reader::TranscriptReader::new(source, saved))
    }

    fn journal(&self) -> Box<dyn Reader> {
        Box::new(JournalReader::new(&DESCRIPTOR, hooks::read_entry))
    }

    fn hook_plan(&self) -> Option<&'static HookPlan> {
        Some(&install::PLAN)
    }

    fn is_own_payload(&self, payload: &str) -> bool {
        hooks::is_own(payload)
    }

    fn approval_plan(&self) -> Option<&'static ApprovalPlan> {
        Some(&approvals::PLAN)
    }

    fn status_line(&self) -> Option<&'static StatusLinePlan> {
        Some(&status_line::PLAN)
    }

    fn telemetry_plan(&self) -> Option<&'static TelemetryPlan> {
        Some(&telemetry::PLAN)
    }

    fn read_screen(&self, screen: &Screen<'_>) -> ScreenState {
        screen::read(screen)
    }

    fn start_plan(&self) -> Option<&'static StartPlan> {
        Some(&START)
    }

    fn transfer_plan(&self) -> Option<&'static TransferPlan> {
        Some(&transfer::PLAN)
    }

    fn extra(&self, record: &[u8]) -> Map<String, Value> {
        records::extra_fields(record, &[SPOKEN_OF, journal::FIELDS].concat())
    }
}
