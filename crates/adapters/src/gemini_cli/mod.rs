//! Gemini CLI: chats in JSON lines below `~/.gemini/tmp`, one folder per project.

mod approvals;
mod chat;
mod hooks;
mod install;
mod message;
mod parts;
mod project;
mod record;
mod screen;
mod telemetry;

use taffrail_kit::{
    Advice, Agent, Descriptor, Encoding, Evidence, HomeRule, Ids, Reads, Retention, Shape,
    StartPlan, Store, Traces,
};
use taffrail_model::{AgentId, RuntimeIdentity};

const ID: &str = "gemini-cli";

/// The adapter for Gemini CLI.
pub static ADAPTER: Agent = Agent {
    known: KNOWN_FIELDS,
    entries: Some(hooks::read_entry),
    hooks: Some(&install::PLAN),
    mcp: Some(&install::MCP),
    recall: Some(&install::RECALL),
    approvals: Some(&approvals::PLAN),
    start: Some(&StartPlan {
        resume: &["gemini", "--resume", "{id}"],
        resume_in: &[],
        brief: &["gemini", "--prompt-interactive", "{ask}"],
        repeated: &["--model=", "-m=", "--sandbox", "-s", "--screen-reader"],
    }),
    telemetry: Some(&telemetry::PLAN),
    screen: Some(screen::read),
    interrupt: Some("Escape"),
    ..Agent::new(&DESCRIPTOR, STORES)
};

const STORES: &[Store] = &[
    // A session of the user; only the end of its name belongs to its id.
    Store {
        rank: 1,
        ..chats("tmp/{project}/chats/session-{name}.jsonl", "{project}/session-{name}.jsonl", LINES)
    },
    // A sub-agent, whose full id is in the name.
    Store {
        rank: 1,
        ..chats(
            "tmp/{project}/chats/{parent}/{session}.jsonl",
            "{project}/{parent}/{session}.jsonl",
            LINES,
        )
    },
    // A session of earlier versions.
    chats(
        "tmp/{project}/chats/session-{name}.json",
        "{project}/session-{name}.json",
        Shape::Document,
    ),
];

const LINES: Shape = Shape::Lines(Encoding::Plain);

const fn chats(path: &'static str, locator: &'static str, shape: Shape) -> Store {
    let store = Store::of(path, shape, Reads::Bytes(chat::read));
    Store { locator, ids: Ids::Everywhere, beside: project::BESIDE, ..store }
}

static DESCRIPTOR: Descriptor = Descriptor {
    id: ID,
    label: "Gemini CLI",
    short: "gemini",
    note_tool: "gemini",
    scheme: "gemini-chat",
    homes: &[&[HomeRule::env("GEMINI_CLI_HOME", ".gemini"), HomeRule::user(".gemini")]],
    roots: &["tmp"],
    rewrites_records: true,
    processes: &["gemini"],
    traces: Traces {
        programs: &["gemini-cli"],
        marks: &["GEMINI_CLI"],
        instructions: &["GEMINI.md"],
    },
    retention: Some(Retention {
        file: "settings.json",
        pointer: "/general/sessionRetention/maxAge",
        switch: Some("/general/sessionRetention/enabled"),
        default_days: Some(30),
        fix: "set general.sessionRetention.enabled to false in settings.json",
    }),
    advice: &[Advice {
        setting: None,
        id: "gemini-cli-resume-deletes",
        text: "resuming a session in a later minute leaves a second, nearly empty file behind, \
               and the clean-up of the next start may delete the whole session because of it",
        fix: "set general.sessionRetention.enabled to false in settings.json",
    }],
    evidence: Evidence::Recorded,
    ..Descriptor::NOTHING
};

/// The fields of a record that its events cover.
const KNOWN_FIELDS: &[&str] = &[
    "$rewindTo",
    "$set",
    "content",
    "displayContent",
    "id",
    "kind",
    "lastUpdated",
    "messages",
    "model",
    "projectHash",
    "sessionId",
    "startTime",
    "summary",
    "thoughts",
    "timestamp",
    "tokens",
    "toolCalls",
    "type",
];

fn identity(session: &str) -> RuntimeIdentity {
    RuntimeIdentity::new(AgentId::new(ID), "", session)
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_kit::Adapter;

    #[test]
    fn a_path_tells_what_a_file_is() {
        let place = |path: &str| ADAPTER.place(path).map(|it| (it.locator, it.rank, it.is_worker));
        let check = |path, expected: Option<(&str, u8, bool)>| {
            let expected = expected.map(|(locator, rank, worker)| (locator.into(), rank, worker));
            assert_eq!(place(path), expected, "{path}");
        };
        check(
            "tmp/app/chats/session-2026-10-01T10-00-abcd1234.jsonl",
            Some(("gemini-chat:app/session-2026-10-01T10-00-abcd1234.jsonl", 1, false)),
        );
        check(
            "tmp/app/chats/session-2025-10-01T10-00-abcd1234.json",
            Some(("gemini-chat:app/session-2025-10-01T10-00-abcd1234.json", 0, false)),
        );
        check("tmp/app/chats/p1/w1.jsonl", Some(("gemini-chat:app/p1/w1.jsonl", 1, true)));
        for other in [
            "tmp/app/logs.json",
            "tmp/app/chats/notes.jsonl",
            "tmp/app/chats/p1/w1.json",
            "tmp/app/chats/p1/more/w1.jsonl",
            "tmp/app/more/chats/session-1.jsonl",
            "tmp//chats/session-1.jsonl",
            "projects.json",
        ] {
            check(other, None);
        }
    }
}
