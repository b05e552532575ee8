//! Packs bytes into frames and unpacks them.

use super::ArchiveError;
use super::frames::{self, Frame};
use std::fmt;
use std::fs::File;
use std::os::unix::fs::FileExt;
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::compress_bound;

/// The highest level at which compression stays faster than the disk.
const LEVEL: i32 = 3;

/// Packs the bytes of many sources, one after another.
pub struct Packer {
    compressor: Compressor<'static>,
    packed: Vec<u8>,
}

impl Packer {
    /// Allocates the compression context.
    ///
    /// # Errors
    /// When the allocation fails.
    pub fn new() -> Result<Self, ArchiveError> {
        Ok(Self { compressor: Compressor::new(LEVEL)?, packed: Vec::new() })
    }

    /// Appends the frame of these bytes, with its header, to `out`.
    pub(super) fn pack(
        &mut self,
        offset: u64,
        bytes: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), ArchiveError> {
        self.packed.clear();
        self.packed.reserve(compress_bound(bytes.len()));
        let packed = self.compressor.compress_to_buffer(bytes, &mut self.packed)?;
        let Some(header) = frames::header_frame(offset, bytes, packed) else {
            let limit = frames::FRAME_BYTES as u64;
            return Err(ArchiveError::TooLong { length: bytes.len() as u64, limit });
        };
        out.extend_from_slice(&header);
        out.extend_from_slice(&self.packed);
        Ok(())
    }
}

impl fmt::Debug for Packer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Packer").finish_non_exhaustive()
    }
}

/// Unpacks frames and compares their checksums.
#[derive(Default)]
pub(super) struct Unpacker {
    decompressor: Decompressor<'static>,
    packed: Vec<u8>,
}

impl Unpacker {
    /// Unpacks a frame and verifies its checksum.
    pub(super) fn unpack(&mut self, file: &File, frame: &Frame) -> Result<Vec<u8>, ArchiveError> {
        self.packed.resize(frame.packed as usize, 0);
        file.read_exact_at(&mut self.packed, frame.packed_at())?;
        let bytes = self.decompressor.decompress(&self.packed, frame.length as usize);
        let bytes = bytes.ok().filter(|bytes| frame.holds(bytes));
        bytes.ok_or_else(|| ArchiveError::Damaged(format!("the frame at byte {}", frame.at)))
    }
}

impl fmt::Debug for Unpacker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unpacker").finish_non_exhaustive()
    }
}
