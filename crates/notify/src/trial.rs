//! Sends one test notice, to see whether it arrives.

use crate::channel::Channel;
use crate::channels::{Message, SendError, Sending};
use crate::publisher::is_quiet;
use crate::routes::routes;
use taffrail_context::Settings;
use taffrail_model::notices::{About, Notice, NoticeKind};
use taffrail_model::{AgentId, RuntimeIdentity};

/// The result of a test on one channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    /// The channel.
    pub channel: Channel,
    /// The message, a line each.
    pub shows: Vec<String>,
    /// The result; `None` if it was not to be sent.
    pub came: Option<Result<String, String>>,
    /// Quiet hours apply: the daemon would wait.
    pub is_quiet: bool,
}

/// Sends one notice to every configured channel, or to one; only shows it if `is_dry`.
#[must_use]
pub fn try_channels(settings: &Settings, only: Option<Channel>, is_dry: bool) -> Vec<Tried> {
    let message = Message::Told(sample(settings));
    let sending = Sending { settings, executors: &Vec::new, ending: &|| false, phone: None };
    let mut out = Vec::new();
    for (channel, mut route) in routes(settings) {
        if only.is_some_and(|it| it != channel) {
            continue;
        }
        let shows = route.shown(&message);
        let send = || route.send(&message, &sending).map_err(|it: SendError| it.to_string());
        let came = (!is_dry).then(send);
        out.push(Tried { channel, shows, came, is_quiet: is_quiet(settings) });
    }
    out
}

fn sample(settings: &Settings) -> Notice {
    let session_id = RuntimeIdentity::new(AgentId::new("taffrail"), "", "notify test").session();
    let (label, kind) = ("taffrail".to_owned(), NoticeKind::Waiting);
    let says = "This is a test. Nothing waits for you.".to_owned();
    Notice {
        id: "test".to_owned(),
        at: (settings.now)(),
        kind,
        title: "Taffrail can notify you".to_owned(),
        body: says.clone(),
        about: vec![About { session_id, label, kind, says, approval_id: None }],
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::path::Path;

    /// Settings without any channel.
    pub(crate) fn settings() -> Settings {
        Settings {
            variables: [("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned())].into(),
            user_home: "/".into(),
            ..Settings::in_folder(Path::new("/nowhere"), || "2026-10-01T10:30:00Z".parse().unwrap())
        }
    }

    #[test]
    fn a_try_says_what_would_be_sent_and_what_became_of_it() {
        let mut settings = settings();
        settings.notices.command = ["sh", "-c", "cat >/dev/null"].map(str::to_owned).to_vec();
        settings.notices.terminal = Some(taffrail_context::Osc::Osc9);
        let all = try_channels(&settings, None, true);
        let channels: Vec<_> = all.iter().map(|it| (it.channel, it.came.clone())).collect();
        assert_eq!(channels, [(Channel::Terminal, None), (Channel::Command, None)]);
        assert!(all[0].shows[0].contains("\\u{1b}]9;Taffrail can notify you: "), "{all:?}");
        let one = try_channels(&settings, Some(Channel::Command), false);
        assert_eq!(one[0].came, Some(Ok("it ended well".to_owned())));
        settings.notices.command = vec!["/nowhere/at/all".to_owned()];
        let one = try_channels(&settings, Some(Channel::Command), false);
        assert!(matches!(&one[0].came, Some(Err(why)) if why.contains("cannot be run")), "{one:?}");
    }
}
