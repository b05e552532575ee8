//! Finds lines in a stream of bytes, however the bytes are split.

/// The longest line that is read; a longer one passes unread.
pub(super) const LONGEST: usize = 4 * 1024 * 1024;

/// The line in progress.
#[derive(Debug, Default)]
pub(super) struct LineBuffer {
    line: Vec<u8>,
    is_too_long: bool,
}

/// What a part of a line completes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Nothing: the line goes on.
    Open,
    /// A whole line, with its end.
    Line(Vec<u8>),
    /// The line is too long to be read; its beginning, if it was kept so far.
    TooLong(Vec<u8>),
    /// The end of a line that was too long.
    LongEnd,
}

impl LineBuffer {
    /// Whether no line is in progress.
    pub(super) fn is_between_lines(&self) -> bool {
        self.line.is_empty() && !self.is_too_long
    }

    /// Takes a part that has at most one line end, as its last byte.
    pub(super) fn take(&mut self, part: &[u8]) -> Step {
        let ends = part.ends_with(b"\n");
        if self.is_too_long {
            self.is_too_long = !ends;
            return if ends { Step::LongEnd } else { Step::Open };
        }
        self.line.extend_from_slice(part);
        match (ends, self.line.len() > LONGEST) {
            (_, true) => {
                self.is_too_long = !ends;
                Step::TooLong(std::mem::take(&mut self.line))
            }
            (true, false) => Step::Line(std::mem::take(&mut self.line)),
            (false, false) => Step::Open,
        }
    }

    /// The last line, which has no end.
    pub(super) fn rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.line)
    }
}

/// The parts of a piece, each with at most one line end, as its last byte.
pub(super) fn parts(piece: &[u8]) -> impl Iterator<Item = &[u8]> {
    piece.split_inclusive(|it| *it == b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_however_they_are_split() {
        let stream = b"a\n\r\nlong line\r\n\n\xff\xfe\nno end";
        let expected: Vec<&[u8]> = vec![b"a\n", b"\r\n", b"long line\r\n", b"\n", b"\xff\xfe\n"];
        for size in 1..=stream.len() {
            let (mut buffer, mut lines) = (LineBuffer::default(), Vec::new());
            for part in stream.chunks(size).flat_map(parts) {
                if let Step::Line(line) = buffer.take(part) {
                    lines.push(line);
                }
            }
            assert_eq!(lines, expected, "in pieces of {size}");
            assert!(!buffer.is_between_lines());
            assert_eq!(buffer.rest(), b"no end");
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_not_kept() {
        let mut buffer = LineBuffer::default();
        assert_eq!(buffer.take(&vec![b'x'; LONGEST]), Step::Open);
        assert_eq!(buffer.take(b"y"), Step::TooLong([vec![b'x'; LONGEST], vec![b'y']].concat()));
        assert_eq!(buffer.take(b"z"), Step::Open);
        assert!(!buffer.is_between_lines());
        assert_eq!(buffer.take(b"\n"), Step::LongEnd);
        assert!(buffer.is_between_lines());
        let long = [vec![b'x'; LONGEST], vec![b'\n']].concat();
        assert_eq!(buffer.take(&long), Step::TooLong(long));
        assert!(buffer.is_between_lines());
    }
}
