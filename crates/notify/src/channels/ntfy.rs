//! ntfy: a message to the user's topic, with buttons where the phone can reach the pages.

use super::post::{Came, Post, Reach, came, post, retried};
use super::web_push::page;
use super::{Message, SendError, Sending};
use crate::channel::Channel;
use crate::phone::Buttons;
use crate::secret_file::word_in;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;
use taffrail_context::{NtfyTopic, PublicUrl};
use taffrail_model::notices::{Notice, NoticeKind};

/// A topic of ntfy and its configuration.
#[derive(Debug)]
pub(crate) struct Ntfy {
    pub(crate) topic: NtfyTopic,
    /// The file with the token of the server.
    pub(crate) token: Option<PathBuf>,
    /// Where the phone reaches the pages.
    pub(crate) public: Option<PublicUrl>,
    /// The pause before each retry.
    pub(crate) pauses: Vec<Duration>,
}

impl Ntfy {
    pub(super) fn send(
        &self,
        message: &Message,
        sending: &Sending<'_>,
    ) -> Result<String, SendError> {
        let Message::Told(notice) = message else {
            return Ok("ntfy takes nothing back".to_owned());
        };
        let buttons = self
            .public
            .as_ref()
            .zip(sending.phone)
            .map(|(_, phone)| phone.buttons(notice, Channel::Ntfy, (sending.settings.now)()));
        let body = self.document(notice, &buttons.unwrap_or_default()).to_string().into_bytes();
        let attempt = || self.attempt(body.clone(), sending);
        let answer = retried(&self.pauses, sending.ending, attempt)?;
        Ok(format!("it was answered with {}", answer.status))
    }

    pub(super) fn shown(&self, message: &Message) -> Vec<String> {
        let (Message::Told(notice) | Message::Withdrawn(notice)) = message;
        let (server, topic) = self.topic.parts();
        let document = self.document(notice, &Buttons::default()).to_string();
        // The name of a topic is what keeps others out of it.
        let shown = document.replace(&format!("\"topic\":\"{topic}\""), "\"topic\":\"…\"");
        vec![format!("POST to {server}"), shown]
    }

    fn attempt(&self, body: Vec<u8>, sending: &Sending<'_>) -> Result<Came, SendError> {
        let token = self.token.as_deref().map(word_in).transpose().map_err(SendError::Secret)?;
        let mut headers = vec![("Content-Type", "application/json".to_owned())];
        headers.extend(token.map(|it| ("Authorization", format!("Bearer {it}"))));
        let (url, limit) = (self.topic.parts().0, sending.settings.notices.limit);
        let post = post(&Post { url, headers, body, limit, reach: Reach::Any }, sending.ending);
        Ok(came(post))
    }

    /// The message as JSON, in which what an agent wrote cannot become a header.
    fn document(&self, notice: &Notice, buttons: &Buttons) -> Value {
        let (priority, tag) = match notice.kind {
            NoticeKind::Risky => (5, "rotating_light"),
            NoticeKind::Waiting => (4, "hourglass"),
            NoticeKind::Finding => (3, "mag"),
            NoticeKind::Finished => (3, "white_check_mark"),
            NoticeKind::Input => (2, "speech_balloon"),
        };
        let mut out = json!({
            "topic": self.topic.parts().1,
            "title": notice.title,
            "message": notice.body,
            "priority": priority,
            "tags": [tag],
        });
        if let (Some(public), Some(fields)) = (&self.public, out.as_object_mut()) {
            fields
                .insert("click".to_owned(), format!("{}{}", public.as_str(), page(notice)).into());
            let actions = actions(public, buttons);
            if !actions.is_empty() {
                fields.insert("actions".to_owned(), actions.into());
            }
        }
        out
    }
}

/// The buttons. None allows: see `Channel::may_allow`.
fn actions(public: &PublicUrl, buttons: &Buttons) -> Vec<Value> {
    let Some(id) = &buttons.approval else { return Vec::new() };
    let url = |word: &str, token: &str| format!("{}/phone/{word}/{id}/{token}", public.as_str());
    let press = |label: &str, word: &str, token: &String| {
        json!({"action": "http", "label": label, "url": url(word, token), "method": "POST",
            "clear": true})
    };
    let deny = buttons.deny.as_ref().map(|it| press("Deny", "deny", it));
    let view = |it: &String| json!({"action": "view", "label": "Open", "url": url("open", it)});
    let open = buttons.open.as_ref().map(view);
    deny.into_iter().chain(open).collect()
}

