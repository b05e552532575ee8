//! Classifies an agent's failures with its provider.

use crate::text::holds;

/// A kind of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Class {
    /// The request exceeds the context window.
    Context,
    /// The quota is used up.
    Quota,
    /// Too many requests.
    Rate,
    /// Authentication failed.
    Auth,
    /// The provider failed.
    Provider,
    /// The provider is unreachable.
    Network,
    /// Something else.
    Other,
}

/// Words that identify a class, the most specific class first. A number must be a whole word.
const TELLING: [(Class, &[&str]); 6] = [
    (
        Class::Context,
        &[
            "context length",
            "context window",
            "context_length",
            "context_window",
            "maximum context",
            "prompt is too long",
            "input is too long",
            "ran out of room",
        ],
    ),
    (
        Class::Quota,
        &[
            "usage limit",
            "usage_limit",
            "quota",
            "credit balance",
            "out of credits",
            "billing",
            "payment",
            "spend limit",
            "limit reached",
            "hit your limit",
        ],
    ),
    (Class::Rate, &["429", "rate limit", "rate_limit", "ratelimit", "too many requests"]),
    (
        Class::Auth,
        &[
            "401",
            "403",
            "unauthorized",
            "authentication",
            "api key",
            "api-key",
            "api_key",
            "not logged in",
            "/login",
            "please log in",
            "oauth",
            "forbidden",
            "credential",
            "token has expired",
            "token expired",
        ],
    ),
    (
        Class::Provider,
        &[
            "500",
            "502",
            "503",
            "504",
            "529",
            "overloaded",
            "server error",
            "server_error",
            "internal error",
            "bad gateway",
            "service unavailable",
            "at capacity",
        ],
    ),
    (
        Class::Network,
        &[
            "connection",
            "network",
            "econn",
            "enotfound",
            "etimedout",
            "timed out",
            "timeout",
            "dns",
            "fetch failed",
            "disconnected",
            "socket",
            "stream error",
            "unreachable",
        ],
    ),
];

/// The class of a failure, by its code and text.
pub(super) fn class_of(code: &str, text: &str) -> Class {
    let text = format!("{code} {}", crate::text::cut(text, 4096)).to_lowercase();
    let told = TELLING.iter().find(|(_, words)| words.iter().any(|word| holds(&text, word)));
    told.map_or(Class::Other, |(class, _)| *class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_told_by_its_code_and_words() {
        let check = |code: &str, text: &str, expected: Class| {
            assert_eq!(class_of(code, text), expected, "{code} {text}");
        };
        check("overloaded_error", "Overloaded", Class::Provider);
        check("", "API Error: 529", Class::Provider);
        check("server_error", "", Class::Provider);
        check("usage_limit_exceeded", "You've hit your usage limit.", Class::Quota);
        check("", "exceeded retry limit, last status: 429 Too Many Requests", Class::Rate);
        check("rate_limit", "", Class::Rate);
        check("", "Invalid API key · Please run /login", Class::Auth);
        check("", "unexpected status 401 Unauthorized", Class::Auth);
        check("", "stream disconnected before completion", Class::Network);
        check("", "connect ECONNREFUSED 127.0.0.1:9", Class::Network);
        check("context_window_exceeded", "", Class::Context);
        check("", "prompt is too long: 210000 tokens", Class::Context);
        check("invalid_request_error", "bad image", Class::Other);
        check("", "wrote 15000 lines", Class::Other);
    }
}
