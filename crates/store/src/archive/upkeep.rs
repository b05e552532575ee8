//! Maintains the archive: moved sources, many small frames, damage.

use super::ArchiveError;
use super::edition::{Appender, NewFile, make_folder};
use super::folder::{Archive, readable};
use super::frames::{self, FRAME_BYTES, Frame};
use super::label::{Address, Label, Name, Written};
use super::pack::{Packer, Unpacker};
use super::scan::{self, Scan, open};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// More frames than twice the number needed, plus this many, are too many.
const SPARE_FRAMES: u64 = 8;

/// The result of verifying frames.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Files that were verified.
    pub checked: u64,
    /// How many of these were truncated where the damage begins.
    pub cut: u64,
}

impl Archive {
    /// Moves every edition of a source to its new address. Editions already made under the new
    /// address count as newer than the moved ones.
    ///
    /// # Errors
    /// When a file cannot be written or renamed.
    pub fn relabel(&self, from: Address<'_>, to: &Label) -> Result<(), ArchiveError> {
        let files = self.files(from)?;
        let moves = from.digest() != to.address().digest();
        if let Some((newest, _)) = files.first().filter(|_| moves) {
            self.make_room(to.address(), *newest)?;
        }
        for (edition, path) in files {
            let Some((file, scan)) = readable(open(&path))? else { continue };
            if scan.written.label != *to {
                let written = Written::new(to.clone(), scan.written.length);
                Appender::at(file, scan.end).append(&frames::label_frame(&written)?)?;
            }
            self.rename(&path, to.address(), edition)?;
        }
        self.remove_old_editions(to.address())
    }

    /// Rewrites editions of many small frames into few large ones; `true` if there were any.
    ///
    /// # Errors
    /// When a copy is damaged or cannot be written; the copy is left unchanged.
    pub fn repack(&self, address: Address<'_>, packer: &mut Packer) -> Result<bool, ArchiveError> {
        let mut any = false;
        for (_, path) in self.files(address)? {
            let Some((file, scan)) = readable(open(&path))? else { continue };
            if has_too_many_frames(&scan) {
                rewrite(path, &file, &scan, packer)?;
                any = true;
            }
        }
        Ok(any)
    }

    /// Verifies the checksum of every frame of a source, in files modified at or after a time, and
    /// truncates a file at its first bad frame.
    ///
    /// # Errors
    /// When a file cannot be read or truncated.
    pub fn verify(
        &self,
        address: Address<'_>,
        newer_than: Option<SystemTime>,
    ) -> Result<Verdict, ArchiveError> {
        let files = self.files(address)?.into_iter().map(|(_, path)| path);
        self.verify_files(files, newer_than)
    }

    /// Verifies all sources like [`verify`](Self::verify).
    ///
    /// # Errors
    /// When a file cannot be read or truncated.
    pub fn verify_all(&self, newer_than: Option<SystemTime>) -> Result<Verdict, ArchiveError> {
        self.verify_files(self.every_file()?.into_iter(), newer_than)
    }

    fn verify_files(
        &self,
        files: impl Iterator<Item = PathBuf>,
        newer_than: Option<SystemTime>,
    ) -> Result<Verdict, ArchiveError> {
        let mut verdict = Verdict::default();
        let mut unpacker = Unpacker::default();
        for path in files {
            let Some(name) = Name::parse(&path) else { continue };
            if newer_than.is_some_and(|time| is_older(&path, time)) {
                continue;
            }
            let Some((file, scan)) = readable(open(&path))? else { continue };
            verdict.checked += 1;
            verdict.cut += u64::from(cut_damage(&file, &scan, &mut unpacker)?);
            self.finish_relabel(&path, name, &scan.written.label)?;
        }
        Ok(verdict)
    }

    /// Finishes a relabel that a crash interrupted between the new label and the new name.
    fn finish_relabel(&self, path: &Path, name: Name, label: &Label) -> Result<(), ArchiveError> {
        let address = label.address();
        if name.digest == address.digest() {
            return Ok(());
        }
        if self.path(address, name.edition).exists() {
            self.make_room(address, name.edition)?;
        }
        self.rename(path, address, name.edition)?;
        self.remove_old_editions(address)
    }

    /// Renumbers the editions of a source upwards, to free as many lower numbers.
    fn make_room(&self, address: Address<'_>, lower: u32) -> io::Result<()> {
        for (edition, path) in self.files(address)? {
            self.rename(&path, address, edition.saturating_add(lower))?;
        }
        Ok(())
    }

    fn rename(&self, path: &Path, address: Address<'_>, edition: u32) -> io::Result<()> {
        let to = self.path(address, edition);
        if let Some(folder) = to.parent() {
            make_folder(folder)?;
        }
        std::fs::rename(path, to)
    }
}

fn is_older(path: &Path, than: SystemTime) -> bool {
    let modified = path.metadata().and_then(|metadata| metadata.modified());
    modified.is_ok_and(|modified| modified < than)
}

/// Truncates a file where it is torn or where its first bad frame begins.
fn cut_damage(file: &File, scan: &Scan, unpacker: &mut Unpacker) -> Result<bool, ArchiveError> {
    let end = good_end(file, scan, unpacker)?;
    if end == scan.file_length {
        return Ok(false);
    }
    file.set_len(end)?;
    if scan.label_at >= end {
        let label = frames::label_frame(&scan.written)?;
        Appender::at(file.try_clone()?, end).append(&label)?;
    }
    Ok(true)
}

fn good_end(file: &File, scan: &Scan, unpacker: &mut Unpacker) -> Result<u64, ArchiveError> {
    for frame in &scan.frames {
        match unpacker.unpack(file, frame) {
            Ok(_) => {}
            Err(ArchiveError::Damaged(_)) => return Ok(frame.at),
            Err(error) => return Err(error),
        }
    }
    Ok(scan.end)
}

fn has_too_many_frames(scan: &Scan) -> bool {
    let frames_of = |part: &Range<u64>| (part.end - part.start).div_ceil(FRAME_BYTES as u64);
    let needed: u64 = scan::ranges(&scan.frames).iter().map(frames_of).sum();
    scan.frames.len() as u64 > 2 * (needed + SPARE_FRAMES)
}

fn rewrite(
    path: PathBuf,
    file: &File,
    scan: &Scan,
    packer: &mut Packer,
) -> Result<(), ArchiveError> {
    let mut new = NewFile::begin(path, &scan.written)?;
    let mut unpacker = Unpacker::default();
    let (mut bytes, mut packed) = (Vec::new(), Vec::new());
    for (index, frame) in scan.frames.iter().enumerate() {
        bytes.extend_from_slice(&unpacker.unpack(file, frame)?);
        let follows = |next: &Frame| next.offset == frame.end();
        let next = scan.frames.get(index + 1).filter(|next| follows(next));
        // Every part except the last one before a gap consists of whole frames.
        let least = if next.is_some() { FRAME_BYTES } else { 1 };
        let mut offset = frame.end() - bytes.len() as u64;
        let mut parts = bytes.chunks(FRAME_BYTES).peekable();
        while let Some(part) = parts.next_if(|part| part.len() >= least) {
            packer.pack(offset, part, &mut packed)?;
            offset += part.len() as u64;
        }
        let rest = usize::try_from(frame.end() - offset).unwrap_or_default();
        bytes.drain(..bytes.len().saturating_sub(rest));
        new.put(&packed)?;
        packed.clear();
    }
    new.settle()?;
    new.name()?;
    Ok(())
}
