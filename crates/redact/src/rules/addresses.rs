//! Secrets in URLs, and those sent along with them.

use super::super::entropy::{authorization, in_query, secret};
use super::super::password::{address_password, address_password_unescaped};
use super::super::rule::{Rule, named};

pub(super) const RULES: &[Rule] = &[
    named(
        "url-password",
        &["://"],
        r#"://[^\s:/?#@"'<>\[\](){}|\\]{0,64}:([^\s/?#@"'<>|\\]{3,200})@"#,
        address_password,
    ),
    // An unescaped password: it extends to the last `@` before a host.
    named(
        "url-password",
        &["://"],
        r#"://[^\s:/?#@"'<>\[\](){}|\\`,]{0,64}:([^\s@"'<>|\\`,]{0,200}(?:@[^\s@?"'<>|\\`,]{0,100}){0,4}[^\s@/"'<>|\\`,])@(?:[a-z][a-z0-9.-]{0,80}|[0-9]{1,3}(?:\.[0-9]{1,3}){3}|\[)(?:[:/?\s"'\\]|$)"#,
        address_password_unescaped,
    ),
    named(
        "query-secret",
        &["key=", "token=", "auth=", "secret=", "code=", "sig=", "signature=", "session="],
        r#"(?i)(?:[?&]|&amp;)(?:(?:api|access|auth|app|client|subscription)?[_-]?(?:key|token|auth|secret)|code|sig|signature|session)=([^\s&"'<>#\\`;,(){}$]{8,400})"#,
        in_query,
    ),
    named(
        "authorization",
        &["authorization"],
        r#"(?i)authorization\\?["']{0,2}\s{0,4}(?:[:=,]|=>)\s{0,4}\\?["']{0,2}(?:(?:basic|bearer|token|bot|apikey|digest|negotiate)\s{1,2})?([A-Za-z0-9+/=_.~:-]{8,400})"#,
        authorization,
    ),
    named("bearer-token", &["bearer"], r"(?i)bearer\s{1,2}([A-Za-z0-9+/=_.~-]{20,400})", secret),
    named(
        "basic-auth",
        &["curl", "wget", "http "],
        r#"(?:curl|wget|http) (?:[^\n|;]{0,200}?[\s"',])?(?:-u|-U|--user|--proxy-user|-a|--auth)(?:[ =]|\\?["'],\s?)?(?:\\?"[^\s:"'/]{1,64}:([^"\\\r\n]{3,128})|\\?'[^\s:"'/]{1,64}:([^'\r\n]{3,128})|[^\s:"'/]{1,64}:([^\s"'\\]{3,128}))"#,
        address_password,
    ),
    named(
        "session-cookie",
        &["cookie"],
        r#"(?i)cookie\\?["']?\s{0,2}[:=]\s{0,2}\\?["']?[^\n]{0,120}?(?:sess|sid|auth|token|jwt|login)[a-z0-9_.-]{0,24}=([A-Za-z0-9%+/=_.~:-]{16,400})"#,
        secret,
    ),
];
