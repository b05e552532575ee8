//! Prompt histories: a file in which an agent keeps every prompt, one line each, also of sessions
//! whose transcripts it deleted.
//!
//! The store drops these prompts as soon as another source has their session.

use crate::Reader;
use std::borrow::Cow;
use std::collections::HashMap;
use taffrail_model::{
    AgentId, Detail, Draft, EventId, Facts, Kind, Origin, Record, RecordKey, RuntimeIdentity,
    SessionId, Sink, Timestamp, TitleRank, TurnId, hash,
};

/// A prompt history, and how a line of it is read.
#[derive(Debug)]
pub struct PromptHistory {
    /// The file, below the agent's home.
    pub path: &'static str,
    /// Reads a line; `None` if it is torn or not a line of this file.
    pub read: fn(&[u8]) -> Option<HistoryLine<'_>>,
}

/// A line of a prompt history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HistoryLine<'l> {
    /// A prompt of a session.
    Prompt(HistoryPrompt<'l>),
    /// Nothing that belongs to a conversation: a command, or a prompt whose session is not named.
    Nothing,
}

/// A prompt of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryPrompt<'l> {
    /// The agent's id of the session.
    pub session: Cow<'l, str>,
    /// When it was given.
    pub at: Timestamp,
    /// The working directory.
    pub project: Option<Cow<'l, str>>,
    /// Its text.
    pub text: Cow<'l, str>,
}

impl PromptHistory {
    /// The prompt in a line, with its session.
    #[must_use]
    pub fn prompt<'l>(
        &self,
        agent: &str,
        line: &'l [u8],
    ) -> Option<(RuntimeIdentity, HistoryPrompt<'l>)> {
        match (self.read)(line)? {
            HistoryLine::Prompt(prompt) => Some((identity(agent, &prompt), prompt)),
            HistoryLine::Nothing => None,
        }
    }
}

/// Whether a text that a person typed is a command of the program or of a shell, and not a prompt:
/// transcripts record both as commands, too. A path is not a command.
#[must_use]
pub fn is_command(text: &str) -> bool {
    let text = text.trim_start();
    let Some(rest) = text.strip_prefix('/') else { return text.starts_with('!') };
    let name = rest.split(char::is_whitespace).next().unwrap_or_default();
    let is_part = |it: char| it.is_alphanumeric() || matches!(it, '-' | '_' | ':' | '.');
    name.chars().all(is_part)
}

/// The reader of a prompt history; it is stateless between records.
pub struct PromptHistoryReader {
    agent: &'static str,
    history: &'static PromptHistory,
    sessions: Vec<(RuntimeIdentity, Facts)>,
    places: HashMap<SessionId, usize>,
}

impl PromptHistoryReader {
    /// A reader of this agent's prompt history.
    #[must_use]
    pub fn new(agent: &'static str, history: &'static PromptHistory) -> Self {
        Self { agent, history, sessions: Vec::new(), places: HashMap::new() }
    }

    fn note(&mut self, who: &RuntimeIdentity, prompt: &HistoryPrompt<'_>) {
        let next = self.sessions.len();
        let place = *self.places.entry(who.session()).or_insert(next);
        if place == next {
            self.sessions.push((who.clone(), Facts::default()));
        }
        let Some((_, facts)) = self.sessions.get_mut(place) else { return };
        facts.offer_title(TitleRank::FirstPrompt, &prompt.text);
        if facts.project_path.is_none() {
            facts.project_path = prompt.project.as_deref().map(str::to_owned);
        }
    }
}

impl Reader for PromptHistoryReader {
    fn read(&mut self, record: &Record<'_>, sink: &mut dyn Sink) {
        if record.bytes.trim_ascii().is_empty() {
            return;
        }
        let prompt = match (self.history.read)(record.bytes) {
            Some(HistoryLine::Prompt(prompt)) => prompt,
            Some(HistoryLine::Nothing) => return,
            None => return sink.unknown("prompt-history/unreadable", None),
        };
        let who = identity(self.agent, &prompt);
        self.note(&who, &prompt);
        sink.event(&who, draft(&who, &prompt, record.bytes));
    }

    fn facts(&self) -> Vec<(RuntimeIdentity, Facts)> {
        self.sessions.clone()
    }

    fn save(&self) -> String {
        String::new()
    }
}

fn identity(agent: &str, prompt: &HistoryPrompt<'_>) -> RuntimeIdentity {
    RuntimeIdentity::new(AgentId::new(agent), "", prompt.session.as_ref())
}

/// Equal lines are one prompt: they name the same session and the same time.
fn draft<'d>(who: &RuntimeIdentity, prompt: &'d HistoryPrompt<'_>, line: &[u8]) -> Draft<'d> {
    let key = RecordKey::Line { hash: hash::of_bytes(line), nth: 0 };
    let turn = TurnId::opened_by(EventId::of(who.session(), &key, 0));
    let mut draft = Draft::new(key, 0, Kind::UserPrompt);
    draft.at = Some(prompt.at);
    draft.origin = Origin::PromptHistory;
    draft.turn = Some(turn);
    draft.opens_turn = true;
    draft.text = Some(Cow::Borrowed(&prompt.text));
    draft.detail = Detail::Prompt { asked_by: None };
    draft
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_not_a_prompt_and_a_path_is() {
        let check = |text: &str, expected| assert_eq!(is_command(text), expected, "{text:?}");
        check("/clear", true);
        check("/model opus", true);
        check("/plugin:review 12", true);
        check(" /exit\n", true);
        check("/", true);
        check("!ls -la", true);
        check("/home/me/app does not build", false);
        check("/etc/hosts", false);
        check("fix /clear", false);
        check("# a heading", false);
        check("why!", false);
    }
}
