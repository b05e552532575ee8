//! Archives a source that is read in one piece.

use super::edition::NewFile;
use super::folder::Archive;
use super::frames::FRAME_BYTES;
use super::label::{Label, Written};
use super::pack::Packer;
use super::scan::Scan;
use super::volume::too_long;
use super::{ArchiveError, WHOLE_LIMIT};

/// Archives a document or rows as a new edition, unless the newest edition is identical.
///
/// # Errors
/// `TooLong` above [`WHOLE_LIMIT`]; otherwise when the archive cannot be written.
pub fn keep_whole(
    archive: &Archive,
    label: Label,
    bytes: &[u8],
    packer: &mut Packer,
) -> Result<bool, ArchiveError> {
    let length = bytes.len() as u64;
    if length > WHOLE_LIMIT {
        return Err(too_long(length, WHOLE_LIMIT));
    }
    let newest = archive.newest(label.address())?;
    if newest.is_some_and(|(_, scan)| is_same(&scan, bytes)) {
        return Ok(false);
    }
    let path = archive.next_path(label.address())?;
    let written = Written::new(label, Some(length));
    let mut file = NewFile::begin(path, &written)?;
    let mut frame = Vec::new();
    for (number, part) in (0..).zip(bytes.chunks(FRAME_BYTES)) {
        frame.clear();
        packer.pack(number * FRAME_BYTES as u64, part, &mut frame)?;
        file.put(&frame)?;
    }
    file.name()?;
    archive.remove_old_editions(written.label.address())?;
    Ok(true)
}

fn is_same(scan: &Scan, bytes: &[u8]) -> bool {
    let mut rest = bytes;
    let whole = scan.written.length == Some(bytes.len() as u64);
    let met = scan.frames.iter().take_while(|frame| {
        let Some((part, after)) = rest.split_at_checked(frame.length as usize) else {
            return false;
        };
        rest = after;
        frame.holds(part)
    });
    whole
        && scan.covered() == scan.frames.len()
        && met.count() == scan.frames.len()
        && rest.is_empty()
}
