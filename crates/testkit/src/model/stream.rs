//! One answer in progress: the order of its parts, for any API.

use super::say::Content;
use super::{Wire, messages, responses};
use serde_json::Value;

/// A piece of an answer in the form of the API.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Part {
    /// The streamed events.
    pub events: Vec<Value>,
    /// The complete piece, as the end of an answer repeats it.
    pub whole: Value,
}

/// An answer in progress.
#[derive(Debug, Clone)]
pub(super) struct Reply<'a> {
    /// The API.
    pub wire: Wire,
    /// The number of the request, used in ids.
    pub number: usize,
    /// The requested model.
    pub model: &'a Value,
}

impl Reply<'_> {
    pub(super) fn opening(&self) -> Vec<Value> {
        match self.wire {
            Wire::Messages => messages::opening(self.number, self.model),
            Wire::Responses => responses::opening(self.number),
        }
    }

    pub(super) fn part(&self, content: &Content, index: usize) -> Part {
        let id = format!("fake{:06}_{index}", self.number);
        match self.wire {
            Wire::Messages => messages::part(content, &id, index),
            Wire::Responses => responses::part(content, &id, index),
        }
    }

    pub(super) fn closing(&self, wholes: &[Value]) -> Vec<Value> {
        match self.wire {
            Wire::Messages => messages::closing(wholes),
            Wire::Responses => responses::closing(self.number, self.model, wholes),
        }
    }
}

/// An event as server-sent events write it.
pub(super) fn line(event: &Value) -> String {
    let kind = event["type"].as_str().unwrap_or_default();
    format!("event: {kind}\ndata: {event}\n\n")
}
