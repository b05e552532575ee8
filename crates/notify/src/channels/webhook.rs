//! The user's webhook: one signed POST, no redirects, a few retries.

use super::document::{body, event, media_type};
use super::post::post;
use super::signature::signature;
use super::{Message, SendError, Sending};
use rustix::fs::{FileType, Mode, OFlags, fstat, open};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use taffrail_context::{WebhookFormat, WebhookUrl};

/// The longest secret, in bytes.
const SECRET_BYTES: u64 = 4096;
/// How often a wait checks whether the daemon ends.
pub(super) const LOOK: Duration = Duration::from_millis(50);

/// A webhook and its configuration.
#[derive(Debug)]
pub(crate) struct Webhook {
    pub(crate) url: WebhookUrl,
    /// The form of the body.
    pub(crate) format: WebhookFormat,
    /// The file of the secret.
    pub(crate) secret: Option<PathBuf>,
    /// The pause before each retry.
    pub(crate) pauses: Vec<Duration>,
}

/// Whether a retry may help.
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
        vec![format!("POST to {}, {signed}", self.url.host()), body(message, self.format)]
    }

    fn attempt(&self, message: &Message, sending: &Sending<'_>) -> Result<Came, SendError> {
        let secret = self.secret()?;
        let second = (sending.settings.now)().as_second();
        let body = body(message, self.format);
        let signed = secret.map(|it| signature(&it, second, &body));
        let headers = self.headers(message, signed, second);
        let limit = sending.settings.notices.limit;
        let answer = post(self.url.as_str(), headers, body, limit, sending.ending);
        Ok(answer.map_or_else(|why| Came::ForNow(SendError::Unreached(why)), came))
    }

    /// The secret, read for each message. A secret that other users can read is refused.
    fn secret(&self) -> Result<Option<Vec<u8>>, SendError> {
        let read = self.secret.as_deref().map(secret_in).transpose();
        read.map_err(SendError::Secret)
    }

    /// The headers of a request.
    fn headers(
        &self,
        message: &Message,
        signed: Option<String>,
        second: i64,
    ) -> Vec<(&'static str, String)> {
        let mut out = vec![
            ("Content-Type", media_type(self.format).to_owned()),
            ("X-Taffrail-Event", event(message).to_owned()),
            ("X-Taffrail-Timestamp", second.to_string()),
        ];
        out.extend(signed.map(|it| ("X-Taffrail-Signature", format!("sha256={it}"))));
        out
    }
}

/// Only a 2xx status counts as sent; redirects are not followed.
fn came(code: u16) -> Came {
    match code {
        200..=299 => Came::Well(code),
        429 | 500..=599 => Came::ForNow(SendError::Refused(code)),
        _ => Came::Badly(SendError::Refused(code)),
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
mod tests;
