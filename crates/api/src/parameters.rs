//! The parameters and bodies of the HTTP routes.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Which sessions to list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a parameter of the address")]
pub struct ListQuery {
    /// Workers too.
    pub all: bool,
    /// Without sessions of which only prompts are left.
    pub with_transcript: bool,
    /// At most so many.
    pub limit: Option<usize>,
    /// Of this agent only, by its id or short name.
    pub agent: Option<String>,
    /// With an event since then: `7d`, `12h`, `30m`, a date or a time.
    pub since: Option<String>,
    /// In this folder or below it; without a slash, in folders of this name.
    pub project: Option<String>,
    /// Only those with this tag.
    pub tag: Option<String>,
    /// Only those that wait for a person.
    pub waiting: bool,
    /// Only those whose latest result is a failure.
    pub failing: bool,
    /// Only those at work on a call that says this.
    pub doing: Option<String>,
    /// Only those that are over and were about this.
    pub topic: Option<String>,
    /// Only those that are over and were work of this kind, such as `fix` or `docs`.
    pub category: Option<String>,
    /// Only those on this device: its name, its id, or `here`.
    pub device: Option<String>,
    /// Only those with all of these words in title, folder, branch, agent or id.
    pub words: Option<String>,
    /// With no event since then.
    pub until: Option<String>,
    /// Only those whose last model is this one.
    pub model: Option<String>,
    /// Only those on this branch last.
    pub branch: Option<String>,
    /// Only those with a star.
    pub starred: bool,
    /// The order: by `last` event (the default), `tokens` read and written, `cost`, `duration` or
    /// `failures`; where that is not known, a session comes last.
    pub sort: Option<String>,
    /// `desc` (the default) or `asc`.
    pub order: Option<String>,
    /// Go on after this: `next` of the page before.
    pub after: Option<String>,
    /// Count the whole list by project, agent, model, branch, device, tag and status, too.
    pub facets: bool,
}

/// Which sessions to count.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct StatsQuery {
    /// Of this agent only, by its id or short name.
    pub agent: Option<String>,
    /// With an event since then: `7d`, `12h`, `30m`, a date or a time.
    pub since: Option<String>,
    /// With no event since then.
    pub until: Option<String>,
    /// In this folder or below it; without a slash, in folders of this name.
    pub project: Option<String>,
    /// Only those with this tag.
    pub tag: Option<String>,
    /// Only those whose last model is this one.
    pub model: Option<String>,
    /// Only those on this branch last.
    pub branch: Option<String>,
    /// Only those that are over and were about this.
    pub topic: Option<String>,
    /// Only those that are over and were work of this kind, such as `fix` or `docs`.
    pub category: Option<String>,
    /// Only those on this device: its name, its id, or `here`.
    pub device: Option<String>,
    /// Count the period of the same length before, too; needs `since`.
    pub compare: bool,
}

/// Which spending to add up, and by which key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct UsageQuery {
    /// The key: `day` (the default), `week`, `month`, `block`, `model`, `project`, `agent`,
    /// `branch`, `tag` or `session`.
    pub by: Option<String>,
    /// Of this agent only, by its id or short name.
    pub agent: Option<String>,
    /// Since then: `7d`, `12h`, `30m`, a date or a time.
    pub since: Option<String>,
    /// In this folder or below it; without a slash, in folders of this name.
    pub project: Option<String>,
    /// Only on this device: its name, its id, or `here`.
    pub device: Option<String>,
}

/// Whether to wait for a summary.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct SummaryQuery {
    /// Until the user's own command has run, if it may run now.
    pub wait: bool,
}

/// How closely a schema reads.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct SchemaQuery {
    /// As a producer must write, not as a consumer must read.
    pub strict: bool,
}

/// Which events of a session to give.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct EventsQuery {
    /// Only what changed after this: a cursor, or a sequence of the numbering in force.
    pub after: Option<String>,
    /// At most so many.
    pub limit: Option<usize>,
}

/// Whose messages to give.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct MessagesQuery {
    /// The session.
    pub id: String,
    /// Only what changed after this cursor.
    pub after: Option<String>,
    /// At most so many.
    pub limit: Option<usize>,
}

/// Which part of a session's transcript to give.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct TranscriptQuery {
    /// The agent's own id of the session, or of one that was joined to it: only that history.
    pub runtime_session_id: Option<String>,
    /// Only what changed after this cursor.
    pub after: Option<String>,
    /// At most so many.
    pub limit: Option<usize>,
}

/// Which history of a session's timeline to give.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct TimelineQuery {
    /// Only the turns of the history with this id, the agent's own id of the session.
    pub runtime_session_id: Option<String>,
    /// Only the beginnings of the prompts and no answers: cheap for very long sessions.
    pub brief: bool,
}

/// Which of a peer's sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct PeerTimelineQuery {
    /// The agent's own id of the session, where the peer has several.
    pub session_id: Option<String>,
}

/// Which session is meant.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct MeantQuery {
    /// The beginning of its id, its agent's own id, `@last`, `@waiting` or `.`.
    pub id: String,
    /// The folder that is meant by `.`.
    pub here: Option<String>,
}

/// What to find.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct SearchQuery {
    /// Words, `"phrases"`, `prefix*` and filters.
    pub q: String,
    /// At most so many hits.
    pub limit: Option<usize>,
    /// The folder that is meant by `.`.
    pub here: Option<String>,
}

/// What to wait for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct WaitQuery {
    /// The sessions, separated by commas; without them any session counts.
    pub ids: Option<String>,
    /// The statuses, separated by commas; by default `waiting,waiting_approval`.
    #[serde(rename = "for")]
    pub statuses: Option<String>,
    /// Seconds until it is given up; at most 600, by default 60.
    pub timeout: Option<f64>,
}

/// Whether to give the copies one by one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct ArchiveQuery {
    /// Each copy, too.
    pub entries: bool,
}

/// Which sessions to forget: one of the three.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ForgetBody {
    /// These.
    pub ids: Vec<String>,
    /// All in this folder or below it.
    pub project: Option<String>,
    /// All with nothing new since then: `365d`, a date or a time.
    pub before: Option<String>,
    /// Do it; otherwise only say what it would mean.
    pub yes: bool,
}

/// Whether a session is captured.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CaptureBody {
    /// The session.
    pub id: String,
    /// Capture it again; otherwise no more.
    pub on: bool,
    /// Forget what is held of it, where it is captured no more.
    pub forget: bool,
}

/// How to repair a binding: one of the three.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RepairBody {
    /// The session takes the place of this one.
    pub join: Option<String>,
    /// Undo the join of it, or of those joined to it.
    pub split: bool,
    /// Keep it for history only; `false` for no more.
    pub archive: Option<bool>,
}

/// Which of a peer's sessions, and how much of its transcript.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct PeerQuery {
    /// The agent's own id of the session, where the peer has several.
    pub session_id: Option<String>,
    /// Go on after this cursor.
    pub after: Option<String>,
    /// At most so many.
    pub limit: Option<usize>,
}

/// Which copies to drop from the archive.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PruneBody {
    /// Copies nothing was added to since then, beside older editions.
    pub older_than: Option<String>,
    /// Do it; otherwise only say what it would mean.
    pub yes: bool,
}

/// Something that is only done on purpose.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct YesBody {
    /// Do it.
    pub yes: bool,
}

/// A file on this machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FileBody {
    /// Its absolute path.
    pub file: String,
    /// Do it, where something would be replaced.
    pub yes: bool,
}

/// Nothing more is to be said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NoBody {}
