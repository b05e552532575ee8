//! The forms of text that several contracts require.

use crate::report::Level;
use crate::shape::Form;

/// A calendar date, leap years included, and a time of day.
macro_rules! moment {
    ($tail:literal) => {
        concat!(
            "^(?:",
            "[0-9]{4}-(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|",
            "[0-9]{4}-(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|",
            "[0-9]{4}-02-(?:0[1-9]|1[0-9]|2[0-8])|",
            "[0-9]{2}(?:0[48]|[2468][048]|[13579][26])-02-29|",
            "(?:[02468][048]|[13579][26])00-02-29",
            ")T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]",
            $tail,
            "$"
        )
    };
}

const MOMENT: &str = moment!("(?:[.,][0-9]+)?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])");
const MOMENT_MS: &str = moment!("[.][0-9]{3}Z");

/// An ISO 8601 moment with its offset.
#[must_use]
pub fn moment() -> Form {
    let hint = "Write an ISO 8601 moment with its offset, such as 2026-01-17T14:30:00.000Z.";
    Form::new("timestamp", Level::Must, MOMENT, hint)
}

/// The same in UTC with milliseconds, exactly.
#[must_use]
pub fn moment_ms() -> Form {
    let hint = "Write it in UTC with milliseconds: YYYY-MM-DDTHH:mm:ss.sssZ.";
    Form::new("timestamp-ms", Level::Strict, MOMENT_MS, hint)
}

/// A random UUID.
#[must_use]
pub fn uuid_v4() -> Form {
    let pattern =
        "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$";
    Form::new("uuid-v4", Level::Strict, pattern, "Write a UUID of version 4.")
}

/// A SHA-256 in hexadecimal digits.
#[must_use]
pub fn sha256() -> Form {
    let hint = "Write the 64 hexadecimal digits of a SHA-256, or null.";
    Form::new("sha256", Level::Strict, "^[0-9a-fA-F]{64}$", hint)
}

/// A SHA-1 in hexadecimal digits.
#[must_use]
pub fn sha1() -> Form {
    let hint = "Write the 40 hexadecimal digits of the commit, or null.";
    Form::new("sha1", Level::Strict, "^[0-9a-fA-F]{40}$", hint)
}

/// An absolute path, of Unix or of Windows.
#[must_use]
pub fn absolute() -> Form {
    let hint = "Write the absolute path of the project.";
    Form::new("absolute", Level::Strict, r"^(?:/|[A-Za-z]:[/\\]|\\\\)", hint)
}

/// A path below the project.
#[must_use]
pub fn relative() -> Form {
    let hint = "Write the path relative to the project, without a leading slash and not above it.";
    // Neither an absolute path nor one that begins with `..`.
    let pattern = r"^(?:[^./\\]|\.(?:[^.]|$)|\.\.[^/\\])";
    Form::new("relative", Level::Strict, pattern, hint)
}

/// At least one character.
#[must_use]
pub fn named() -> Form {
    Form::new(
        "empty",
        Level::Advice,
        "^(?:.|[\n\r])",
        "Write a name: an empty one identifies nothing.",
    )
}

/// At least one character, where a reader needs it.
#[must_use]
pub fn stated() -> Form {
    Form::new("empty", Level::Strict, "^(?:.|[\n\r])", "Say it in a sentence.")
}

/// An e-mail address, roughly.
#[must_use]
pub fn email() -> Form {
    Form::new("email", Level::Strict, "^[^@ \t\r\n]+@[^@ \t\r\n]+$", "Write an e-mail address.")
}

/// The three numbers of a semantic version.
#[must_use]
pub fn semver(level: Level) -> Form {
    let pattern =
        r"^(?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*)(?:[-+][0-9A-Za-z.+-]+)?$";
    Form::new("semver", level, pattern, "Write MAJOR.MINOR.PATCH.")
}

/// A source's locator: a scheme, a colon, and a name on one line.
#[must_use]
pub fn locator() -> Form {
    let hint = "Write a locator such as `scheme:folder/file.jsonl`; a body does not belong here.";
    Form::new("locator", Level::Must, "^[A-Za-z][A-Za-z0-9+.-]*:[^\n\r]{1,4096}$", hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(form: &Form, good: &[&str], bad: &[&str]) {
        for text in good {
            assert!(form.fits(text), "{} refuses {text:?}", form.rule);
        }
        for text in bad {
            assert!(!form.fits(text), "{} takes {text:?}", form.rule);
        }
    }

    #[test]
    fn a_moment_is_one_that_was_or_will_be() {
        let good = [
            "2026-01-17T14:30:00.000Z",
            "2026-01-17T14:30:00Z",
            "2024-02-29T00:00:00+01:00",
            "2000-02-29T23:59:59.123456789Z",
        ];
        let bad = [
            "yesterday",
            "2026-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "2026-04-31T00:00:00Z",
            "2026-01-17T24:00:00Z",
            "2026-01-17T14:30:00",
            "2026-01-17",
            "2026-01-17T14:30:00Z\n",
            "",
        ];
        check(&moment(), &good, &bad);
        check(&moment_ms(), &good[..1], &good[1..]);
    }

    #[test]
    fn forms_take_and_refuse() {
        let v4 = "6e01275b-6d80-422b-8fb5-b11280437c67";
        check(
            &uuid_v4(),
            &[v4],
            &["abc12345-def6-7890-ghij-klmnopqrstuv", &v4.replace("-422b", "-122b")],
        );
        check(&sha256(), &[&"a1".repeat(32)], &["", "a1b2c3d4e5f6...", &"g".repeat(64)]);
        check(&sha1(), &[&"a1".repeat(20)], &[&"a1".repeat(32)]);
        check(&absolute(), &["/w", r"C:\w", r"\\host\w"], &["w", "", "./w"]);
        check(
            &relative(),
            &["src/a.rs", "a", ".env", "..a", "./a", "."],
            &["/a", "", r"\a", "../a", ".."],
        );
        check(&named(), &["a", "\n"], &[""]);
        check(&email(), &["a@b.c"], &["a", "a b@c", "@", "a@b@c"]);
        check(
            &semver(Level::Must),
            &["1.0.0", "1.23.0-rc.1"],
            &["1", "1.0", "01.0.0", "v1.0.0", "1.0.0 "],
        );
        check(&locator(), &["claude-jsonl:p/s.jsonl"], &["a body", "x:", "x:a\nb", ""]);
    }
}
