//! Addresses of the phone's channels, as the user wrote them. Each accepts only what it needs.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The longest address.
const BYTES: usize = 512;
/// The longest topic of ntfy.
const TOPIC: usize = 64;
/// The Bot API, unless a test stands in for it.
const TELEGRAM: &str = "https://api.telegram.org";

/// The address of the user's own tunnel to the pages, such as `https://node.tailnet.ts.net`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PublicUrl(String);

impl TryFrom<String> for PublicUrl {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let host = text.strip_prefix("https://").map(|it| it.strip_suffix('/').unwrap_or(it));
        let is_plain =
            |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || b".-:".contains(&it);
        let named = host.filter(|it| {
            text.len() <= BYTES && it.bytes().all(is_plain) && it.starts_with(|c: char| c != ':')
        });
        match named.filter(|it| has_port_or_none(it)) {
            Some(host) => Ok(Self(format!("https://{host}"))),
            None => Err("a public address is https:// and a host name, without a path".to_owned()),
        }
    }
}

impl From<PublicUrl> for String {
    fn from(it: PublicUrl) -> Self {
        it.0
    }
}

impl PublicUrl {
    /// The address without a slash at its end, which is also its origin.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The host as a browser names it in a request.
    #[must_use]
    pub fn host(&self) -> &str {
        let host = self.0.trim_start_matches("https://");
        host.strip_suffix(":443").unwrap_or(host)
    }
}

/// A topic of an ntfy server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct NtfyTopic(String);

impl TryFrom<String> for NtfyTopic {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let parts = secure(&text).and_then(|it| it.rsplit_once('/'));
        let is_topic = |it: &str| {
            (1..=TOPIC).contains(&it.len())
                && it.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_".contains(&it))
        };
        match parts.is_some_and(|(host, topic)| !host.is_empty() && is_topic(topic)) {
            true => Ok(Self(text)),
            false => Err("a topic of ntfy is an address such as https://ntfy.sh/TOPIC".to_owned()),
        }
    }
}

impl From<NtfyTopic> for String {
    fn from(it: NtfyTopic) -> Self {
        it.0
    }
}

impl NtfyTopic {
    /// The address of the server, and the topic.
    #[must_use]
    pub fn parts(&self) -> (&str, &str) {
        self.0.rsplit_once('/').unwrap_or_default()
    }
}

/// A bot of Telegram, and the one chat it talks to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TelegramSettings {
    /// The private chat; its id is the user's own.
    pub chat: TelegramChat,
    /// The file with the bot's token.
    pub token: Option<PathBuf>,
    /// The address of the Bot API.
    pub api: TelegramApi,
}

/// The id of a private chat. A group has a negative one, and whoever is in it could answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "i64", into = "i64")]
pub struct TelegramChat(i64);

impl TryFrom<i64> for TelegramChat {
    type Error = String;

    fn try_from(id: i64) -> Result<Self, String> {
        match id > 0 {
            true => Ok(Self(id)),
            false => Err("the chat must be a private one, whose id is above 0".to_owned()),
        }
    }
}

impl From<TelegramChat> for i64 {
    fn from(it: TelegramChat) -> Self {
        it.0
    }
}

/// The address of the Bot API: the official one, or a stand-in on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TelegramApi(String);

impl Default for TelegramApi {
    fn default() -> Self {
        Self(TELEGRAM.to_owned())
    }
}

impl TryFrom<String> for TelegramApi {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let is_stand_in = text.starts_with("http://") && secure(&text).is_some();
        match text == TELEGRAM || is_stand_in && !text.ends_with('/') {
            true => Ok(Self(text)),
            false => Err(format!("the Bot API is {TELEGRAM}, or http:// on this machine")),
        }
    }
}

impl From<TelegramApi> for String {
    fn from(it: TelegramApi) -> Self {
        it.0
    }
}

