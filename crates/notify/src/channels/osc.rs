//! Terminal notifications: an escape sequence, written to the terminals that show tmux.

use super::{Message, SendError, Sending};
use crate::focus::terminals;
use rustix::fs::{FileType, Mode, OFlags, fstat, open};
use std::io;
use std::path::Path;
use taffrail_context::Osc;
use taffrail_model::notices::Notice;
use taffrail_model::terminal;

/// Fails if no terminal accepted the message, because then the user was not notified.
pub(super) fn send(
    osc: Osc,
    message: &Message,
    sending: &Sending<'_>,
) -> Result<String, SendError> {
    let Message::Told(notice) = message else {
        return Ok("a terminal takes nothing back".to_owned());
    };
    let text = sequence(osc, notice);
    let terminals = terminals(sending.settings, (sending.executors)());
    // A terminal that is gone, or that nothing reads, misses the message.
    let told = terminals.iter().filter(|it| write_to(&it.tty, text.as_bytes()).is_ok()).count();
    match told {
        0 => Err(SendError::NoTerminal),
        _ => Ok(format!("{told} of {} terminals took it", terminals.len())),
    }
}

pub(super) fn shown(osc: Osc, message: &Message) -> Vec<String> {
    let (Message::Told(notice) | Message::Withdrawn(notice)) = message;
    vec![format!("write {:?} to the terminals tmux is shown on", sequence(osc, notice))]
}

/// The escape sequence; text of agents can neither end it nor add fields.
pub(super) fn sequence(osc: Osc, notice: &Notice) -> String {
    let safe = |text: &str| terminal::line(text).replace(';', ",");
    let (title, body) = (safe(&notice.title), safe(&notice.body));
    match osc {
        Osc::Osc9 => format!("\x1b]9;{title}: {body}\x07"),
        Osc::Osc777 => format!("\x1b]777;notify;{title};{body}\x1b\\"),
    }
}

/// Writes to one of the user's terminals, without blocking.
fn write_to(tty: &Path, text: &[u8]) -> io::Result<()> {
    let flags =
        OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = open(tty, flags, Mode::empty())?;
    let known = fstat(&file)?;
    let is_ours = known.st_uid == rustix::process::geteuid().as_raw();
    if FileType::from_raw_mode(known.st_mode) != FileType::CharacterDevice || !is_ours {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    match rustix::io::write(&file, text)? == text.len() {
        true => Ok(()),
        false => Err(io::ErrorKind::WriteZero.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::document::tests::notice;
    use super::*;

    #[test]
    fn a_sequence_cannot_be_broken_out_of() {
        let hostile = notice("a;b\x1b\\", "4;1\x07\x1b]52;c;eA==\x07\u{9c}x\ny\u{202e}");
        let check = |osc, expected: &str| assert_eq!(sequence(osc, &hostile), expected);
        let body = "4,1\u{fffd}\u{fffd}]52,c,eA==\u{fffd}\u{fffd}x y";
        check(Osc::Osc9, &format!("\x1b]9;a,b\u{fffd}\\: {body}\x07"));
        check(Osc::Osc777, &format!("\x1b]777;notify;a,b\u{fffd}\\;{body}\x1b\\"));
    }

    #[test]
    fn only_terminals_are_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "as it was").unwrap();
        assert!(write_to(&file, b"x").is_err());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "as it was");
        assert!(write_to(&folder.path().join("none"), b"x").is_err());
    }
}
