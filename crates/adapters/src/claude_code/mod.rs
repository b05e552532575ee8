//! Claude Code: one JSON-lines transcript per session, and another for each of its sub-agents.
//!
//! The format is internal to the program and undocumented; the README beside this file lists the
//! observed records and their events.

mod answers;
mod approvals;
mod cached_limits;
mod hooks;
mod install;
mod limits;
mod live;
mod place;
mod prompt_history;
mod prompts;
mod reader;
mod record;
mod record_types;
mod screen;
mod session;
mod status_line;
mod system_records;
mod telemetry;
mod transfer;
pub(crate) mod twin;
mod user;

use taffrail_kit::{
    Advice, AdvisedSetting, Agent, Descriptor, Evidence, HomeRule, Retention, StartPlan, Store,
    Traces,
};

const ADAPTER_ID: &str = "claude-code";

/// The adapter of Claude Code.
pub static ADAPTER: Agent = Agent {
    entries: Some(hooks::read_entry),
    prompts: Some(&prompt_history::FILE),
    hooks: Some(&install::PLAN),
    mcp: Some(&install::MCP),
    recall: Some(&install::RECALL),
    own_payload: Some(hooks::is_own),
    approvals: Some(&approvals::PLAN),
    status_line: Some(&status_line::PLAN),
    limits_file: Some(&cached_limits::FILE),
    bills_workers: true,
    telemetry: Some(&telemetry::PLAN),
    screen: Some(screen::read),
    interrupt: Some("Escape"),
    start: Some(&START),
    transfer: Some(&transfer::PLAN),
    ..twin::agent(&DESCRIPTOR, STORES)
};

const STORES: &[Store] = &[
    // A sub-agent beside its parent, as versions 2.0 wrote it.
    Store {
        locator: "{project}/agent-{worker}.jsonl",
        ..twin::store("projects/{project}/agent-{worker}.jsonl")
    },
    Store {
        locator: "{project}/{session}.jsonl",
        ..twin::store("projects/{project}/{session}.jsonl")
    },
    Store {
        locator: "{project}/{parent}/subagents/agent-{worker}.jsonl",
        beside: &["projects/{project}/{parent}/subagents/agent-{worker}.meta.json"],
        ..twin::store("projects/{project}/{parent}/subagents/agent-{worker}.jsonl")
    },
    Store {
        locator: "{project}/{parent}/subagents/workflows/{flow}/agent-{worker}.jsonl",
        beside: &[
            "projects/{project}/{parent}/subagents/workflows/{flow}/agent-{worker}.meta.json",
        ],
        ..twin::store("projects/{project}/{parent}/subagents/workflows/{flow}/agent-{worker}.jsonl")
    },
];

static DESCRIPTOR: Descriptor = Descriptor {
    id: ADAPTER_ID,
    label: "Claude Code",
    short: "claude",
    note_tool: "claude",
    scheme: "claude-jsonl",
    homes: &[&[HomeRule::env("CLAUDE_CONFIG_DIR", ""), HomeRule::user(".claude")]],
    roots: &["projects", prompt_history::FILE.path],
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

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_kit::Adapter;

    #[test]
    fn paths_tell_whose_a_transcript_is() {
        let check = |path: &str, expected: Option<Option<(&str, &str)>>| {
            let place = ADAPTER.place(path);
            let session = place.as_ref().map(|it| it.session.as_ref());
            let named = session.map(|it| it.map(|who| (who.scope.as_str(), who.id.as_str())));
            assert_eq!(named, expected, "{path}");
            let is_worker = expected.map(|it| it.is_none_or(|(scope, _)| !scope.is_empty()));
            assert_eq!(place.map(|it| it.is_worker), is_worker, "{path}");
        };
        check("projects/-w/s1.jsonl", Some(Some(("", "s1"))));
        check("projects/-w/agent-.jsonl", Some(Some(("", "agent-"))));
        check("projects/-w/s1/subagents/agent-a1.jsonl", Some(Some(("s1", "a1"))));
        check("projects/-w/s1/subagents/workflows/w1/agent-a1.jsonl", Some(Some(("s1", "a1"))));
        check("projects/-w/agent-a1.jsonl", Some(None));
        check("projects/-w/s1/subagents/agent-a1.meta.json", None);
        check("projects/-w/s1/subagents/other.jsonl", None);
        check("projects/-w/s1/tool-results/b1.jsonl", None);
        check("projects/-w/s1/subagents/deep/er/agent-a1.jsonl", None);
        check("projects/s1.jsonl", None);
        check("projects//s1.jsonl", None);
        check("projects/-w/.jsonl", None);
        check("history.jsonl", None);
        check("sessions/-w/s1.jsonl", None);
    }

    #[test]
    fn a_worker_has_its_side_file_and_its_parents_scope() {
        for folder in ["subagents", "subagents/workflows/w1"] {
            let below = format!("-w/s1/{folder}/agent-a1");
            let place = ADAPTER.place(&format!("projects/{below}.jsonl")).unwrap();
            assert_eq!(place.session, Some(place::worker("s1", "a1")));
            assert_eq!(place.locator, format!("claude-jsonl:{below}.jsonl"));
            assert_eq!(place.beside, [format!("projects/{below}.meta.json")]);
        }
    }
}
