//! Why a session is not shared.

/// Why a session is not shared.
#[derive(Debug, thiserror::Error)]
pub enum ShareError {
    /// Nobody in the team is meant.
    #[error("no device and no user of the team is called `{0}`")]
    NoReader(String),
    /// It is this device.
    #[error("`{0}` is this device")]
    Ourselves(String),
    /// A device of the same user sees it anyway.
    #[error("`{0}` is yours and is told of this session already")]
    Told(String),
    /// It is another device's to share.
    #[error("the session is on {0}, and is shared from there")]
    Elsewhere(String),
    /// It was given to us, or is not captured.
    #[error("a session that is imported, or not captured, is not shared")]
    NotOurs,
    /// It was shared with us.
    #[error("the session is shared from {0}, for reading only")]
    ReadOnly(String),
    /// No share is meant.
    #[error("nothing that is shared from here is called `{0}`")]
    NoShare(String),
}
