//! Command patterns: word by word, with an optional last `*` for any number of further words.

use super::decision::Decision;
use super::permissive_parser;
use super::strict_parser::plain_commands;
use std::fmt;

/// The longest pattern, in bytes.
const PATTERN_BYTES: usize = 1024;

/// The commands a rule applies to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    words: Vec<String>,
    tail: Tail,
    text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tail {
    /// A last `*`: zero or more words.
    Any,
    /// Exactly these words.
    Nothing,
}

impl Pattern {
    /// Parses a pattern for a rule with this decision. Rejects a pattern that could never match.
    ///
    /// # Errors
    /// Returns the reason, for people.
    pub fn parse(text: &str, decision: Decision) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() || text.len() > PATTERN_BYTES {
            return Err(format!("a pattern has 1 to {PATTERN_BYTES} characters"));
        }
        let (words, tail) = match text.strip_suffix('*') {
            Some(before) if before.is_empty() || before.ends_with(' ') => (before, Tail::Any),
            _ => (text, Tail::Nothing),
        };
        let words = match words.trim() {
            "" => Vec::new(),
            words => words_of(words, decision)?,
        };
        Ok(Self { words, tail, text: text.to_owned() })
    }

    /// The words a command must start with.
    #[must_use]
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Whether any words may follow.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.tail == Tail::Any
    }

    /// Whether a command matches word by word: the test for rules that allow.
    #[must_use]
    pub fn is(&self, command: &[String]) -> bool {
        command.strip_prefix(self.words.as_slice()).is_some_and(|rest| self.may_follow(rest.len()))
    }

    /// Whether a command may match, ignoring the program's folder and options before each word: the
    /// test for rules that deny or ask.
    #[must_use]
    pub fn may_be(&self, command: &[String]) -> bool {
        if self.words.is_empty() {
            return true;
        }
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        let ends = permissive_parser::comes_to(command, &words);
        ends.into_iter().any(|at| self.may_follow(command.len().saturating_sub(at)))
    }

    fn may_follow(&self, words: usize) -> bool {
        self.tail == Tail::Any || words == 0
    }
}

fn words_of(text: &str, decision: Decision) -> Result<Vec<String>, String> {
    let plain = plain_commands(text);
    let commands = match (plain, decision) {
        (Ok(commands), _) => commands,
        (Err(error), Decision::Allow) => {
            return Err(format!("it could never allow anything: {error}"));
        }
        (Err(_), Decision::Ask | Decision::Deny) => {
            permissive_parser::written(text).into_iter().map(|it| it.words).collect()
        }
    };
    let mut commands = commands.into_iter();
    match (commands.next(), commands.next()) {
        (Some(words), None) if words.iter().any(|it| it.contains('*')) => {
            Err("a `*` must be a word of its own, and the last one".to_owned())
        }
        (Some(words), None) if !words.is_empty() => Ok(words),
        _ => Err("a pattern is one command".to_owned()),
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
