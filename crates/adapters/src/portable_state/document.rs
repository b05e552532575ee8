//! A session state as written, read leniently: a field of another type is absent.

use serde_json::{Map, Number, Value};

/// A state, as far as it is read.
pub(super) struct Document(Map<String, Value>);

impl Document {
    /// Parses a state; `None` if it is not an object.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok().map(Self)
    }

    /// The state's id.
    pub(super) fn id(&self) -> Option<&str> {
        self.text("session_id")
    }

    /// A text that is not empty.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        text(self.0.get(name)?)
    }

    /// A number.
    pub(super) fn number(&self, name: &str) -> Option<&Number> {
        self.0.get(name)?.as_number()
    }

    /// A text from its metadata.
    pub(super) fn remark(&self, name: &str) -> Option<&str> {
        text(self.0.get("metadata")?.get(name)?)
    }

    /// The texts of a list.
    pub(super) fn texts(&self, name: &str) -> impl Iterator<Item = &str> {
        self.list(name).filter_map(text)
    }

    /// The elements of a list.
    pub(super) fn list(&self, name: &str) -> impl Iterator<Item = &Value> {
        self.0.get(name).and_then(Value::as_array).into_iter().flatten()
    }
}

fn text(value: &Value) -> Option<&str> {
    value.as_str().filter(|it| !it.trim().is_empty())
}

/// A text of an element.
pub(super) fn text_of<'v>(element: &'v Value, name: &str) -> Option<&'v str> {
    text(element.get(name)?)
}
