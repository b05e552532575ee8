//! How a browser authenticates: a code that is valid once and for a minute, exchanged for a cookie.
//!
//! A cookie is an instant and its keyed digest under the token, so nothing has to be stored: it
//! expires by its time, and renewing the token invalidates every cookie.

use super::token::Token;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use taffrail_model::{Timestamp, hash};

/// How long a code is valid.
const CODE: Duration = Duration::from_secs(60);
/// How long a cookie is valid.
pub(super) const COOKIE: Duration = Duration::from_secs(24 * 60 * 60);
/// The most open codes.
const OPEN: usize = 16;
/// The length of a code: 256 bits in hexadecimal.
const LETTERS: usize = 64;

/// Codes that were issued and not used.
#[derive(Debug, Default)]
pub(super) struct Codes(Mutex<Vec<Code>>);

#[derive(Debug)]
struct Code {
    /// A digest instead of the code itself, so that the comparison takes constant time.
    mark: hash::Digest16,
    until: Timestamp,
}

impl Codes {
    /// Makes this code valid once; `false` if it is not a code.
    pub(super) fn give(&self, code: &str, now: Timestamp) -> bool {
        if code.len() != LETTERS || !code.bytes().all(|it| it.is_ascii_hexdigit()) {
            return false;
        }
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|it| it.until > now);
        if open.len() >= OPEN {
            open.remove(0);
        }
        let until = now.checked_add(CODE).unwrap_or(now);
        open.push(Code { mark: mark_of(code), until });
        true
    }

    /// Uses up a code; `true` if it was valid.
    pub(super) fn take(&self, code: &str, now: Timestamp) -> bool {
        let mark = mark_of(code);
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|it| it.until > now);
        let before = open.len();
        open.retain(|it| it.mark != mark);
        open.len() < before
    }
}

fn mark_of(code: &str) -> hash::Digest16 {
    hash::digest("web-code", &[code.as_bytes()])
}

/// The name of the cookie contains the port, because browsers share cookies between ports.
pub(super) fn cookie_name(port: u16) -> String {
    format!("taffrail-{port}")
}

/// Creates a cookie that is valid from now on; `None` without a token.
pub(super) fn cookie(token: &Token, now: Timestamp) -> Option<String> {
    let until = now.checked_add(COOKIE).ok()?.as_second();
    Some(format!("{until}.{}", hash::to_hex(&token.mark(&until.to_string())?)))
}

/// True if this cookie is valid.
pub(super) fn counts(token: &Token, offered: &str, now: Timestamp) -> bool {
    let Some((until, mark)) = offered.split_once('.') else { return false };
    let is_open = until.parse::<i64>().is_ok_and(|it| it > now.as_second());
    let expected = token.mark(until).map(|it| hash::to_hex(&it));
    is_open && expected.is_some_and(|it| super::token::same(it.as_bytes(), mark.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_counts_once_and_for_a_minute() {
        let (start, code) = (Timestamp::UNIX_EPOCH, "ab".repeat(32));
        let check = |given: &str, after: i64, taken: &str, expected: [bool; 2]| {
            let codes = Codes::default();
            codes.give(given, start);
            let then = start.checked_add(Duration::from_secs(after.unsigned_abs())).unwrap();
            assert_eq!([codes.take(taken, then), codes.take(taken, then)], expected, "{given}");
        };
        check(&code, 0, &code, [true, false]);
        check(&code, 59, &code, [true, false]);
        check(&code, 60, &code, [false, false]);
        check(&code, 0, &"cd".repeat(32), [false, false]);
        check("short", 0, "short", [false, false]);
        check("", 0, "", [false, false]);
    }

    #[test]
    fn only_so_many_codes_are_open_and_the_oldest_goes_first() {
        let codes = Codes::default();
        let code = |number: usize| format!("{number:064x}");
        (0..=OPEN).for_each(|it| assert!(codes.give(&code(it), Timestamp::UNIX_EPOCH)));
        assert!(!codes.take(&code(0), Timestamp::UNIX_EPOCH));
        assert!(codes.take(&code(1), Timestamp::UNIX_EPOCH));
    }
}
