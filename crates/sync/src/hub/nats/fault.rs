//! What an error of NATS means.

use super::{NatsHub, assets};
use crate::hub::{HubError, Result};
use async_nats::jetstream::context::{
    CreateStreamError, CreateStreamErrorKind, PublishError, PublishErrorKind,
};
use async_nats::jetstream::{Error, ErrorCode};
use async_nats::{ConnectError, ConnectErrorKind};
use std::error::Error as _;
use std::fmt::Display;

/// The status of a server that cannot do it now.
const NOT_NOW: usize = 503;

/// What did not answer may answer later.
pub(super) fn unanswered(error: impl Display) -> HubError {
    HubError::Unreachable(error.to_string())
}

pub(super) fn connecting(error: &ConnectError) -> HubError {
    match error.kind() {
        ConnectErrorKind::ServerParse
        | ConnectErrorKind::Authentication
        | ConnectErrorKind::AuthorizationViolation
        | ConnectErrorKind::Tls => HubError::Refused(error.to_string()),
        ConnectErrorKind::Dns
        | ConnectErrorKind::TimedOut
        | ConnectErrorKind::Io
        | ConnectErrorKind::MaxReconnects => HubError::Unreachable(error.to_string()),
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
        CreateStreamErrorKind::TimedOut
        | CreateStreamErrorKind::Response
        | CreateStreamErrorKind::NotFound
        | CreateStreamErrorKind::ResponseParse => HubError::Unreachable(error.to_string()),
    }
}

fn answered(error: &Error) -> HubError {
    if error.code() == NOT_NOW {
        HubError::Unreachable(error.to_string())
    } else if error.error_code() == ErrorCode::STREAM_REPLICAS_NOT_SUPPORTED {
        HubError::Refused(format!("{error}. Add ?copies=1 to the address"))
    } else {
        HubError::Refused(error.to_string())
    }
}

/// Whether a publish failed because something else is the last message of its subject.
pub(super) fn is_fenced(error: &PublishError) -> bool {
    let cause = error.source().and_then(|it| it.downcast_ref::<Error>());
    let fenced = |cause: &Error| {
        let code = cause.error_code();
        code == ErrorCode::STREAM_WRONG_LAST_SEQUENCE
            || code == ErrorCode::STREAM_WRONG_LAST_SEQUENCE_CONSTANT
    };
    error.kind() == PublishErrorKind::WrongLastSequence || cause.is_some_and(fenced)
}

/// What another failure of a publish means. A stream that is gone is made again, so that the next
/// try finds it.
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

/// Nothing where there is none; a stream that is gone is made again, and has nothing.
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
