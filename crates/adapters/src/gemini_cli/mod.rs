//! Gemini CLI: chats in JSON lines below `~/.gemini/tmp`, one folder per project.

mod approvals;
mod hooks;
mod install;
mod message;
mod message_list;
mod parts;
mod project;
mod record;
mod screen;
mod telemetry;
mod transcript;

use crate::journal::JournalReader;
use crate::{
    Adapter, Advice, ApprovalPlan, Descriptor, Encoding, Evidence, HomeRule, HookPlan, Place,
    Reader, Retention, Screen, ScreenState, Shape, Source, StartPlan, TelemetryPlan, Traces,
    records,
};
use serde_json::{Map, Value};
use taffrail_model::{AgentId, RuntimeIdentity, journal};

const ID: &str = "gemini-cli";
const SCHEME: &str = "gemini-chat";

static DESCRIPTOR: Descriptor = Descriptor {
    id: ID,
    label: "Gemini CLI",
    short: "gemini",
    scheme: SCHEME,
    homes: &[&[HomeRule::env("GEMINI_CLI_HOME", ".gemini"), HomeRule::user(".gemini")]],
    roots: &["tmp"],
    in_projects: false,
    scoped_ids: false,
    rewrites_records: true,
    processes: &["gemini"],
    traces: Traces {
        programs: &["gemini-cli"],
        marks: &["GEMINI_CLI"],
        instructions: &["GEMINI.md"],
    },
    live: None,
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

/// The adapter for Gemini CLI.
#[derive(Debug)]
pub struct GeminiCli;

/// The one adapter for Gemini CLI.
pub static ADAPTER: GeminiCli = GeminiCli;

static START: StartPlan = StartPlan {
    resume: &["gemini", "--resume", "{id}"],
    resume_in: &[],
    brief: &["gemini", "--prompt-interactive", "{ask}"],
    repeated: &["--model=", "-m=", "--sandbox", "-s", "--screen-reader"],
};

impl Adapter for GeminiCli {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn place(&self, path: &str) -> Option<Place> {
        Chat::at(path).map(Chat::place)
    }

    fn reader(&self, source: &Source<'_>, saved: Option<&str>) -> Box<dyn Reader> {
        Box::new(transcript::Transcript::new(source, saved))
    }

    fn journal(&self) -> Box<dyn Reader> {
        Box::new(JournalReader::new(&DESCRIPTOR, hooks::read_entry))
    }

    fn hook_plan(&self) -> Option<&'static HookPlan> {
        Some(&install::PLAN)
    }

    fn approval_plan(&self) -> Option<&'static ApprovalPlan> {
        Some(&approvals::PLAN)
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

    fn extra(&self, record: &[u8]) -> Map<String, Value> {
        records::extra_fields(record, &[KNOWN_FIELDS, journal::FIELDS].concat())
    }
}

/// A chat file, as its path describes it.
struct Chat<'a> {
    /// The short name of the project.
    slug: &'a str,
    /// The folder and file below `chats`.
    file: &'a str,
    /// The owner.
    owner: Owner<'a>,
}

enum Owner<'a> {
    /// A session of the user; only the end of its name belongs to its id.
    Main { name: &'a str, legacy: bool },
    /// A sub-agent, whose full id is in the name.
    Worker { parent: &'a str, session: &'a str },
}

impl<'a> Chat<'a> {
    fn at(path: &'a str) -> Option<Self> {
        let (slug, file) = path.strip_prefix("tmp/")?.split_once("/chats/")?;
        let owner = Owner::of(file)?;
        let whole = !slug.is_empty() && !slug.contains('/');
        whole.then_some(Self { slug, file, owner })
    }

    fn place(self) -> Place {
        let (shape, rank) = match self.owner {
            Owner::Main { legacy: true, .. } => (Shape::Document, 0),
            Owner::Main { .. } | Owner::Worker { .. } => (Shape::Lines(Encoding::Plain), 1),
        };
        let session = self.owner.worker();
        Place {
            shape,
            locator: format!("{SCHEME}:{}/{}", self.slug, self.file),
            is_worker: session.is_some(),
            session,
            rank,
            beside: project::beside(self.slug),
        }
    }
}

impl<'a> Owner<'a> {
    fn of(file: &'a str) -> Option<Self> {
        if let Some((parent, name)) = file.split_once('/') {
            let session = name.strip_suffix(".jsonl")?;
            let whole = !parent.is_empty() && !session.is_empty() && !session.contains('/');
            return whole.then_some(Self::Worker { parent, session });
        }
        let name = file.strip_prefix("session-")?;
        if let Some(name) = name.strip_suffix(".jsonl") {
            return Some(Self::Main { name, legacy: false });
        }
        let name = name.strip_suffix(".json")?;
        Some(Self::Main { name, legacy: true })
    }

    /// The session of a sub-agent; only the file itself names a user's session.
    fn worker(&self) -> Option<RuntimeIdentity> {
        match self {
            Self::Main { .. } => None,
            Self::Worker { session, .. } => Some(identity(session)),
        }
    }
}

fn identity(session: &str) -> RuntimeIdentity {
    RuntimeIdentity::new(AgentId::new(ID), "", session)
}

#[cfg(test)]
mod tests {
    use super::*;

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
