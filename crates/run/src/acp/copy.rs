//! Copies bytes from one descriptor to another, and writes what is due between them.

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use std::io::{self, PipeReader, Read};
use std::os::fd::AsFd;

/// The number of bytes copied at once.
const PIECE: usize = 64 * 1024;

/// One direction of a pipe.
pub(super) trait Direction {
    /// Takes bytes that were read, and returns those to write.
    fn pass(&mut self, bytes: Vec<u8>) -> Vec<u8>;
    /// Returns what else is to be written now.
    fn due(&mut self) -> Vec<u8>;
    /// Returns what remains when nothing more can be read.
    fn rest(&mut self) -> Vec<u8>;
}

/// Copies until the source ends or nobody reads the target. `bell` becomes readable when something
/// else is due.
pub(super) fn copy(
    (source, target): (&impl AsFd, &impl AsFd),
    mut bell: PipeReader,
    direction: &mut impl Direction,
) -> io::Result<()> {
    loop {
        let (has_input, rings) = wait(source, &bell)?;
        if rings {
            // The bell rang, so the read does not block.
            let _count = bell.read(&mut [0; 64])?;
        }
        if has_input {
            match read(source)? {
                Some(bytes) if bytes.is_empty() => break,
                Some(bytes) => write(target, &direction.pass(bytes))?,
                None => {}
            }
        }
        write(target, &direction.due())?;
    }
    write(target, &direction.rest())
}

fn wait(source: &impl AsFd, bell: &PipeReader) -> io::Result<(bool, bool)> {
    let mut all = [PollFd::new(source, PollFlags::IN), PollFd::new(bell, PollFlags::IN)];
    match poll(&mut all, None) {
        Ok(_) => {}
        Err(Errno::INTR) => return Ok((false, false)),
        Err(error) => return Err(error.into()),
    }
    let [source, bell] = all.map(|it| it.revents());
    // A closed source is read to its end.
    Ok((!source.is_empty(), bell.contains(PollFlags::IN)))
}

/// The bytes that are there: empty at the end, `None` if there are none now.
fn read(source: &impl AsFd) -> io::Result<Option<Vec<u8>>> {
    let mut piece = vec![0; PIECE];
    match rustix::io::read(source, &mut piece) {
        Ok(count) => {
            piece.truncate(count);
            Ok(Some(piece))
        }
        Err(Errno::AGAIN | Errno::INTR) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn write(target: &impl AsFd, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(target, bytes) {
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            // Another program may have left the descriptor non-blocking.
            Err(Errno::AGAIN) => {
                poll(&mut [PollFd::new(target, PollFlags::OUT)], None)?;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
