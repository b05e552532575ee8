//! Takes the operating-system commands out of what a program prints: `ESC ] ... BEL` or `ESC ] ... ESC \`.
//!
//! They draw nothing, may be of any length, and one of them is the program's own word on how it
//! stands. What is too long is dropped, not kept.

/// The longest command that is kept, in bytes.
const LONGEST: usize = 4096;

const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;
/// Both cancel whatever was begun.
const CANCELS: [u8; 2] = [0x18, 0x1a];

/// Where in the stream we are.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum At {
    #[default]
    Plain,
    /// After an escape outside of a command.
    Escape,
    /// Inside of a command.
    Command,
    /// After an escape inside of a command.
    CommandEscape,
}

/// Something a program printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Printed {
    /// What is drawn or steers the drawing.
    Drawn(Vec<u8>),
    /// A whole command, without its frame.
    Command(Vec<u8>),
}

/// Reads a stream in pieces, cut anywhere.
#[derive(Debug, Default)]
pub(super) struct Strings {
    at: At,
    command: Vec<u8>,
}

impl Strings {
    /// What a piece of the stream brings, in order.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<Printed> {
        let mut out = Vec::new();
        for byte in bytes {
            self.one(*byte, &mut out);
        }
        out
    }

    fn one(&mut self, byte: u8, out: &mut Vec<Printed>) {
        self.at = match (self.at, byte) {
            (At::Plain, ESC) => At::Escape,
            (At::Plain, _) => draw(&[byte], At::Plain, out),
            (At::Escape, b']') => At::Command,
            (At::Escape, ESC) => draw(&[ESC], At::Escape, out),
            (At::Escape, _) => draw(&[ESC, byte], At::Plain, out),
            (At::Command, BEL) => self.whole(out),
            (At::Command, ESC) => At::CommandEscape,
            (At::Command, _) if CANCELS.contains(&byte) => self.dropped(),
            (At::Command, _) => self.kept(byte),
            (At::CommandEscape, b'\\') => self.whole(out),
            // A new sequence begins; the command is over without an end.
            (At::CommandEscape, b']') => {
                self.dropped();
                At::Command
            }
            (At::CommandEscape, ESC) => {
                self.dropped();
                At::Escape
            }
            (At::CommandEscape, _) => {
                self.dropped();
                draw(&[ESC, byte], At::Plain, out)
            }
        };
    }

    fn kept(&mut self, byte: u8) -> At {
        // One more than the longest tells that it is too long.
        if self.command.len() <= LONGEST {
            self.command.push(byte);
        }
        At::Command
    }

    fn dropped(&mut self) -> At {
        self.command.clear();
        At::Plain
    }

    fn whole(&mut self, out: &mut Vec<Printed>) -> At {
        let command = std::mem::take(&mut self.command);
        if command.len() <= LONGEST {
            out.push(Printed::Command(command));
        }
        At::Plain
    }
}

fn draw(bytes: &[u8], next: At, out: &mut Vec<Printed>) -> At {
    match out.last_mut() {
        Some(Printed::Drawn(drawn)) => drawn.extend_from_slice(bytes),
        Some(Printed::Command(_)) | None => out.push(Printed::Drawn(bytes.to_vec())),
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Everything that came, with neighbours joined.
    fn taken(pieces: &[&[u8]]) -> Vec<Printed> {
        let mut strings = Strings::default();
        let mut out: Vec<Printed> = Vec::new();
        for printed in pieces.iter().flat_map(|it| strings.take(it)) {
            match (out.last_mut(), printed) {
                (Some(Printed::Drawn(before)), Printed::Drawn(after)) => before.extend(after),
                (_, printed) => out.push(printed),
            }
        }
        out
    }

    fn check(bytes: &[u8], expected: &[(&str, bool)]) {
        let expected: Vec<_> = expected
            .iter()
            .map(|(text, drawn)| match drawn {
                true => Printed::Drawn(text.as_bytes().to_vec()),
                false => Printed::Command(text.as_bytes().to_vec()),
            })
            .collect();
        assert_eq!(taken(&[bytes]), expected, "{:?}", String::from_utf8_lossy(bytes));
    }

    #[test]
    fn commands_are_told_from_what_is_drawn() {
        check(b"a\x1b]7501;?\x1b\\b", &[("a", true), ("7501;?", false), ("b", true)]);
        check(b"\x1b]0;title\x07", &[("0;title", false)]);
        check(b"\x1b[1mbold\x1b\x1b[0m", &[("\x1b[1mbold\x1b\x1b[0m", true)]);
        check(b"\x1b]0;cut\x1b[1mx", &[("\x1b[1mx", true)]);
        check(b"\x1b]0;cut\x18x", &[("x", true)]);
        check(b"\x1b]0;a\x1b]0;b\x07", &[("0;b", false)]);
        check(b"\x1b]0;never ends", &[]);
    }

    #[test]
    fn what_is_too_long_is_dropped() {
        let long = [b"\x1b]52;c;".as_slice(), &vec![b'x'; LONGEST], b"\x07after"].concat();
        check(&long, &[("after", true)]);
        let mut strings = Strings::default();
        strings.take(&[b"\x1b]".as_slice(), &vec![b'x'; 10 * LONGEST]].concat());
        assert_eq!(strings.command.len(), LONGEST + 1);
    }

    proptest! {
        #[test]
        fn a_cut_anywhere_changes_nothing(
            bytes in prop::collection::vec(prop_oneof![
                Just(0x1b_u8), Just(b']'), Just(b'\\'), Just(0x07), Just(0x18), any::<u8>()
            ], 0..200),
            at in 0_usize..200,
        ) {
            let (head, tail) = bytes.split_at(at.min(bytes.len()));
            prop_assert_eq!(taken(&[head, tail]), taken(&[&bytes]));
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            prop_assert_eq!(taken(&single), taken(&[&bytes]));
        }
    }
}
