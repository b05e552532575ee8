//! Web Push: one sealed message to each browser that subscribed.

use super::post::{Post, Reach, came, post, retried};
use super::{Message, SendError, Sending};
use crate::push::{Key, Subscription, forget_endpoint, origin, subscriptions};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;
use taffrail_model::hash;
use taffrail_model::notices::{Notice, NoticeKind};

/// How long a push service keeps a message for a browser that is away, in seconds.
const LIFE: u32 = 300;
/// The longest text, in characters: a message fits in one record.
const TEXT: usize = 300;
/// The most topics whose latest notice is remembered.
const TOPICS: usize = 256;

/// Web Push and its configuration.
#[derive(Debug)]
pub(crate) struct WebPush {
    /// The folder of our key and of the subscriptions.
    state: PathBuf,
    /// The pause before each retry.
    pauses: Vec<Duration>,
    /// The latest notice of each topic.
    latest: BTreeMap<String, String>,
}

impl WebPush {
    pub(crate) fn new(state: PathBuf, pauses: Vec<Duration>) -> Self {
        Self { state, pauses, latest: BTreeMap::new() }
    }

    pub(super) fn send(
        &mut self,
        message: &Message,
        sending: &Sending<'_>,
    ) -> Result<String, SendError> {
        let all = subscriptions(&self.state);
        if all.is_empty() {
            return Ok("no browser has subscribed".to_owned());
        }
        let key = Key::open(&self.state).map_err(|it| SendError::Push(it.to_string()))?;
        let topic = self.topic(message);
        let text = document(message).to_string();
        let sent = |it: &Subscription| self.send_to(it, (&key, topic.as_deref(), &text), sending);
        let to: Vec<&Subscription> = all.iter().filter(|it| takes(it, message)).collect();
        let failed: Vec<SendError> = to.iter().filter_map(|it| sent(it).err()).collect();
        let (count, good) = (to.len(), to.len() - failed.len());
        match failed.into_iter().next() {
            None => Ok(format!("{good} of {count} browsers will show it")),
            Some(why) if count == 1 => Err(why),
            Some(why) => Err(SendError::Push(format!("{good} of {count} browsers: {why}"))),
        }
    }

    pub(super) fn shown(&self, message: &Message) -> Vec<String> {
        let count = subscriptions(&self.state).len();
        vec![format!("sealed to {count} browsers that subscribed"), document(message).to_string()]
    }

    /// The topic, under which a push service replaces a message that it still keeps. A withdrawal
    /// replaces only what it withdraws.
    fn topic(&mut self, message: &Message) -> Option<String> {
        let (Message::Told(notice) | Message::Withdrawn(notice)) = message;
        let topic = tag(notice);
        if matches!(message, Message::Withdrawn(_)) {
            return (self.latest.get(&topic) == Some(&notice.id)).then_some(topic);
        }
        while self.latest.len() >= TOPICS {
            self.latest.pop_first();
        }
        self.latest.insert(topic.clone(), notice.id.clone());
        Some(topic)
    }

    fn send_to(
        &self,
        to: &Subscription,
        (key, topic, text): (&Key, Option<&str>, &str),
        sending: &Sending<'_>,
    ) -> Result<(), SendError> {
        let attempt = || {
            let fault = |it: crate::push::PushError| SendError::Push(it.to_string());
            let body = to.seal(text.as_bytes()).map_err(fault)?;
            let now = (sending.settings.now)();
            let claim = key.authorization(&origin(&to.endpoint).map_err(fault)?, now);
            let headers = headers(claim.map_err(fault)?, topic);
            let (url, limit) = (to.endpoint.as_str(), sending.settings.notices.limit);
            let post = post(
                &Post { url, headers, body, limit, reach: Reach::PushService },
                sending.ending,
            );
            Ok(came(post))
        };
        match retried(&self.pauses, sending.ending, attempt) {
            // The browser has unsubscribed, or its address has expired.
            Err(SendError::Refused(404 | 410)) => {
                let forgotten = forget_endpoint(&self.state, &to.endpoint);
                forgotten.map(|_| ()).map_err(|it| SendError::Push(it.to_string()))
            }
            came => came.map(|_| ()),
        }
    }
}

/// Safari ends the subscription of a page whose messages show nothing, as a withdrawal does.
fn takes(to: &Subscription, message: &Message) -> bool {
    let host = to.endpoint.split('/').nth(2).unwrap_or_default();
    matches!(message, Message::Told(_)) || !host.ends_with(".push.apple.com")
}

fn headers(claim: String, topic: Option<&str>) -> Vec<(&'static str, String)> {
    let mut out = vec![
        ("Authorization", claim),
        ("Content-Encoding", "aes128gcm".to_owned()),
        ("Content-Type", "application/octet-stream".to_owned()),
        ("TTL", LIFE.to_string()),
        ("Urgency", "high".to_owned()),
    ];
    out.extend(topic.map(|it| ("Topic", it.to_owned())));
    out
}

/// What the service worker gets.
pub(super) fn document(message: &Message) -> Value {
    let (Message::Told(notice) | Message::Withdrawn(notice)) = message;
    let short = |it: &str| it.chars().take(TEXT).collect::<String>();
    json!({
        "event": super::document::event(message),
        "id": notice.id,
        "tag": tag(notice),
        "title": short(&notice.title),
        "body": short(&notice.body),
        "page": page(notice),
        "urgent": notice.kind == NoticeKind::Risky,
    })
}

