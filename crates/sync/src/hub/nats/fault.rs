//! Interprets errors of NATS.

use super::{NatsHub, assets, certificate};
use crate::hub::{Credentials, HubError, NatsKey, Result};
use async_nats::jetstream::context::{
    CreateStreamError, CreateStreamErrorKind, PublishError, PublishErrorKind,
};
use async_nats::jetstream::context::{GetStreamError, GetStreamErrorKind};
use async_nats::jetstream::{Error, ErrorCode};
use async_nats::{ConnectError, ConnectErrorKind};
use std::error::Error as _;
use std::fmt::Display;

/// The status of a server that is temporarily unavailable.
const NOT_NOW: usize = 503;

/// An unanswered request may succeed later.
pub(super) fn unanswered(error: impl Display) -> HubError {
    HubError::Unreachable(error.to_string())
}

/// Why the connection failed, and the next step.
pub(super) fn connecting(error: &ConnectError, shown: &Credentials) -> HubError {
    if let Some(why) = certificate::trouble(&told(error)) {
        return HubError::Refused(why);
    }
    match error.kind() {
        ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
            HubError::Refused(not_let_in(shown).to_owned())
        }
        ConnectErrorKind::ServerParse | ConnectErrorKind::Tls => HubError::Refused(told(error)),
        ConnectErrorKind::Dns
        | ConnectErrorKind::TimedOut
        | ConnectErrorKind::Io
        | ConnectErrorKind::MaxReconnects => HubError::Unreachable(error.to_string()),
    }
}

/// An error with its causes.
fn told(error: &ConnectError) -> String {
    let mut out = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        let more = source.to_string();
        if !out.contains(&more) {
            out = format!("{out}: {more}");
        }
        next = source.source();
    }
    out
}

fn not_let_in(shown: &Credentials) -> &'static str {
    match &shown.nats {
        Some(NatsKey::Seed(_)) => {
            "this server does not know this device: it came after the server's configuration was written, or \
             was removed. On a device of the team write it again with `taffrail hub config --out FILE`, and \
             have the server read it with `nats-server --signal reload`"
        }
        Some(NatsKey::Token(_) | NatsKey::Password { .. } | NatsKey::Creds(_)) => {
            "this server does not take the credentials in the file that `hub.credentials` names"
        }
        None => {
            "this server asks who comes in, and there is nothing to show: set `hub.credentials`"
        }
    }
}

pub(super) fn making(error: &CreateStreamError) -> HubError {
    match error.kind() {
        CreateStreamErrorKind::JetStream(cause) => answered(&cause),
        CreateStreamErrorKind::EmptyStreamName
        | CreateStreamErrorKind::InvalidStreamName
        | CreateStreamErrorKind::DomainAndExternalSet => HubError::Refused(error.to_string()),
        CreateStreamErrorKind::JetStreamUnavailable => HubError::Unreachable(
            "JetStream does not answer. Turn it on in the server's configuration".to_owned(),
        ),
        // A server that does not let this device create streams gives no answer at all.
        CreateStreamErrorKind::TimedOut => HubError::Unreachable(
            "no answer in time. A server that is new or was emptied has to be reached by an admin \
             device of the team first, which makes what the team needs there"
                .to_owned(),
        ),
        CreateStreamErrorKind::Response
        | CreateStreamErrorKind::NotFound
        | CreateStreamErrorKind::ResponseParse => HubError::Unreachable(error.to_string()),
    }
}

/// A stream that is there already, perhaps with other settings, is as good as a new one.
pub(super) fn made<T>(answer: std::result::Result<T, CreateStreamError>) -> Result<()> {
    let Err(error) = answer else { return Ok(()) };
    match error.kind() {
        CreateStreamErrorKind::JetStream(cause)
            if cause.error_code() == ErrorCode::STREAM_NAME_EXIST =>
        {
            Ok(())
        }
        _ => Err(making(&error)),
    }
}

/// Whether the server is full.
fn is_full(error: &Error) -> bool {
    let full = [
        ErrorCode::INSUFFICIENT_RESOURCES,
        ErrorCode::STORAGE_RESOURCES_EXCEEDED,
        ErrorCode::MEMORY_RESOURCES_EXCEEDED,
        ErrorCode::ACCOUNT_RESOURCES_EXCEEDED,
        ErrorCode::STREAM_STORE_FAILED,
    ];
    full.contains(&error.error_code())
}

/// Whether too few servers of a cluster are up at the moment. A cluster that is too small says so in
/// other words.
fn is_short_of_peers(error: &Error) -> bool {
    error.error_code() == ErrorCode::CLUSTER_NO_PEERS && error.to_string().contains("offline")
}

