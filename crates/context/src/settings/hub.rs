//! The hub that the user chose.

use std::path::PathBuf;

/// The hub that the user chose.
#[derive(Debug, Clone, Default)]
pub struct HubSettings {
    /// Its URL; without one, nothing leaves this machine.
    pub url: Option<String>,
    /// A file with credentials, if not this device's own key.
    pub credentials: Option<PathBuf>,
    /// Fills a buffer with random bytes; without it nothing is sealed.
    pub draw: Option<fn(&mut [u8])>,
}
