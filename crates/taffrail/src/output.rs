//! The only access to stdout and stderr: data to the first, everything else to the second.

use crate::error::CliError;
use serde::Serialize;
use serde_json::value::RawValue;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicU8, Ordering};
use taffrail_tui::Styles;
use taffrail_tui::letters::shown;
use taffrail_tui::pager::{Pager, Screen};
use taffrail_tui::pretty::pretty;

/// The sink of data. A reader that hangs up is not an error.
pub(crate) struct Out {
    sink: Sink,
    closed: bool,
}

enum Sink {
    Stream(io::BufWriter<Box<dyn Write>>),
    Screen(Screen),
}

impl Out {
    /// Opens stdout; strips styles if it is not a terminal.
    pub(crate) fn new() -> Self {
        Self::to(anstream::AutoStream::auto(io::stdout().lock()))
    }

    /// Writes to another sink.
    pub(crate) fn to(sink: impl Write + 'static) -> Self {
        Self { sink: Sink::Stream(io::BufWriter::new(Box::new(sink))), closed: false }
    }

    /// Opens stdout; output that does not fit on the screen goes through the pager.
    pub(crate) fn paged(pager: Option<&Pager>) -> Self {
        match pager.filter(|_| is_terminal()) {
            Some(pager) => {
                let screen = Screen::new(pager.clone(), (rows(), columns()));
                Self { sink: Sink::Screen(screen), closed: false }
            }
            None => Self::new(),
        }
    }

    /// Writes one line to stdout.
    pub(crate) fn print(text: &str) -> Result<(), CliError> {
        Self::new().lines([text])
    }

    /// Writes lines, and flushes.
    pub(crate) fn lines<T: AsRef<str>>(
        &mut self,
        all: impl IntoIterator<Item = T>,
    ) -> Result<(), CliError> {
        for text in all {
            self.line(text.as_ref())?;
        }
        self.end()
    }

    /// Writes one line; `false` when the reader is gone.
    pub(crate) fn line(&mut self, text: &str) -> Result<bool, CliError> {
        self.put(&shown(text))
    }

    /// Writes one line unchanged: data is not fitted to a terminal.
    fn put(&mut self, text: &str) -> Result<bool, CliError> {
        if !self.closed {
            let written = match &mut self.sink {
                Sink::Stream(stream) => writeln!(stream, "{text}"),
                Sink::Screen(screen) => screen.line(text),
            };
            self.judge(written)?;
        }
        Ok(!self.closed)
    }

    /// Flushes; `false` when the reader is gone.
    pub(crate) fn flush(&mut self) -> Result<bool, CliError> {
        if let Sink::Stream(stream) = &mut self.sink {
            let flushed = stream.flush();
            self.judge(flushed)?;
        }
        Ok(!self.closed)
    }

    /// Writes a value as one line of JSON.
    pub(crate) fn json_line(&mut self, value: &impl Serialize) -> Result<bool, CliError> {
        let text = serde_json::to_string(value).map_err(anyhow::Error::from)?;
        self.put(&unobeyed(text))
    }

    /// Writes a document as indented JSON.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<(), CliError> {
        let text = serde_json::to_string_pretty(value).map_err(anyhow::Error::from)?;
        self.put(&unobeyed(text))?;
        self.end()
    }

    /// Writes a document that is already JSON, with all values as written.
    pub(crate) fn raw_json(&mut self, document: &RawValue) -> Result<(), CliError> {
        self.put(&unobeyed(pretty(document.get())))?;
        self.end()
    }

    /// Flushes everything.
    pub(crate) fn end(&mut self) -> Result<(), CliError> {
        let ended = match &mut self.sink {
            Sink::Stream(stream) => stream.flush(),
            Sink::Screen(screen) => screen.end(),
        };
        self.judge(ended)
    }

    fn judge(&mut self, result: io::Result<()>) -> Result<(), CliError> {
        match result {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            other => Ok(other?),
        }
    }
}

/// Escapes characters that JSON leaves unchanged but that a terminal obeys, or that reverse or hide
/// text. They only occur in strings, where they can be escaped.
fn unobeyed(json: String) -> String {
    let is_obeyed = |character| {
        matches!(character, '\u{7f}'..='\u{9f}' | '\u{61c}' | '\u{200b}'..='\u{200f}')
            || matches!(character, '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    if !json.contains(is_obeyed) {
        return json;
    }
    let mut out = String::with_capacity(json.len() + 16);
    for character in json.chars() {
        match character {
            it if is_obeyed(it) => out.push_str(&format!("\\u{:04x}", u32::from(it))),
            it => out.push(it),
        }
    }
    out
}

/// Prints a message for the person, not for the program that reads the data.
pub(crate) fn say(text: &str) {
    // Writing fails only if stderr is closed.
    writeln!(anstream::stderr(), "{}", shown(text)).ok();
}

/// True if stdout is a terminal.
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// True if stderr is a terminal.
pub(crate) fn is_watched() -> bool {
    io::stderr().is_terminal()
}

/// Whether stdout shows colours: as was asked for with `--color`, else as the environment and the
/// terminal have it.
pub(crate) fn styles() -> Styles {
    match anstream::AutoStream::choice(&io::stdout()) {
        anstream::ColorChoice::Never => Styles::Off,
        _ => Styles::On,
    }
}

/// When paths are links: as was asked for with `--hyperlink`.
static HYPERLINKS: AtomicU8 = AtomicU8::new(When::Auto as u8);

/// When something is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum When {
    Auto,
    Always,
    Never,
}

impl When {
    /// Sets when paths are links, for the whole process.
    pub(crate) fn write_hyperlinks(self) {
        HYPERLINKS.store(self as u8, Ordering::Relaxed);
    }

    /// Whether paths are links on a terminal that says so of itself.
    pub(crate) fn are_links_on(is_supported: bool) -> bool {
        match HYPERLINKS.load(Ordering::Relaxed) {
            it if it == Self::Always as u8 => true,
            it if it == Self::Never as u8 => false,
            _ => is_supported && is_terminal(),
        }
    }
}

/// The columns of the screen; 80 without one.
pub(crate) fn columns() -> usize {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok();
    size.map(|it| usize::from(it.ws_col)).filter(|width| *width >= 40).unwrap_or(80)
}

/// The rows of the screen; 24 without one.
pub(crate) fn rows() -> usize {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok();
    size.map(|it| usize::from(it.ws_row)).filter(|rows| *rows > 0).unwrap_or(24)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_means_the_same_and_no_terminal_obeys_it() {
        let text = "a\u{7f}b\u{9b}31m ünï 漢 \u{202e}gnp.exe";
        let json = unobeyed(serde_json::to_string(text).unwrap());
        assert_eq!(json, "\"a\\u007fb\\u009b31m ünï 漢 \\u202egnp.exe\"");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }
}
