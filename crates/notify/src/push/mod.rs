//! Web Push: notifications to browsers that subscribed, sealed for each of them (RFC 8030, 8291 and
//! 8292).

mod endpoint;
mod key;
mod seal;
mod subscriptions;

pub(crate) use endpoint::{PushResolver, origin};
pub(crate) use key::Key;
pub(crate) use seal::seal;
pub(crate) use subscriptions::forget_endpoint;
#[cfg(test)]
pub(crate) use subscriptions::tests::browser;
pub use subscriptions::{
    MOST_SUBSCRIPTIONS, NewSubscription, Subscription, remove, remove_all, subscribe, subscriptions,
};

use std::path::Path;

/// Why something about Web Push failed.
#[derive(Debug, thiserror::Error)]
pub enum PushError {
    /// The address is not one that may be used.
    #[error("{0}")]
    Endpoint(&'static str),
    /// The keys of a subscription are not those of a browser.
    #[error("the keys of the subscription are not valid")]
    Keys,
    /// Too many browsers subscribed.
    #[error("{MOST_SUBSCRIPTIONS} browsers have subscribed; remove one first")]
    Full,
    /// Our key cannot be used.
    #[error("{0}")]
    Key(String),
    /// A file cannot be read or written.
    #[error("{0}: {1}")]
    Io(String, std::io::Error),
}

impl PushError {
    fn at(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.display().to_string();
        move |error| Self::Io(path, error)
    }
}

/// The public half of our key, as a browser wants it; the key is made if there is none.
///
/// # Errors
/// When the key cannot be made or read, or others can read it.
pub fn public_key(state: &Path) -> Result<String, PushError> {
    Ok(Key::open(state)?.public())
}
