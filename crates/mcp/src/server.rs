//! The server on stdin and stdout.

use crate::desk::{Desk, Options};
use crate::protocol::Step;
use std::io::{self, BufRead, Read, Write};

/// The longest line of a client.
const LINE: u64 = 4 * 1024 * 1024;

/// Answers one request after another until the client closes its end.
///
/// # Errors
/// When the client cannot be read from or written to.
pub fn serve(options: Options, input: impl Read, mut output: impl Write) -> io::Result<()> {
    let mut input = io::BufReader::new(input);
    let desk = Desk::new(options);
    let mut connection = desk.connection();
    let mut line = Vec::new();
    while (&mut input).take(LINE).read_until(b'\n', &mut line)? > 0 {
        let text = String::from_utf8_lossy(&line);
        let reply = match connection.hear(&text) {
            _ if text.trim().is_empty() => None,
            Step::Silence => None,
            Step::Reply(reply) | Step::Refuse(_, reply) => Some(reply),
            Step::Call(call) => Some(desk.reply(call)),
        };
        if let Some(reply) = reply {
            output.write_all(reply.as_bytes())?;
            output.write_all(b"\n")?;
            output.flush()?;
        }
        line.clear();
    }
    Ok(())
}
