//! Which notifications the user wants, and on which channels.

use super::phone::{NtfyTopic, TelegramSettings};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;
use taffrail_model::Timestamp;
use taffrail_model::notices::{Hours, Wishes};

/// The longest URL.
const URL_BYTES: usize = 2048;

/// The default time limit of a program that receives a notification.
const LIMIT: Duration = Duration::from_secs(10);
/// The pauses before each retry.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];

/// Which notifications the user wants, and on which channels.
#[derive(Debug, Clone)]
pub struct NoticeSettings {
    /// On the desktop; `None` means if there is one.
    pub desktop: Option<bool>,
    /// In the terminals that show tmux, with this escape sequence.
    pub terminal: Option<Osc>,
    /// To this URL.
    pub webhook: Option<WebhookUrl>,
    /// What the webhook's messages look like.
    pub webhook_format: WebhookFormat,
    /// The file with the secret that signs the webhook's messages.
    pub webhook_secret: Option<PathBuf>,
    /// To this program; empty for none.
    pub command: Vec<String>,
    /// To browsers that subscribed: the folder of our key and of their addresses.
    pub push: Option<PathBuf>,
    /// To this topic of ntfy.
    pub ntfy: Option<NtfyTopic>,
    /// The file with the token of the ntfy server.
    pub ntfy_token: Option<PathBuf>,
    /// By this bot of Telegram.
    pub telegram: Option<TelegramSettings>,
    /// Which notifications to send.
    pub wishes: Wishes,
    /// The quiet hours.
    pub quiet: Option<Hours>,
    /// The minute of the day on the user's clock.
    pub minute: fn(Timestamp) -> u16,
    /// The time limit of one message.
    pub limit: Duration,
    /// The pause before each retry.
    pub pauses: Vec<Duration>,
}

impl Default for NoticeSettings {
    fn default() -> Self {
        Self {
            desktop: Some(false),
            terminal: None,
            webhook: None,
            webhook_format: WebhookFormat::default(),
            webhook_secret: None,
            command: Vec::new(),
            push: None,
            ntfy: None,
            ntfy_token: None,
            telegram: None,
            wishes: Wishes::default(),
            quiet: None,
            minute: |_| 0,
            limit: LIMIT,
            pauses: PAUSES.to_vec(),
        }
    }
}

/// The escape sequence that the user's terminal understands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Osc {
    /// A single text.
    Osc9,
    /// A title and a text.
    Osc777,
}

/// The form of a webhook's messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WebhookFormat {
    /// Our own document.
    #[default]
    Json,
    /// The document in an envelope of `CloudEvents` 1.0.
    CloudEvents,
}

/// A URL from the user's configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WebhookUrl(String);

impl TryFrom<String> for WebhookUrl {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        let is_plain = |it: char| it.is_ascii_graphic() && !matches!(it, '"' | '\\' | '<' | '>');
        let is_address = rest.is_some_and(|it| !it.is_empty() && !it.starts_with('/'))
            && text.len() <= URL_BYTES
            && text.chars().all(is_plain);
        match is_address {
            true => Ok(Self(text)),
            false => Err("a webhook is an address that begins with https:// or http://".to_owned()),
        }
    }
}

impl From<WebhookUrl> for String {
    fn from(it: WebhookUrl) -> Self {
        it.0
    }
}

impl WebhookUrl {
    /// The full URL.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The host, without parts of the URL that may be secret.
    #[must_use]
    pub fn host(&self) -> &str {
        let (scheme, rest) = self.0.split_once("://").unwrap_or_default();
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let bare = host.rsplit('@').next().unwrap_or_default();
        match bare.len() == host.len() {
            true => self.0.get(..scheme.len() + 3 + host.len()).unwrap_or_default(),
            false => bare,
        }
    }
}
