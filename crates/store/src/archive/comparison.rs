//! Compares incoming bytes with an archived edition by checksum.

use super::edition::Appender;
use super::frames::Frame;
use super::label::{Label, Written};
use super::scan::Scan;
use super::{ArchiveError, frames};
use std::fs::File;

/// An archived edition, and how many of its frames matched the incoming bytes so far.
#[derive(Debug)]
pub(super) struct Comparison {
    file: File,
    frames: Vec<Frame>,
    met: usize,
    /// The position in the file where new frames go.
    end: u64,
    /// The label must be rewritten.
    label_due: bool,
}

impl Comparison {
    /// Compares from the last whole frame before the cursor on, or from the first gap before it.
    pub(super) fn begin(file: File, scan: Scan, label: &Label, cursor: u64) -> Self {
        let covered = scan.frames.get(..scan.covered()).unwrap_or_default();
        let met = covered.partition_point(|frame| frame.end() <= cursor);
        let mut end = scan.end;
        let mut frames = scan.frames;
        // A cursor beyond every archived frame proves that the source is unchanged, so the bytes
        // after a gap can be supplied again. Otherwise the frames after the gap may be all that
        // is left of another edition.
        if frames.last().is_none_or(|last| last.end() <= cursor) {
            end = frames.get(met).map_or(end, |behind_gap| behind_gap.at);
            frames.truncate(met);
        }
        let label_due =
            scan.label_at >= end || scan.written.length.is_some() || scan.written.label != *label;
        Self { file, frames, met, end, label_due }
    }

    /// The first byte of the source that was not compared.
    pub(super) fn position(&self) -> u64 {
        self.met().last().map_or(0, Frame::end)
    }

    /// The next frame to compare.
    pub(super) fn next(&self) -> Option<&Frame> {
        self.frames.get(self.met)
    }

    /// Whether these bytes, as many as the next frame holds, match that frame.
    pub(super) fn meets(&mut self, bytes: &[u8]) -> bool {
        let same = self.next().is_some_and(|frame| frame.holds(bytes));
        self.met += usize::from(same);
        same
    }

    /// The frames that matched, and the file that holds them.
    pub(super) fn kept(&self) -> (&File, &[Frame]) {
        (&self.file, self.met())
    }

    /// Every frame matched: whatever follows is new.
    pub(super) fn into_appender(self, label: &Label) -> Result<Appender, ArchiveError> {
        let appender = Appender::at(self.file, self.end);
        if !self.label_due {
            return Ok(appender);
        }
        Ok(appender.after(frames::label_frame(&Written::new(label.clone(), None))?))
    }

    fn met(&self) -> &[Frame] {
        self.frames.get(..self.met).unwrap_or_default()
    }
}
