//! Telegram: a bot of the user's own that writes to one private chat, and the Bot API it talks to.

use super::post::{Answer, Came, Post, Reach, came, post, retried};
use super::{Message, SendError, Sending};
use crate::channel::Channel;
use crate::phone::Buttons;
use crate::secret_file::word_in;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use taffrail_context::TelegramSettings;
use taffrail_model::notices::Notice;

/// The most messages that can still be edited.
const REMEMBERED: usize = 100;

/// A bot, shared by the thread that sends and the one that listens.
#[derive(Debug, Clone)]
pub(crate) struct Telegram {
    bot: Arc<Bot>,
    /// The pause before each retry.
    pauses: Vec<Duration>,
}

/// A bot and its configuration.
#[derive(Debug)]
pub(crate) struct Bot {
    settings: TelegramSettings,
    /// The messages with buttons: the number of each, and its text, by the id of its notice. Each is
    /// edited at most once.
    open: Mutex<BTreeMap<String, (i64, String)>>,
}

impl Telegram {
    pub(crate) fn new(settings: TelegramSettings, pauses: Vec<Duration>) -> Self {
        Self { bot: Arc::new(Bot { settings, open: Mutex::default() }), pauses }
    }

    pub(crate) fn bot(&self) -> Arc<Bot> {
        self.bot.clone()
    }

    pub(crate) fn send(
        &self,
        message: &Message,
        sending: &Sending<'_>,
    ) -> Result<String, SendError> {
        match message {
            Message::Told(notice) => self.tell(notice, sending),
            Message::Withdrawn(notice) => self.withdraw(notice, sending),
        }
    }

    pub(super) fn shown(&self, message: &Message) -> Vec<String> {
        let (Message::Told(notice) | Message::Withdrawn(notice)) = message;
        let chat = i64::from(self.bot.settings.chat);
        vec![format!("by a bot of Telegram, to the chat {chat}"), text(notice)]
    }

    fn tell(&self, notice: &Notice, sending: &Sending<'_>) -> Result<String, SendError> {
        let now = (sending.settings.now)();
        let phone = sending.phone;
        let buttons = phone.map(|it| it.buttons(notice, Channel::Telegram, now));
        let buttons = buttons.unwrap_or_default();
        let body = self.bot.message(&text(notice), keyboard(&buttons));
        let answer = self.call("sendMessage", &body, sending)?;
        let number = answer.pointer("/result/message_id").and_then(Value::as_i64);
        if let (Some(number), Some(_)) = (number, buttons.approval) {
            self.bot.remember(notice.id.clone(), (number, text(notice)));
        }
        Ok("the bot sent it".to_owned())
    }

    /// Says that a message is over, unless a press was answered in it before.
    fn withdraw(&self, notice: &Notice, sending: &Sending<'_>) -> Result<String, SendError> {
        let Some((number, said)) = self.bot.messages().remove(&notice.id) else {
            return Ok("there is nothing to take back".to_owned());
        };
        let body = self.bot.edit(number, &format!("{said}\n\nIt is over."));
        self.call("editMessageText", &body, sending).map(|_| "the bot took it back".to_owned())
    }

    fn call(&self, method: &str, body: &Value, sending: &Sending<'_>) -> Result<Value, SendError> {
        let limit = sending.settings.notices.limit;
        let attempt = || -> Result<Came, SendError> {
            let answer = self.bot.ask(method, body, (limit, sending.ending));
            Ok(came(answer.map_err(SendError::Secret)?))
        };
        let answer = retried(&self.pauses, sending.ending, attempt)?;
        Ok(serde_json::from_slice(&answer.body).unwrap_or_default())
    }
}

impl Bot {
    /// Asks the Bot API once. The address holds the token, so no error shows it.
    fn ask(
        &self,
        method: &str,
        body: &Value,
        (limit, ending): (Duration, &dyn Fn() -> bool),
    ) -> Result<Result<Answer, &'static str>, String> {
        let Some(file) = self.settings.token.as_deref() else {
            return Err("notifications.telegram_token_file is not set".to_owned());
        };
        let token = word_in(file)?;
        let is_plain = |it: u8| it.is_ascii_alphanumeric() || b":_-".contains(&it);
        if !token.bytes().all(is_plain) {
            return Err(format!("{}: it holds no token of a bot", file.display()));
        }
        let url = format!("{}/bot{token}/{method}", self.settings.api.as_str());
        let headers = vec![("Content-Type", "application/json".to_owned())];
        let body = body.to_string().into_bytes();
        Ok(post(&Post { url: &url, headers, body, limit, reach: Reach::Any }, ending))
    }

    /// Asks the Bot API once, and returns what it answered.
    pub(crate) fn result(
        &self,
        method: &str,
        body: &Value,
        within: (Duration, &dyn Fn() -> bool),
    ) -> Result<Value, String> {
        match came(self.ask(method, body, within)?) {
            Came::Well(answer) => Ok(serde_json::from_slice(&answer.body).unwrap_or_default()),
            Came::Badly(why) | Came::ForNow(why) => Err(why.to_string()),
        }
    }

    /// The chat whose presses count.
    pub(crate) fn chat(&self) -> i64 {
        self.settings.chat.into()
    }

    /// The text of a message that can still be edited, which it cannot from now on.
    pub(crate) fn take_message(&self, number: i64) -> Option<String> {
        let mut open = self.messages();
        let id = open.iter().find(|(_, it)| it.0 == number).map(|(id, _)| id.clone())?;
        open.remove(&id).map(|(_, text)| text)
    }

    /// A message to the chat. Its text is plain, so nothing in it is markup.
    pub(crate) fn message(&self, text: &str, keyboard: Option<Value>) -> Value {
        let mut out = json!({"chat_id": self.chat(), "text": text,
            "link_preview_options": {"is_disabled": true}});
        if let (Some(keyboard), Some(fields)) = (keyboard, out.as_object_mut()) {
            fields.insert("reply_markup".to_owned(), keyboard);
        }
        out
    }

    /// The same message with another text, and without buttons.
    pub(crate) fn edit(&self, number: i64, text: &str) -> Value {
        let mut out = self.message(text, None);
        if let Some(fields) = out.as_object_mut() {
            fields.insert("message_id".to_owned(), number.into());
        }
        out
    }

    fn remember(&self, id: String, message: (i64, String)) {
        let mut open = self.messages();
        while open.len() >= REMEMBERED {
            open.pop_first();
        }
        open.insert(id, message);
    }

    fn messages(&self) -> MutexGuard<'_, BTreeMap<String, (i64, String)>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn text(notice: &Notice) -> String {
    format!("{}\n{}", notice.title, notice.body)
}

/// A row of buttons, each with a token of at most 64 bytes.
fn keyboard(buttons: &Buttons) -> Option<Value> {
    let button = |label: &str, token: &Option<String>| {
        token.as_ref().map(|it| json!({"text": label, "callback_data": it}))
    };
    let all = [("Allow", &buttons.allow), ("Deny", &buttons.deny), ("Open", &buttons.open)];
    let row: Vec<Value> = all.iter().filter_map(|(label, it)| button(label, it)).collect();
    (!row.is_empty()).then(|| json!({"inline_keyboard": [row]}))
}
