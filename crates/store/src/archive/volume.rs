//! Reads one edition of a source.

use super::frames::Frame;
use super::label::{Label, Written};
use super::pack::Unpacker;
use super::rows::{self, RowPlaces};
use super::scan::{self, Scan};
use super::{ArchiveError, RANGE_LIMIT, WHOLE_LIMIT};
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::ops::Range;

/// One edition of a source, open for reading.
#[derive(Debug)]
pub struct Volume {
    file: File,
    edition: u32,
    written: Written,
    frames: Vec<Frame>,
    /// How many frames are contiguous from the first byte.
    covered: usize,
    unpacker: Option<Unpacker>,
    /// The frame that was unpacked last, so that reads nearby cost nothing.
    last: Option<(usize, Vec<u8>)>,
    rows: Option<RowPlaces>,
}

impl Volume {
    /// Scans the file without unpacking it.
    pub(super) fn open(file: File, edition: u32) -> Result<Self, ArchiveError> {
        let scan = Scan::of(&file)?;
        let (covered, last) = (scan.covered(), None);
        let Scan { written, frames, .. } = scan;
        Ok(Self { file, edition, written, frames, covered, unpacker: None, last, rows: None })
    }

    /// The source of this copy.
    #[must_use]
    pub fn label(&self) -> &Label {
        &self.written.label
    }

    /// The number of the edition; the newest has the highest number.
    #[must_use]
    pub fn edition(&self) -> u32 {
        self.edition
    }

    /// The first byte that is not archived.
    #[must_use]
    pub fn covered_to(&self) -> u64 {
        self.frames.get(..self.covered).and_then(<[_]>::last).map_or(0, Frame::end)
    }

    /// All archived parts, in order, with gaps between them.
    #[must_use]
    pub fn ranges(&self) -> Vec<Range<u64>> {
        scan::ranges(&self.frames)
    }

    /// A part of the source.
    ///
    /// # Errors
    /// `Gap` when part of it is not archived, `TooLong` above [`RANGE_LIMIT`].
    pub fn range(&mut self, offset: u64, length: usize) -> Result<Vec<u8>, ArchiveError> {
        let end = offset.saturating_add(length as u64);
        if length > RANGE_LIMIT {
            return Err(too_long(length as u64, RANGE_LIMIT as u64));
        }
        let mut out = Vec::with_capacity(length);
        let mut position = offset;
        let mut index = self.frames.partition_point(|frame| frame.end() <= offset);
        while position < end {
            let frame = self.frames.get(index).filter(|frame| frame.offset <= position).copied();
            let frame = frame.ok_or(ArchiveError::Gap(position))?;
            let until = end.min(frame.end());
            let part = within(&frame, position..until);
            let bytes = self.frame(index, &frame)?;
            out.extend_from_slice(bytes.get(part).unwrap_or_default());
            (position, index) = (until, index + 1);
        }
        Ok(out)
    }

    /// The whole source.
    ///
    /// # Errors
    /// `Gap` when part of it is not archived, `TooLong` above [`WHOLE_LIMIT`].
    pub fn whole(&mut self) -> Result<Vec<u8>, ArchiveError> {
        let end = self.covered_to();
        if self.covered < self.frames.len() {
            return Err(ArchiveError::Gap(end));
        }
        if end > WHOLE_LIMIT {
            return Err(too_long(end, WHOLE_LIMIT));
        }
        self.check_end()?;
        let mut out = Vec::with_capacity(usize::try_from(end).unwrap_or_default());
        let mut index = 0;
        while let Some(bytes) = self.unpack(index)? {
            out.extend_from_slice(&bytes);
            index += 1;
        }
        Ok(out)
    }

    /// A stream of the source up to the first gap.
    pub fn reader(&mut self) -> VolumeReader<'_> {
        VolumeReader { volume: self, next: 0, bytes: Cursor::default() }
    }

    /// A row of a source of rows, byte for byte.
    ///
    /// # Errors
    /// When the copy is damaged or the row is longer than [`RANGE_LIMIT`].
    pub fn row(&mut self, table: &str, rowid: i64) -> Result<Option<Vec<u8>>, ArchiveError> {
        let places = match self.rows.take() {
            Some(places) => places,
            None => rows::places(self.reader())?,
        };
        let place = places.get(table).and_then(|rows| rows.get(&rowid)).copied();
        self.rows = Some(places);
        place.map(|(offset, length)| self.range(offset, length)).transpose()
    }

    /// Every row in archived order: its table, its number and its bytes.
    ///
    /// # Errors
    /// When the copy is damaged or exceeds [`WHOLE_LIMIT`].
    pub fn rows(&mut self) -> Result<Vec<(String, i64, Vec<u8>)>, ArchiveError> {
        rows::all(&self.whole()?)
    }

    fn frame(&mut self, index: usize, frame: &Frame) -> Result<&[u8], ArchiveError> {
        let bytes = match self.last.take().filter(|(last, _)| *last == index) {
            Some((_, bytes)) => bytes,
            None => self.unpacker.get_or_insert_default().unpack(&self.file, frame)?,
        };
        Ok(&self.last.insert((index, bytes)).1)
    }

    /// Unpacks one of the frames that are contiguous from the first byte.
    fn unpack(&mut self, index: usize) -> Result<Option<Vec<u8>>, ArchiveError> {
        let covered = self.frames.get(..self.covered).unwrap_or_default();
        let Some(frame) = covered.get(index) else { return Ok(None) };
        self.unpacker.get_or_insert_default().unpack(&self.file, frame).map(Some)
    }

    /// A copy that was made in one piece is valid only if it is complete.
    fn check_end(&self) -> Result<(), ArchiveError> {
        match self.written.length {
            Some(length) if length != self.covered_to() => {
                Err(ArchiveError::Damaged(format!("{length} bytes were kept, and fewer are left")))
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// The bytes of a source, one frame at a time.
#[derive(Debug)]
pub struct VolumeReader<'v> {
    volume: &'v mut Volume,
    next: usize,
    bytes: Cursor<Vec<u8>>,
}

impl Read for VolumeReader<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.bytes.read(out)?;
            if read > 0 || out.is_empty() {
                return Ok(read);
            }
            let Some(bytes) = self.volume.unpack(self.next).map_err(io::Error::other)? else {
                return self.volume.check_end().map(|()| 0).map_err(io::Error::other);
            };
            self.bytes = Cursor::new(bytes);
            self.next += 1;
        }
    }
}

/// Translates a range of the source into a range of the frame.
fn within(frame: &Frame, part: Range<u64>) -> Range<usize> {
    let place = |at: u64| usize::try_from(at.saturating_sub(frame.offset)).unwrap_or(usize::MAX);
    place(part.start)..place(part.end)
}

pub(super) fn too_long(length: u64, limit: u64) -> ArchiveError {
    ArchiveError::TooLong { length, limit }
}
