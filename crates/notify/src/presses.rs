//! Presses of the buttons that our bot of Telegram sent: asked for by long polling, so that no
//! address of this machine has to be public. Only the one chat is answered.

use crate::channels::{Bot, rest};
use crate::counts::Counts;
use crate::inbox::Notices;
use crate::links::{Link, LinkAction};
use crate::phone::Phone;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use taffrail_context::Settings;
use taffrail_model::redact::redact;
use taffrail_model::terminal;

/// How long Telegram holds a question open, and how long the answer may take.
const POLL: u64 = 50;
const PATIENCE: Duration = Duration::from_secs(60);
/// How long an answer to a press may take.
const LIMIT: Duration = Duration::from_secs(10);
/// The pause after a failure.
const PAUSE: Duration = Duration::from_secs(5);
/// The longest text of a request, and the longest remark to a press, in characters.
const TEXT: usize = 3_000;
const REMARK: usize = 190;

/// What listens for presses.
pub(crate) struct Presses {
    pub(crate) bot: Arc<Bot>,
    pub(crate) phone: Arc<Phone>,
    pub(crate) settings: Settings,
    pub(crate) counts: Arc<Counts>,
    /// The number of the next update.
    pub(crate) next: i64,
}

/// What Telegram tells us, as far as we need it.
#[derive(Deserialize)]
struct Updates {
    #[serde(default)]
    result: Vec<Incoming>,
}

#[derive(Deserialize)]
struct Incoming {
    update_id: i64,
    callback_query: Option<Press>,
}

#[derive(Deserialize)]
struct Press {
    id: String,
    from: Id,
    message: Option<Pressed>,
    data: Option<String>,
}

#[derive(Deserialize)]
struct Pressed {
    message_id: i64,
    chat: Id,
}

#[derive(Deserialize)]
struct Id {
    id: i64,
}

impl Presses {
    /// Listens until the daemon ends.
    pub(crate) fn listen(mut self, notices: &Notices) {
        let ending = || notices.is_ending();
        while !ending() {
            if let Err(why) = self.poll(&ending) {
                if ending() {
                    return;
                }
                tracing::warn!(why, "cannot ask Telegram for presses");
                self.counts.note(Some(why));
                rest(PAUSE, &ending);
            }
        }
    }

    /// Asks once, and answers what came.
    fn poll(&mut self, ending: &dyn Fn() -> bool) -> Result<(), String> {
        let ask =
            json!({"offset": self.next, "timeout": POLL, "allowed_updates": ["callback_query"]});
        let said = self.bot.result("getUpdates", &ask, (PATIENCE, ending))?;
        let updates: Updates = serde_json::from_value(said).map_err(|_| "it is not Telegram")?;
        for it in updates.result {
            self.next = self.next.max(it.update_id.saturating_add(1));
            if let Some((press, at)) = it.callback_query.and_then(|it| self.of_our_chat(it)) {
                self.answer(&press, at, ending);
            }
        }
        Ok(())
    }

    /// A press in our chat, by its user. Any other is not even answered.
    fn of_our_chat(&self, press: Press) -> Option<(Press, i64)> {
        let message = press.message.as_ref()?;
        let is_ours = (message.chat.id, press.from.id) == (self.bot.chat(), self.bot.chat());
        let number = message.message_id;
        is_ours.then_some((press, number))
    }

    fn answer(&self, press: &Press, message: i64, ending: &dyn Fn() -> bool) {
        let within = (LIMIT, ending);
        let token = press.data.as_deref().unwrap_or_default();
        let now = (self.settings.now)();
        let (remark, edit) = match self.phone.links.take(token, None, now) {
            Err(why) => (why.to_string(), None),
            Ok(link) if link.action == LinkAction::Open => {
                self.show(&link, within);
                ("The request is below.".to_owned(), None)
            }
            Ok(link) => match (self.phone.answer)(&link) {
                Ok(done) => (done.clone(), Some(done)),
                Err(why) => (why.clone(), Some(why)),
            },
        };
        let text: String = remark.chars().take(REMARK).collect();
        let said =
            json!({"callback_query_id": press.id, "text": text, "show_alert": edit.is_none()});
        self.say("answerCallbackQuery", &said, within);
        let said = edit.and_then(|it| Some((it, self.bot.take_message(message)?)));
        if let Some((done, before)) = said {
            let edit = self.bot.edit(message, &format!("{before}\n\n{done}"));
            self.say("editMessageText", &edit, within);
        }
    }

    /// Sends the whole request, without secrets that look like it.
    fn show(&self, link: &Link, within: (Duration, &dyn Fn() -> bool)) {
        let text = match (self.phone.request)(&link.approval) {
            Some(it) => shown(&it.approval.tool, &it.approval.command),
            None => "This request is no longer open.".to_owned(),
        };
        self.say("sendMessage", &self.bot.message(&text, None), within);
    }