impl TelegramApi {
    /// The address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What follows the scheme of an address that is encrypted or stays on this machine; `None` for any
/// other.
#[must_use]
pub fn secure(url: &str) -> Option<&str> {
    let is_plain = |it: char| it.is_ascii_graphic() && !matches!(it, '"' | '\\' | '<' | '>' | '@');
    if url.len() > BYTES || !url.chars().all(is_plain) {
        return None;
    }
    let rest = url.strip_prefix("https://");
    let here = || url.strip_prefix("http://").filter(|it| is_here(it));
    rest.or_else(here).filter(|it| !it.is_empty() && !it.starts_with(['/', ':', '?', '#']))
}

/// Whether an address without its scheme leads to this machine by a name that nobody can change.
fn is_here(rest: &str) -> bool {
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    ["127.0.0.1", "[::1]"]
        .iter()
        .any(|it| host.strip_prefix(it).is_some_and(|port| port.is_empty() || is_port(port)))
}

/// Whether a text is a colon and a port.
fn is_port(text: &str) -> bool {
    text.strip_prefix(':').is_some_and(|it| it.parse::<u16>().is_ok())
}

fn has_port_or_none(host: &str) -> bool {
    let name_end = host.find(':').unwrap_or(host.len());
    let (name, port) = host.split_at_checked(name_end).unwrap_or_default();
    !name.is_empty() && (port.is_empty() || is_port(port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_exactly_what_its_channel_needs() {
        let public = |it: &str| PublicUrl::try_from(it.to_owned()).ok().map(String::from);
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(public(text).as_deref(), expected, "{text}");
        };
        check("https://node.tailnet.ts.net", Some("https://node.tailnet.ts.net"));
        check("https://node.tailnet.ts.net/", Some("https://node.tailnet.ts.net"));
        check("https://a.example:8443", Some("https://a.example:8443"));
        for bad in [
            "http://a.example",
            "https://",
            "https:///",
            "https://:8443",
            "https://a.example/board",
            "https://a.example:port",
            "https://a@b.example",
            "https://A.example",
            "https://a b",
            "https://a.example:1:2",
            "https://*.example",
            "a.example",
            "",
        ] {
            check(bad, None);
        }
        let host = |it: &str| PublicUrl::try_from(it.to_owned()).unwrap().host().to_owned();
        assert_eq!(host("https://a.example:443"), "a.example");
        assert_eq!(host("https://a.example:8443"), "a.example:8443");
    }

    #[test]
    fn a_topic_is_encrypted_or_on_this_machine() {
        let check = |text: &str, expected: Option<(&str, &str)>| {
            let topic = NtfyTopic::try_from(text.to_owned()).ok();
            assert_eq!(topic.as_ref().map(NtfyTopic::parts), expected, "{text}");
        };
        check("https://ntfy.sh/mine_1", Some(("https://ntfy.sh", "mine_1")));
        check("https://a.example/ntfy/x", Some(("https://a.example/ntfy", "x")));
        check("http://127.0.0.1:80/x", Some(("http://127.0.0.1:80", "x")));
        for bad in [
            "http://ntfy.sh/x",
            "https://ntfy.sh",
            "https://ntfy.sh/",
            "https:///x",
            "https://a/x?y",
            "http://127.0.0.1.evil.example/x",
            "http://127.0.0.1:80@evil.example/x",
            "https://a/é",
            "http://localhost.evil.example/x",
        ] {
            check(bad, None);
        }
    }

    #[test]
    fn a_bot_talks_to_one_person_through_one_address() {
        let api = |it: &str| TelegramApi::try_from(it.to_owned()).is_ok();
        assert!(api(TELEGRAM) && api("http://127.0.0.1:8081"));
        for bad in ["https://api.telegram.org.evil.example", "https://evil.example", "http://a/b"] {
            assert!(!api(bad), "{bad}");
        }
        assert_eq!(TelegramChat::try_from(-100_123).ok(), None);
        assert_eq!(TelegramChat::try_from(7).map(i64::from), Ok(7));
    }
}
