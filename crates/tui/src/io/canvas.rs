//! Owns the terminal, and restores it whatever happens.

use super::TerminalQuery;
use super::background::{BACKGROUND, KEYBOARD};
use crate::letters::{in_one_column, is_plain};
use crate::state::State;
use crate::view::draw;
use crossterm::cursor::Show;
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
    KeyboardEnhancementFlags, PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
};
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use crossterm::{execute, queue};
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::io::{self, BufWriter, Stdout, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether we own the terminal, so that it is restored once.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Whether the terminal uses our keyboard protocol.
static PUSHED: AtomicBool = AtomicBool::new(false);

fn push_keyboard_protocol() -> io::Result<()> {
    PUSHED.store(true, Ordering::SeqCst);
    let flags = KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES;
    execute!(io::stdout(), PushKeyboardEnhancementFlags(flags))
}

/// The terminal's screen, and the buffer it shows.
#[derive(Debug)]
pub(crate) struct Canvas {
    backend: CrosstermBackend<BufWriter<Stdout>>,
    shown: Buffer,
    next: Buffer,
    cursor: Option<(u16, u16)>,
    has_keyboard_protocol: bool,
}

impl Canvas {
    /// Takes over the terminal. A panic restores it before its message is printed.
    pub(crate) fn open() -> io::Result<Self> {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            give_back();
            before(panic);
        }));
        let backend = CrosstermBackend::new(BufWriter::with_capacity(64 * 1024, io::stdout()));
        let (shown, next) = (Buffer::default(), Buffer::default());
        let mut canvas = Self { backend, shown, next, cursor: None, has_keyboard_protocol: false };
        canvas.take()?;
        Ok(canvas)
    }

    /// Takes over the terminal again after another program had it.
    pub(crate) fn take(&mut self) -> io::Result<()> {
        TAKEN.store(true, Ordering::SeqCst);
        enable_raw_mode()?;
        execute!(io::stdout(), EnterAlternateScreen, EnableMouseCapture, EnableBracketedPaste)?;
        if self.has_keyboard_protocol {
            push_keyboard_protocol()?;
        }
        self.backend.hide_cursor()?;
        self.shown = Buffer::default();
        Ok(())
    }

    /// Queries the terminal; the thread that reads keys receives the answer.
    pub(crate) fn ask(&mut self, query: TerminalQuery) -> io::Result<()> {
        match query {
            TerminalQuery::None => return Ok(()),
            TerminalQuery::Keyboard => write!(self.backend, "{KEYBOARD}")?,
            TerminalQuery::Background => write!(self.backend, "{BACKGROUND}{KEYBOARD}")?,
        }
        Write::flush(&mut self.backend)
    }

    /// Uses the kitty keyboard protocol, which tells Escape from the start of a sequence.
    pub(crate) fn use_keyboard_protocol(&mut self) -> io::Result<()> {
        self.has_keyboard_protocol = true;
        push_keyboard_protocol()
    }

    /// The size of the screen.
    pub(crate) fn size(&self) -> (u16, u16) {
        self.backend.size().map_or((80, 24), |it| (it.width, it.height))
    }

    /// Draws what changed; writes nothing if nothing did.
    pub(crate) fn show(&mut self, state: &State) -> io::Result<()> {
        let area = Rect::new(0, 0, state.size.0, state.size.1);
        self.next.resize(area);
        self.next.reset();
        let cursor = draw(state, &mut self.next);
        if is_plain() {
            make_plain(&mut self.next);
        }
        let is_new = self.shown.area != area;
        if is_new {
            self.shown = Buffer::empty(area);
        }
        let changes = self.shown.diff(&self.next);
        if changes.is_empty() && cursor == self.cursor && !is_new {
            return Ok(());
        }
        queue!(self.backend, BeginSynchronizedUpdate)?;
        if is_new {
            self.backend.clear()?;
        }
        self.backend.draw(changes.into_iter())?;
        match cursor {
            Some((x, y)) => {
                self.backend.set_cursor_position(Position::new(x, y))?;
                self.backend.show_cursor()?;
            }
            None => self.backend.hide_cursor()?,
        }
        queue!(self.backend, EndSynchronizedUpdate)?;
        Write::flush(&mut self.backend)?;
        self.cursor = cursor;
        std::mem::swap(&mut self.shown, &mut self.next);
        Ok(())
    }

    /// Puts a text on the clipboard of the user's terminal.
    pub(crate) fn copy(&mut self, text: &str) -> io::Result<()> {
        write!(self.backend, "\u{1b}]52;c;{}\u{7}", base64(text.as_bytes()))?;
        Write::flush(&mut self.backend)
    }
}

/// Replaces our symbols by ASCII.
fn make_plain(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if let Some(plain) = in_one_column(cell.symbol()) {
            cell.set_symbol(plain);
        }
    }
}

impl Drop for Canvas {
    fn drop(&mut self) {
        give_back();
    }
}

/// Restores the terminal. Best effort: if the terminal is gone, there is nothing to restore.
pub(crate) fn give_back() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut out = io::stdout();
    // The terminal keeps the protocol for each of its two screens.
    if PUSHED.swap(false, Ordering::SeqCst) {
        execute!(out, PopKeyboardEnhancementFlags).ok();
    }
    execute!(out, DisableBracketedPaste, DisableMouseCapture, LeaveAlternateScreen, Show).ok();
    disable_raw_mode().ok();
}

/// Encodes bytes for the clipboard.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let letter = (bits >> (18 - 6 * at)) & 63;
            let letter = LETTERS.get(letter as usize).copied().unwrap_or(b'=');
            out.push(if at > three.len() { '=' } else { char::from(letter) });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clipboard_gets_what_it_understands() {
        for (text, expected) in
            [("", ""), ("a", "YQ=="), ("ab", "YWI="), ("abc", "YWJj"), ("3f2a-", "M2YyYS0=")]
        {
            assert_eq!(base64(text.as_bytes()), expected);
        }
    }
}
