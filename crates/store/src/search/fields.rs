//! The documents of the search index.

use super::meaning::Meaning;
use super::tokenizer::Words;
use taffrail_meaning::Vector;
use taffrail_model::observed::Marks;
use taffrail_model::{EventId, Kind, Timestamp};
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::{Index, TantivyDocument};

/// Another version means that the search index is rebuilt.
pub(crate) const SEARCH_VERSION: u32 = 4;
const WORDS: &str = "words";
const MEANING: &str = "meaning";

/// The fields by name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields {
    pub(crate) key: Field,
    pub(crate) session: Field,
    pub(crate) at: Field,
    pub(crate) kind: Field,
    pub(crate) body: Field,
    /// The vectors of what was said, if they are kept.
    pub(crate) meaning: Option<Field>,
}

/// The schema. Nothing is stored: text is read back from its source.
pub(crate) fn schema(meaning: Meaning) -> Schema {
    let words = TextFieldIndexing::default()
        .set_tokenizer(WORDS)
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let mut builder = Schema::builder();
    builder.add_u64_field("key", FAST);
    builder.add_u64_field("session", INDEXED | FAST);
    builder.add_i64_field("at", FAST);
    builder.add_u64_field("kind", FAST);
    builder.add_text_field("body", TextOptions::default().set_indexing_options(words));
    if meaning == Meaning::Kept {
        builder.add_u64_field(MEANING, FAST);
    }
    builder.build()
}

impl Fields {
    /// The fields of an index.
    pub(crate) fn of(schema: &Schema) -> tantivy::Result<Self> {
        Ok(Self {
            key: schema.get_field("key")?,
            session: schema.get_field("session")?,
            at: schema.get_field("at")?,
            kind: schema.get_field("kind")?,
            body: schema.get_field("body")?,
            meaning: schema.get_field(MEANING).ok(),
        })
    }

    /// Whether vectors are kept.
    pub(crate) fn meaning(&self) -> Meaning {
        if self.meaning.is_some() { Meaning::Kept } else { Meaning::Dropped }
    }
}

/// Registers our tokenizer with an index.
pub(crate) fn register(index: &Index) {
    index.tokenizers().register(WORDS, Words::default());
}

/// An event as a document of the search index.
#[derive(Debug, Clone)]
pub struct Document {
    /// The session's row.
    pub session: i64,
    /// The event.
    pub id: EventId,
    /// Its kind.
    pub kind: Kind,
    /// Its flags, known without its text.
    pub marks: Marks,
    /// When.
    pub at: Timestamp,
    /// Its searchable text.
    pub text: String,
}

impl Document {
    pub(crate) fn into_tantivy(self, fields: &Fields) -> TantivyDocument {
        let mut out = TantivyDocument::default();
        out.add_u64(fields.key, key(self.id));
        out.add_u64(fields.session, row(self.session));
        out.add_i64(fields.at, self.at.as_second());
        out.add_u64(fields.kind, code_of(&self.kind, self.marks));
        if let Some(field) = fields.meaning.filter(|_| is_said(&self.kind)) {
            let words = taffrail_meaning::vectors(&self.text).flat_map(Vector::to_words);
            words.for_each(|it| out.add_u64(field, it));
        }
        out.add_text(fields.body, self.text);
        out
    }
}

/// Whether a person or an agent says it. The output of tools has no meaning of its own.
fn is_said(kind: &Kind) -> bool {
    matches!(kind, Kind::UserPrompt | Kind::AssistantMessage)
}

/// The key of an event: the first bytes of its id, which is a hash.
pub(crate) fn key(id: EventId) -> u64 {
    let mut first = [0; 8];
    first.iter_mut().zip(id.as_bytes()).for_each(|(to, from)| *to = *from);
    u64::from_be_bytes(first)
}

/// A row number in tantivy's type.
pub(crate) fn row(session: i64) -> u64 {
    u64::try_from(session).unwrap_or(0)
}

/// Kinds by number; the order is part of the format.
const KINDS: &[Kind] = &[
    Kind::UserPrompt,
    Kind::AssistantMessage,
    Kind::AssistantThinking,
    Kind::ToolCall,
    Kind::ToolResult,
    Kind::Error,
    Kind::ContextCompacted,
    Kind::Notice,
    Kind::SessionStarted,
    Kind::SessionExited,
    Kind::ApprovalRequested,
    Kind::ApprovalResolved,
    Kind::AgentStopped,
    Kind::FindingRaised,
];
/// The result of a call that somebody refused.
const DENIED_RESULT: u64 = 61;
/// The result of a call that failed.
const FAILED_RESULT: u64 = 62;
/// The word for results of calls that somebody refused.
const DENIED: &str = "denied";
const OTHER: u64 = 63;

/// The number of an event: the number of its kind, except for a call that failed or was refused.
fn code_of(kind: &Kind, marks: Marks) -> u64 {
    match kind {
        Kind::ToolResult if marks.has(Marks::FAILED) => FAILED_RESULT,
        Kind::ToolResult if marks.has(Marks::DENIED) => DENIED_RESULT,
        _ => code(kind),
    }
}

/// The number of a kind.
pub(crate) fn code(kind: &Kind) -> u64 {
    let known = KINDS.iter().position(|it| it == kind);
    known.and_then(|it| u64::try_from(it).ok()).unwrap_or(OTHER)
}

/// The kinds that a user means, as a bit set: by full name, or by a part of it. A failed call is a
/// result and an error, a refused one a result.
pub fn codes(typed: &str) -> u64 {
    if typed == DENIED {
        return 1 << DENIED_RESULT;
    }
    let meant = |kind: &&Kind| {
        let name = kind.as_str();
        name == typed || name.split('.').any(|part| part == typed)
    };
    let named: u64 = KINDS.iter().filter(meant).map(|kind| 1 << code(kind)).sum();
    let (result, error) = (1 << code(&Kind::ToolResult), 1 << code(&Kind::Error));
    let failed = if named & (result | error) == 0 { 0 } else { 1 << FAILED_RESULT };
    let denied = if named & result == 0 { 0 } else { 1 << DENIED_RESULT };
    named | failed | denied
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_meant_by_its_name_or_a_part_of_it() {
        let bit = |kind: Kind| 1u64 << code(&kind);
        assert_eq!(codes("user.prompt"), bit(Kind::UserPrompt));
        assert_eq!(codes("prompt"), bit(Kind::UserPrompt));
        let failed = 1 << FAILED_RESULT;
        let denied = 1 << DENIED_RESULT;
        assert_eq!(codes("tool"), bit(Kind::ToolCall) | bit(Kind::ToolResult) | failed | denied);
        assert_eq!(codes("denied"), denied);
        assert_eq!(codes("error"), bit(Kind::Error) | failed);
        assert_eq!(codes("tool.call"), bit(Kind::ToolCall));
        assert_eq!(codes("nonsense"), 0);
        assert_eq!(code(&Kind::Unknown("x".into())), OTHER);
    }
}
