//! Compresses bytes before they are sealed, and pads it, so that its length reveals little.
//!
//! Padding comes after compression; the other way round, it would be compressed away.

/// Why bytes are not packed or unpacked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CompressionFault {
    /// They are too many, before or after.
    TooLarge,
    /// They are of another form, truncated, or badly padded.
    NotUnderstood,
}

/// The most unpacked bytes.
pub const MOST_BYTES: usize = 8 * 1024 * 1024;
/// Padded lengths are multiples of this.
pub(crate) const STEP: usize = 256;
const LEVEL: i32 = 3;
const HEAD: usize = 4;

/// The compressed length, the compressed bytes, and zeros up to the next step.
pub(crate) fn pack(bytes: &[u8]) -> Result<Vec<u8>, CompressionFault> {
    if bytes.len() > MOST_BYTES {
        return Err(CompressionFault::TooLarge);
    }
    let packed = zstd::bulk::compress(bytes, LEVEL).map_err(|_| CompressionFault::TooLarge)?;
    let length = u32::try_from(packed.len()).map_err(|_| CompressionFault::TooLarge)?;
    let mut out = Vec::with_capacity((HEAD + packed.len()).next_multiple_of(STEP));
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(&packed);
    out.resize(out.len().next_multiple_of(STEP), 0);
    Ok(out)
}

/// Reverses [`pack`]. Padding that could carry data is refused.
pub(crate) fn unpack(padded: &[u8]) -> Result<Vec<u8>, CompressionFault> {
    let (length, rest) =
        padded.split_first_chunk::<HEAD>().ok_or(CompressionFault::NotUnderstood)?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok();
    let parts = length.and_then(|length| rest.split_at_checked(length));
    let (packed, padding) = parts.ok_or(CompressionFault::NotUnderstood)?;
    let shortest = (HEAD + packed.len()).next_multiple_of(STEP) == padded.len();
    if !shortest || padding.iter().any(|byte| *byte != 0) {
        return Err(CompressionFault::NotUnderstood);
    }
    // Memory is bounded by the limit, whatever the frame claims.
    zstd::bulk::decompress(packed, MOST_BYTES).map_err(|_| CompressionFault::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_packed_is_unpacked_and_has_a_round_length(bytes: Vec<u8>) {
            let packed = pack(&bytes).unwrap();
            prop_assert_eq!(packed.len() % STEP, 0);
            prop_assert_eq!(unpack(&packed), Ok(bytes));
        }

        #[test]
        fn any_bytes_are_unpacked_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
            if let Ok(got) = unpack(&bytes) {
                prop_assert!(got.len() <= MOST_BYTES);
            }
        }
    }

    #[test]
    fn small_texts_have_one_length() {
        let lengths = [0, 1, 40, 200].map(|n| pack(&vec![b'x'; n]).unwrap().len());
        assert_eq!(lengths, [STEP; 4]);
    }

    #[test]
    fn a_batch_that_unpacks_without_end_is_refused() {
        let bomb = zstd::bulk::compress(&vec![0; 64 * MOST_BYTES], LEVEL).unwrap();
        let mut padded = u32::try_from(bomb.len()).unwrap().to_le_bytes().to_vec();
        padded.extend_from_slice(&bomb);
        padded.resize(padded.len().next_multiple_of(STEP), 0);
        assert_eq!(unpack(&padded), Err(CompressionFault::TooLarge));
        assert_eq!(pack(&vec![0; MOST_BYTES + 1]), Err(CompressionFault::TooLarge));
    }

    #[test]
    fn padding_says_nothing() {
        let good = pack(b"text").unwrap();
        let mut marked = good.clone();
        *marked.last_mut().unwrap() = 1;
        assert_eq!(unpack(&marked), Err(CompressionFault::NotUnderstood));
        let mut longer = good;
        longer.resize(2 * STEP, 0);
        assert_eq!(unpack(&longer), Err(CompressionFault::NotUnderstood));
    }
}
