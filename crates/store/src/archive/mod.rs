//! Byte-exact, compressed copies of sources, so that history outlives the agent's own clean-up.
//!
//! Only files, no database: `<data>/archive/<2 hex>/<32 hex>.<edition>.tfa`, one for each edition of
//! a source. A file is a valid zstd stream, so `zstd -dc` prints the original bytes; what we know
//! about them is in skippable frames between the packed ones (see `frames`). Every read compares
//! a checksum, and a part that was not kept is an error, never wrong bytes.
//!
//! One writer changes the archive at a time; readers take no lock and see at worst an older end.

mod comparison;
mod copier_state;
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

pub use folder::{Archive, Entry, Listing};
pub use keeper::{Keeper, Permission};
pub use label::{Address, Label, Shape};
pub use pack::Packer;
pub use rows::RowLines;
pub use upkeep::Verdict;
pub use volume::{Volume, VolumeReader};
pub use whole::keep_whole;

/// The most editions of one source that are kept.
pub const EDITIONS: usize = 3;
/// The most bytes one read of a range gives.
pub const RANGE_LIMIT: usize = 32 << 20;
/// The most bytes of a source that are kept or given in one piece.
pub const WHOLE_LIMIT: u64 = 256 << 20;
/// Packed bytes a keeper holds before it leaves out what follows.
pub const PENDING_LIMIT: usize = 16 << 20;

/// Why a copy could not be kept or read.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The file system said no.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The copy holds what nobody wrote there.
    #[error("the copy is damaged: {0}")]
    Damaged(String),
    /// The part from this byte on was not kept.
    #[error("byte {0} of the source was not kept")]
    Gap(u64),
    /// More than fits into memory at once.
    #[error("{length} bytes are too many at once, the limit is {limit}")]
    TooLong {
        /// How many were asked for.
        length: u64,
        /// How many are allowed.
        limit: u64,
    },
}