/// A newer notification about the same session replaces the older one. 32 letters is the longest
/// topic there is.
fn tag(notice: &Notice) -> String {
    let sessions = notice.about.iter().map(|it| it.session_id.to_string());
    let mut sessions: Vec<String> = sessions.collect();
    sessions.sort();
    sessions.dedup();
    let parts: Vec<&[u8]> = match sessions.as_slice() {
        [only] => vec![only.as_bytes()],
        _ => vec![b"several"],
    };
    hash::to_hex(&hash::digest("push-topic", &parts))
}

/// The page that shows what a notice is about.
pub(super) fn page(notice: &Notice) -> String {
    match notice.about.as_slice() {
        [only] => match &only.approval_id {
            Some(id) => format!("/approvals?request={id}"),
            None => format!("/session/{}", only.session_id),
        },
        _ => "/".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::listener::Listener;
    use super::super::tests::notice;
    use super::*;
    use crate::phone::tests::asks;
    use crate::push::{browser, public_key, subscribe};
    use crate::trial::tests::settings;
    use taffrail_context::Settings;
    use taffrail_model::Timestamp;

    fn sent(push: &mut WebPush, message: &Message) -> Result<String, String> {
        let settings = settings();
        let sending = sending(&settings);
        push.send(message, &sending).map_err(|it| it.to_string())
    }

    fn sending(settings: &Settings) -> Sending<'_> {
        Sending { settings, executors: &Vec::new, ending: &|| false, phone: None }
    }

    /// Web Push with a browser for each of these addresses.
    fn push(folder: &std::path::Path, endpoints: &[String]) -> WebPush {
        for (number, endpoint) in endpoints.iter().enumerate() {
            let new = browser(&number.to_string(), endpoint);
            subscribe(folder, &new, Timestamp::UNIX_EPOCH).unwrap();
        }
        WebPush::new(folder.to_owned(), vec![Duration::from_millis(1)])
    }

    #[test]
    fn a_message_is_sealed_signed_and_kept_for_five_minutes() {
        let folder = tempfile::tempdir().unwrap();
        // A stub of a push service: it only notes what it gets.
        let service = Listener::open(&[(201, ""), (201, "")]);
        let mut push = push(folder.path(), &[format!("{}/send/1", service.url)]);
        let told = Message::Told(asks("npm test"));
        let withdrawn = Message::Withdrawn(asks("npm test"));
        assert_eq!(sent(&mut push, &told), Ok("1 of 1 browsers will show it".to_owned()));
        assert_eq!(sent(&mut push, &withdrawn), Ok("1 of 1 browsers will show it".to_owned()));
        let got = service.thread.join().unwrap();
        let key = public_key(folder.path()).unwrap();
        for it in &got {
            assert!(it.head.starts_with("POST /send/1 HTTP/1.1\r\n"), "{}", it.head);
            assert_eq!(it.header("TTL").as_deref(), Some("300"));
            assert_eq!(it.header("Content-Encoding").as_deref(), Some("aes128gcm"));
            assert_eq!(it.header("Topic"), Some(tag(&asks("npm test"))));
            let claim = it.header("Authorization").unwrap();
            assert!(claim.starts_with("vapid t=") && claim.ends_with(&format!(", k={key}")));
            assert_eq!(it.body.len(), 86 + 512 + 17, "it is sealed, and padded");
            assert!(!String::from_utf8_lossy(&it.body).contains("npm"), "it is not plain");
        }
    }

    #[test]
    fn a_browser_that_is_gone_is_forgotten_and_others_get_it() {
        let folder = tempfile::tempdir().unwrap();
        let service = Listener::open(&[(410, ""), (201, ""), (404, ""), (500, ""), (503, "")]);
        let endpoints = ["1", "2", "3", "4"].map(|it| format!("{}/{it}", service.url));
        let mut push = push(folder.path(), &endpoints);
        let came = sent(&mut push, &Message::Told(notice("a", "b")));
        assert_eq!(came, Err("3 of 4 browsers: it was answered with 503".to_owned()));
        assert_eq!(service.thread.join().unwrap().len(), 5);
        let left = subscriptions(folder.path()).into_iter().map(|it| it.endpoint);
        assert_eq!(left.collect::<Vec<_>>(), [endpoints[1].clone(), endpoints[3].clone()]);
    }

    #[test]
    fn a_withdrawal_replaces_only_what_it_withdraws() {
        let folder = tempfile::tempdir().unwrap();
        let mut push = push(folder.path(), &[]);
        let first = asks("npm test");
        let second = Notice { id: "another".to_owned(), ..asks("ls") };
        let (one, two) = (tag(&first), tag(&second));
        assert_eq!(one, two, "both are about one session");
        assert_eq!(push.topic(&Message::Told(first.clone())), Some(one.clone()));
        assert_eq!(push.topic(&Message::Told(second.clone())), Some(one.clone()));
        assert_eq!(push.topic(&Message::Withdrawn(first)), None);
        assert_eq!(push.topic(&Message::Withdrawn(second)), Some(one.clone()));
        assert_eq!(one.len(), 32);
    }

    #[test]
    fn a_press_leads_to_a_page_of_ours() {
        assert_eq!(page(&asks("ls")), "/approvals?request=a1");
        let done = notice("api is done", "done");
        assert_eq!(page(&done), format!("/session/{}", done.about[0].session_id));
        let two = Notice { about: [done.about.clone(), done.about.clone()].concat(), ..done };
        assert_eq!(page(&two), "/");
    }
}
