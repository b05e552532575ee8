//! Byte-exact, compressed copies of sources, so that history outlives the agent's own clean-up.
//!
//! Only files, no database: `<data>/archive/<2 hex>/<32 hex>.<edition>.tfa`, one for each edition of
//! a source. A file is a valid zstd stream, so `zstd -dc` prints the original bytes; what we know
//! about them is in skippable frames between the packed ones (see `frames`). Every read compares
//! a checksum, and a part that was not kept is an error, never wrong bytes.
//!
//! One writer changes the archive at a time; readers take no lock and see at worst an older end.

mod blank;
mod comparison;
mod copier_state;
#[cfg(target_os = "linux")]
#[path = "disk_linux.rs"]
mod disk;
#[cfg(not(target_os = "linux"))]
#[path = "disk_other.rs"]
mod disk;
mod edition;
mod folder;
mod frames;
mod keeper;
mod label;
mod pack;
mod rows;
mod scan;
mod upkeep;
mod volume;
mod whole;

pub use blank::blank;
pub use folder::{Archive, Entry, Listing};
pub use keeper::{Keeper, Permission};
pub use label::{Address, Label, Shape};
pub use pack::Packer;
pub use rows::RowLines;
pub use upkeep::Verdict;
pub use volume::{Volume, VolumeReader};
pub use whole::keep_whole;

/// The most editions kept of one source.
pub const EDITIONS: usize = 3;
/// The most bytes that one read of a range returns.
pub const RANGE_LIMIT: usize = 32 << 20;
/// The most bytes of a source that are archived or returned in one piece.
pub const WHOLE_LIMIT: u64 = 256 << 20;
/// The most packed bytes a keeper holds in memory; it skips whatever follows.
pub const PENDING_LIMIT: usize = 16 << 20;

/// Why a copy could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// An I/O error.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The copy is damaged.
    #[error("the copy is damaged: {0}")]
    Damaged(String),
    /// The part from this byte on was not archived.
    #[error("byte {0} of the source was not kept")]
    Gap(u64),
    /// The request exceeds a size limit.
    #[error("{length} bytes are too many at once, the limit is {limit}")]
    TooLong {
        /// How many bytes were requested.
        length: u64,
        /// How many are allowed.
        limit: u64,
    },
}
