//! What an adapter declares about its agent, as plain data.

use taffrail_model::hash::Digest16;
use taffrail_model::{Process, RuntimeIdentity, Timestamp};

/// The facts about an agent that other crates need.
#[derive(Debug)]
pub struct Descriptor {
    /// The agent's id in events, JSON and configuration.
    pub id: &'static str,
    /// Its name for people.
    pub label: &'static str,
    /// Its name in narrow columns, at most eight letters.
    pub short: &'static str,
    /// Its name in git-ai's notes; empty if they have none.
    pub note_tool: &'static str,
    /// The scheme of its source locators.
    pub scheme: &'static str,
    /// Its homes. Each is given by rules in order, of which the first that applies wins.
    pub homes: &'static [&'static [HomeRule]],
    /// Files and folders below the home with history; nothing else is read.
    pub roots: &'static [&'static str],
    /// Its history is inside projects: every known project's folder is a home, too.
    pub in_projects: bool,
    /// The agent's ids are unique only within one store on one device.
    pub scoped_ids: bool,
    /// The agent rewrites a record when it knows more, instead of only appending records.
    pub rewrites_records: bool,
    /// The names of its processes, as the system shows them.
    pub processes: &'static [&'static str],
    /// Further marks of its processes, and the instruction files it reads.
    pub traces: Traces,
    /// The agent's own list of live sessions.
    pub live: Option<LivePlan>,
    /// How long the agent keeps its history.
    pub retention: Option<Retention>,
    /// What a user of this agent should know; shown by `doctor`.
    pub advice: &'static [Advice],
    /// What is known of its format, and from where.
    pub evidence: Evidence,
}

impl Descriptor {
    /// An agent of which nothing is known, to start from.
    pub const NOTHING: Self = Self {
        id: "",
        label: "",
        short: "",
        note_tool: "",
        scheme: "",
        homes: &[],
        roots: &[],
        in_projects: false,
        scoped_ids: false,
        rewrites_records: false,
        processes: &[],
        traces: Traces::NONE,
        live: None,
        retention: None,
        advice: &[],
        evidence: Evidence::Documented,
    };
}

/// From where the format of an agent is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// The agent was run, and what it wrote is a fixture.
    Recorded,
    /// The agent's source, or the source of another open reader of it.
    Source,
    /// Documents only: a fixture of a user is missing.
    Documented,
}

impl Evidence {
    /// The word in tables and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Recorded => "recorded",
            Self::Source => "source",
            Self::Documented => "documented",
        }
    }
}

/// Further marks of an agent's processes, and the instruction files it reads.
#[derive(Debug)]
pub struct Traces {
    /// More names of its program, to recognise an agent among our callers.
    pub programs: &'static [&'static str],
    /// Variables that it sets for the programs it starts, and that a person's terminal never has.
    pub marks: &'static [&'static str],
    /// Files in a project whose text it takes as instructions.
    pub instructions: &'static [&'static str],
}

impl Traces {
    /// None.
    pub const NONE: Self = Self { programs: &[], marks: &[], instructions: &[] };
}

/// Where an agent's home may be.
#[derive(Debug)]
pub struct HomeRule {
    /// The variable that names a folder; `None` means the user's home.
    pub variable: Option<&'static str>,
    /// The path below that folder, or empty for the folder itself.
    pub below: &'static str,
    /// The systems it applies to.
    pub os: Os,
}

impl HomeRule {
    /// A folder below the one that a variable names.
    #[must_use]
    pub const fn env(variable: &'static str, below: &'static str) -> Self {
        Self { variable: Some(variable), below, os: Os::Any }
    }

    /// A folder below the user's home.
    #[must_use]
    pub const fn user(below: &'static str) -> Self {
        Self { variable: None, below, os: Os::Any }
    }

    /// The same rule, for one system only.
    #[must_use]
    pub const fn on(self, os: Os) -> Self {
        Self { os, ..self }
    }
}

/// The systems that a rule applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Os {
    /// All.
    Any,
    /// Linux, and Linux within Windows.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

/// How to read an agent's own list of live sessions: a folder of small files, one a session, that
/// are rewritten in place and removed when the session ends.
#[derive(Debug)]
pub struct LivePlan {
    /// The folder, below the home.
    pub folder: &'static str,
    /// Whether a name is that of an entry. Nothing else in the folder may be opened.
    pub is_entry: fn(&str) -> bool,
    /// Parses an entry; `None` if it is torn or not an entry.
    pub read: fn(&[u8]) -> Option<LiveEntry>,
}

