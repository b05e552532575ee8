//! Asks the terminal for its background colour and for its keyboard protocol, and reads the answer
//! among the keys that arrive in the meantime. No part of the answer is ever taken for a key.

use crate::paint::theme::Background;
use crate::state::message::Message;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::time::{Duration, Instant};

/// Queries the background colour.
pub(crate) const BACKGROUND: &str = "\u{1b}]11;?\u{1b}\\";
/// Queries the kitty keyboard protocol, and then the device attributes, which every terminal
/// answers: a terminal that does not know the first query answers the second one at once.
pub(crate) const KEYBOARD: &str = "\u{1b}[?u\u{1b}[c";
/// How long a remote terminal has to answer; keys work in the meantime.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3);
/// The time after which an escape byte is the key Escape and not the start of a sequence.
const ALONE: Duration = Duration::from_millis(50);

/// A token of the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    Background(Background),
    /// The terminal offers the kitty keyboard protocol.
    Keyboard,
    /// The terminal has answered everything.
    Answered,
    Key(KeyCode, KeyModifiers),
}

/// Reads answers and keys until the terminal has answered, the receiver is gone, or the time is up.
pub(crate) fn listen(mut give: impl FnMut(Message) -> bool, is_over: impl Fn() -> bool) {
    let (stdin, end) = (std::io::stdin(), Instant::now() + PATIENCE);
    let mut parser = Parser::default();
    let mut answered = false;
    while !answered && !is_over() && Instant::now() < end {
        let wait = Timespec { tv_sec: 0, tv_nsec: ALONE.subsec_nanos().into() };
        let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
        let mut bytes = [0; 256];
        let heard = match poll(&mut fds, Some(&wait)) {
            Ok(0) => parser.silence().into_iter().collect(),
            Ok(_) => match rustix::io::read(&stdin, &mut bytes) {
                Ok(0) | Err(_) => return,
                Ok(count) => parser.read(bytes.get(..count).unwrap_or_default()),
            },
            Err(_) => Vec::new(),
        };
        for heard in heard {
            let goes_on = match heard {
                Token::Answered => {
                    answered = true;
                    true
                }
                Token::Keyboard => give(Message::Keyboard),
                Token::Background(background) => give(Message::Background(background)),
                Token::Key(code, modifiers) => give(Message::Key(KeyEvent::new(code, modifiers))),
            };
            if !goes_on {
                return;
            }
        }
    }
}

/// Bytes that do not form a token yet.
#[derive(Debug, Default)]
struct Parser(Vec<u8>);

impl Parser {
    fn read(&mut self, bytes: &[u8]) -> Vec<Token> {
        bytes.iter().filter_map(|it| self.feed(*it)).collect()
    }

    /// Handles a pause in the input: a lone escape byte is the key Escape.
    fn silence(&mut self) -> Option<Token> {
        (self.0 == [0x1b]).then(|| {
            self.0.clear();
            key(KeyCode::Esc)
        })
    }

    fn feed(&mut self, byte: u8) -> Option<Token> {
        self.0.push(byte);
        let heard = match self.0.as_slice() {
            [0x1b] | [0x1b, b'[' | b']' | b'P' | b'O'] => return None,
            [0x1b, b']' | b'P', .., 0x1b] => return None,
            [0x1b, b']', answer @ .., 0x07] | [0x1b, b']', answer @ .., 0x1b, b'\\'] => {
                background(answer).map(Token::Background)
            }
            [0x1b, b'P', .., 0x07] | [0x1b, b'P', .., 0x1b, b'\\'] => None,
            [0x1b, b']' | b'P', ..] => return None,
            [0x1b, b'[', b'?', .., b'c'] => Some(Token::Answered),
            [0x1b, b'[', b'?', b'0'..=b'9', .., b'u'] => Some(Token::Keyboard),
            [0x1b, b'[', between @ .., last @ 0x40..=0x7e] => named(between, *last),
            [0x1b, b'[', ..] => return None,
            [0x1b, b'O', last] => named(&[], *last),
            [0x1b, other] => letter(*other),
            [one @ 0..=0x7f] => letter(*one),
            several => match std::str::from_utf8(several).ok().and_then(|it| it.chars().next()) {
                Some(it) => Some(key(KeyCode::Char(it))),
                None if several.len() < 4 => return None,
                None => None,
            },
        };
        self.0.clear();
        heard
    }
}

