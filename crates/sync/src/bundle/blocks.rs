//! The entries' bytes in blocks of at most 1 MiB, each compressed separately.
//!
//! A block states its unpacked size first, so neither a writer nor a hostile file can make a reader
//! hold more. The reader refuses a block that would expand more than a hundredfold; the writer
//! appends an empty frame to lengthen such a block.

use super::{MOST_RATIO, Refused};
use std::io::{self, Read, Write};

/// The most unpacked bytes of a block.
pub(super) const BLOCK: usize = 1024 * 1024;
const LEVEL: i32 = 3;

/// Splits its input into blocks.
pub(super) struct BlockWriter<W> {
    out: W,
    block: Vec<u8>,
}

impl<W: Write> BlockWriter<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, block: Vec::with_capacity(BLOCK) }
    }

    /// Appends bytes.
    pub(super) fn put(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let room = BLOCK.saturating_sub(self.block.len());
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            self.block.extend_from_slice(now);
            bytes = later;
            if self.block.len() == BLOCK {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// Writes the last block and the end marker.
    pub(super) fn finish(mut self) -> io::Result<W> {
        if !self.block.is_empty() {
            self.flush()?;
        }
        self.out.write_all(&[0; 8])?;
        Ok(self.out)
    }

    fn flush(&mut self) -> io::Result<()> {
        let packed = lengthened(zstd::bulk::compress(&self.block, LEVEL)?, self.block.len());
        let length = self.block.len();
        let stored = if packed.len() < length { &packed } else { &self.block };
        for number in [length, stored.len()] {
            // A block has at most 1 MiB.
            let number = u32::try_from(number).map_err(io::Error::other)?;
            self.out.write_all(&number.to_le_bytes())?;
        }
        self.out.write_all(stored)?;
        self.block.clear();
        Ok(())
    }
}

/// The compressed bytes, followed by a skippable frame if they would be too short.
fn lengthened(mut packed: Vec<u8>, length: usize) -> Vec<u8> {
    const SKIPPABLE: u32 = 0x184D_2A50;
    const HEAD: usize = 8;
    let lacks = length.div_ceil(MOST_RATIO).saturating_sub(packed.len());
    if lacks > 0 {
        let filler = lacks.saturating_sub(HEAD);
        packed.extend_from_slice(&SKIPPABLE.to_le_bytes());
        // A filler is shorter than a hundredth of a block.
        packed.extend_from_slice(&u32::try_from(filler).unwrap_or_default().to_le_bytes());
        packed.resize(packed.len().saturating_add(filler), 0);
    }
    packed
}

/// Reads blocks as one stream of bytes. It stores a refusal, because a reader can only return
/// `io::Error`.
pub(super) struct BlockReader<R> {
    input: R,
    block: Vec<u8>,
    position: usize,
    ended: bool,
    /// The reason, if a block was refused; otherwise the input itself failed.
    pub(super) refused: Option<Refused>,
}

impl<R: Read> BlockReader<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, block: Vec::new(), position: 0, ended: false, refused: None }
    }

    /// Whether only the end marker is left.
    pub(super) fn is_at_end(&mut self) -> io::Result<bool> {
        Ok(self.rest()?.is_empty())
    }

    /// The input after the blocks.
    pub(super) fn into_inner(self) -> R {
        self.input
    }

    fn rest(&mut self) -> io::Result<&[u8]> {
        if self.position >= self.block.len() && !self.ended {
            self.next()?;
        }
        Ok(self.block.get(self.position..).unwrap_or_default())
    }

    fn next(&mut self) -> io::Result<()> {
        let mut numbers = [[0; 4]; 2];
        self.input.read_exact(numbers.as_flattened_mut())?;
        let [length, stored] = numbers.map(u32::from_le_bytes).map(|number| number as usize);
        self.position = 0;
        self.block.clear();
        self.ended = (length, stored) == (0, 0);
        if self.ended {
            return Ok(());
        }
        if length == 0 || length > BLOCK || stored > length {
            return self.refuse(Refused::Damaged);
        }
        if length > stored.saturating_mul(MOST_RATIO) {
            return self.refuse(Refused::Bomb);
        }
        let mut bytes = vec![0; stored];
        self.input.read_exact(&mut bytes)?;
        if stored == length {
            self.block = bytes;
            return Ok(());
        }
        match zstd::bulk::decompress(&bytes, length) {
            Ok(block) if block.len() == length => self.block = block,
            Ok(_) => return self.refuse(Refused::Damaged),
            Err(_) => return self.refuse(Refused::Bomb),
        }
        Ok(())
    }

    fn refuse(&mut self, why: Refused) -> io::Result<()> {
        self.ended = true;
        self.refused = Some(why.clone());
        Err(io::Error::other(why))
    }
}

impl<R: Read> Read for BlockReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.rest()?.read(buffer)?;
        self.position = self.position.saturating_add(got);
        Ok(got)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(parts: &[Vec<u8>]) -> Vec<u8> {
        let mut writer = BlockWriter::new(Vec::new());
        parts.iter().for_each(|part| writer.put(part).unwrap());
        writer.finish().unwrap()
    }

    fn read(bytes: &[u8]) -> Result<Vec<u8>, Option<Refused>> {
        let mut reader = BlockReader::new(bytes);
        let mut out = Vec::new();
        match reader.read_to_end(&mut out) {
            Ok(_) => Ok(out),
            Err(_) => Err(reader.refused),
        }
    }

    proptest! {
        #[test]
        fn blocks_are_read_as_they_were_written(parts: Vec<Vec<u8>>) {
            prop_assert_eq!(read(&written(&parts)), Ok(parts.concat()));
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            if let Ok(out) = read(&bytes) {
                prop_assert!(out.len() <= bytes.len() * MOST_RATIO);
            }
        }
    }

    #[test]
    fn many_blocks_and_dense_ones_are_read_back() {
        for length in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK] {
            let zeros = vec![0; length];
            let bytes = written(std::slice::from_ref(&zeros));
            assert!(bytes.len() * MOST_RATIO >= length, "{length}");
            assert!(bytes.len() <= 40 + length.div_ceil(80), "{length}: {}", bytes.len());
            assert!(read(&bytes) == Ok(zeros), "{length}");
        }
    }

    #[test]
    fn a_hostile_block_is_refused() {
        let check = |length: usize, stored: usize, body: &[u8], expected: Option<Refused>| {
            let numbers = [length, stored].map(|n| u32::try_from(n).unwrap().to_le_bytes());
            let bytes = [numbers.as_flattened(), body].concat();
            assert_eq!(read(&bytes), Err(expected), "{length} {stored}");
        };
        let bomb = zstd::bulk::compress(&vec![0; 64 * BLOCK], LEVEL).unwrap();
        check(BLOCK, 100, &[0; 100], Some(Refused::Bomb));
        check(
            BLOCK,
            bomb.len().max(BLOCK / 100 + 1),
            &[&*bomb, &[0; BLOCK]].concat(),
            Some(Refused::Bomb),
        );
        check(BLOCK + 1, BLOCK, &[], Some(Refused::Damaged));
        check(u32::MAX as usize, u32::MAX as usize, &[], Some(Refused::Damaged));
        check(4, 5, &[0; 5], Some(Refused::Damaged));
        check(0, 5, &[0; 5], Some(Refused::Damaged));
        check(5, 0, &[], Some(Refused::Bomb));
        let short = zstd::bulk::compress(&[7; 50], LEVEL).unwrap();
        check(60, short.len(), &short, Some(Refused::Damaged));
        check(4, 4, &[0; 3], None);
    }
}
