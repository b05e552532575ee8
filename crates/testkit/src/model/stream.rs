//! One answer in progress: the order of its parts, for any API.

use super::say::Content;
use super::{Spent, Wire, chat, gemini, messages, responses};
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
    /// The tokens that it reports.
    pub spent: Spent,
}

impl Reply<'_> {
    pub(super) fn opening(&self) -> Vec<Value> {
        match self.wire {
            Wire::Messages => messages::opening(self.number, self.model, self.spent),
            Wire::Responses => responses::opening(self.number),
            Wire::Chat => chat::opening(self.number, self.model),
            Wire::Gemini => Vec::new(),
        }
    }

    pub(super) fn part(&self, content: &Content, index: usize) -> Part {
        let id = format!("fake{:06}_{index}", self.number);
        match self.wire {
            Wire::Messages => messages::part(content, &id, index),
            Wire::Responses => responses::part(content, &id, index),
            Wire::Chat => chat::part(content, (self.number, self.model), index),
            Wire::Gemini => gemini::part(content, &id),
        }
    }

    pub(super) fn closing(&self, wholes: &[Value]) -> Vec<Value> {
        match self.wire {
            Wire::Messages => messages::closing(wholes, self.spent),
            Wire::Responses => responses::closing(self.number, self.model, wholes),
            Wire::Chat => chat::closing(self.number, self.model, wholes),
            Wire::Gemini => gemini::closing(),
        }
    }

    /// The whole answer, for a request that wants no stream.
    pub(super) fn whole(&self, wholes: &[Value]) -> Value {
        match self.wire {
            Wire::Messages | Wire::Responses => {
                messages::whole(self.number, self.model, (wholes, self.spent))
            }
            Wire::Chat => chat::whole(self.number, self.model, wholes),
            Wire::Gemini => gemini::whole(wholes),
        }
    }

    /// An event as server-sent events write it.
    pub(super) fn line(&self, event: &Value) -> String {
        match self.wire {
            Wire::Messages | Wire::Responses => {
                let kind = event["type"].as_str().unwrap_or_default();
                format!("event: {kind}\ndata: {event}\n\n")
            }
            Wire::Chat => format!("data: {event}\n\n"),
            // Gemini CLI reads lines as JavaScript has them, and its vendor's server escapes what ends one there.
            Wire::Gemini => {
                let event = event.to_string().replace('\u{2028}', "\\u2028");
                format!("data: {}\n\n", event.replace('\u{2029}', "\\u2029"))
            }
        }
    }
}
