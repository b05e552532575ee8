//! An address of the user's: one signed POST, no redirects, a few attempts.
//!
//! It is sent by `curl`, which knows the machine's certificates and proxies. What is secret is given to
//! it on its standard input, never as an argument that others could read.

use super::document::{event, json};
use super::program::{fed, found};
use super::signature::signature;
use super::{Message, SendError, Sending};
use crate::summary::command::CommandError;
use rustix::fs::{FileType, Mode, OFlags, fstat, open};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The longest address, in bytes.
const URL_BYTES: usize = 2048;
/// The longest secret, in bytes.
const SECRET_BYTES: u64 = 4096;
/// How long is waited before the daemon's end is looked at again.
const LOOK: Duration = Duration::from_millis(50);

/// An address the user wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WebhookUrl(String);

impl TryFrom<String> for WebhookUrl {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        let is_plain = |it: char| it.is_ascii_graphic() && !matches!(it, '"' | '\\' | '<' | '>');
        let is_address = rest.is_some_and(|it| !it.is_empty() && !it.starts_with('/'))
            && text.len() <= URL_BYTES
            && text.chars().all(is_plain);
        match is_address {
            true => Ok(Self(text)),
            false => Err("a webhook is an address that begins with https:// or http://".to_owned()),
        }
    }
}

impl From<WebhookUrl> for String {
    fn from(it: WebhookUrl) -> Self {
        it.0
    }
}

impl WebhookUrl {
    /// Where it goes, without what may be secret in it.
    fn host(&self) -> &str {
        let (scheme, rest) = self.0.split_once("://").unwrap_or_default();
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let bare = host.rsplit('@').next().unwrap_or_default();
        match bare.len() == host.len() {
            true => self.0.get(..scheme.len() + 3 + host.len()).unwrap_or_default(),
            false => bare,
        }
    }
}

/// An address, and how it is spoken to.
#[derive(Debug)]
pub(in crate::notices) struct Webhook {
    pub(in crate::notices) url: WebhookUrl,
    /// The file of the secret.
    pub(in crate::notices) secret: Option<PathBuf>,
    /// How long is waited before each further attempt.
    pub(in crate::notices) pauses: Vec<Duration>,
}

/// Whether trying again may help.
enum Came {
    Well(u16),
    Badly(SendError),
    ForNow(SendError),
}

impl Webhook {
    pub(super) fn send(
        &self,
        message: &Message,
        sending: &Sending<'_>,
    ) -> Result<String, SendError> {
        let mut pauses = self.pauses.iter();
        loop {
            let why = match self.attempt(message, sending)? {
                Came::Well(code) => return Ok(format!("it was answered with {code}")),
                Came::Badly(why) => return Err(why),
                Came::ForNow(why) => why,
            };
            let Some(pause) = pauses.next().filter(|_| !(sending.ending)()) else {
                return Err(why);
            };
            rest(*pause, sending.ending);
        }
    }

    pub(super) fn shown(&self, message: &Message) -> Vec<String> {
        let signed = match self.secret() {
            Ok(Some(_)) => "signed with your secret".to_owned(),
            Ok(None) => "not signed: no notifications.webhook_secret_file is set".to_owned(),
            Err(error) => error.to_string(),
        };
        vec![format!("POST to {}, {signed}", self.url.host()), json(message)]
    }

    fn attempt(&self, message: &Message, sending: &Sending<'_>) -> Result<Came, SendError> {
        let secret = self.secret()?;
        let second = (sending.settings.now)().as_second();
        let told = asked(&self.url, message, secret.as_deref(), second);
        let limit = sending.settings.notices.limit.as_secs().max(1).to_string();
        let program = found(sending.settings, "curl")?;
        let words = [program.as_str(), "-q", "--max-time", &limit, "--config", "-"];
        let said = fed(&words.map(str::to_owned), &told, sending);
        Ok(match said {
            Ok(said) => came(said.trim().parse().unwrap_or(0)),
            Err(SendError::Program(_, CommandError::Failed(status))) => {
                Came::ForNow(SendError::Unreached(meaning(status.code())))
            }
            Err(error) => Came::Badly(error),
        })
    }

