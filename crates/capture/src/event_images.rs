//! Which of a record's images belong to which of its events.

use serde_json::Value;
use taffrail_adapters::images::{Image, images, may_have_images};
use taffrail_model::{Detail, Draft, Kind};

/// An image of an event, as its record has it: nothing has checked what it claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventImage {
    /// The type that the record claims.
    pub media_type: String,
    /// Its bytes in base64.
    pub base64: String,
}

/// What decides whether an event holds an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Holder {
    kind: Kind,
    call: Option<String>,
    pointer: String,
}

impl Holder {
    pub(crate) fn of(draft: &Draft<'_>) -> Self {
        let call = match &draft.detail {
            Detail::ToolResult { call_id, .. } | Detail::FileResult { call_id, .. } => {
                Some(call_id.clone().into_owned())
            }
            _ => None,
        };
        let pointer = draft.pointer.clone().unwrap_or_default();
        Self { kind: draft.kind.clone(), call, pointer }
    }

    /// Whether the event's part of the record has this place.
    fn has(&self, pointer: &str) -> bool {
        let rest = pointer.strip_prefix(&self.pointer);
        rest.is_some_and(|it| it.is_empty() || it.starts_with('/'))
    }

    /// How well an image fits; the least is best.
    fn fit(&self, image: &Image<'_>) -> Option<(usize, u8)> {
        let order = match (&self.kind, image.call) {
            (Kind::ToolResult, Some(call)) if self.call.as_deref() == Some(call) => 0,
            (Kind::UserPrompt, None) => 1,
            (Kind::ToolResult, _) => 2,
            (Kind::AssistantMessage, None) => 3,
            (Kind::Notice, None) => 4,
            _ => return None,
        };
        // Of nested places the innermost counts.
        self.has(&image.pointer).then_some((usize::MAX - self.pointer.len(), order))
    }
}

/// The images of a record by the number of the event that holds each.
pub(crate) fn images_by_event(record: &[u8], events: &[Holder]) -> Vec<(usize, EventImage)> {
    if !may_have_images(record) {
        return Vec::new();
    }
    // Records in other forms than JSON have no images.
    let record: Value = serde_json::from_slice(record).unwrap_or_default();
    let holder = |image: &Image<'_>| {
        let fits = events.iter().enumerate().filter_map(|(at, it)| Some((it.fit(image)?, at)));
        fits.min().map(|(_, at)| at)
    };
    let found = images(&record).into_iter();
    found.filter_map(|it| Some((holder(&it)?, event_image(&it)))).collect()
}

fn event_image(image: &Image<'_>) -> EventImage {
    EventImage { media_type: image.media_type.to_owned(), base64: image.base64.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn holder(kind: Kind, call: Option<&str>, pointer: &str) -> Holder {
        Holder { kind, call: call.map(str::to_owned), pointer: pointer.to_owned() }
    }

    fn image(bytes: &str) -> Value {
        json!({"type": "image", "source": {"media_type": "image/png", "data": bytes}})
    }

    fn check(record: &Value, events: &[Holder], expected: &[(usize, &str)]) {
        let found = images_by_event(record.to_string().as_bytes(), events);
        let found: Vec<_> = found.iter().map(|(at, it)| (*at, it.base64.as_str())).collect();
        assert_eq!(found, expected, "{record}");
    }

    #[test]
    fn an_image_belongs_to_the_result_of_its_call_and_else_to_the_prompt() {
        let result =
            |call: &str, bytes: &str| json!({"tool_use_id": call, "content": [image(bytes)]});
        let record = json!({"content": [result("a", "AAAA"), result("b", "BBBB"), image("CCCC")]});
        let results =
            [holder(Kind::ToolResult, Some("a"), ""), holder(Kind::ToolResult, Some("b"), "")];
        check(&record, &results, &[(0, "AAAA"), (1, "BBBB"), (0, "CCCC")]);
        let prompt = [holder(Kind::Notice, None, ""), holder(Kind::UserPrompt, None, "")];
        check(&json!({"content": [image("CCCC")]}), &prompt, &[(1, "CCCC")]);
        check(&json!({"content": [image("CCCC")]}), &prompt[..1], &[(0, "CCCC")]);
        check(&json!({"content": [image("CCCC")]}), &[], &[]);
    }

    #[test]
    fn in_a_document_an_image_belongs_to_the_message_that_holds_it() {
        let record = json!({"messages": [{"parts": [image("AAAA")]}, {"parts": [image("BBBB")]}]});
        let prompts = [
            holder(Kind::UserPrompt, None, "/messages/0"),
            holder(Kind::UserPrompt, None, "/messages/1"),
        ];
        check(&record, &prompts, &[(0, "AAAA"), (1, "BBBB")]);
    }
}
