//! Why a session cannot be shared.

/// Why a session cannot be shared.
#[derive(Debug, thiserror::Error)]
pub enum ShareError {
    /// The name matches nobody in the team.
    #[error("no device and no user of the team is called `{0}`")]
    NoReader(String),
    /// The reader is this device.
    #[error("`{0}` is this device")]
    Ourselves(String),
    /// A device of the same user sees the session anyway.
    #[error("`{0}` is yours and sees this session already")]
    Told(String),
    /// The session belongs to another device.
    #[error("the session is on {0}, and is shared from there")]
    Elsewhere(String),
    /// The session was imported, or is not captured.
    #[error("a session that is imported, or not captured, is not shared")]
    NotOurs,
    /// The session was shared with us.
    #[error("the session is shared from {0}, for reading only")]
    ReadOnly(String),
    /// The name matches no share.
    #[error("nothing that is shared from here is called `{0}`")]
    NoShare(String),
}
