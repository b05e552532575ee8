//! Splits a stream into lines within a bounded buffer.

use std::io::{self, Read};

/// The longest line that is read; longer ones are skipped and counted.
pub const LINE_LIMIT: usize = 32 * 1024 * 1024;
const CHUNK: usize = 256 * 1024;

/// A line that ended in a line feed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// It fits.
    Whole {
        /// Its first byte in the stream.
        offset: u64,
        /// Its bytes, without the line feed.
        bytes: &'a [u8],
    },
    /// It is longer than the limit.
    TooLong,
}

/// Yields the lines of a stream one after another, but never an unfinished last line.
pub(crate) struct LineReader<R> {
    input: R,
    buffer: Vec<u8>,
    /// Bytes of `buffer` before this are consumed.
    start: usize,
    /// Bytes of `buffer` before this were searched for a line feed.
    searched: usize,
    /// Offset in the stream of `buffer[start]`.
    offset: u64,
    limit: usize,
    /// Inside a line that is too long.
    skipping: bool,
}

impl<R: Read> LineReader<R> {
    /// Starts at `offset` of the stream, which is the position of `input`.
    pub(crate) fn new(input: R, offset: u64, limit: usize) -> Self {
        let buffer = Vec::with_capacity(CHUNK);
        Self { input, buffer, start: 0, searched: 0, offset, limit, skipping: false }
    }

    /// The offset of the first byte that follows the lines returned so far.
    pub(crate) fn consumed(&self) -> u64 {
        self.offset
    }

    /// The next line, or `None` when the stream ends before another line feed.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        loop {
            let unsearched = self.buffer.get(self.searched..).unwrap_or_default();
            if let Some(at) = memchr::memchr(b'\n', unsearched) {
                return Ok(Some(self.take(self.searched + at)));
            }
            self.searched = self.buffer.len();
            if self.searched - self.start > self.limit {
                self.drop_partial();
            }
            if self.fill()? == 0 {
                return Ok(None);
            }
        }
    }

    fn take(&mut self, end: usize) -> Line<'_> {
        let (start, offset) = (self.start, self.offset);
        self.start = end + 1;
        self.searched = end + 1;
        self.offset += (end + 1 - start) as u64;
        if std::mem::take(&mut self.skipping) || end - start > self.limit {
            return Line::TooLong;
        }
        Line::Whole { offset, bytes: self.buffer.get(start..end).unwrap_or_default() }
    }

    fn drop_partial(&mut self) {
        self.skipping = true;
        self.offset += (self.buffer.len() - self.start) as u64;
        self.buffer.clear();
        self.start = 0;
        self.searched = 0;
    }

    fn fill(&mut self) -> io::Result<usize> {
        self.buffer.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        if self.buffer.is_empty() && self.buffer.capacity() > 16 * CHUNK {
            self.buffer.shrink_to(CHUNK);
        }
        let wanted = CHUNK.max(self.buffer.len());
        let read = (&mut self.input).take(wanted as u64).read_to_end(&mut self.buffer);
        match read {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(1),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A line with its offset, or `None` for one that is too long.
    type Given = Option<(u64, Vec<u8>)>;

    fn lines(bytes: &[u8], limit: usize) -> (Vec<Given>, u64) {
        let mut reader = LineReader::new(bytes, 0, limit);
        let mut out = Vec::new();
        while let Some(line) = reader.next().unwrap() {
            out.push(match line {
                Line::Whole { offset, bytes } => Some((offset, bytes.to_vec())),
                Line::TooLong => None,
            });
        }
        (out, reader.consumed())
    }

    #[test]
    fn a_torn_tail_is_never_given() {
        let line = |offset, text: &str| Some((offset, text.as_bytes().to_vec()));
        assert_eq!(lines(b"", 10), (vec![], 0));
        assert_eq!(lines(b"ab", 10), (vec![], 0));
        assert_eq!(lines(b"ab\n\ncd", 10), (vec![line(0, "ab"), line(3, "")], 4));
    }

    #[test]
    fn a_line_over_the_limit_is_skipped_and_the_next_is_read() {
        let mut bytes = vec![b'x'; 3 * CHUNK];
        bytes.extend_from_slice(b"\nnext\n");
        let (got, consumed) = lines(&bytes, CHUNK);
        assert_eq!(got, vec![None, Some((3 * CHUNK as u64 + 1, b"next".to_vec()))]);
        assert_eq!(consumed, bytes.len() as u64);
    }

    proptest! {
        #[test]
        fn splitting_agrees_with_the_plain_way(bytes in prop::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..4000)) {
            let (got, consumed) = lines(&bytes, 1 << 20);
            let mut offset = 0;
            let mut expected = Vec::new();
            for line in bytes.split_inclusive(|b| *b == b'\n') {
                if let Some(whole) = line.strip_suffix(b"\n") {
                    expected.push(Some((offset, whole.to_vec())));
                    offset += line.len() as u64;
                }
            }
            prop_assert_eq!(got, expected);
            prop_assert_eq!(consumed, offset);
        }
    }
}
