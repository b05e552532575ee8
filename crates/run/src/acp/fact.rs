//! What a pipe learns from the messages it passes.

use serde_json::Value;
use taffrail_model::approval::Decision;

/// One thing that a message says.
#[derive(Debug, Clone, PartialEq)]
pub enum Fact {
    /// The editor opened or resumed a session, in this folder.
    Opened {
        /// The session.
        session: String,
        /// The folder.
        folder: Option<String>,
    },
    /// The editor sent a prompt.
    Prompted {
        /// The session.
        session: String,
    },
    /// A turn is over, for this reason.
    TurnOver {
        /// The session.
        session: String,
        /// `end_turn`, `cancelled` or another word; `error` if the prompt failed.
        reason: String,
    },
    /// A tool began, or its state changed.
    Tool {
        /// The session.
        session: String,
        /// Its title, as it was last given.
        title: String,
        /// The state.
        status: String,
    },
    /// The plan changed.
    Plan {
        /// The session.
        session: String,
        /// The step in progress.
        step: String,
        /// How many of how many steps are done.
        progress: String,
    },
    /// The agent asks for permission.
    Asked(Box<Permission>),
    /// A request is over for the agent.
    Settled {
        /// The request.
        key: u64,
        /// The session.
        session: String,
        /// What was decided, if it is known.
        decision: Option<Decision>,
        /// Who settled the request.
        by: SettledBy,
    },
    /// The agent ended. The last fact.
    Ended,
}

/// Who settled a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettledBy {
    /// An answer from Taffrail was written to the agent.
    Taffrail,
    /// The editor answered first.
    Editor,
    /// The agent withdrew the request, or asked another one under the same id.
    Agent,
}

/// A request for permission.
#[derive(Debug, Clone, PartialEq)]
pub struct Permission {
    /// Our number for the request.
    pub key: u64,
    /// The session that asks.
    pub session: String,
    /// The folder it works in, if the editor named it.
    pub folder: Option<String>,
    /// The agent's own id of the call.
    pub call: String,
    /// What the tool does, by the protocol's words: `execute`, `edit`, `fetch`.
    pub kind: String,
    /// The request in the agent's words.
    pub title: String,
    /// The input of the tool, if the agent shows it.
    pub input: Option<Value>,
    /// Files that the agent names.
    pub files: Vec<String>,
    /// Whether the agent offers to be allowed and denied once; only then can it be answered here.
    pub is_answerable: bool,
}

impl Permission {
    /// The command, if the agent shows one.
    #[must_use]
    pub fn command(&self) -> Option<&str> {
        self.input.as_ref()?.get("command")?.as_str()
    }

    /// The request in one line.
    #[must_use]
    pub fn says(&self) -> &str {
        self.command().unwrap_or(&self.title)
    }
}
