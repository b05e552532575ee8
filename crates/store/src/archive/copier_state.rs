//! The state of a keeper that compares a source with its copy.

use super::ArchiveError;
use super::comparison::Comparison;
use super::edition::{Appender, NewFile};
use super::folder::Archive;
use super::label::{Label, Written};

#[derive(Debug)]
pub(super) enum CopierState {
    /// The incoming bytes match the copy so far.
    Comparing(Comparison),
    /// A new edition is due. It reuses the frames of the previous edition that matched.
    Beginning(Option<Comparison>),
    /// Incoming bytes are appended to the copy.
    Appending(Appender),
    /// The source may not be archived.
    Refused,
}

impl CopierState {
    /// Compares while frames are left to compare with.
    pub(super) fn after(comparison: Comparison, label: &Label) -> Result<Self, ArchiveError> {
        Ok(match comparison.next() {
            Some(_) => Self::Comparing(comparison),
            None => Self::Appending(comparison.into_appender(label)?),
        })
    }

    /// Takes a full frame: `true` if it matches the next archived frame.
    pub(super) fn meets(&mut self, frame: &[u8], label: &Label) -> Result<bool, ArchiveError> {
        let state = std::mem::replace(self, Self::Beginning(None));
        let Self::Comparing(mut comparison) = state else {
            *self = state;
            return Ok(false);
        };
        let same = comparison.meets(frame);
        *self =
            if same { Self::after(comparison, label)? } else { Self::Beginning(Some(comparison)) };
        Ok(same)
    }

    /// Records that the incoming bytes differ from the copy, if they were being compared.
    pub(super) fn differ(&mut self) {
        let state = std::mem::replace(self, Self::Beginning(None));
        *self = match state {
            Self::Comparing(comparison) => Self::Beginning(Some(comparison)),
            Self::Beginning(_) | Self::Appending(_) | Self::Refused => state,
        };
    }

    /// Writes frames to the file, and creates the file if needed.
    pub(super) fn write(
        &mut self,
        frames: &[u8],
        archive: &Archive,
        label: &Label,
    ) -> Result<(), ArchiveError> {
        match self {
            Self::Appending(_) if frames.is_empty() => {}
            Self::Appending(appender) => appender.append(frames)?,
            Self::Beginning(before) => {
                let written = Written::new(label.clone(), None);
                let mut file = NewFile::begin(archive.next_path(label.address())?, &written)?;
                if let Some((from, kept)) = before.as_ref().map(Comparison::kept) {
                    file.put_kept(from, kept)?;
                }
                file.put(frames)?;
                *self = Self::Appending(file.name()?);
            }
            Self::Comparing(_) | Self::Refused => {}
        }
        Ok(())
    }
}
