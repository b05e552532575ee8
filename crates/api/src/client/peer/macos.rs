//! The user at the other end of a socket, on macOS.

use std::io::Result;
use std::os::unix::net::UnixStream;

/// The user id that the kernel kept when the connection was made.
pub(in crate::client) fn user_of(stream: &UnixStream) -> Result<Option<u32>> {
    let (user, _) = nix::unistd::getpeereid(stream)?;
    Ok(Some(user.as_raw()))
}
