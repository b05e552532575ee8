//! Which channels the user configured, and whether it is quiet now.

use crate::channel::Channel;
use crate::channels::{Desktop, Ntfy, Platform, Route, Telegram, WebPush, Webhook};
use taffrail_context::{NoticeSettings, Settings};
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
    out.extend(to_phones(settings, notices));
    out
}

/// The channels to phones.
fn to_phones(settings: &Settings, notices: &NoticeSettings) -> Vec<(Channel, Route)> {
    let pauses = || notices.pauses.clone();
    let push = notices.push.clone().map(|state| Route::Push(WebPush::new(state, pauses())));
    let ntfy = notices.ntfy.clone().map(|topic| {
        let (token, public) = (notices.ntfy_token.clone(), settings.public_url.clone());
        Route::Ntfy(Ntfy { topic, token, public, pauses: pauses() })
    });
    let telegram = notices.telegram.clone();
    let telegram = telegram.map(|it| Route::Telegram(Telegram::new(it, pauses())));
    let all = [(Channel::Push, push), (Channel::Ntfy, ntfy), (Channel::Telegram, telegram)];
    all.into_iter().filter_map(|(channel, route)| Some((channel, route?))).collect()
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
    use taffrail_context::Osc;

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
            push: Some("/nowhere".into()),
            ntfy: Some("https://ntfy.sh/x".to_owned().try_into().unwrap()),
            ..NoticeSettings::default()
        };
        use Channel::{Command, Desktop, Ntfy, Push, Terminal, Webhook};
        check(&[], all, &[Desktop, Terminal, Webhook, Command, Push, Ntfy]);
    }
}
