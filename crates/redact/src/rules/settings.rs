//! Passwords that are plain words, as files and environments set them. A word is a password only
//! where nothing else can be, so each rule describes its context as precisely as it can.

use super::super::password::{after_pass, assigned, word};
use super::super::rule::{Rule, named};

/// The start of a line: after an optional line number, as a list item, or right after a quote.
macro_rules! line_start {
    () => {
        r#"(?m)(?:^|\\n|")(?:\s{0,12}[0-9]{1,6}(?:→|\t|\\t|[:|]))?[ \t+>]{0,40}(?:- {1,3})?(?:export )?"#
    };
}

/// The end of a line, after an optional comment.
macro_rules! line_end {
    () => {
        r#"[ \t]{0,8}(?:[ \t]#[^\n]{0,120})?(?:\r?$|\\[nr]|\\?")"#
    };
}

/// Anything but a digit, a symbol or a control character: the class of all letters would make the
/// patterns large, and the checks filter again.
macro_rules! letter {
    () => {
        r"[^\x00-@\[-`{-\x7F]"
    };
}

/// Names that mean password.
macro_rules! name {
    () => {
        "(?:password|passwd|passphrase|passwort|kennwort|[_.-]pass|[_.-]pwd)"
    };
}

const KIND: &str = "password";
const NAMES: &[&str] = &["password", "passwd", "passphrase", "passwort", "kennwort", "pass", "pwd"];

pub(super) const RULES: &[Rule] = &[
    // `PGPASSWORD=word` in any position.
    named(
        KIND,
        &["password=", "passwd=", "passphrase=", "pass=", "_pwd="],
        r#"(?:^|[^A-Za-z0-9_.]|\\[nrt])(?:[A-Z0-9_]{0,40}(?:PASSWORD|PASSWD|PASSPHRASE)|(?:[A-Z0-9_]{0,40}_|SSH|DB|PG)?PASS|[A-Z0-9_]{1,40}_PWD)=(?:\\?"([^"\\\r\n]{4,128})\\?"|\\?'([^'\\\r\n]{4,128})\\?'|([^\s"'`|;&<>(){}\\,$=]{4,128})(?:[\s"'`;|&)\\]|$))"#,
        assigned,
    ),
    // `password: word` and `password=word` alone on a line, and `password = Word`.
    named(
        KIND,
        NAMES,
        concat!(
            line_start!(),
            r"(?i)[a-z0-9_.-]{0,40}",
            name!(),
            r"(?:(?::[ \t]{1,4}|=)(",
            letter!(),
            r"{6,64})|[ \t]{1,8}=[ \t]{1,8}((?-i:[A-ZÀ-Þ])",
            letter!(),
            r"{5,63}))",
            line_end!(),
        ),
        word,
    ),
    named(
        KIND,
        &["pass:"],
        concat!(
            line_start!(),
            r#"[Pp]ass:[ \t]{1,4}\\?["']?([^\s"'`,;<>(){}\[\]\\$&*!|%@=:#][^\s"'`,;<>(){}\\=]{3,127})\\?["']?"#,
            line_end!(),
        ),
        after_pass,
    ),
    // The same in lower case, after a line that names the user.
    named(
        KIND,
        &["pass:"],
        concat!(
            r#"(?mi)(?:user|login|name|host|email)["']?:[^\n\\]{1,80}(?:\r?\n|\\n)[ \t]{0,40}pass:[ \t]{1,4}\\?["']?("#,
            letter!(),
            r#"{6,64})\\?["']?"#,
            line_end!(),
        ),
        word,
    ),
    // A word in quotes.
    named(
        KIND,
        NAMES,
        concat!(
            "(?i)(?:",
            name!(),
            r#"|\b(?:pass|pwd))(?:\\?["'`\])]){0,2}(?:\s{0,2}:\s{0,2}&?(?:'static )?[a-z]{1,12})?\s{0,8}(?:=>|:=|=|:)\s{0,4}(?:\\?"("#,
            letter!(),
            r#"{6,64})\\?"|\\?'("#,
            letter!(),
            r#"{6,64})\\?')"#,
        ),
        word,
    ),
    // Among other pairs, as in connection strings of databases.
    named(
        KIND,
        &["password=", "pwd="],
        concat!(
            r#"(?i)[a-z_]{2,24}=[^\s;"',()]{1,80}[; ](?:password|pwd)=("#,
            letter!(),
            r#"{4,64})(?:[;"'\s\\]|$)"#
        ),
        word,
    ),
    // A flag that means password also takes a word, if the command continues.
    named(
        "flag-secret",
        &["--"],
        concat!(
            r#"(?i)--[a-z-]{0,24}(?:password|passwd|passphrase|pass)(?:=\\?["']?("#,
            letter!(),
            r#"{4,64})(?:[\s"'\\;|&]|$)|\s\\?["']?("#,
            letter!(),
            r#"{4,64})\\?["']?(?:\s{1,4}-|\s{0,4}[;|&]))"#
        ),
        word,
    ),
];
