//! A message for programs: one JSON object.

use super::Message;
use serde::Serialize;
use taffrail_api::SCHEMA_VERSION;
use taffrail_model::notices::Notice;

/// The event name of a message.
pub(super) const fn event(message: &Message) -> &'static str {
    match message {
        Message::Told(_) => "told",
        Message::Withdrawn(_) => "withdrawn",
    }
}

/// The object on one line.
pub(super) fn json(message: &Message) -> String {
    let (Message::Told(notice) | Message::Withdrawn(notice)) = message;
    let written = Written { schema_version: SCHEMA_VERSION, event: event(message), notice };
    // Plain fields always serialize.
    serde_json::to_string(&written).unwrap_or_default()
}

#[derive(Serialize)]
struct Written<'a> {
    schema_version: u32,
    event: &'static str,
    #[serde(flatten)]
    notice: &'a Notice,
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use taffrail_model::notices::{About, NoticeKind};
    use taffrail_model::{AgentId, RuntimeIdentity, Timestamp};

    /// A notice with the text that a hostile or unlucky session could put into it.
    pub(crate) fn notice(title: &str, body: &str) -> Notice {
        let session_id = RuntimeIdentity::new(AgentId::new("parrot"), "", "s").session();
        let (label, kind, says) = ("api".to_owned(), NoticeKind::Waiting, body.to_owned());
        Notice {
            id: "0123456789abcdef".to_owned(),
            at: Timestamp::UNIX_EPOCH,
            kind,
            title: title.to_owned(),
            body: body.to_owned(),
            about: vec![About { session_id, label, kind, says }],
        }
    }

    #[test]
    fn a_message_is_one_object_that_says_what_it_is() {
        let notice = notice("api waits for you", "Asks for: ls \"x\"");
        let told = json(&Message::Told(notice.clone()));
        let session = notice.about[0].session_id;
        let expected = format!(
            "{{\"schema_version\":1,\"event\":\"told\",\"id\":\"0123456789abcdef\",\
             \"at\":\"1970-01-01T00:00:00Z\",\"kind\":\"waiting\",\"title\":\"api waits for you\",\
             \"body\":\"Asks for: ls \\\"x\\\"\",\"about\":[{{\"session_id\":\"{session}\",\
             \"label\":\"api\",\"kind\":\"waiting\",\"says\":\"Asks for: ls \\\"x\\\"\"}}]}}"
        );
        assert_eq!(told, expected);
        let withdrawn = json(&Message::Withdrawn(notice));
        assert_eq!(withdrawn, told.replacen("\"told\"", "\"withdrawn\"", 1));
    }
}
