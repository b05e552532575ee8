//! The user at the other end of a socket, on Linux.

use std::io::Result;
use std::os::unix::net::UnixStream;

/// The user id that the kernel kept when the connection was made.
pub(in crate::client) fn user_of(stream: &UnixStream) -> Result<Option<u32>> {
    Ok(Some(rustix::net::sockopt::socket_peercred(stream)?.uid.as_raw()))
}
