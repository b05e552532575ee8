//! The hub that the user chose.

use std::num::NonZeroU32;
use std::path::PathBuf;

/// The hub that the user chose.
#[derive(Debug, Clone, Default)]
pub struct HubSettings {
    /// Its URL; without one, nothing leaves this machine.
    pub url: Option<String>,
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
