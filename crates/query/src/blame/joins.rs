//! Finds our session behind the author that a record of another tool names.

use super::history::History;
use std::collections::HashMap;
use taffrail_adapters::by_id;
use taffrail_api::{NoteSource, NotedBy, NotedLine};
use taffrail_blame::NotedAuthor;
use taffrail_blame::notes::session_key;
use taffrail_context::Error;
use taffrail_model::SessionId;

/// The longest word of a record that is shown.
const WORD: usize = 300;

/// Our sessions by what records of other tools call them.
#[derive(Debug, Default)]
pub(super) struct Joins {
    keys: HashMap<String, SessionId>,
    ids: HashMap<String, SessionId>,
}

impl Joins {
    /// The joins of all sessions.
    pub(super) fn new(history: &History<'_>) -> Result<Self, Error> {
        let mut out = Self::default();
        for session in history.sessions()? {
            let runtime = session.runtime_id.as_str();
            if let Some(tool) = note_tool(&session.agent) {
                out.keys.insert(session_key(tool, runtime), session.id);
            }
            out.ids.insert(runtime.to_owned(), session.id);
        }
        Ok(out)
    }

    /// A record's author as the reply names it, and whether the text of sessions shows the same.
    pub(super) fn line(
        &self,
        (source, author): (NoteSource, NotedAuthor),
        written_by: Option<SessionId>,
    ) -> NotedLine {
        let session_id = self.session(&author);
        let by = noted_by(&author);
        let agrees = match (written_by, by, session_id) {
            (None, _, _) => None,
            (Some(_), NotedBy::Human, _) => Some(false),
            (Some(ours), _, Some(theirs)) => Some(ours == theirs),
            (Some(_), _, None) => None,
        };
        let conversation = author.conversation.map(short);
        let (name, tool, model) =
            (author.name.map(short), author.tool.map(short), author.model.map(short));
        NotedLine { source, by, name, tool, model, conversation, session_id, agrees }
    }

    fn session(&self, author: &NotedAuthor) -> Option<SessionId> {
        let by_key = author.key.as_ref().and_then(|it| self.keys.get(it));
        let named = author.conversation.as_deref().unwrap_or_default();
        by_key.or_else(|| self.ids.get(named)).or_else(|| self.in_address(named)).copied()
    }

    /// The session whose id is a part of an address, such as a transcript's file name.
    fn in_address(&self, address: &str) -> Option<&SessionId> {
        if !address.contains(['/', '_']) {
            // Some ids begin with a date.
            let rest = address.splitn(4, '-').nth(3)?;
            return self.ids.get(rest);
        }
        let parts = address.split(['/', '?', '#', '=', '&', '_']).rev();
        parts.map(|it| it.trim_end_matches(".jsonl")).find_map(|it| self.ids.get(it))
    }
}

/// The name of an agent in git-ai's notes.
pub(super) fn note_tool(agent: &str) -> Option<&'static str> {
    let tool = by_id(agent)?.descriptor().note_tool;
    Some(tool).filter(|it| !it.is_empty())
}

fn noted_by(author: &NotedAuthor) -> NotedBy {
    match author.by {
        taffrail_blame::NotedBy::Agent => NotedBy::Agent,
        taffrail_blame::NotedBy::Human => NotedBy::Human,
        taffrail_blame::NotedBy::Mixed => NotedBy::Mixed,
        taffrail_blame::NotedBy::Unknown => NotedBy::Unknown,
    }
}

fn short(text: String) -> String {
    match text.len() > WORD {
        true => text.chars().take(WORD).collect(),
        false => text,
    }
}
