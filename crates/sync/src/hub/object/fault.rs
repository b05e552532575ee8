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
        _ => HubError::Unreachable(message),
    }
}

/// Whether a disk says that trying again cannot help.
fn is_final(error: &Error) -> bool {
    let mut source = error.source();
    while let Some(cause) = source {
        if let Some(cause) = cause.downcast_ref::<io::Error>() {
            return matches!(
                cause.kind(),
                ErrorKind::PermissionDenied
                    | ErrorKind::ReadOnlyFilesystem
                    | ErrorKind::NotADirectory
            );
        }
        source = cause.source();
    }
    false
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
