//! Who wrote something, in the words of another tool.

/// The author that a record of another tool names. It is a claim: nothing here shows that it is so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotedAuthor {
    /// What the author is.
    pub by: NotedBy,
    /// The name of a human author.
    pub name: Option<String>,
    /// The tool, in the words of the record.
    pub tool: Option<String>,
    /// The model, in the words of the record.
    pub model: Option<String>,
    /// The conversation: the tool's own id of it, or an address that names it.
    pub conversation: Option<String>,
    /// The first digits of the hash of tool and conversation.
    pub key: Option<String>,
}

/// What an author is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotedBy {
    /// A coding agent.
    Agent,
    /// A person.
    Human,
    /// An agent and a person.
    Mixed,
    /// The record does not say, or with a word that is not known here.
    Unknown,
}

impl NotedAuthor {
    /// An author of whom only this is known.
    #[must_use]
    pub fn new(by: NotedBy) -> Self {
        Self { by, name: None, tool: None, model: None, conversation: None, key: None }
    }
}
