//! Reads the frames of a file without unpacking anything.

use super::ArchiveError;
use super::frames::{self, Frame, HEADER_BYTES, Head};
use super::label::Written;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// The frames of a file up to its end, or up to the point where it is torn.
#[derive(Debug)]
pub(super) struct Scan {
    /// The last label.
    pub(super) written: Written,
    /// The offset of that label in the file.
    pub(super) label_at: u64,
    /// All frames, in order of their offsets.
    pub(super) frames: Vec<Frame>,
    /// The offset in the file after the last valid frame.
    pub(super) end: u64,
    /// The length of the file.
    pub(super) file_length: u64,
}

impl Scan {
    /// Walks from header to header.
    pub(super) fn of(file: &File) -> Result<Self, ArchiveError> {
        let file_length = file.metadata()?.len();
        let Some((written, end)) = label_at(file, 0, file_length)? else {
            return Err(ArchiveError::Damaged("it does not begin with a label".to_owned()));
        };
        let mut scan = Self { written, label_at: 0, frames: Vec::new(), end, file_length };
        while scan.step(file)? {}
        Ok(scan)
    }

    /// How many frames are contiguous from the first byte of the source.
    pub(super) fn covered(&self) -> usize {
        let mut end = 0;
        let follows = |frame: &&Frame| {
            let follows = frame.offset == end;
            end = frame.end();
            follows
        };
        self.frames.iter().take_while(follows).count()
    }

    /// The end offset of the last archived byte of the source.
    pub(super) fn kept_end(&self) -> u64 {
        self.frames.last().map_or(0, Frame::end)
    }

    /// How many bytes of the source are kept.
    pub(super) fn kept_bytes(&self) -> u64 {
        self.frames.iter().map(|frame| u64::from(frame.length)).sum()
    }

    fn step(&mut self, file: &File) -> Result<bool, ArchiveError> {
        match head_at(file, self.end, self.file_length)? {
            Some(Head::Frame(frame)) => {
                let whole = frame.file_end() <= self.file_length;
                if !whole || frame.offset < self.kept_end() {
                    return Ok(false);
                }
                self.end = frame.file_end();
                self.frames.push(frame);
                Ok(true)
            }
            Some(Head::Label(_)) => {
                let Some((written, end)) = label_at(file, self.end, self.file_length)? else {
                    return Ok(false);
                };
                (self.written, self.label_at, self.end) = (written, self.end, end);
                Ok(true)
            }
            None => Ok(false),
        }
    }
}

/// Opens a file for writing and scans its frames.
pub(super) fn open(path: &Path) -> Result<(File, Scan), ArchiveError> {
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    let scan = Scan::of(&file)?;
    Ok((file, scan))
}

/// The parts of the source that frames cover, with gaps between them.
pub(super) fn ranges(frames: &[Frame]) -> Vec<Range<u64>> {
    let mut out: Vec<Range<u64>> = Vec::new();
    for frame in frames {
        match out.last_mut().filter(|last| last.end == frame.offset) {
            Some(last) => last.end = frame.end(),
            None => out.push(frame.offset..frame.end()),
        }
    }
    out
}

/// The label at an offset in the file, and its end.
fn label_at(file: &File, at: u64, file_length: u64) -> io::Result<Option<(Written, u64)>> {
    let Some(Head::Label(size)) = head_at(file, at, file_length)? else { return Ok(None) };
    let end = at + 8 + u64::from(size);
    if end > file_length {
        return Ok(None);
    }
    let mut content = vec![0; size as usize];
    let read = read_all(file, &mut content, at + 8)?;
    Ok(frames::label(&content).filter(|_| read).map(|written| (written, end)))
}

fn head_at(file: &File, at: u64, file_length: u64) -> io::Result<Option<Head>> {
    let mut head = [0; HEADER_BYTES];
    // A label is longer than a header, so nothing complete is shorter than one.
    let whole = at + HEADER_BYTES as u64 <= file_length && read_all(file, &mut head, at)?;
    Ok(if whole { frames::head(&head, at) } else { None })
}

/// Fills the buffer; `false` when the file was truncated meanwhile.
fn read_all(file: &File, bytes: &mut [u8], at: u64) -> io::Result<bool> {
    match file.read_exact_at(bytes, at) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}
