//! Which channels the user configured, and whether it is quiet now.

use crate::channels::{Channel, Desktop, Platform, Route, Webhook};
use taffrail_context::Settings;
use taffrail_model::Timestamp;
use taffrail_model::notices::Quiet;

/// The channels that the user configured, ready to send.
pub(crate) fn routes(settings: &Settings) -> Vec<(Channel, Route)> {
    let (mut out, notices) = (Vec::new(), &settings.notices);
    let platform = Platform::here();
    let is_there = match platform {
        Platform::Mac => true,
        Platform::Freedesktop => ["DISPLAY", "WAYLAND_DISPLAY"]
            .iter()
            .any(|it| settings.variables.get(*it).is_some_and(|it| !it.is_empty())),
    };
    if notices.desktop.unwrap_or(is_there) {
        out.push((Channel::Desktop, Route::Desktop(Desktop::new(platform))));
    }
    out.extend(notices.terminal.map(|osc| (Channel::Terminal, Route::Terminal(osc))));
    let webhook = notices.webhook.clone().map(|url| {
        let (secret, pauses) = (notices.webhook_secret.clone(), notices.pauses.clone());
        let format = notices.webhook_format;
        (Channel::Webhook, Route::Webhook(Webhook { url, format, secret, pauses }))
    });
    out.extend(webhook);
    if !notices.command.is_empty() {
        out.push((Channel::Command, Route::Command(notices.command.clone())));
    }
    out
}

/// Whether quiet hours apply now.
pub(crate) fn quiet(settings: &Settings, now: Timestamp) -> Quiet {
    let notices = &settings.notices;
    notices.quiet.map_or(Quiet::No, |it| it.at((notices.minute)(now)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::tests::settings;
    use taffrail_context::{NoticeSettings, Osc};

    #[test]
    fn without_a_desktop_and_without_a_word_of_the_user_nothing_is_sent() {
        let check = |variables: &[(&str, &str)], notices: NoticeSettings, expected: &[Channel]| {
            let mut settings = settings();
            let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
            settings.variables = variables.iter().map(owned).collect();
            settings.notices = notices;
            let found: Vec<_> = routes(&settings).iter().map(|(it, _)| *it).collect();
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
