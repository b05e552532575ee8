//! The names of the channels.

use std::fmt;
use std::str::FromStr;

/// Every channel.
const ALL: [Channel; 7] = [
    Channel::Desktop,
    Channel::Terminal,
    Channel::Webhook,
    Channel::Command,
    Channel::Push,
    Channel::Ntfy,
    Channel::Telegram,
];

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
    /// Browsers that subscribed.
    Push,
    /// The user's topic of ntfy.
    Ntfy,
    /// The user's bot of Telegram.
    Telegram,
}

impl Channel {
    /// Whether a press that comes by this channel may allow a request. Telegram names who pressed. Whoever may
    /// read a topic of ntfy, an agent that reads the user's settings among them, has its links and could press
    /// them.
    #[must_use]
    pub fn may_allow(self) -> bool {
        self == Self::Telegram
    }

    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Desktop => "desktop",
            Self::Terminal => "terminal",
            Self::Webhook => "webhook",
            Self::Command => "command",
            Self::Push => "push",
            Self::Ntfy => "ntfy",
            Self::Telegram => "telegram",
        }
    }
}

impl FromStr for Channel {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let found = ALL.into_iter().find(|it| it.as_str() == word);
        found.ok_or_else(|| {
            let names = ALL.map(Self::as_str).join(", ");
            format!("`{word}` is not a channel; the channels are {names}")
        })
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
