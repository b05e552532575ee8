//! The head and the body of a response.

use super::ClientError;
use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result as IoResult};
use std::os::unix::net::UnixStream;

/// The longest line of a head.
const LINE: u64 = 16 * 1024;
/// The most lines of a head.
const LINES: usize = 100;

/// The status line and headers of an answer.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) status: u16,
    chunked: bool,
    length: Option<u64>,
}

impl Head {
    pub(super) fn read(from: &mut impl BufRead) -> Result<Self, ClientError> {
        let first = line(from).map_err(ClientError::Broken)?;
        let status = first.strip_prefix("HTTP/1.1 ").and_then(|it| it.get(..3)?.parse().ok());
        let status = status.ok_or_else(|| ClientError::Garbled(format!("`{first}`")))?;
        let mut head = Self { status, chunked: false, length: None };
        for _ in 0..LINES {
            let line = line(from).map_err(ClientError::Broken)?;
            if line.is_empty() {
                return Ok(head);
            }
            head.note(&line);
        }
        Err(ClientError::Garbled("its head does not end".to_owned()))
    }

    fn note(&mut self, line: &str) {
        let Some((name, value)) = line.split_once(':') else { return };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => self.length = value.trim().parse().ok(),
            "transfer-encoding" => self.chunked = value.trim().eq_ignore_ascii_case("chunked"),
            _ => {}
        }
    }
}

fn line(from: &mut impl BufRead) -> IoResult<String> {
    let mut bytes = Vec::new();
    from.take(LINE).read_until(b'\n', &mut bytes)?;
    if bytes.pop() != Some(b'\n') {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    if bytes.last() == Some(&b'\r') {
        bytes.pop();
    }
    String::from_utf8(bytes).map_err(|_| ErrorKind::InvalidData.into())
}

/// The body of an answer, as it arrives.
#[derive(Debug)]
pub struct Body<R = BufReader<UnixStream>> {
    from: R,
    left: Left,
}

/// How much of the body is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    /// This many bytes.
    Bytes(u64),
    /// This many bytes of the current chunk, then other chunks.
    Chunk(u64),
    /// Everything until the connection closes.
    All,
    /// Nothing.
    Nothing,
}

impl<R: BufRead> Body<R> {
    pub(super) fn new(from: R, head: &Head) -> Self {
        let left = match (head.chunked, head.length) {
            (true, _) => Left::Chunk(0),
            (false, Some(length)) => Left::Bytes(length),
            (false, None) => Left::All,
        };
        Self { from, left }
    }

    /// Begins the next chunk; an empty chunk is the last.
    fn next_chunk(&mut self) -> IoResult<()> {
        let size = line(&mut self.from)?;
        let digits = size.split(';').next().unwrap_or_default().trim();
        let size = u64::from_str_radix(digits, 16)
            .map_err(|_| Error::new(ErrorKind::InvalidData, "a chunk without a size"))?;
        self.left = Left::Chunk(size);
        if size == 0 {
            // Our server sends no trailers.
            self.left = Left::Nothing;
        }
        Ok(())
    }

    fn took(&mut self, count: u64) -> IoResult<()> {
        self.left = match self.left {
            Left::Bytes(left) if left > count => Left::Bytes(left - count),
            Left::Bytes(_) => Left::Nothing,
            Left::Chunk(left) if left > count => Left::Chunk(left - count),
            Left::Chunk(_) => {
                line(&mut self.from)?;
                Left::Chunk(0)
            }
            other => other,
        };
        Ok(())
    }
}

impl<R: BufRead> Read for Body<R> {
    fn read(&mut self, into: &mut [u8]) -> IoResult<usize> {
        if self.left == Left::Chunk(0) {
            self.next_chunk()?;
        }
        let limit = match self.left {
            Left::Bytes(left) | Left::Chunk(left) => left,
            Left::All => u64::MAX,
            Left::Nothing => 0,
        };
        if limit == 0 || into.is_empty() {
            return Ok(0);
        }
        let count = (&mut self.from).take(limit).read(into)?;
        match (count, self.left) {
            (0, Left::All) => self.left = Left::Nothing,
            (0, _) => return Err(ErrorKind::UnexpectedEof.into()),
            _ => self.took(count as u64)?,
        }
        Ok(count)
    }
}
