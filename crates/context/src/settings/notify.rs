//! Which notifications the user wants, and on which channels.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;
use taffrail_model::Timestamp;
use taffrail_model::notices::{Hours, Wishes};

/// No address is longer.
const URL_BYTES: usize = 2048;

/// How long a program that is told something may take.
const LIMIT: Duration = Duration::from_secs(10);
/// How long is waited before something is sent again.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];

/// What the user wants to be told, and where.
#[derive(Debug, Clone)]
pub struct NoticeSettings {
    /// On the desktop; `None` for where there is one.
    pub desktop: Option<bool>,
    /// In the terminals tmux is shown on, by this sequence.
    pub terminal: Option<Osc>,
    /// To this address.
    pub webhook: Option<WebhookUrl>,
    /// The file with the secret that messages to it are signed with.
    pub webhook_secret: Option<PathBuf>,
    /// To this program; none where it is empty.
    pub command: Vec<String>,
    /// What is told.
    pub wishes: Wishes,
    /// When nothing is.
    pub quiet: Option<Hours>,
    /// The minute of the day by the user's own clock.
    pub minute: fn(Timestamp) -> u16,
    /// How long one message may take.
    pub limit: Duration,
    /// How long is waited before each further attempt.
    pub pauses: Vec<Duration>,
}

impl Default for NoticeSettings {
    fn default() -> Self {
        Self {
            desktop: Some(false),
            terminal: None,
            webhook: None,
            webhook_secret: None,
            command: Vec::new(),
            wishes: Wishes::default(),
            quiet: None,
            minute: |_| 0,
            limit: LIMIT,
            pauses: PAUSES.to_vec(),
        }
    }
}

/// Which sequence the user's terminal understands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Osc {
    /// A single text.
    Osc9,
    /// A title and a text.
    Osc777,
}

/// An address the user wrote.
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
    /// The whole address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Where it goes, without what may be secret in it.
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
