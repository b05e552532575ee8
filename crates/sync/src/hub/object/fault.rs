//! What an error of a store means.

use super::HubError;
use object_store::Error;
use std::error::Error as _;
use std::io::{self, ErrorKind};

/// An error as written becomes an error as meant.
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
        // The rest, and what later versions add, is a store that did not answer or a disk that
        // did not take it.
        _ if is_final(&error) => HubError::Refused(message),
        _ if is_full(&error) => HubError::Full(message),
        _ => HubError::Unreachable(message),
    }
}

/// Whether a disk says that trying again cannot help.
fn is_final(error: &Error) -> bool {
    let finals =
        [ErrorKind::PermissionDenied, ErrorKind::ReadOnlyFilesystem, ErrorKind::NotADirectory];
    on_disk(error).is_some_and(|it| finals.contains(&it))
}

/// Whether a disk has no room.
fn is_full(error: &Error) -> bool {
    let full = [ErrorKind::StorageFull, ErrorKind::QuotaExceeded];
    on_disk(error).is_some_and(|it| full.contains(&it))
}

/// What the disk says, where it was one.
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
