//! What a device begins with.

use zeroize::Zeroizing;

/// What a device begins with.
#[derive(Debug)]
pub struct Beginning<'a> {
    /// What people will call it.
    pub name: &'a str,
    /// Whose it is.
    pub user: &'a str,
    /// What its keys are made of, where it has none.
    pub random: Zeroizing<[u8; 64]>,
}
