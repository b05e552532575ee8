//! Free ports below the ephemeral range, so that a restarted server finds its own port still free.

use std::net::TcpListener;
use std::sync::atomic::{AtomicU32, Ordering};

const FIRST: u32 = 15_000;
const COUNT: u32 = 15_000;

static NEXT: AtomicU32 = AtomicU32::new(0);

/// A free port of loopback. Each process starts at a different one.
pub(crate) fn free() -> u16 {
    let start = std::process::id().wrapping_mul(61);
    for _ in 0..COUNT {
        let step = NEXT.fetch_add(1, Ordering::Relaxed);
        let port = FIRST + start.wrapping_add(step) % COUNT;
        let port = u16::try_from(port).unwrap();
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
    panic!("no port of loopback is free");
}
