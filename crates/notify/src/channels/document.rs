//! A message for programs: one JSON object.

use super::Message;
use serde::Serialize;
use taffrail_api::SCHEMA_VERSION;
use taffrail_context::WebhookFormat;
use taffrail_model::Timestamp;
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
    // Plain fields always serialize.
    serde_json::to_string(&written(message)).unwrap_or_default()
}

/// The object as a webhook wants it, on one line.
pub(super) fn body(message: &Message, format: WebhookFormat) -> String {
    match format {
        WebhookFormat::Json => json(message),
        WebhookFormat::CloudEvents => serde_json::to_string(&envelope(message)).unwrap_or_default(),
    }
}

/// The media type of a webhook's body.
pub(super) const fn media_type(format: WebhookFormat) -> &'static str {
    match format {
        WebhookFormat::Json => "application/json",
        WebhookFormat::CloudEvents => "application/cloudevents+json",
    }
}

fn written(message: &Message) -> Written<'_> {
    let (Message::Told(notice) | Message::Withdrawn(notice)) = message;
    Written { schema_version: SCHEMA_VERSION, event: event(message), notice }
}

/// A message and its withdrawal are two events, so that their ids differ.
fn envelope(message: &Message) -> CloudEvent<'_> {
    let (data, event) = (written(message), event(message));
    let subject = match data.notice.about.as_slice() {
        [only] => Some(only.session_id.to_string()),
        _ => None,
    };
    CloudEvent {
        specversion: "1.0",
        id: format!("{}.{event}", data.notice.id),
        source: "/taffrail/notifications",
        kind: format!("taffrail.notification.{event}"),
        time: data.notice.at,
        subject,
        datacontenttype: "application/json",
        data,
    }
}

/// The envelope of `CloudEvents` 1.0, in the structured mode.
#[derive(Serialize)]
struct CloudEvent<'a> {
    specversion: &'static str,
    id: String,
    source: &'static str,
    #[serde(rename = "type")]
    kind: String,
    time: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<String>,
    datacontenttype: &'static str,
    data: Written<'a>,
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
    use taffrail_model::{AgentId, RuntimeIdentity};

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
            about: vec![About { session_id, label, kind, says, approval_id: None }],
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

    #[test]
    fn a_cloud_event_is_an_envelope_around_the_same_object() {
        let check = |message: &Message, event: &str, subject: Option<String>| {
            let found = body(message, WebhookFormat::CloudEvents);
            let mut expected = serde_json::json!({
                "specversion": "1.0",
                "id": format!("0123456789abcdef.{event}"),
                "source": "/taffrail/notifications",
                "type": format!("taffrail.notification.{event}"),
                "time": "1970-01-01T00:00:00Z",
                "datacontenttype": "application/json",
                "data": serde_json::from_str::<serde_json::Value>(&json(message)).unwrap(),
            });
            if let Some(subject) = subject {
                expected["subject"] = subject.into();
            }
            assert_eq!(serde_json::from_str::<serde_json::Value>(&found).unwrap(), expected);
        };
        let one = notice("api waits for you", "Asks for: ls");
        let about = one.about[0].clone();
        let session = Some(about.session_id.to_string());
        check(&Message::Told(one.clone()), "told", session.clone());
        check(&Message::Withdrawn(one.clone()), "withdrawn", session);
        check(&Message::Told(Notice { about: vec![about.clone(), about], ..one }), "told", None);
    }
}
