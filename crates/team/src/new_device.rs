//! The inputs for a new device.

use zeroize::Zeroizing;

/// The inputs for a new device.
#[derive(Debug)]
pub struct Beginning<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its user.
    pub user: &'a str,
    /// The random bytes for its keys, if it has none.
    pub random: Zeroizing<[u8; 64]>,
}
