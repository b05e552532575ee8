//! Blanks lines of a copy: their bytes become spaces, so that all other lines keep their places.

use super::edition::NewFile;
use super::folder::{Archive, readable};
use super::frames::FRAME_BYTES;
use super::label::Address;
use super::pack::{Packer, Unpacker};
use super::scan::{Scan, open};
use super::volume::too_long;
use super::{ArchiveError, WHOLE_LIMIT};
use std::fs::File;
use std::path::PathBuf;

impl Archive {
    /// Blanks the lines of a source that may not be kept, in every edition. An edition that cannot
    /// be read whole is removed.
    ///
    /// # Errors
    /// When a copy cannot be written or removed.
    pub fn blank_lines(
        &self,
        address: Address<'_>,
        packer: &mut Packer,
        is_kept: &dyn Fn(&[u8]) -> bool,
    ) -> Result<(), ArchiveError> {
        for (edition, path) in self.files(address)? {
            let written = match readable(open(&path))? {
                Some((file, scan)) => rewrite(path, (&file, &scan), packer, is_kept),
                None => Err(ArchiveError::Damaged(String::new())),
            };
            match written {
                Err(ArchiveError::Damaged(_) | ArchiveError::TooLong { .. }) => {
                    self.remove_edition(address, edition)?;
                }
                other => other?,
            }
        }
        Ok(())
    }
}

/// Replaces a line by spaces, without its line feed.
pub fn blank(line: &mut [u8]) {
    line.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
}

fn rewrite(
    path: PathBuf,
    (file, scan): (&File, &Scan),
    packer: &mut Packer,
    is_kept: &dyn Fn(&[u8]) -> bool,
) -> Result<(), ArchiveError> {
    let length = scan.kept_bytes();
    if length > WHOLE_LIMIT {
        return Err(too_long(length, WHOLE_LIMIT));
    }
    let mut new = NewFile::begin(path, &scan.written)?;
    let mut unpacker = Unpacker::default();
    let mut bytes = Vec::new();
    let mut frames = scan.frames.iter().peekable();
    while let Some(frame) = frames.next() {
        bytes.extend_from_slice(&unpacker.unpack(file, frame)?);
        // A line may reach into the next frame, but not across a gap.
        if frames.peek().is_none_or(|next| next.offset != frame.end()) {
            put(&mut new, (frame.end() - bytes.len() as u64, &mut bytes), packer, is_kept)?;
            bytes.clear();
        }
    }
    new.settle()?;
    new.name()?;
    Ok(())
}

/// Writes a part without gaps.
fn put(
    new: &mut NewFile,
    (offset, bytes): (u64, &mut [u8]),
    packer: &mut Packer,
    is_kept: &dyn Fn(&[u8]) -> bool,
) -> Result<(), ArchiveError> {
    for line in bytes.split_mut(|byte| *byte == b'\n').filter(|line| !is_kept(line)) {
        blank(line);
    }
    let mut packed = Vec::new();
    for (number, part) in (0..).zip(bytes.chunks(FRAME_BYTES)) {
        packed.clear();
        packer.pack(offset + number * FRAME_BYTES as u64, part, &mut packed)?;
        new.put(&packed)?;
    }
    Ok(())
}