    /// Says something once. A person who misses it sees the state on every screen.
    fn say(&self, method: &str, body: &Value, within: (Duration, &dyn Fn() -> bool)) {
        if let Err(why) = self.bot.result(method, body, within) {
            tracing::warn!(why, method, "cannot answer a press");
        }
    }
}

fn shown(tool: &str, command: &str) -> String {
    // A removed character may have split a secret.
    let cleaned = terminal::clean(&redact(command)).into_owned();
    let text = redact(&cleaned);
    let short: String = text.chars().take(TEXT).collect();
    let more =
        if short.len() < text.len() { "\n… it is longer: read it on a screen" } else { "" };
    format!("{}:\n{short}{more}", terminal::line(tool))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::Channel;
    use crate::channels::listener::Listener;
    use crate::channels::{Message, Sending, Telegram};
    use crate::phone::PhoneRequest;
    use crate::phone::tests::{asks, phone, request};
    use crate::trial::tests::settings;
    use std::os::unix::fs::PermissionsExt;
    use std::sync::Mutex;
    use taffrail_context::{TelegramApi, TelegramChat, TelegramSettings};
    use taffrail_model::approval::ApprovalId;
    use tempfile::TempDir;

    const CHAT: i64 = 7;

    /// A bot of a stub of the Bot API: the real one is not reached from here.
    struct Stage {
        folder: TempDir,
        telegram: Telegram,
        presses: Presses,
        answered: Arc<Mutex<Vec<Link>>>,
    }

    impl Stage {
        fn new(url: &str, open: Option<PhoneRequest>) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("bot");
            std::fs::write(&file, "12:secret_token\n").unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
            let telegram = bot_at(url, &folder);
            let (phone, answered) = phone(open);
            let (bot, counts) = (telegram.bot(), Arc::default());
            let presses = Presses { bot, phone, settings: settings(), counts, next: 0 };
            Self { folder, telegram, presses, answered }
        }

        /// The same bot, at another stub.
        fn goes_to(&mut self, url: &str) {
            self.presses.bot = bot_at(url, &self.folder).bot();
        }

        fn send(&self, message: &Message) -> Result<String, String> {
            let (settings, phone) = (settings(), Some(&*self.presses.phone));
            let sending =
                Sending { settings: &settings, executors: &Vec::new, ending: &|| false, phone };
            self.telegram.send(message, &sending).map_err(|it| it.to_string())
        }

        fn token(&self, action: LinkAction) -> String {
            let (approval, input_hash) = (ApprovalId::new("a1"), "hash".to_owned());
            let link = Link { approval, input_hash, action, channel: Channel::Telegram };
            self.presses.phone.links.issue(link, (settings().now)())
        }

        fn poll(&mut self) {
            self.presses.poll(&|| false).unwrap();
        }
    }

    fn bot_at(url: &str, folder: &TempDir) -> Telegram {
        let chat = TelegramChat::try_from(CHAT).unwrap();
        let api = TelegramApi::try_from(url.to_owned()).unwrap();
        let bot = TelegramSettings { chat, token: Some(folder.path().join("bot")), api };
        Telegram::new(bot, vec![Duration::from_millis(1)])
    }

    /// An update: somebody pressed a button in a chat.
    fn pressed(number: i64, (chat, from): (i64, i64), data: &str) -> String {
        json!({"ok": true, "result": [{"update_id": number, "callback_query": {
            "id": "q1", "from": {"id": from}, "data": data,
            "message": {"message_id": 42, "chat": {"id": chat}}}}]})
        .to_string()
    }

    const SENT: &str = r#"{"ok":true,"result":{"message_id":42}}"#;

    #[test]
    fn a_message_has_buttons_with_tokens_and_a_press_answers_and_edits_once() {
        // The token is known only once the message was sent, so the stub is asked in two parts.
        let first = Listener::open(&[(200, SENT)]);
        let stage = Stage::new(&first.url, Some(request("npm test", "low")));
        assert_eq!(stage.send(&Message::Told(asks("npm test"))), Ok("the bot sent it".to_owned()));
        let got = first.thread.join().unwrap().remove(0);
        assert_eq!(got.path(), "/bot12:secret_token/sendMessage");
        let body = got.json();
        assert_eq!(body["chat_id"], CHAT);
        assert_eq!(body["text"], "api waits for you\nAsks for: npm test");
        let row = body["reply_markup"]["inline_keyboard"][0].as_array().unwrap().clone();
        let labels: Vec<_> = row.iter().map(|it| it["text"].as_str().unwrap()).collect();
        assert_eq!(labels, ["Allow", "Deny", "Open"]);
        for button in &row {
            assert!(button["callback_data"].as_str().unwrap().len() <= 64, "{button}");
        }
        let allow = row[0]["callback_data"].as_str().unwrap();
        let link = stage.presses.phone.links.look(allow, (settings().now)()).unwrap();
        assert_eq!((link.action, link.channel), (LinkAction::Allow, Channel::Telegram));
        assert_eq!(stage.presses.bot.take_message(42).as_deref(), body["text"].as_str());
        // It was edited by the press, so a withdrawal edits nothing more.
        let over = stage.send(&Message::Withdrawn(asks("npm test")));
        assert_eq!(over, Ok("there is nothing to take back".to_owned()));
    }

    #[test]
    fn a_press_counts_once_and_only_in_the_one_chat() {
        let check = |(chat, from): (i64, i64), expected: usize| {
            let mut stage = Stage::new("http://127.0.0.1:1", Some(request("npm test", "low")));
            let token = stage.token(LinkAction::Allow);
            let (one, two) = (pressed(5, (chat, from), &token), pressed(6, (chat, from), &token));
            let asked = (200, r#"{"ok":true,"result":true}"#);
            let answers: Vec<_> = match expected {
                0 => vec![(200, one.as_str()), (200, two.as_str())],
                _ => vec![(200, one.as_str()), asked, (200, two.as_str()), asked],
            };
            let stub = Listener::open(&answers);
            let phone = stage.presses.phone.clone();
            stage.goes_to(&stub.url);
            stage.poll();
            stage.poll();
            let got = stub.thread.join().unwrap();
            assert_eq!(stage.answered.lock().unwrap().len(), expected, "{chat} {from}");
            assert_eq!(got.len(), answers.len());
            let is_used = phone.links.look(&token, (settings().now)()).is_err();
            assert_eq!(is_used, expected > 0);
            assert_eq!(got[got.len() / 2].json()["offset"], 6, "an update is asked for once");
            if expected > 0 {
                assert_eq!(got[1].path(), "/bot12:secret_token/answerCallbackQuery");
                assert_eq!(got[1].json()["text"], "Allowed.");
                let why = "this link was used already; each counts once";
                assert_eq!(got[3].json()["text"], why);
            }
        };
        check((CHAT, CHAT), 1);
        check((8, 8), 0);
        check((CHAT, 8), 0);
        check((-100, CHAT), 0);
    }

    #[test]
    fn a_risky_request_is_only_shown() {
        let sent = Listener::open(&[(200, SENT)]);
        let mut stage = Stage::new(&sent.url, Some(request("rm -rf build", "high")));
        stage.send(&Message::Told(asks("rm -rf build"))).unwrap();
        let body = sent.thread.join().unwrap().remove(0).json();
        let row = body["reply_markup"]["inline_keyboard"][0].as_array().unwrap().clone();
        assert_eq!(row.len(), 1);
        assert_eq!(row[0]["text"], "Open");
        let open = pressed(1, (CHAT, CHAT), row[0]["callback_data"].as_str().unwrap());
        let stub = Listener::open(&[(200, &open), (200, SENT), (200, "{}")]);
        stage.goes_to(&stub.url);
        stage.poll();
        let got = stub.thread.join().unwrap();
        assert_eq!(got[1].json()["text"], "Bash:\nrm -rf build");
        assert_eq!(got[2].path(), "/bot12:secret_token/answerCallbackQuery");
        assert_eq!(stage.answered.lock().unwrap().len(), 0);
    }

    #[test]
    fn what_is_decided_elsewhere_edits_its_message_once() {
        let stub = Listener::open(&[(200, SENT), (200, "{}")]);
        let stage = Stage::new(&stub.url, Some(request("npm test", "low")));
        stage.send(&Message::Told(asks("npm test"))).unwrap();
        let over = || stage.send(&Message::Withdrawn(asks("npm test")));
        assert_eq!(over(), Ok("the bot took it back".to_owned()));
        assert_eq!(over(), Ok("there is nothing to take back".to_owned()));
        let edit = stub.thread.join().unwrap().remove(1);
        assert_eq!(edit.path(), "/bot12:secret_token/editMessageText");
        let text = "api waits for you\nAsks for: npm test\n\nIt is over.";
        assert_eq!((&edit.json()["message_id"], &edit.json()["text"]), (&42.into(), &text.into()));
        assert_eq!(edit.json()["reply_markup"], Value::Null);
    }

    #[test]
    fn a_failure_names_no_token() {
        let stub = Listener::open(&[(401, "{}")]);
        let stage = Stage::new(&stub.url, None);
        let why = stage.send(&Message::Told(asks("npm test"))).unwrap_err();
        assert_eq!(why, "it was answered with 401");
        stub.thread.join().unwrap();
        let mut gone = Stage::new("http://127.0.0.1:1", None);
        let why = gone.presses.poll(&|| false).unwrap_err();
        assert!(!why.contains("secret"), "{why}");
    }
}
