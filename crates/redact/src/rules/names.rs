//! Secrets that are recognized by their names.

use super::super::entropy::{drawn, secret, varied};
use super::super::password::{chosen_or_drawn, mnemonic, password};
use super::super::rule::{Rule, named};

/// A value: quoted, or bare up to the next punctuation.
macro_rules! value {
    ($name:literal) => {
        concat!(
            "(?i)",
            $name,
            r#"(?:[_-]?(?:prod|production|dev|test|staging|live|base|value|v?[0-9]))?"#,
            // A closing quote or bracket of the name, then an optional type.
            r#"(?:\\?["'`\])]){0,2}(?:\s{0,2}:\s{0,2}&?(?:'static )?[a-z]{1,12}(?:<[a-z]{1,12}>)?)?"#,
            r#"(?:\s{0,8}(?:=>|:=|==?|:)\s{0,4}|\s(?:is|was|lautet):?\s|>)"#,
            r#"(?:\\?["'`]([^"'`\\\r\n]{4,200})\\?["'`]|\\?["']?([^\s"'`,;<>(){}\\&=]{4,200}=*))"#,
        )
    };
}

pub(super) const RULES: &[Rule] = &[
    named(
        "netrc-password",
        &["login"],
        r"(?i)login\s{1,4}\S{1,80}\s{1,8}password\s{1,4}([^\s]{4,128})",
        chosen_or_drawn,
    ),
    named(
        "sql-password",
        &["identified by", "password"],
        r#"(?i)(?:identified by|(?:with|set)? password(?:\s?=)?|password\()\s{0,2}\\?'([^'\r\n\\]{4,128})\\?'"#,
        password,
    ),
    named(
        "flag-secret",
        &["--"],
        r#"(?i)--[a-z-]{0,24}(?:password|passwd|passphrase|pass|token|secret|api-key|apikey|access-key)[ =]["']?([^\s"'`$(){}<>\\]{6,200})"#,
        chosen_or_drawn,
    ),
    named(
        "password",
        &["password", "passwd", "passphrase", "passwort", "pwd", "_pass", "-pass", "\"pass"],
        value!(r#"(?:password|passwd|passphrase|passwort|pwd|[_"-]pass)"#),
        password,
    ),
    named(
        "secret",
        &[
            "secret",
            "api_key",
            "api-key",
            "apikey",
            "api key",
            "access_key",
            "access-key",
            "accesskey",
            "private_key",
            "privatekey",
            "private-key",
            "signing_key",
            "signingkey",
            "encryption_key",
            "encryptionkey",
            "master_key",
            "masterkey",
            "auth_key",
            "authkey",
            "service_key",
            "account_key",
            "license_key",
            "token",
            "credential",
            "app_key",
            "webhook_key",
        ],
        value!(
            "public[_-]?key[_-]?token|(?:secret|(?:api|access|private|signing|encryption|master|auth|service|account|license|app|webhook|secret)[ _-]?key|token|credentials?)"
        ),
        secret,
    ),
    named(
        "kube-client-key",
        &["client-key-data"],
        r#"client-key-data\\?["']?\s{0,4}:\s{0,4}\\?["']?([A-Za-z0-9+/=]{32,400})"#,
        varied,
    ),
    named(
        "mnemonic",
        &["mnemonic", "phrase", "words"],
        r#"(?i)(?:mnemonic|(?:seed|recovery|secret|backup|wallet)[ _-]?(?:phrase|words))[a-z0-9_ -]{0,20}?\\?["']?\s{0,2}(?::|=|\bis\b)\s{0,4}\\?["'`]?((?-i:(?:1[.):]\s?)?[a-z]{3,8}(?:(?:,\s?|\s{1,2}|\\n)(?:[0-9]{1,2}[.):]\s?)?[a-z]{3,8}){11,23}))\b"#,
        mnemonic,
    ),
    named(
        "high-entropy",
        &[
            "token",
            "secret",
            "password",
            "credential",
            "api key",
            "apikey",
            "api_key",
            "passcode",
            " key",
        ],
        r#"(?i)(?:token|secret|password|credential|passcode|api[ _-]?key|\bkey)s?\b[^\n]{0,40}?[\s"'`:=(\[]([A-Za-z0-9+/_=-]{24,200})(?:[\s"'`,;.)\]]|$)"#,
        drawn,
    ),
];