    /// The secret, read anew each time. One that others could read is none.
    fn secret(&self) -> Result<Option<Vec<u8>>, SendError> {
        let read = self.secret.as_deref().map(secret_in).transpose();
        read.map_err(SendError::Secret)
    }
}

/// What `curl` is told: everything about one request, with nothing taken from elsewhere.
fn asked(url: &WebhookUrl, message: &Message, secret: Option<&[u8]>, second: i64) -> String {
    let body = json(message);
    let mut lines = vec![
        format!("url = {}", quoted(&url.0)),
        "request = \"POST\"".to_owned(),
        "proto = \"=http,https\"".to_owned(),
        "globoff\nsilent\nmax-redirs = 0\noutput = \"/dev/null\"".to_owned(),
        "write-out = \"%{http_code}\"".to_owned(),
        "header = \"Content-Type: application/json\"".to_owned(),
        format!("user-agent = \"taffrail/{}\"", env!("CARGO_PKG_VERSION")),
        format!("header = \"X-Taffrail-Event: {}\"", event(message)),
        format!("header = \"X-Taffrail-Timestamp: {second}\""),
    ];
    lines.extend(secret.map(|it| {
        let signed = signature(it, second, &body);
        format!("header = \"X-Taffrail-Signature: sha256={signed}\"")
    }));
    lines.push(format!("data-raw = {}", quoted(&body)));
    lines.join("\n") + "\n"
}

/// A value as the file of options has it. JSON on one line holds no control characters.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Only what the address itself took is sent; an answer that leads elsewhere is not followed.
fn came(code: u16) -> Came {
    match code {
        200..=299 => Came::Well(code),
        429 | 500..=599 => Came::ForNow(SendError::Refused(code)),
        _ => Came::Badly(SendError::Refused(code)),
    }
}

/// What the codes of `curl` mean that a person can act on.
fn meaning(code: Option<i32>) -> &'static str {
    match code {
        Some(5) => "the proxy is not known",
        Some(6) => "the host is not known",
        Some(7) => "nobody listens there",
        Some(28) => "it took too long",
        Some(35 | 51 | 53 | 54 | 58 | 59 | 60 | 77 | 83 | 90 | 91) => {
            "the connection could not be made safe"
        }
        _ => "it could not be sent",
    }
}

fn secret_in(path: &Path) -> Result<Vec<u8>, String> {
    let fault = |why: &str| format!("{}: {why}", path.display());
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = open(path, flags, Mode::empty()).map_err(|it| fault(&it.to_string()))?;
    let known = fstat(&file).map_err(|it| fault(&it.to_string()))?;
    let is_file = FileType::from_raw_mode(known.st_mode) == FileType::RegularFile;
    let is_ours = known.st_uid == rustix::process::geteuid().as_raw();
    if !is_file || !is_ours || known.st_mode & 0o077 != 0 {
        return Err(fault("it must be a file of yours that nobody else can read (mode 0600)"));
    }
    let mut secret = Vec::new();
    let read = File::from(file).take(SECRET_BYTES).read_to_end(&mut secret);
    read.map_err(|it| fault(&it.to_string()))?;
    while secret.last().is_some_and(u8::is_ascii_whitespace) {
        secret.pop();
    }
    if secret.is_empty() { Err(fault("it is empty")) } else { Ok(secret) }
}

/// Waits, unless the daemon ends.
fn rest(pause: Duration, ending: &dyn Fn() -> bool) {
    let end = Instant::now() + pause;
    while !ending() {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        std::thread::park_timeout(left.min(LOOK));
    }
}

#[cfg(test)]
#[path = "webhook_tests.rs"]
mod tests;
