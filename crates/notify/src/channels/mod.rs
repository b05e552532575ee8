//! The notification channels. Each message is built as data and tested as such.

mod desktop;
mod document;
#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
pub(crate) mod listener;
mod ntfy;
mod osc;
mod post;
mod program;
mod signature;
mod telegram;
mod web_push;
mod webhook;

pub(super) use desktop::{Desktop, Platform};
pub(super) use ntfy::Ntfy;
pub(super) use post::rest;
pub(super) use telegram::{Bot, Telegram};
pub(super) use web_push::WebPush;
pub(super) use webhook::Webhook;

use crate::phone::Phone;
use taffrail_context::user_program::CommandError;
use taffrail_context::{Osc, Settings};
use taffrail_model::notices::Notice;

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
    /// What a phone may answer; `None` outside of the daemon.
    pub(super) phone: Option<&'a Phone>,
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
    /// A browser cannot be notified.
    #[error("{0}")]
    Push(String),
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
    Push(WebPush),
    Ntfy(Ntfy),
    Telegram(Telegram),
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
            Self::Push(push) => push.send(message, sending),
            Self::Ntfy(ntfy) => ntfy.send(message, sending),
            Self::Telegram(telegram) => telegram.send(message, sending),
        }
    }

    /// The message as lines for a person to read.
    pub(super) fn shown(&self, message: &Message) -> Vec<String> {
        match self {
            Self::Desktop(desktop) => desktop.shown(message),
            Self::Terminal(osc) => osc::shown(*osc, message),
            Self::Webhook(webhook) => webhook.shown(message),
            Self::Command(words) => program::shown(words, message),
            Self::Push(push) => push.shown(message),
            Self::Ntfy(ntfy) => ntfy.shown(message),
            Self::Telegram(telegram) => telegram.shown(message),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    pub(crate) use super::document::tests::notice;
}