/// A live session as the agent lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveEntry {
    /// The session.
    pub session: RuntimeIdentity,
    /// The process that runs it, if the entry has both its number and its start.
    pub process: Option<Process>,
    /// The machine and namespace of the process number, as the agent writes it.
    pub domain: Option<String>,
    /// The payload of the journal's entry (`via` is `registry`), as JSON.
    pub payload: String,
    /// Equal for equal payloads; used as a nonce, so that a repetition makes no second event.
    pub mark: Digest16,
}

/// The agent's own clean-up.
#[derive(Debug)]
pub struct Retention {
    /// The settings file, below the home.
    pub file: &'static str,
    /// The JSON pointer to the days: a number, or a text such as `30d`.
    pub pointer: &'static str,
    /// The JSON pointer to a flag that switches the clean-up off when `false`.
    pub switch: Option<&'static str>,
    /// The days kept when nothing is set; `None` if everything is kept.
    pub default_days: Option<u64>,
    /// What to do about it.
    pub fix: &'static str,
}

/// Something a user of the agent should know.
#[derive(Debug)]
pub struct Advice {
    /// The setting that decides whether the advice applies.
    pub setting: Option<AdvisedSetting>,
    /// The id of the check.
    pub id: &'static str,
    /// The fact.
    pub text: &'static str,
    /// What to do about it.
    pub fix: &'static str,
}

/// The setting behind an advice: the advice applies if the setting is absent or has this value.
#[derive(Debug)]
pub struct AdvisedSetting {
    /// The settings file below the agent's home, in JSON.
    pub file: &'static str,
    /// The JSON pointer to the setting.
    pub pointer: &'static str,
    /// The value for which the advice applies.
    pub word: &'static str,
}

/// The classification of a file below an agent's home.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file's shape.
    pub shape: Shape,
    /// The locator URI.
    pub locator: String,
    /// The session in it, if the path alone identifies it.
    pub session: Option<RuntimeIdentity>,
    /// Whether the session is a sub-agent of another.
    pub is_worker: bool,
    /// Of two sources that disagree about one event, the one with the higher rank wins.
    pub rank: u8,
    /// Small files the reader needs beside it, by path below the home.
    pub beside: Vec<String>,
}

/// Turns a document that a person imports into a source; `None` if the document is of another kind.
pub type Importer = fn(&[u8]) -> Option<ImportedDocument>;

/// An imported document, as a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedDocument {
    /// The session in it.
    pub session: RuntimeIdentity,
    /// The path, below the home.
    pub path: String,
}

/// The shape of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// One record a line, mostly appended to.
    Lines(Encoding),
    /// One document of JSON, rewritten whole; it is a single record.
    Document,
    /// A file that is not JSON, or whose lines mean nothing alone; it is a single record.
    Text,
    /// A folder of small files beside the source: each is a record, after the source itself.
    Folder(&'static FolderPlan),
    /// A database of the agent.
    Sqlite(&'static SqlitePlan),
}

/// How the bytes of a line file are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Uncompressed.
    Plain,
    /// Compressed with zstd.
    Zstd,
}

/// A folder of small files that belong to one source.
#[derive(Debug, PartialEq, Eq)]
pub struct FolderPlan {
    /// The folder, beside the source.
    pub folder: &'static str,
    /// How the names of its files end. They are read in the order of their names.
    pub ending: &'static str,
}

/// How to read an agent's database. Every query returns rows that `capture` writes as JSON objects
/// of all their columns; columns with the prefix `taffrail_` control it and are left out.
#[derive(Debug, PartialEq, Eq)]
pub struct SqlitePlan {
    /// One row a session, with `taffrail_key`, `taffrail_table`, `taffrail_rowid`, and
    /// `taffrail_version`, a text that changes whenever the session or one of its rows does.
    pub sessions: &'static str,
    /// The rows of the session whose key is `?1`, in order, with `taffrail_table` and
    /// `taffrail_rowid`. The session's own row comes first, by itself.
    pub rows: &'static str,
    /// One row by its number `?1`, for each table.
    pub row: &'static [(&'static str, &'static str)],
}

/// A source, as a reader gets it.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// Path below the agent's home, with `/` between the parts.
    pub path: &'a str,
    /// The session in the file, for files that hold many.
    pub key: &'a str,
    /// The scope within which ids are unique, for agents with `scoped_ids`; otherwise empty.
    pub scope: &'a str,
    /// The small files the adapter asked for: path below the home, and bytes.
    pub beside: &'a [(String, Vec<u8>)],
    /// When the file was last written, if it is at hand.
    pub written: Option<Timestamp>,
}

impl Source<'_> {
    /// The side file whose path ends in `name`.
    #[must_use]
    pub fn beside(&self, name: &str) -> Option<&[u8]> {
        self.beside.iter().find(|(path, _)| path.ends_with(name)).map(|(_, bytes)| bytes.as_slice())
    }
}
