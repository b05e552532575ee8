//! Why two devices do not meet.

use taffrail_sync::pairing::{CodeFault, MessageFault};

/// Why two devices do not meet.
#[derive(Debug, thiserror::Error)]
pub enum PairingError {
    /// The code cannot be read.
    #[error(transparent)]
    Code(#[from] CodeFault),
    /// No device waits for this code.
    #[error("no device waits for this code: it is wrong, was used, or has expired")]
    Nobody,
    /// Another device used the code.
    #[error("this code was used already: it lets one device in")]
    Used,
    /// The code has expired.
    #[error("the code has expired: nobody used it within ten minutes")]
    Expired,
    /// The other device does not wait any more.
    #[error("the other device does not wait any more, and did not answer")]
    Left,
    /// The other device refused.
    #[error("the other device refused: {0}")]
    Refused(String),
    /// A message is not from the device with the code.
    #[error(transparent)]
    Message(#[from] MessageFault),
}
