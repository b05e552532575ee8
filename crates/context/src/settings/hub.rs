//! The hub that the user chose.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

/// The hub that the user chose.
#[derive(Debug, Clone, Default)]
pub struct HubSettings {
    /// Its URL, as configured; without one, nothing leaves this machine. See [`Self::address`].
    pub url: Option<String>,
    /// Where this process followed its team since.
    pub followed: Followed,
    /// A file with credentials, if not this device's own key.
    pub credentials: Option<PathBuf>,
    /// The URL of another place for segments and bundles, beside the hub.
    pub blobs: Option<String>,
    /// A file with credentials for that place.
    pub blob_credentials: Option<PathBuf>,
    /// How many days the hub keeps data; `None` for ever.
    pub keep_days: Option<NonZeroU32>,
    /// How many bytes of the team the hub keeps; `None` for no limit.
    pub keep_bytes: Option<u64>,
    /// Fills a buffer with random bytes; without it nothing is sealed.
    pub draw: Option<fn(&mut [u8])>,
}

impl HubSettings {
    /// The URL of the hub in use: the configured one, or where this process followed its team since.
    #[must_use]
    pub fn address(&self) -> Option<String> {
        let url = self.url.as_ref()?;
        Some(self.followed.get().unwrap_or_else(|| url.clone()))
    }
}

/// The URL of the hub to which this process followed its team. Clones share it: a daemon reads its
/// configuration once and follows while it runs.
#[derive(Debug, Clone, Default)]
pub struct Followed(Arc<RwLock<Option<String>>>);

impl Followed {
    /// Uses this hub from now on.
    pub fn set(&self, url: &str) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(url.to_owned());
    }

    fn get(&self) -> Option<String> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
