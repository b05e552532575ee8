//! Search queries and their hits.

use crate::schema;
use serde::{Deserialize, Serialize};
use taffrail_model::{Cursor, EventId, Kind, SessionId, Timestamp, TurnId};
use utoipa::ToSchema;

/// What to find.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchRequest {
    /// As it was typed: words, `"phrases"`, `prefix*` and filters.
    pub query: String,
    /// At most so many hits.
    pub limit: usize,
    /// The folder that is meant by `.`.
    pub here: String,
}

/// An event that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SearchHit {
    /// Its session.
    #[schema(value_type = schema::SessionId)]
    pub session_id: SessionId,
    /// The event.
    #[schema(value_type = String)]
    pub event_id: EventId,
    /// Its turn.
    #[schema(value_type = Option<String>)]
    pub turn_id: Option<TurnId>,
    /// What it says.
    #[schema(value_type = schema::Kind)]
    pub kind: Kind,
    /// When.
    #[schema(value_type = schema::Instant)]
    pub created_at: Timestamp,
    /// The piece of its text that shows why, as plain text.
    pub snippet: String,
    /// Where the words are in the snippet: beginning and end of each, in characters.
    pub matches: Vec<[usize; 2]>,
    /// The text could not be read back: the piece is what the index remembers of its beginning.
    pub stale: bool,
    /// The session's agent.
    pub agent: String,
    /// The device the session is on; `null` for this one while it has no name.
    pub device: Option<String>,
    /// The session's title.
    pub title: Option<String>,
    /// Where the session works.
    pub project_path: Option<String>,
    /// The source that says it.
    pub source_uri: String,
    /// Where in the source.
    #[schema(value_type = schema::SourceCursor)]
    pub source_cursor: Cursor,
    /// Higher fits better; only to be compared within one reply.
    pub score: f32,
    /// It lacks words and matches far less than the best; lists for people leave it out.
    #[serde(default)]
    pub weak: bool,
    /// It has none of the words, but says something similar.
    #[serde(default)]
    pub by_meaning: bool,
}

/// What was found, the best first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SearchReply {
    /// Of this document.
    pub schema_version: u32,
    /// How many events fit; exact up to 1,000.
    pub total: u64,
    /// More fit than `total` says.
    pub total_is_at_least: bool,
    /// Not everything on disk was searched.
    pub partial: bool,
    /// How many of `total` are weak.
    #[serde(default)]
    pub weaker: u64,
    /// The best of them: those with all words before those with some.
    pub hits: Vec<SearchHit>,
}

impl SearchReply {
    /// The hits that a list for people shows.
    pub fn strong(&self) -> impl Iterator<Item = &SearchHit> {
        self.hits.iter().filter(|it| !it.weak)
    }
}
