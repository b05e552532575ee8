//! The format of a file, byte by byte.
//!
//! A file is a row of zstd frames. Ours are skippable ones, which every zstd decoder passes over:
//!
//! | frame | magic | content |
//! |---|---|---|
//! | label | `0x184D2A50` | checksum of the JSON (16 bytes), JSON; the last label counts |
//! | header | `0x184D2A51` | offset in the source (8), length (4), packed length (4), checksum of the bytes (16), mark of all these (8) |
//!
//! The first frame is a label. Each header is followed by one ordinary frame of at most 1 MiB of
//! input. Offsets rise and may leave gaps. All numbers are little-endian.

use super::ArchiveError;
use super::label::Written;
use taffrail_model::hash::{self, Digest16};

/// The most bytes of a source in one frame.
pub(super) const FRAME_BYTES: usize = 1 << 20;
/// A header with its eight bytes of magic and size.
pub(super) const HEADER_BYTES: usize = 48;

const LABEL_MAGIC: u32 = 0x184D_2A50;
const HEADER_MAGIC: u32 = 0x184D_2A51;
/// A header without its magic and size.
const HEADER_CONTENT: u32 = 40;
/// The longest label allowed; paths are the longest part of a label.
const LABEL_LIMIT: u32 = 1 << 20;
/// The longest packed frame allowed; incompressible data grows by less than 1%.
const PACKED_LIMIT: u32 = 2 << 20;

/// A piece of a source, as described by its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Frame {
    /// The offset of its first byte in the source.
    pub(super) offset: u64,
    /// Its length in the source.
    pub(super) length: u32,
    /// Its compressed length.
    pub(super) packed: u32,
    /// The checksum of the uncompressed bytes.
    pub(super) checksum: Digest16,
    /// The offset of its header in the file.
    pub(super) at: u64,
}

impl Frame {
    /// The end offset in the source.
    pub(super) fn end(&self) -> u64 {
        self.offset.saturating_add(self.length.into())
    }

    /// The end offset in the file.
    pub(super) fn file_end(&self) -> u64 {
        self.packed_at().saturating_add(self.packed.into())
    }

    /// The offset of its packed bytes in the file.
    pub(super) fn packed_at(&self) -> u64 {
        self.at.saturating_add(HEADER_BYTES as u64)
    }

    /// Whether these are the frame's bytes.
    pub(super) fn holds(&self, bytes: &[u8]) -> bool {
        bytes.len() == self.length as usize && hash::checksum(bytes) == self.checksum
    }
}

/// A parsed skippable frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Head {
    /// A label; this many bytes follow the magic and the size.
    Label(u32),
    /// A header.
    Frame(Frame),
}

/// Parses the start of one of our frames at `at`; returns `None` for anything else.
pub(super) fn head(bytes: &[u8; HEADER_BYTES], at: u64) -> Option<Head> {
    let mut rest = bytes.as_slice();
    let (magic, size) = (number(&mut rest)?, number(&mut rest)?);
    match magic {
        LABEL_MAGIC if size <= LABEL_LIMIT => Some(Head::Label(size)),
        HEADER_MAGIC if size == HEADER_CONTENT => header(rest, at).map(Head::Frame),
        _ => None,
    }
}

/// Encodes a label as a frame.
pub(super) fn label_frame(written: &Written) -> Result<Vec<u8>, ArchiveError> {
    let json = serde_json::to_vec(written).map_err(std::io::Error::from)?;
    let limit = LABEL_LIMIT.into();
    let length = json.len() as u64 + 16;
    let size = u32::try_from(length).ok().filter(|size| *size <= LABEL_LIMIT);
    let size = size.ok_or(ArchiveError::TooLong { length, limit })?;
    let (magic, size) = (LABEL_MAGIC.to_le_bytes(), size.to_le_bytes());
    Ok([magic.as_slice(), &size, &hash::checksum(&json), &json].concat())
}

/// Decodes the label in the content of a frame.
pub(super) fn label(content: &[u8]) -> Option<Written> {
    let (checksum, json) = content.split_first_chunk::<16>()?;
    (hash::checksum(json) == *checksum).then(|| Written::parse(json))?
}

/// Encodes the header for bytes at `offset` that were packed into `packed` bytes.
pub(super) fn header_frame(offset: u64, bytes: &[u8], packed: usize) -> Option<Vec<u8>> {
    let length = u32::try_from(bytes.len()).ok()?.to_le_bytes();
    let packed = u32::try_from(packed).ok().filter(|packed| *packed <= PACKED_LIMIT)?;
    let (offset, packed) = (offset.to_le_bytes(), packed.to_le_bytes());
    let content = [offset.as_slice(), &length, &packed, &hash::checksum(bytes)].concat();
    let (magic, size) = (HEADER_MAGIC.to_le_bytes(), HEADER_CONTENT.to_le_bytes());
    Some([magic.as_slice(), &size, &content, &mark(&content)].concat())
}

fn header(content: &[u8], at: u64) -> Option<Frame> {
    let (marked, marks) = content.split_last_chunk::<8>()?;
    let mut rest = marked;
    let frame = Frame {
        offset: u64::from_le_bytes(taken(&mut rest)?),
        length: number(&mut rest)?,
        packed: number(&mut rest)?,
        checksum: taken(&mut rest)?,
        at,
    };
    let fits = (1..=FRAME_BYTES).contains(&(frame.length as usize))
        && frame.packed <= PACKED_LIMIT
        && frame.offset.checked_add(frame.length.into()).is_some();
    (fits && mark(marked) == *marks).then_some(frame)
}

/// Protects the header: without the mark, a flipped bit in an offset would put correct bytes in the
/// wrong place.
fn mark(content: &[u8]) -> [u8; 8] {
    let [a, b, c, d, e, f, g, h, ..] = hash::checksum(content);
    [a, b, c, d, e, f, g, h]
}

fn number(rest: &mut &[u8]) -> Option<u32> {
    taken(rest).map(u32::from_le_bytes)
}

fn taken<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (head, tail) = rest.split_first_chunk()?;
    *rest = tail;
    Some(*head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_bit_of_a_header_may_be_another() {
        let bytes = header_frame(77, b"abc", 9).unwrap();
        let whole: [u8; HEADER_BYTES] = bytes.try_into().unwrap();
        let frame =
            Frame { offset: 77, length: 3, packed: 9, checksum: hash::checksum(b"abc"), at: 5 };
        assert_eq!(head(&whole, 5), Some(Head::Frame(frame)));
        assert!(frame.holds(b"abc") && !frame.holds(b"abd") && !frame.holds(b"ab"));
        for bit in 0..HEADER_BYTES * 8 {
            let mut flipped = whole;
            flipped[bit / 8] ^= 1 << (bit % 8);
            // Only the magic of the other kind parses, and then its content does not.
            let read = head(&flipped, 5).filter(|head| !matches!(head, Head::Label(_)));
            assert_eq!(read, None, "{bit}");
            assert_eq!(label(&flipped[8..]), None, "{bit}");
        }
    }

    #[test]
    fn what_no_frame_can_be_is_none() {
        assert_eq!(header_frame(0, b"", 3 << 20), None);
        let none = |offset, bytes: &[u8]| {
            let frame = header_frame(offset, bytes, 1).unwrap();
            head(&frame.try_into().unwrap(), 0).is_none()
        };
        assert!(none(0, b""), "empty");
        assert!(none(0, &vec![0; FRAME_BYTES + 1]), "too long");
        assert!(none(u64::MAX, b"ab"), "past the end of numbers");
    }
}
