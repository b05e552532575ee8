//! The last failure of a session, and its category.

use crate::captured::AgentSession;
use crate::prose::said;
use crate::vocabulary::Category;
use serde_json::Value;
use taffrail_model::text::holds;
use taffrail_model::{Event, Kind, Timestamp};

/// A failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// The category.
    pub category: Category,
    /// The message.
    pub message: String,
    /// The number of retries.
    pub retries: u64,
    /// The time of the last retry.
    pub last_retry: Option<Timestamp>,
}

/// Words that indicate a category, the most specific category first.
const TELLING: [(Category, &[&str]); 4] = [
    (
        Category::Resource,
        &[
            "context length",
            "context window",
            "too long",
            "quota",
            "usage limit",
            "insufficient",
            "out of memory",
            "no space",
            "max tokens",
            "credit",
            "billing",
            "payment",
        ],
    ),
    (
        Category::Transient,
        &[
            "overloaded",
            "rate limit",
            "rate_limit",
            "429",
            "500",
            "502",
            "503",
            "504",
            "529",
            "timeout",
            "timed out",
            "connection",
            "network",
            "disconnected",
            "stream",
            "unavailable",
            "server error",
            "econn",
            "try again",
        ],
    ),
    (
        Category::Configuration,
        &[
            "401",
            "403",
            "404",
            "api key",
            "apikey",
            "api_key",
            "authentication",
            "unauthorized",
            "forbidden",
            "permission",
            "logged in",
            "login",
            "credential",
            "not found",
            "not supported",
            "invalid model",
            "config",
        ],
    ),
    (Category::Logical, &["400", "invalid", "bad request", "malformed", "unexpected", "parse"]),
];

/// The last failure.
#[must_use]
pub fn trouble(session: &AgentSession) -> Option<Trouble> {
    let errors: Vec<&Event> = session.spoken().filter(|event| event.kind == Kind::Error).collect();
    let last = errors.last()?;
    let tries: Vec<&&Event> = errors
        .iter()
        .filter(|event| event.turn_id == last.turn_id)
        .filter(|event| event.data.get("retrying").and_then(Value::as_bool) == Some(true))
        .collect();
    let code = last.data.get("code").and_then(Value::as_str).unwrap_or_default();
    let text = last.text.as_deref().filter(|text| !text.trim().is_empty()).unwrap_or(code);
    Some(Trouble {
        category: category(&format!("{code} {text}")),
        message: said(text),
        retries: tries.len() as u64,
        last_retry: tries.last().map(|event| event.created_at),
    })
}

fn category(text: &str) -> Category {
    let text = text.to_lowercase();
    let found = TELLING.iter().find(|(_, words)| words.iter().any(|word| holds(&text, word)));
    found.map_or(Category::Permanent, |(category, _)| category.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_told_by_its_words() {
        let check = |text: &str, expected: Category| assert_eq!(category(text), expected, "{text}");
        check("overloaded_error Overloaded", Category::Transient);
        check("API Error: 529", Category::Transient);
        check("exceeded retry limit, last status: 429 Too Many Requests", Category::Transient);
        check("You've hit your usage limit.", Category::Resource);
        check("prompt is too long", Category::Resource);
        check("401 Unauthorized: invalid x-api-key", Category::Configuration);
        check("invalid_request_error", Category::Logical);
        check("refused by policy", Category::Permanent);
        check("", Category::Permanent);
        check("wrote 15000 lines", Category::Permanent);
    }
}
