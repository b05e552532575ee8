//! A bundle: one sealed file that moves a session to another device.
//!
//! ```text
//! magic (16) | version (1) | length of the file (8) | age file:
//!     roster entries | manifest | signature over both | blocks of the entries' bytes
//! ```
//!
//! A reader verifies the author before it unpacks anything, and must not use any entry before it
//! has read the whole bundle.

mod blocks;
mod fault;
mod manifest;
mod meter;
mod path;
mod read;
mod write;

pub use fault::{BadPath, Refused, WriteFault};
pub use manifest::{About, GitFacts, Kind, Listed, Manifest};
pub use path::check_path;
pub use read::{Opened, Reader, Unpacked, open};
pub use write::{Piece, write};

use crate::bytes::Digest;
use crate::signing::{Purpose, encode};
use manifest::FORMAT;

const MAGIC: &[u8; 16] = b"taffrail-bundle\n";
/// The offset of the length: after the magic and the version.
const LENGTH_AT: u64 = 17;

/// The most entries of a bundle.
pub const MOST_ENTRIES: usize = 10_000;
/// The most bytes of its entries together.
pub const MOST_BYTES: u64 = 2 * 1024 * 1024 * 1024;
/// The highest expansion ratio.
pub const MOST_RATIO: usize = 100;
const MOST_ROSTER_BYTES: usize = 8 * 1024 * 1024;
const MOST_MANIFEST_BYTES: usize = 16 * 1024 * 1024;

/// The bytes that the author's device signs.
fn signed(manifest: &Manifest, manifest_json: &[u8], roster_json: &[u8]) -> Vec<u8> {
    let hash = |bytes: &[u8]| Digest::from_bytes(*blake3::hash(bytes).as_bytes());
    let (listed, vouched) = (hash(manifest_json), hash(roster_json));
    let maker = manifest.made_by.as_str().as_bytes();
    let fields: [&[u8]; 5] =
        [&[FORMAT], manifest.team.as_bytes(), maker, listed.as_bytes(), vouched.as_bytes()];
    encode(Purpose::Bundle, &fields)
}

#[cfg(test)]
mod tests;
