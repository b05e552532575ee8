//! The notification channels. Each message is built as data and tested as such.

mod desktop;
mod document;
#[cfg(test)]
mod hostile_tests;
mod osc;
mod post;
mod program;
mod signature;
mod webhook;

pub(super) use desktop::{Desktop, Platform};
pub(super) use webhook::Webhook;

use std::fmt;
use std::str::FromStr;
use taffrail_context::user_program::CommandError;
use taffrail_context::{Osc, Settings};
use taffrail_model::notices::Notice;

/// A notification channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Channel {
    /// The desktop's own notifications.
    Desktop,
    /// The terminals that show tmux.
    Terminal,
    /// The user's webhook.
    Webhook,
    /// The user's program.
    Command,
}

impl Channel {
    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Desktop => "desktop",
            Self::Terminal => "terminal",
            Self::Webhook => "webhook",
            Self::Command => "command",
        }
    }
}

impl FromStr for Channel {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let all = [Self::Desktop, Self::Terminal, Self::Webhook, Self::Command];
        let found = all.into_iter().find(|it| it.as_str() == word);
        found.ok_or_else(|| format!("`{word}` is none of desktop, terminal, webhook and command"))
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Message {
    /// A new notice.
    Told(Notice),
    /// A notice that is over.
    Withdrawn(Notice),
}

/// The inputs of sending, besides the message.
pub(super) struct Sending<'a> {
    pub(super) settings: &'a Settings,
    /// The executors of sessions.
    pub(super) executors: &'a dyn Fn() -> Vec<String>,
    /// Whether the daemon is ending.
    pub(super) ending: &'a dyn Fn() -> bool,
}

/// Why a message was not sent.
#[derive(Debug, thiserror::Error)]
pub(super) enum SendError {
    /// The required program is not installed.
    #[error("{0} is not installed")]
    NotThere(&'static str),
    /// A program failed.
    #[error("{0}: {1}")]
    Program(String, CommandError),
    /// The webhook refused the message.
    #[error("it was answered with {0}")]
    Refused(u16),
    /// The webhook could not be reached.
    #[error("{0}")]
    Unreached(&'static str),
    /// No terminal accepted the message.
    #[error("no terminal that tmux is shown on took it")]
    NoTerminal,
    /// The secret cannot be used.
    #[error("{0}")]
    Secret(String),
}

/// A channel, ready to send.
#[derive(Debug)]
pub(super) enum Route {
    Desktop(Desktop),
    Terminal(Osc),
    Webhook(Webhook),
    Command(Vec<String>),
}

impl Route {
    /// Sends a message, and returns a description of the result.
    pub(super) fn send(
        &mut self,
        message: &Message,
        sending: &Sending<'_>,
    ) -> Result<String, SendError> {
        match self {
            Self::Desktop(desktop) => desktop.send(message, sending),
            Self::Terminal(osc) => osc::send(*osc, message, sending),
            Self::Webhook(webhook) => webhook.send(message, sending),
            Self::Command(words) => program::tell(words, message, sending),
        }
    }

    /// The message as lines for a person to read.
    pub(super) fn shown(&self, message: &Message) -> Vec<String> {
        match self {
            Self::Desktop(desktop) => desktop.shown(message),
            Self::Terminal(osc) => osc::shown(*osc, message),
            Self::Webhook(webhook) => webhook.shown(message),
            Self::Command(words) => program::shown(words, message),
        }
    }
}
