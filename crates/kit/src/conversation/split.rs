//! Takes a document apart into its items without parsing all of it at once.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The members of an object, each still as text.
type Members<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

/// The items at a pointer of a document; `None` if it is not JSON.
pub(super) fn items<'a>(bytes: &'a [u8], pointer: &str) -> Option<Vec<&'a RawValue>> {
    let mut here: &RawValue = serde_json::from_slice(bytes).ok()?;
    for name in pointer.split('/').skip(1) {
        let Some(next) = members(here.get()).and_then(|it| it.get(name).copied()) else {
            return Some(Vec::new());
        };
        here = next;
    }
    let is_list = here.get().starts_with('[');
    Some(is_list.then(|| serde_json::from_str(here.get()).ok()).flatten().unwrap_or_default())
}

/// The document without the member that leads to its items.
pub(super) fn head(bytes: &[u8], pointer: &str) -> Option<Value> {
    let text = std::str::from_utf8(bytes).ok()?;
    let list = pointer.split('/').nth(1).unwrap_or_default();
    let kept = members(text)?.into_iter().filter(|(name, _)| name != list);
    let parsed = kept
        .filter_map(|(name, raw)| Some((name.into_owned(), serde_json::from_str(raw.get()).ok()?)));
    Some(Value::Object(parsed.collect::<Map<_, _>>()))
}

fn members(text: &str) -> Option<Members<'_>> {
    // Anything but an object would be copied into an error.
    if !text.trim_start().starts_with('{') {
        return None;
    }
    #[derive(Deserialize)]
    struct Object<'a>(#[serde(borrow)] Members<'a>);
    serde_json::from_str(text).ok().map(|Object(it)| it)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_document_is_taken_apart() {
        let text = br#"{"id": 1, "a": {"b": [1, {"c": 2}]}, "\u0074": 3}"#;
        let found: Vec<_> = items(text, "/a/b").unwrap().into_iter().map(RawValue::get).collect();
        assert_eq!(found, ["1", r#"{"c": 2}"#]);
        assert_eq!(head(text, "/a/b"), Some(json!({"id": 1, "t": 3})));
        assert_eq!(items(b"[1, 2]", "").unwrap().len(), 2);
        assert_eq!(items(text, "/x").unwrap().len(), 0);
        assert_eq!(items(text, "/id/x").unwrap().len(), 0);
        assert!(items(b"{", "/x").is_none() && head(b"[", "/x").is_none());
    }
}