fn key(code: KeyCode) -> Token {
    Token::Key(code, KeyModifiers::NONE)
}

fn letter(byte: u8) -> Option<Token> {
    Some(match byte {
        b'\r' | b'\n' => key(KeyCode::Enter),
        b'\t' => key(KeyCode::Tab),
        0x7f | 0x08 => key(KeyCode::Backspace),
        1..=26 => Token::Key(KeyCode::Char(char::from(byte - 1 + b'a')), KeyModifiers::CONTROL),
        b' '..=b'~' => key(KeyCode::Char(char::from(byte))),
        _ => return None,
    })
}

/// A named key that is not a character.
fn named(between: &[u8], last: u8) -> Option<Token> {
    Some(key(match (between, last) {
        (_, b'A') => KeyCode::Up,
        (_, b'B') => KeyCode::Down,
        (_, b'C') => KeyCode::Right,
        (_, b'D') => KeyCode::Left,
        (_, b'H') => KeyCode::Home,
        (_, b'F') => KeyCode::End,
        (b"5", b'~') => KeyCode::PageUp,
        (b"6", b'~') => KeyCode::PageDown,
        _ => return None,
    }))
}

/// Parses `11;rgb:ffff/ffff/ffff`.
fn background(answer: &[u8]) -> Option<Background> {
    let text = std::str::from_utf8(answer).ok()?;
    let colours = text.strip_prefix("11;")?.split_once(':')?.1;
    let mut parts = colours.split('/').map(share);
    let (red, green, blue) = (parts.next()??, parts.next()??, parts.next()??);
    // The perceived brightness.
    let bright = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    Some(if bright > 0.5 { Background::Light } else { Background::Dark })
}

/// One colour channel, of one to four hexadecimal digits, from zero to one.
fn share(digits: &str) -> Option<f64> {
    let digits = digits.get(..digits.len().min(4))?;
    let most = (1_u32 << (4 * u32::try_from(digits.len()).ok()?)) - 1;
    Some(f64::from(u32::from_str_radix(digits, 16).ok()?) / f64::from(most.max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expected: &[Token]) {
        // The tokens do not depend on how the bytes are split.
        for size in 1..=bytes.len() {
            let mut parser = Parser::default();
            let heard: Vec<Token> = bytes.chunks(size).flat_map(|it| parser.read(it)).collect();
            assert_eq!(heard, expected, "{:?} by {size}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn an_answer_is_never_taken_for_keys() {
        let (light, dark) =
            (Token::Background(Background::Light), Token::Background(Background::Dark));
        let answered = Token::Answered;
        check(b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[?65;1;9c", &[light, answered]);
        check(b"\x1b]11;rgb:1e1e/1e1e/2e2e\x07\x1b[?1;2c", &[dark, answered]);
        check(b"\x1b]11;rgba:ff/fe/f0/ff\x1b\\\x1b[?6c", &[light, answered]);
        check(b"\x1b[?1;2;4c", &[answered]);
        check(b"\x1b[?0u\x1b[?62;4c", &[Token::Keyboard, answered]);
        check(b"\x1b]11;nonsense\x07\x1b[?1;2c", &[answered]);
    }

    #[test]
    fn keys_count_while_the_terminal_is_asked() {
        let char = |it| key(KeyCode::Char(it));
        let all =
            [char('j'), Token::Background(Background::Dark), char('ä'), Token::Answered, char('q')];
        check("j\u{1b}]11;rgb:0/0/0\u{7}ä\u{1b}[?1cq".as_bytes(), &all);
        check(
            b"\x1b[A\x1bOB\x1b[5~\r",
            &[KeyCode::Up, KeyCode::Down, KeyCode::PageUp, KeyCode::Enter].map(key),
        );
        check(b"\x03", &[Token::Key(KeyCode::Char('c'), KeyModifiers::CONTROL)]);
        // Mouse events are ignored here.
        check(b"\x1b[<0;12;7Mx", &[char('x')]);
        let mut parser = Parser::default();
        assert_eq!((parser.read(b"\x1b"), parser.silence()), (Vec::new(), Some(key(KeyCode::Esc))));
    }
}
