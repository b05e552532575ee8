//! The answers of a scripted model, independent of the API.

use super::{Spent, Wire};
use serde_json::{Value, json};

/// One piece of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Say {
    /// Text.
    Text(String),
    /// A shell command that needs no approval.
    Shell(String),
    /// A shell command that needs approval, if the agent asks for any.
    Guarded(String),
    /// A question with two answers.
    Question(String),
    /// A sub-agent with this prompt.
    Worker(String),
    /// A sub-agent with this prompt in the background.
    Background(String),
    /// A call of a tool by its own name.
    Tool(String, Value),
    /// A call of a tool of an MCP server, by the names of both.
    Mcp(&'static str, &'static str, Value),
    /// Waits until the test opens this gate.
    Hold(String),
    /// An HTTP error instead of an answer.
    Fail(u16),
    /// An HTTP error with this document instead of an answer.
    Refuse(u16, Value),
    /// The tokens that the answer reports.
    Spend(Spent),
}

/// The answer to one request.
pub type Answer = Vec<Say>;

/// An answer of text alone.
#[must_use]
pub fn text(words: &str) -> Answer {
    vec![Say::Text(words.to_owned())]
}

/// A tool call in the form of one API.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    /// The tool.
    pub name: String,
    /// The group of the tool, if the API has groups.
    pub group: Option<String>,
    /// Its input.
    pub input: Value,
}

impl Call {
    /// A call of a tool without a group.
    pub(super) fn of(name: &str, input: Value) -> Self {
        Self { name: name.to_owned(), group: None, input }
    }
}

/// A piece in the form of the API.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Content {
    /// Text.
    Text(String),
    /// A call.
    Call(Call),
}

/// What a text or an input names to be filled in with the session that the request names last.
pub const RECALLED: &str = "[[recalled]]";

impl Say {
    /// The same about the session that the request names last, in the words of our MCP server.
    pub(super) fn about(self, session: Option<&str>) -> Self {
        let Some(session) = session else { return self };
        let filled = |it: &Value| {
            let text = it.to_string().replace(RECALLED, session);
            serde_json::from_str(&text).unwrap()
        };
        match self {
            Self::Text(words) => Self::Text(words.replace(RECALLED, session)),
            Self::Mcp(server, tool, input) => Self::Mcp(server, tool, filled(&input)),
            other => other,
        }
    }

    pub(super) fn content(&self, wire: Wire) -> Option<Content> {
        let call = match self {
            Self::Text(words) => return Some(Content::Text(words.clone())),
            Self::Hold(_) | Self::Fail(_) | Self::Refuse(..) | Self::Spend(_) => return None,
            Self::Tool(name, input) => Call::of(name, input.clone()),
            Self::Mcp(server, tool, input) => wire.mcp(server, tool, input.clone()),
            Self::Shell(command) => wire.shell(command),
            Self::Guarded(command) => wire.guarded(command),
            Self::Question(question) => wire.question(question),
            Self::Worker(prompt) => wire.worker(prompt, false),
            Self::Background(prompt) => wire.worker(prompt, true),
        };
        Some(Content::Call(call))
    }
}

/// The tool calls of the agents of each API.
impl Wire {
    fn shell(self, command: &str) -> Call {
        match self {
            Self::Messages => {
                Call::of("Bash", json!({"command": command, "description": "A scripted command"}))
            }
            Self::Responses => Call::of("exec_command", json!({"cmd": command})),
            Self::Chat => Call::of("shell", json!({"command": command})),
            Self::Gemini => {
                let input = json!({"command": command, "description": "A scripted command"});
                Call::of("run_shell_command", input)
            }
        }
    }

    fn guarded(self, command: &str) -> Call {
        match self {
            // The agent decides what needs approval, and it asks for every command that writes.
            Self::Messages | Self::Chat | Self::Gemini => self.shell(command),
            Self::Responses => {
                let input = json!({"cmd": command, "sandbox_permissions": "require_escalated",
                    "justification": "May this command run?"});
                Call::of("exec_command", input)
            }
        }
    }

    fn question(self, question: &str) -> Call {
        let options = json!([{"label": "Red", "description": "warm"},
            {"label": "Blue", "description": "cold"}]);
        let asked = json!({"id": "scripted", "question": question, "header": "Scripted",
            "multiSelect": false, "options": options});
        match self {
            Self::Messages => Call::of("AskUserQuestion", json!({"questions": [asked]})),
            Self::Responses => Call::of("request_user_input", json!({"questions": [asked]})),
            Self::Chat => Call::of("ask", json!({"questions": [asked]})),
            Self::Gemini => {
                let asked = json!({"question": question, "header": "Scripted", "type": "choice",
                    "options": options});
                Call::of("ask_user", json!({"questions": [asked]}))
            }
        }
    }

    /// The agent of each API gives a server's tools names of its own.
    fn mcp(self, server: &str, tool: &str, input: Value) -> Call {
        match self {
            Self::Messages => Call::of(&format!("mcp__{server}__{tool}"), input),
            Self::Responses => {
                Call { group: Some(format!("mcp__{server}")), ..Call::of(tool, input) }
            }
            Self::Chat => Call::of(&format!("{server}_{tool}"), input),
            Self::Gemini => Call::of(&format!("mcp_{server}_{tool}"), input),
        }
    }

    fn worker(self, prompt: &str, in_background: bool) -> Call {
        match self {
            Self::Messages => {
                let input = json!({"description": "scripted helper", "prompt": prompt,
                    "subagent_type": "general-purpose", "run_in_background": in_background});
                Call::of("Agent", input)
            }
            Self::Chat | Self::Gemini => Call::of("delegate", json!({"instructions": prompt})),
            Self::Responses => {
                let call = Call::of("spawn_agent", json!({"message": prompt}));
                Call { group: Some("multi_agent_v1".to_owned()), ..call }
            }
        }
    }
}
