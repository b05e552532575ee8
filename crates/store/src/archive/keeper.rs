//! Archives a source of lines while it is read.

use super::comparison::Comparison;
use super::copier_state::CopierState;
use super::folder::Archive;
use super::frames::FRAME_BYTES;
use super::label::Label;
use super::pack::Packer;
use super::{ArchiveError, PENDING_LIMIT};

/// Whether a source may be archived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// The source may be archived.
    Keep,
    /// It may not, and existing copies of it must be removed.
    Refuse,
}

/// Archives the bytes that one pass reads from a source.
///
/// Bytes that are already archived are compared and not written again. At the first difference, or
/// when the source ends before its copy does, the keeper starts a new edition with the frames that
/// match. The file does not change before [`flush`](Self::flush) or [`end`](Self::end). A pass that
/// stops before the source's end drops its keeper instead of ending it.
#[derive(Debug)]
pub struct Keeper<'p> {
    archive: Archive,
    label: Label,
    packer: &'p mut Packer,
    state: CopierState,
    wants_from: u64,
    /// The end of the bytes received so far.
    position: u64,
    /// Bytes before the position that do not fill a frame yet.
    buffer: Vec<u8>,
    /// Frames that are not in the file yet.
    pending: Vec<u8>,
}

impl<'p> Keeper<'p> {
    /// Begins a pass over a source that was consumed up to `cursor`, or up to 0 for a full re-read.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub fn begin(
        archive: &Archive,
        label: Label,
        cursor: u64,
        packer: &'p mut Packer,
    ) -> Result<Self, ArchiveError> {
        let (state, wants_from) = match archive.newest(label.address())? {
            Some((file, scan)) => {
                let comparison = Comparison::begin(file, scan, &label, cursor);
                let wants_from = comparison.position();
                (CopierState::after(comparison, &label)?, wants_from)
            }
            None => (CopierState::Beginning(None), 0),
        };
        Ok(Self {
            archive: archive.clone(),
            label,
            packer,
            state,
            wants_from,
            position: wants_from,
            buffer: Vec::new(),
            pending: Vec::new(),
        })
    }

    /// The offset from which the caller must supply the source; never beyond the cursor.
    #[must_use]
    pub fn wants_from(&self) -> u64 {
        self.wants_from
    }

    /// Takes the bytes at `offset`. Ignores bytes that were supplied before, and leaves a gap for
    /// bytes that were skipped.
    ///
    /// # Errors
    /// When compression fails.
    pub fn bytes(&mut self, offset: u64, bytes: &[u8]) -> Result<(), ArchiveError> {
        if offset > self.position {
            self.state.differ();
            self.pack()?;
            self.position = offset;
        }
        let known = usize::try_from(self.position - offset).unwrap_or(usize::MAX);
        let mut rest = bytes.get(known..).unwrap_or_default();
        while !rest.is_empty() {
            rest = self.take(rest)?;
        }
        Ok(())
    }

    /// Writes the full frames, or removes every copy of the source if it may not be archived.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub fn flush(&mut self, permission: Permission) -> Result<(), ArchiveError> {
        match permission {
            Permission::Keep if self.pending.is_empty() => Ok(()),
            Permission::Keep => self.write(),
            Permission::Refuse => self.refuse(),
        }
    }

    /// Ends a pass at the end of the source.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub fn end(mut self, permission: Permission) -> Result<(), ArchiveError> {
        match permission {
            // An empty read proves nothing about the copy.
            Permission::Keep if self.position == self.wants_from => Ok(()),
            Permission::Keep => {
                self.state.differ();
                self.pack()?;
                self.write()
            }
            Permission::Refuse => self.refuse(),
        }
    }

    /// Takes as much as fits into the current frame and returns the rest.
    fn take<'b>(&mut self, bytes: &'b [u8]) -> Result<&'b [u8], ArchiveError> {
        if self.leaves_out() {
            self.position += bytes.len() as u64;
            return Ok(&[]);
        }
        let room = self.room();
        let (now, later) = bytes.split_at_checked(room).unwrap_or((bytes, &[]));
        self.buffer.extend_from_slice(now);
        self.position += now.len() as u64;
        if now.len() == room {
            self.fill()?;
        }
        Ok(later)
    }

    fn leaves_out(&self) -> bool {
        matches!(self.state, CopierState::Refused) || self.pending.len() > PENDING_LIMIT
    }

    /// How many bytes the current frame still needs.
    fn room(&mut self) -> usize {
        let begins_at = self.position - self.buffer.len() as u64;
        if let CopierState::Comparing(comparison) = &self.state {
            match comparison.next().filter(|frame| frame.offset == begins_at) {
                Some(frame) => return (frame.length as usize).saturating_sub(self.buffer.len()),
                None => self.state.differ(),
            }
        }
        FRAME_BYTES.saturating_sub(self.buffer.len())
    }

    /// Handles a full frame: compares it or packs it.
    fn fill(&mut self) -> Result<(), ArchiveError> {
        if self.state.meets(&self.buffer, &self.label)? {
            self.buffer.clear();
            return Ok(());
        }
        // A compared frame may be shorter than the frames we write.
        if self.buffer.len() < FRAME_BYTES {
            return Ok(());
        }
        self.pack()
    }

    /// Packs the buffer into a frame.
    fn pack(&mut self) -> Result<(), ArchiveError> {
        if !self.buffer.is_empty() {
            let offset = self.position - self.buffer.len() as u64;
            self.packer.pack(offset, &self.buffer, &mut self.pending)?;
            self.buffer.clear();
        }
        Ok(())
    }

    fn write(&mut self) -> Result<(), ArchiveError> {
        let begins = matches!(self.state, CopierState::Beginning(_));
        self.state.write(&self.pending, &self.archive, &self.label)?;
        self.pending.clear();
        if begins {
            self.archive.remove_old_editions(self.label.address())?;
        }
        Ok(())
    }

    fn refuse(&mut self) -> Result<(), ArchiveError> {
        self.state = CopierState::Refused;
        self.buffer.clear();
        self.pending.clear();
        self.archive.remove(self.label.address()).map(drop)
    }
}
