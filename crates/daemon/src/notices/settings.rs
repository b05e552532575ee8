//! What the user wants to be told, and where.

use super::channels::{Channel, Desktop, Osc, Platform, Route, Webhook, WebhookUrl};
use crate::Settings;
use std::path::PathBuf;
use std::time::Duration;
use taffrail_model::Timestamp;
use taffrail_model::notices::{Hours, Quiet, Wishes};

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

impl NoticeSettings {
    /// Where something is told.
    pub(super) fn channels(&self, settings: &Settings) -> Vec<(Channel, Route)> {
        let mut out = Vec::new();
        let platform = Platform::here();
        let is_there = match platform {
            Platform::Mac => true,
            Platform::Freedesktop => ["DISPLAY", "WAYLAND_DISPLAY"]
                .iter()
                .any(|it| settings.variables.get(*it).is_some_and(|it| !it.is_empty())),
        };
        if self.desktop.unwrap_or(is_there) {
            out.push((Channel::Desktop, Route::Desktop(Desktop::new(platform))));
        }
        out.extend(self.terminal.map(|osc| (Channel::Terminal, Route::Terminal(osc))));
        let webhook = self.webhook.clone().map(|url| {
            let (secret, pauses) = (self.webhook_secret.clone(), self.pauses.clone());
            (Channel::Webhook, Route::Webhook(Webhook { url, secret, pauses }))
        });
        out.extend(webhook);
        if !self.command.is_empty() {
            out.push((Channel::Command, Route::Command(self.command.clone())));
        }
        out
    }

    /// Whether it is quiet now.
    pub(super) fn quiet(&self, now: Timestamp) -> Quiet {
        self.quiet.map_or(Quiet::No, |it| it.at((self.minute)(now)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notices::trying::tests::settings;

    #[test]
    fn without_a_desktop_and_without_a_word_of_the_user_nothing_is_sent() {
        let check = |variables: &[(&str, &str)], notices: NoticeSettings, expected: &[Channel]| {
            let mut settings = settings();
            let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
            settings.variables = variables.iter().map(owned).collect();
            let found: Vec<_> = notices.channels(&settings).iter().map(|(it, _)| *it).collect();
            assert_eq!(found, expected, "{variables:?}");
        };
        let unset = || NoticeSettings { desktop: None, ..NoticeSettings::default() };
        let display: &[(&str, &str)] = &[("DISPLAY", ":0")];
        if Platform::here() == Platform::Freedesktop {
            check(&[], unset(), &[]);
            check(&[("DISPLAY", "")], unset(), &[]);
        }
        check(display, unset(), &[Channel::Desktop]);
        check(&[("WAYLAND_DISPLAY", "wayland-0")], unset(), &[Channel::Desktop]);
        check(display, NoticeSettings::default(), &[]);
        let all = NoticeSettings {
            desktop: Some(true),
            terminal: Some(Osc::Osc9),
            webhook: Some("http://127.0.0.1:9/x".to_owned().try_into().unwrap()),
            command: vec!["tell".to_owned()],
            ..NoticeSettings::default()
        };
        let names = [Channel::Desktop, Channel::Terminal, Channel::Webhook, Channel::Command];
        check(&[], all, &names);
    }
}
