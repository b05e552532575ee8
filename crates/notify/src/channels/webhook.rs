//! The user's webhook: one signed POST, no redirects, a few retries.

use super::document::{body, event, media_type};
use super::post::{Came, Post, Reach, came, post as send_post, retried};
use super::signature::signature;
use super::{Message, SendError, Sending};
use crate::secret_file::secret_in;
use std::path::PathBuf;
use std::time::Duration;
use taffrail_context::{WebhookFormat, WebhookUrl};

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

impl Webhook {
    pub(super) fn send(
        &self,
        message: &Message,
        sending: &Sending<'_>,
    ) -> Result<String, SendError> {
        let attempt = || self.attempt(message, sending);
        let answer = retried(&self.pauses, sending.ending, attempt)?;
        Ok(format!("it was answered with {}", answer.status))
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
        let (url, body) = (self.url.as_str(), body.into_bytes());
        let post = Post { url, headers, body, limit, reach: Reach::Any };
        Ok(came(send_post(&post, sending.ending)))
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

#[cfg(test)]
mod tests;