pub(super) fn answered(error: &Error) -> HubError {
    if is_full(error) {
        HubError::Full(error.to_string())
    } else if error.code() == NOT_NOW || is_short_of_peers(error) {
        HubError::Unreachable(error.to_string())
    } else if error.error_code() == ErrorCode::STREAM_REPLICAS_NOT_SUPPORTED {
        HubError::Refused(format!("{error}. Add ?copies=1 to the address"))
    } else {
        HubError::Refused(error.to_string())
    }
}

/// Whether a publish failed because another message is the last of its subject.
pub(super) fn is_fenced(error: &PublishError) -> bool {
    let cause = error.source().and_then(|it| it.downcast_ref::<Error>());
    let fenced = |cause: &Error| {
        let code = cause.error_code();
        code == ErrorCode::STREAM_WRONG_LAST_SEQUENCE
            || code == ErrorCode::STREAM_WRONG_LAST_SEQUENCE_CONSTANT
    };
    error.kind() == PublishErrorKind::WrongLastSequence || cause.is_some_and(fenced)
}

/// Interprets another failure of a publish. Recreates a missing stream, so that the next attempt
/// succeeds.
pub(super) async fn publishing(hub: &NatsHub, error: &PublishError) -> HubError {
    let cause = error.source().and_then(|it| it.downcast_ref::<Error>());
    match (error.kind(), cause) {
        (PublishErrorKind::StreamNotFound, _) => again(hub).await,
        (PublishErrorKind::MaxPayloadExceeded, _) => HubError::Refused(format!(
            "{error}. Set max_payload in the server's configuration to 1 MB or more"
        )),
        (_, Some(cause)) => answered(cause),
        (_, None) => HubError::Unreachable(error.to_string()),
    }
}

async fn again(hub: &NatsHub) -> HubError {
    let made = assets::ensure(hub).await;
    let gone = || HubError::Unreachable("the streams do not answer or were gone".to_owned());
    made.err().unwrap_or_else(gone)
}

/// Whether a stream is there. A server that does not let this device ask gives no answer: then it has
/// nothing for it.
pub(super) fn is_there<T>(answer: std::result::Result<T, GetStreamError>) -> Result<bool> {
    let Err(error) = answer else { return Ok(true) };
    match error.kind() {
        GetStreamErrorKind::JetStream(cause)
            if cause.error_code() == ErrorCode::STREAM_NOT_FOUND =>
        {
            Ok(false)
        }
        GetStreamErrorKind::JetStream(cause) => Err(answered(&cause)),
        _ => Err(unanswered(error)),
    }
}

/// `None` for a missing message; recreates a missing stream, which is empty.
pub(super) async fn found<T>(
    hub: &NatsHub,
    answer: std::result::Result<T, async_nats::jetstream::stream::LastRawMessageError>,
) -> Result<Option<T>> {
    use async_nats::jetstream::stream::LastRawMessageErrorKind as Kind;
    let error = match answer {
        Ok(it) => return Ok(Some(it)),
        Err(error) => error,
    };
    match error.kind() {
        Kind::NoMessageFound => Ok(None),
        Kind::JetStream(cause) if cause.error_code() == ErrorCode::STREAM_NOT_FOUND => {
            assets::ensure(hub).await.map(|()| None)
        }
        Kind::JetStream(cause) => Err(answered(&cause)),
        Kind::InvalidSubject => Err(HubError::Refused(error.to_string())),
        Kind::Other => Err(HubError::Unreachable(error.to_string())),
    }
}

/// The description of a stream; recreates a missing one and returns `None`.
pub(super) async fn described<T>(
    hub: &NatsHub,
    answer: std::result::Result<T, async_nats::jetstream::stream::InfoError>,
) -> Result<Option<T>> {
    let error = match answer {
        Ok(it) => return Ok(Some(it)),
        Err(error) => error,
    };
    let cause = error.source().and_then(|it| it.downcast_ref::<Error>());
    match cause.map(Error::error_code) {
        Some(ErrorCode::STREAM_NOT_FOUND) => assets::ensure(hub).await.map(|()| None),
        _ => Err(unanswered(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_server_is_not_an_unreachable_one() {
        let check = |code: usize, number: u64, why: &str, begins: &str| {
            let error = serde_json::json!({"code": code, "err_code": number, "description": why});
            let error: Error = serde_json::from_value(error).unwrap();
            let meant = answered(&error).to_string();
            assert!(meant.starts_with(begins), "{meant}");
        };
        check(503, 10_023, "insufficient resources", "The hub is full");
        check(500, 10_047, "insufficient storage resources available", "The hub is full");
        check(503, 10_077, "maximum bytes exceeded", "The hub is full");
        check(503, 10_008, "JetStream system temporarily unavailable", "The hub cannot be reached");
        let offline = "no suitable peers for placement, peer offline";
        check(400, 10_005, offline, "The hub cannot be reached");
        check(400, 10_005, "no suitable peers for placement", "The hub refused");
        check(400, 10_025, "invalid JSON", "The hub refused");
    }
}
