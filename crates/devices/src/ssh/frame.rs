//! Frames: pieces of several streams of bytes on one connection.

use std::io::{self, ErrorKind, Read, Write};

/// The most bytes of a frame.
pub(super) const LARGEST: usize = 32 * 1024;

/// A stream's number; the near end draws them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct StreamId(pub(super) u32);

/// A piece of a stream. Without bytes, its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) of: StreamId,
    pub(super) bytes: Vec<u8>,
}

/// Reads the next frame; `None` where the connection ends between two.
pub(super) fn read(from: &mut impl Read) -> io::Result<Option<Frame>> {
    let mut head = [0; 8];
    match from.read(head.get_mut(..1).unwrap_or_default())? {
        0 => return Ok(None),
        _ => from.read_exact(head.get_mut(1..).unwrap_or_default())?,
    }
    let [a, b, c, d, e, f, g, h] = head;
    let of = StreamId(u32::from_be_bytes([a, b, c, d]));
    let length = u32::from_be_bytes([e, f, g, h]) as usize;
    if length > LARGEST {
        return Err(io::Error::new(ErrorKind::InvalidData, "a frame is too long"));
    }
    let mut bytes = vec![0; length];
    from.read_exact(&mut bytes)?;
    Ok(Some(Frame { of, bytes }))
}

/// Writes bytes of a stream, as one frame or several, and flushes.
pub(super) fn write(to: &mut impl Write, of: StreamId, bytes: &[u8]) -> io::Result<()> {
    for piece in bytes.chunks(LARGEST) {
        put(to, of, piece)?;
    }
    to.flush()
}

/// Writes the end of a stream.
pub(super) fn end(to: &mut impl Write, of: StreamId) -> io::Result<()> {
    put(to, of, &[])?;
    to.flush()
}

fn put(to: &mut impl Write, of: StreamId, piece: &[u8]) -> io::Result<()> {
    let length = u32::try_from(piece.len()).unwrap_or(u32::MAX);
    let head = [of.0.to_be_bytes(), length.to_be_bytes()].concat();
    to.write_all(&[&head, piece].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(of in any::<u32>(), bytes in prop::collection::vec(any::<u8>(), 1..100_000)) {
            let mut wire = Vec::new();
            write(&mut wire, StreamId(of), &bytes).unwrap();
            end(&mut wire, StreamId(of)).unwrap();
            let (mut from, mut got) = (wire.as_slice(), Vec::new());
            while let Some(frame) = read(&mut from).unwrap().filter(|it| !it.bytes.is_empty()) {
                prop_assert_eq!(frame.of, StreamId(of));
                got.extend(frame.bytes);
            }
            prop_assert_eq!(got, bytes);
            prop_assert!(read(&mut from).unwrap().is_none());
        }

        #[test]
        fn any_bytes_are_a_frame_an_end_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let mut from = bytes.as_slice();
            while let Ok(Some(frame)) = read(&mut from) {
                prop_assert!(frame.bytes.len() <= LARGEST);
            }
        }
    }

    #[test]
    fn a_frame_that_claims_to_be_huge_is_not_waited_for() {
        assert!(read(&mut [0, 0, 0, 1, 255, 255, 255, 255].as_slice()).is_err());
        assert!(read(&mut [0, 0, 0].as_slice()).is_err(), "it is cut");
    }
}
