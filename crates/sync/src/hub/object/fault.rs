//! Interprets errors of a store.

use super::HubError;
use object_store::Error;
use std::error::Error as _;
use std::io::{self, ErrorKind};

/// Converts a store's error.
#[expect(clippy::needless_pass_by_value, reason = "it is given to map_err")]
pub(super) fn meant(error: Error) -> HubError {
    let message = whole_message(&error);
    match error {
        Error::PermissionDenied { .. }
        | Error::Unauthenticated { .. }
        | Error::NotSupported { .. }
        | Error::NotImplemented { .. }
        | Error::InvalidPath { .. }
        | Error::NotFound { .. }
        | Error::UnknownConfigurationKey { .. } => HubError::Refused(message),
        // Other errors, and those of later versions, mean a store that did not answer or a disk
        // that failed to write.
        _ if is_final(&error) => HubError::Refused(message),
        _ if is_full(&error) => HubError::Full(message),
        _ => HubError::Unreachable(message),
    }
}

/// Whether a disk error shows that a retry cannot help.
fn is_final(error: &Error) -> bool {
    let finals =
        [ErrorKind::PermissionDenied, ErrorKind::ReadOnlyFilesystem, ErrorKind::NotADirectory];
    on_disk(error).is_some_and(|it| finals.contains(&it))
}

/// Whether a disk is full.
fn is_full(error: &Error) -> bool {
    let full = [ErrorKind::StorageFull, ErrorKind::QuotaExceeded];
    on_disk(error).is_some_and(|it| full.contains(&it))
}

/// The kind of a disk error, if it is one.
fn on_disk(error: &Error) -> Option<ErrorKind> {
    let mut source = error.source();
    while let Some(cause) = source {
        if let Some(cause) = cause.downcast_ref::<io::Error>() {
            return Some(cause.kind());
        }
        source = cause.source();
    }
    None
}

fn whole_message(error: &Error) -> String {
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_message = cause.to_string();
        if !message.contains(&cause_message) {
            message = format!("{message}: {cause_message}");
        }
        source = cause.source();
    }
    message
}
