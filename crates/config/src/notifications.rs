//! The settings of notifications.

use super::at_home;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use std::path::Path;
use taffrail_context::{
    NoticeSettings, NtfyTopic, Osc, TelegramApi, TelegramChat, TelegramSettings, WebhookFormat,
    WebhookUrl,
};
use taffrail_model::Timestamp;
use taffrail_model::findings::FindingKind;
use taffrail_model::notices::{Hours, Wanted, Wishes};

/// The settings as written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub struct NotificationsConfig {
    /// Whether to notify on the desktop; unset means if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    desktop: Option<bool>,
    /// The escape sequence for notifications in terminals.
    #[serde(skip_serializing_if = "Option::is_none")]
    terminal: Option<Osc>,
    /// The URL that receives notifications.
    #[serde(skip_serializing_if = "Option::is_none")]
    webhook: Option<WebhookUrl>,
    /// What messages to the webhook look like.
    webhook_format: WebhookFormat,
    /// The file with the secret that signs messages to the webhook.
    #[serde(skip_serializing_if = "Option::is_none")]
    webhook_secret_file: Option<String>,
    /// The program that receives notifications.
    command: Vec<String>,
    /// Notify browsers that subscribed.
    push: bool,
    /// The topic of ntfy that receives notifications.
    #[serde(skip_serializing_if = "Option::is_none")]
    ntfy: Option<NtfyTopic>,
    /// The file with the token of the ntfy server.
    #[serde(skip_serializing_if = "Option::is_none")]
    ntfy_token_file: Option<String>,
    /// The chat in which a bot of Telegram notifies.
    #[serde(skip_serializing_if = "Option::is_none")]
    telegram_chat: Option<TelegramChat>,
    /// The file with the token of that bot.
    #[serde(skip_serializing_if = "Option::is_none")]
    telegram_token_file: Option<String>,
    /// The address of the Bot API, if not the official one.
    #[serde(skip_serializing_if = "Option::is_none")]
    telegram_api: Option<TelegramApi>,
    /// Notify about sessions that wait for an approval or an answer.
    waiting: bool,
    /// Notify about risky requests.
    risky: bool,
    /// Notify about long jobs that are done.
    finished: bool,
    /// Notify about every turn that ended.
    input: bool,
    /// Notify about findings of these kinds.
    #[serde(deserialize_with = "kinds")]
    findings: Vec<String>,
    /// The hours without notifications.
    #[serde(skip_serializing_if = "Option::is_none")]
    quiet: Option<Hours>,
}

impl Default for NotificationsConfig {
    fn default() -> Self {
        Self {
            desktop: None,
            terminal: None,
            webhook: None,
            webhook_format: WebhookFormat::Json,
            webhook_secret_file: None,
            command: Vec::new(),
            push: false,
            ntfy: None,
            ntfy_token_file: None,
            telegram_chat: None,
            telegram_token_file: None,
            telegram_api: None,
            waiting: true,
            risky: true,
            finished: true,
            input: false,
            findings: Vec::new(),
            quiet: None,
        }
    }
}

impl NotificationsConfig {
    /// The parsed settings; `~` means the user's home.
    pub fn settings(&self, home: &Path, minute: fn(Timestamp) -> u16) -> NoticeSettings {
        let mut command = self.command.clone();
        if let Some(program) = command.first_mut() {
            *program = at_home(home, program).to_string_lossy().into_owned();
        }
        let wanted = |it: bool| if it { Wanted::Yes } else { Wanted::No };
        NoticeSettings {
            desktop: self.desktop,
            terminal: self.terminal,
            webhook: self.webhook.clone(),
            webhook_format: self.webhook_format,
            webhook_secret: self.webhook_secret_file.as_ref().map(|it| at_home(home, it)),
            command,
            ntfy: self.ntfy.clone(),
            ntfy_token: self.ntfy_token_file.as_ref().map(|it| at_home(home, it)),
            telegram: self.telegram(home),
            wishes: Wishes {
                waiting: wanted(self.waiting),
                risky: wanted(self.risky),
                finished: wanted(self.finished),
                input: wanted(self.input),
                findings: self.findings.iter().cloned().collect(),
            },
            quiet: self.quiet,
            minute,
            ..NoticeSettings::default()
        }
    }

    /// Whether to notify browsers that subscribed.
    #[must_use]
    pub fn wants_push(&self) -> bool {
        self.push
    }

    fn telegram(&self, home: &Path) -> Option<TelegramSettings> {
        let token = self.telegram_token_file.as_ref().map(|it| at_home(home, it));
        let api = self.telegram_api.clone().unwrap_or_default();
        self.telegram_chat.map(|chat| TelegramSettings { chat, token, api })
    }
}

/// Accepts only known kinds of findings, so that a typo does not go unnoticed.
fn kinds<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let words = Vec::<String>::deserialize(from)?;
    for word in &words {
        if matches!(FindingKind::from(word.as_str()), FindingKind::Unknown(_)) {
            return Err(D::Error::custom(format!("no finding is of the kind `{word}`")));
        }
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::super::{Config, with_value};
    use super::*;

    #[test]
    fn what_is_set_is_meant_and_a_mistake_is_told() {
        let set = |key: &str, value: &str| with_value("", &format!("notifications.{key}"), value);
        let text = set("quiet", "22:00-07:00").unwrap();
        let text = with_value(&text, "notifications.findings", r#"["rate_limit"]"#).unwrap();
        let text = with_value(&text, "notifications.command", r#"["~/bin/tell", "~/x"]"#).unwrap();
        let text = with_value(&text, "notifications.waiting", "false").unwrap();
        let text = with_value(&text, "notifications.input", "true").unwrap();
        let text = with_value(&text, "notifications.webhook_format", "cloudevents").unwrap();
        let text = with_value(&text, "notifications.push", "true").unwrap();
        let text = with_value(&text, "notifications.telegram_chat", "7").unwrap();
        let text = with_value(&text, "notifications.telegram_token_file", "~/bot").unwrap();
        let config = Config::parse(&text, Path::new("x")).unwrap();
        let it = config.notifications.settings(Path::new("/h"), |_| 0);
        assert_eq!(it.webhook_format, WebhookFormat::CloudEvents);
        assert_eq!(it.command, ["/h/bin/tell", "~/x"]);
        let telegram = it.telegram.unwrap();
        assert_eq!((config.notifications.wants_push(), i64::from(telegram.chat)), (true, 7));
        assert_eq!(telegram.token.as_deref(), Some(Path::new("/h/bot")));
        assert_eq!(telegram.api.as_str(), "https://api.telegram.org");
        assert_eq!(it.quiet.map(|it| it.to_string()).as_deref(), Some("22:00-07:00"));
        let findings = ["rate_limit".to_owned()].into();
        let (waiting, input) = (Wanted::No, Wanted::Yes);
        let wishes = Wishes { waiting, input, findings, ..Wishes::default() };
        assert_eq!(it.wishes, wishes);
        for (key, value) in [
            ("quiet", "at night"),
            ("findings", r#"["boredom"]"#),
            ("webhook", "ftp://x"),
            ("webhook_format", "xml"),
            ("terminal", "bell"),
            ("ntfy", "http://ntfy.sh/x"),
            ("telegram_chat", "-1"),
            ("telegram_api", "https://evil.example"),
            ("channel", "x"),
        ] {
            assert!(set(key, value).is_err(), "{key}");
        }
    }
}
