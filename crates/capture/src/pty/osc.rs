//! Extracts operating-system commands from a program's output: `ESC ] ... BEL` or `ESC ] ... ESC \`.
//!
//! They draw nothing and may have any length. One of them reports the program's status. A command that is
//! too long is dropped.

/// The longest command that is kept, in bytes.
const LONGEST: usize = 4096;

const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;
/// Both cancel an unfinished sequence.
const CANCELS: [u8; 2] = [0x18, 0x1a];

/// The parser's state.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum At {
    #[default]
    Plain,
    /// After ESC outside a command.
    Escape,
    /// Inside a command.
    Command,
    /// After ESC inside a command.
    CommandEscape,
}

/// A part of a program's output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Printed {
    /// Text and control sequences for the screen.
    Drawn(Vec<u8>),
    /// A complete command, without its delimiters.
    Command(Vec<u8>),
}

/// Parses a stream in chunks of any size.
#[derive(Debug, Default)]
pub(super) struct OscParser {
    at: At,
    command: Vec<u8>,
}

impl OscParser {
    /// The parts of a chunk, in order.
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
            // A new sequence begins, so the unfinished command is dropped.
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
        // One byte more than the limit marks the command as too long.
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

    /// All parts, with adjacent drawn parts joined.
    fn taken(pieces: &[&[u8]]) -> Vec<Printed> {
        let mut parser = OscParser::default();
        let mut out: Vec<Printed> = Vec::new();
        for printed in pieces.iter().flat_map(|it| parser.take(it)) {
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
        let mut parser = OscParser::default();
        parser.take(&[b"\x1b]".as_slice(), &vec![b'x'; 10 * LONGEST]].concat());
        assert_eq!(parser.command.len(), LONGEST + 1);
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
