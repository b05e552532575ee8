//! Decompression with a bounded window.

use std::io::{self, Read};

/// The largest window that a compressed file may require, as a power of two.
const ZSTD_WINDOW_LOG: u32 = 25;

/// A stream of the decompressed bytes.
pub(crate) fn unzstd(packed: impl Read) -> io::Result<impl Read> {
    let mut decoder = ::zstd::stream::read::Decoder::new(packed)?;
    decoder.window_log_max(ZSTD_WINDOW_LOG)?;
    Ok(decoder)
}
