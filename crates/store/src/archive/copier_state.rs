//! How far a keeper has come in comparing a source with its copy.

use super::ArchiveError;
use super::comparison::Comparison;
use super::edition::{Appender, NewFile};
use super::folder::Archive;
use super::label::{Label, Written};

#[derive(Debug)]
pub(super) enum CopierState {
    /// What came in is what is kept, so far.
    Comparing(Comparison),
    /// A new edition is due, with what was met again of the one before.
    Beginning(Option<Comparison>),
    /// What comes in follows what is kept.
    Appending(Appender),
    /// Nothing is kept.
    Refused,
}

impl CopierState {
    /// Compares as long as something is left to compare with.
    pub(super) fn after(comparison: Comparison, label: &Label) -> Result<Self, ArchiveError> {
        Ok(match comparison.next() {
            Some(_) => Self::Comparing(comparison),
            None => Self::Appending(comparison.into_appender(label)?),
        })
    }

    /// A frame is full: if it is the next of those that are kept, it is done with.
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

    /// What comes in is not what is kept, if it was compared at all.
    pub(super) fn differ(&mut self) {
        let state = std::mem::replace(self, Self::Beginning(None));
        *self = match state {
            Self::Comparing(comparison) => Self::Beginning(Some(comparison)),
            Self::Beginning(_) | Self::Appending(_) | Self::Refused => state,
        };
    }

    /// Writes frames to the file, which is made if it is due.
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