#[cfg(test)]
mod tests {
    use super::super::listener::Listener;
    use super::*;
    use crate::phone::Phone;
    use crate::phone::tests::{asks, phone, request};
    use crate::trial::tests::settings;
    use std::os::unix::fs::PermissionsExt;

    /// A topic of a stub of ntfy: the real server does not run here.
    fn ntfy(url: &str, token: Option<PathBuf>, public: Option<&str>) -> Ntfy {
        let topic = NtfyTopic::try_from(format!("{url}/mine")).unwrap();
        let public = public.map(|it| PublicUrl::try_from(it.to_owned()).unwrap());
        Ntfy { topic, token, public, pauses: vec![Duration::from_millis(1)] }
    }

    fn sent(ntfy: &Ntfy, message: &Message, phone: Option<&Phone>) -> Result<String, String> {
        let settings = settings();
        let sending =
            Sending { settings: &settings, executors: &Vec::new, ending: &|| false, phone };
        ntfy.send(message, &sending).map_err(|it| it.to_string())
    }

    #[test]
    fn a_message_has_a_title_a_priority_and_buttons_that_count_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        std::fs::write(&file, "tk_secret\n").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        let stub = Listener::open(&[(200, "{}")]);
        let ntfy = ntfy(&stub.url, Some(file), Some("https://node.example"));
        let (phone, _) = phone(Some(request("npm test", "low")));
        let told = Message::Told(asks("npm test"));
        assert_eq!(sent(&ntfy, &told, Some(&phone)), Ok("it was answered with 200".to_owned()));
        // What is over stays as it is: nothing is sent.
        let over = sent(&ntfy, &Message::Withdrawn(asks("npm test")), Some(&phone));
        assert_eq!(over, Ok("ntfy takes nothing back".to_owned()));
        let got = stub.thread.join().unwrap().remove(0);
        assert_eq!(got.path(), "/");
        assert_eq!(got.header("Authorization").as_deref(), Some("Bearer tk_secret"));
        let mut body = got.json();
        let actions = body["actions"].as_array().unwrap().clone();
        let mut urls = Vec::new();
        for (action, (label, kind)) in actions.iter().zip([("Deny", "http"), ("Open", "view")]) {
            assert_eq!((&action["label"], &action["action"]), (&label.into(), &kind.into()));
            let url = action["url"].as_str().unwrap();
            let rest = url.strip_prefix("https://node.example/phone/").unwrap().to_owned();
            urls.push(rest);
        }
        assert_eq!(actions.len(), 2);
        let now = (settings().now)();
        for url in urls {
            let [word, id, token] = url.split('/').collect::<Vec<_>>()[..] else { panic!("{url}") };
            let wanted = Some((id, word.parse().unwrap()));
            assert!(phone.links.take(token, wanted, now).is_ok(), "{url}");
            assert!(phone.links.take(token, wanted, now).is_err(), "{url}");
        }
        body.as_object_mut().unwrap().remove("actions");
        let expected = json!({
            "topic": "mine", "title": "api waits for you", "message": "Asks for: npm test",
            "priority": 4, "tags": ["hourglass"],
            "click": "https://node.example/approvals?request=a1",
        });
        assert_eq!(body, expected);
    }

    #[test]
    fn without_a_way_to_the_pages_it_is_only_text() {
        let stub = Listener::open(&[(503, ""), (200, "{}")]);
        let ntfy = ntfy(&stub.url, None, None);
        let (phone, _) = phone(Some(request("npm test", "low")));
        let came = sent(&ntfy, &Message::Told(asks("npm test")), Some(&phone));
        assert_eq!(came, Ok("it was answered with 200".to_owned()));
        let got = stub.thread.join().unwrap();
        assert_eq!(got.len(), 2, "it is tried again");
        let body = got[1].json();
        assert_eq!((&body["click"], &body["actions"]), (&Value::Null, &Value::Null));
        assert_eq!(got[1].header("Authorization"), None);
        let shown = ntfy.shown(&Message::Told(asks("npm test"))).join("\n");
        assert!(!shown.contains("mine"), "{shown}");
    }
}
