//! Pictures inside a record, found by the shapes in which providers carry them.
//!
//! Only bytes in the record itself count. An address, of another computer or of a file, is never
//! followed, so a record cannot make a reader fetch anything.

use serde_json::{Map, Value};
use std::collections::HashSet;

/// What the text of a record with a picture contains.
const SIGN: &str = "image/";
/// The fields that name the call whose result holds a picture.
const CALLS: [&str; 4] = ["tool_use_id", "call_id", "toolCallId", "callId"];
/// The fields of a picture that name its type.
const TYPES: [&str; 4] = ["media_type", "mimeType", "mime_type", "mediaType"];
/// The fields that may hold a picture as an address with the bytes in it.
const ADDRESSES: [&str; 5] = ["image_url", "imageUrl", "url", "image", "images"];
/// The deepest nesting that is looked into.
const DEPTH: usize = 32;

/// A picture in a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image<'r> {
    /// The type that the record claims; nothing has checked it.
    pub media_type: &'r str,
    /// Its bytes in base64.
    pub base64: &'r str,
    /// The agent's own id of the call whose result holds it.
    pub call: Option<&'r str>,
    /// Its place in the record, as a JSON pointer.
    pub pointer: String,
}

/// Whether a record may have pictures, without reading it as JSON.
#[must_use]
pub fn may_have_images(record: &[u8]) -> bool {
    std::str::from_utf8(record).is_ok_and(|it| it.contains(SIGN))
}

/// The pictures of a record, in its order; the same bytes count once.
#[must_use]
pub fn images(record: &Value) -> Vec<Image<'_>> {
    let mut walk = Walk { pointer: String::new(), found: Vec::new(), known: HashSet::new() };
    walk.value(record, None, DEPTH);
    walk.found
}

struct Walk<'r> {
    pointer: String,
    found: Vec<Image<'r>>,
    known: HashSet<&'r str>,
}

impl<'r> Walk<'r> {
    fn value(&mut self, value: &'r Value, call: Option<&'r str>, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        match value {
            Value::Object(fields) => self.object(fields, call, depth),
            Value::Array(all) => {
                for (at, it) in all.iter().enumerate() {
                    self.below(&at.to_string(), |walk| walk.value(it, call, depth));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn object(&mut self, fields: &'r Map<String, Value>, call: Option<&'r str>, depth: usize) {
        let text = |name: &str| fields.get(name).and_then(Value::as_str);
        let media_type = TYPES.iter().find_map(|it| text(it));
        if let (Some(media_type), Some(base64)) = (media_type, text("data")) {
            self.add(media_type, base64, call);
        }
        let call = called(fields).or(call);
        for (name, value) in fields {
            self.below(name, |walk| match value {
                _ if !ADDRESSES.contains(&name.as_str()) => walk.value(value, call, depth),
                Value::String(address) => walk.address(address, call),
                Value::Array(all) => {
                    for (at, it) in all.iter().enumerate() {
                        walk.below(&at.to_string(), |walk| match it {
                            Value::String(address) => walk.address(address, call),
                            other => walk.value(other, call, depth),
                        });
                    }
                }
                other => walk.value(other, call, depth),
            });
        }
    }

    fn below(&mut self, name: &str, visit: impl FnOnce(&mut Self)) {
        let length = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
        visit(self);
        self.pointer.truncate(length);
    }

    /// An address with the bytes in it: `data:image/png;base64,...`.
    fn address(&mut self, address: &'r str, call: Option<&'r str>) {
        let parts = address.strip_prefix("data:").and_then(|it| it.split_once(";base64,"));
        if let Some((media_type, base64)) = parts {
            self.add(media_type, base64, call);
        }
    }

    fn add(&mut self, media_type: &'r str, base64: &'r str, call: Option<&'r str>) {
        if media_type.starts_with(SIGN) && !base64.is_empty() && self.known.insert(base64) {
            let pointer = self.pointer.clone();
            self.found.push(Image { media_type, base64, call, pointer });
        }
    }
}

/// The call that an object is the result of.
fn called(fields: &Map<String, Value>) -> Option<&str> {
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    // The response of a function names its call by `id`.
    let response = || text("id").filter(|_| fields.contains_key("response"));
    CALLS.iter().find_map(|it| text(it)).or_else(response)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(record: &Value, expected: &[(&str, &str, Option<&str>)]) {
        let found = images(record);
        let found: Vec<_> = found.iter().map(|it| (it.media_type, it.base64, it.call)).collect();
        assert_eq!(found, expected, "{record}");
    }

    #[test]
    fn pictures_are_found_in_the_shapes_of_every_provider() {
        let source = json!({"type": "base64", "media_type": "image/png", "data": "AAAA"});
        let block = json!({"type": "image", "source": source});
        check(&json!({"message": {"content": [block]}}), &[("image/png", "AAAA", None)]);
        let result = json!({"type": "tool_result", "tool_use_id": "t1", "content": [block]});
        // The agent's own copy of a result repeats the bytes.
        let line = json!({"message": {"content": [result]}, "toolUseResult": [block]});
        check(&line, &[("image/png", "AAAA", Some("t1"))]);
        let url = "data:image/jpeg;base64,BBBB";
        let part = json!({"type": "input_image", "image_url": url});
        let output = json!({"type": "function_call_output", "call_id": "c1", "output": [part]});
        check(&json!({"payload": output}), &[("image/jpeg", "BBBB", Some("c1"))]);
        let message = json!({"type": "user_message", "message": "see", "images": [url]});
        check(&json!({"payload": message}), &[("image/jpeg", "BBBB", None)]);
        check(&json!({"image_url": {"url": url}}), &[("image/jpeg", "BBBB", None)]);
        let inline = json!({"inlineData": {"mimeType": "image/webp", "data": "CCCC"}});
        check(&json!({"content": [inline]}), &[("image/webp", "CCCC", None)]);
        let response = json!({"id": "f1", "name": "shot", "response": {}, "parts": [inline]});
        check(&json!({"functionResponse": response}), &[("image/webp", "CCCC", Some("f1"))]);
    }

    #[test]
    fn addresses_and_other_types_are_no_pictures() {
        for record in [
            json!({"image_url": "https://example.org/a.png"}),
            json!({"image_url": "file:///etc/passwd"}),
            json!({"image_url": "data:text/html;base64,AAAA"}),
            json!({"media_type": "application/pdf", "data": "AAAA"}),
            json!({"text": "data:image/png;base64,AAAA"}),
            json!({"media_type": "image/png", "data": ""}),
        ] {
            check(&record, &[]);
        }
    }
}
