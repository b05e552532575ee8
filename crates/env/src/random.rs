//! Random bytes of the system.

use crate::EnvError;
use std::io::Read;
use taffrail_model::{DeviceId, Timestamp, hash};
use zeroize::Zeroizing;

/// A value that never repeats.
#[must_use]
pub fn nonce() -> String {
    hash::to_hex(&chance("nonce"))
}

/// Thirty-two random bytes.
///
/// # Errors
/// If the system gives none.
pub fn secret() -> Result<[u8; 32], EnvError> {
    let mut bytes = [0; 32];
    fill(&mut bytes).map_err(EnvError::NoRandomness)?;
    Ok(bytes)
}

/// Random bytes, wiped when dropped.
///
/// # Errors
/// If the system gives none.
pub fn drawn<const N: usize>() -> Result<Zeroizing<[u8; N]>, EnvError> {
    let mut bytes = Zeroizing::new([0; N]);
    fill(bytes.as_mut_slice()).map_err(EnvError::NoRandomness)?;
    Ok(bytes)
}

pub(crate) fn new_device() -> DeviceId {
    DeviceId::new(format!("dev-{}", hash::to_hex(&chance("device"))))
}

/// Fills a slice with random bytes. Sealing without them would betray the user, so the process
/// aborts.
#[expect(clippy::print_stderr, reason = "the process ends here, and says why")]
pub(crate) fn draw(out: &mut [u8]) {
    if fill(out).is_err() {
        eprintln!("taffrail: cannot read random bytes from the system");
        std::process::abort();
    }
}

fn chance(purpose: &str) -> hash::Digest16 {
    let mut bytes = [0; 32];
    // Without random bytes, the clock and our process id still distinguish two devices and two
    // calls.
    fill(&mut bytes).ok();
    let when = Timestamp::now().as_nanosecond().to_le_bytes();
    let parts: [&[u8]; 3] = [&bytes, &when, &std::process::id().to_le_bytes()];
    hash::digest(purpose, &parts)
}

fn fill(out: &mut [u8]) -> std::io::Result<()> {
    std::fs::File::open("/dev/urandom").and_then(|mut it| it.read_exact(out))
}
