//! Reads a chat, line by line or as one document: both hold the same records.

use super::project;
use super::record::{Chat, Message, Record};
use taffrail_kit::Speaker;
use taffrail_kit::records;
use taffrail_model::TitleRank;

/// The JSON pointer to the messages of a whole document.
const IN_DOCUMENT: &str = "/messages";
/// The JSON pointer to messages that replace all before them.
const IN_CHECKPOINT: &str = "/$set/messages";

/// Reads one record; `None` if it is not a JSON object.
pub(super) fn read(bytes: &[u8], speaker: &mut Speaker<'_, '_>) -> Option<()> {
    match Record::parse(bytes)? {
        Record::Rewind(id) => speaker.rewound(&id),
        Record::Message(message) => say(Some(&message), speaker),
        Record::Set(chat) => update(&chat, IN_CHECKPOINT, speaker),
        Record::Head(chat) => update(&chat, IN_DOCUMENT, speaker),
        Record::Unknown => speaker.unknown("record"),
    }
    Some(())
}

/// Takes facts about the whole chat.
fn update(chat: &Chat<'_>, pointer: &str, speaker: &mut Speaker<'_, '_>) {
    if let Some(id) = chat.session_id.as_deref() {
        speaker.named_session(id);
    }
    guess(speaker);
    let started_at = chat.start_time.as_deref().and_then(records::time);
    let facts = speaker.facts();
    facts.started_at = facts.started_at.or(started_at);
    if facts.project_path.is_none() {
        speaker.cwd(project::path(speaker).as_deref());
    }
    speaker.title(TitleRank::Generated, chat.summary.as_deref());
    if let Some(messages) = &chat.messages {
        speaker.replaced(|speaker| say_all(messages, pointer, speaker));
    }
}

fn say_all(messages: &[Option<Message<'_>>], pointer: &str, speaker: &mut Speaker<'_, '_>) {
    for (index, message) in messages.iter().enumerate() {
        speaker.point_at(format!("{pointer}/{index}"));
        say(message.as_ref(), speaker);
    }
}

fn say(message: Option<&Message<'_>>, speaker: &mut Speaker<'_, '_>) {
    guess(speaker);
    match message.filter(|it| it.has_id()) {
        Some(message) => speaker.listed(&message.id, |speaker| message.say(speaker)),
        None => speaker.unknown("message"),
    }
}

/// Until the head of the chat is read, the end of the file's name is the session: the beginning of
/// its id.
fn guess(speaker: &mut Speaker<'_, '_>) {
    if let Some(name) = speaker.name("name") {
        speaker.guessed_session(name.rsplit('-').next().unwrap_or(name));
    }
}
