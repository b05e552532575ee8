//! Passes the header of an age file to age in one piece, and limits its length.
//!
//! Age reads a header line by line and parses it from its start for every line: a hostile header of
//! 256 KiB keeps it busy for seconds, a longer one for hours. It finds lines with `read_until`;
//! ours reads on to the last line of the header, so that one parse is enough.

use std::io::{self, BufRead, BufReader, Read};

/// The longest header: room for the most recipients, at 98 bytes each.
const MOST_BYTES: u64 = 256 * 1024;
/// The most recipients of a file.
pub(crate) const MOST_RECIPIENTS: usize = 2500;
/// The prefix of the last line of a header, and of no other line.
const LAST_LINE: &[u8] = b"---";

/// A reader of an age file.
#[derive(Debug)]
pub(crate) struct WholeHeader<R> {
    input: BufReader<R>,
    left: u64,
}

impl<R: Read> WholeHeader<R> {
    /// Reads an age file from its start.
    pub(crate) fn new(input: R) -> Self {
        Self { input: BufReader::new(input), left: MOST_BYTES }
    }
}

impl<R: Read> Read for WholeHeader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.input.read(buffer)
    }
}

impl<R: Read> BufRead for WholeHeader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.input.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.input.consume(amount);
    }

    fn read_until(&mut self, byte: u8, out: &mut Vec<u8>) -> io::Result<usize> {
        let start = out.len();
        loop {
            let line = out.len();
            let got = (&mut self.input).take(self.left).read_until(byte, out)?;
            self.left = self.left.saturating_sub(got as u64);
            if self.left == 0 {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "the header has no end"));
            }
            if got == 0 || out.get(line..).is_some_and(|line| line.starts_with(LAST_LINE)) {
                return Ok(out.len().saturating_sub(start));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_comes_in_one_piece_and_what_follows_is_left() {
        let mut file = WholeHeader::new(b"v1\n-> a\nAA\n--- mac\nbody\n".as_slice());
        let mut out = Vec::new();
        assert_eq!(file.read_until(b'\n', &mut out).unwrap(), 19);
        assert_eq!(out, b"v1\n-> a\nAA\n--- mac\n");
        let mut rest = Vec::new();
        file.read_to_end(&mut rest).unwrap();
        assert_eq!(rest, b"body\n");
    }

    #[test]
    fn there_is_room_for_all_recipients() {
        use crate::envelope::{EnvelopeFault, open_with, seal_to};
        let identity = crate::keys::Identity::from_random(&zeroize::Zeroizing::new([1; 32]));
        let mut to = vec![identity.recipient(); MOST_RECIPIENTS];
        let sealed = seal_to(&to, b"text").unwrap();
        assert_eq!(open_with(&identity, &sealed, 9).unwrap().as_slice(), b"text");
        to.push(identity.recipient());
        assert_eq!(seal_to(&to, b"text"), Err(EnvelopeFault::TooLarge));
    }

    #[test]
    fn a_header_without_end_ends() {
        let check = |text: &[u8], expected: io::Result<usize>| {
            let file = text.iter().copied().cycle().take(1 << 20).collect::<Vec<_>>();
            let mut file = WholeHeader::new(file.as_slice());
            let got = file.read_until(b'\n', &mut Vec::new());
            assert_eq!(got.map_err(|e| e.kind()), expected.map_err(|e| e.kind()));
        };
        check(b"-> a\n\n", Err(io::ErrorKind::InvalidData.into()));
        check(b"-", Err(io::ErrorKind::InvalidData.into()));
        check(b"---\n", Ok(4));
    }
}
