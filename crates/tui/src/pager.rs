//! Sends output that does not fit on the screen through a pager; prints the rest directly.

use anstream::adapter::strip_str;
use anstream::{AutoStream, ColorChoice};
use signal_hook::consts::SIGINT;
use std::io::{self, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use unicode_width::UnicodeWidthStr;

/// Characters that only a shell understands.
const FOR_A_SHELL: &str = "|&;<>()$`\\\"'*?[#~=%{\n";

/// The program for reading long output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pager {
    /// The command line, as a shell parses it.
    pub command: String,
    /// The value for `LESS`, if it is not set.
    pub less: Option<&'static str>,
}

impl Pager {
    fn start(&self) -> io::Result<Child> {
        let mut command = match self.command.contains(|it| FOR_A_SHELL.contains(it)) {
            true => {
                let mut shell = Command::new("sh");
                shell.args(["-c", &self.command]);
                shell
            }
            false => {
                let mut words = self.command.split_whitespace();
                let mut program = Command::new(words.next().unwrap_or_default());
                program.args(words);
                program
            }
        };
        command.envs(self.less.map(|flags| ("LESS", flags))).stdin(Stdio::piped()).spawn()
    }
}

/// A screen: it buffers output until it is clear whether it fits.
#[expect(missing_debug_implementations, reason = "an open sink has nothing to show")]
pub struct Screen {
    pager: Pager,
    rows: usize,
    columns: usize,
    held: String,
    used: usize,
    open: Option<Open>,
}

/// The destination of output that does not fit.
struct Open {
    sink: Box<dyn Write>,
    child: Option<Child>,
}

impl Screen {
    /// A screen of so many rows and columns.
    #[must_use]
    pub fn new(pager: Pager, (rows, columns): (usize, usize)) -> Self {
        Self { pager, rows, columns, held: String::new(), used: 0, open: None }
    }

    /// Writes one line.
    ///
    /// # Errors
    /// The sink cannot be written to.
    pub fn line(&mut self, text: &str) -> io::Result<()> {
        if let Some(open) = &mut self.open {
            return writeln!(open.sink, "{text}");
        }
        self.held.push_str(text);
        self.held.push('\n');
        self.used += rows_of(text, self.columns);
        // The shell's prompt needs a row of its own.
        if self.used < self.rows { Ok(()) } else { self.overflow() }
    }

    /// Waits for the pager, or prints the buffered output.
    ///
    /// # Errors
    /// The sink cannot be written to, or the pager cannot be waited for.
    pub fn end(&mut self) -> io::Result<()> {
        let Some(Open { mut sink, child }) = self.open.take() else {
            let held = std::mem::take(&mut self.held);
            return plain().write_all(held.as_bytes());
        };
        let flushed = sink.flush();
        // The pager sees the end of its input only when ours is closed.
        drop(sink);
        if let Some(mut child) = child {
            child.wait()?;
        }
        flushed
    }

    fn overflow(&mut self) -> io::Result<()> {
        let open = self.open.insert(opened(&self.pager));
        let held = std::mem::take(&mut self.held);
        open.sink.write_all(held.as_bytes())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // A failure on the way must not leave a pager alone with the terminal; the failure itself
        // is reported elsewhere.
        self.end().ok();
    }
}

/// Starts the pager; writes to stdout if it cannot be started.
fn opened(pager: &Pager) -> Open {
    let Ok(mut child) = pager.start() else {
        return Open { sink: Box::new(plain()), child: None };
    };
    // An interrupt is for the pager. Best effort: without this we end first, as any filter would.
    signal_hook::flag::register(SIGINT, Arc::new(AtomicBool::new(false))).ok();
    let choice = AutoStream::choice(&io::stdout());
    let sink: Box<dyn Write> = match child.stdin.take() {
        Some(stdin) => Box::new(styled(stdin, choice)),
        None => Box::new(plain()),
    };
    Open { sink: Box::new(io::BufWriter::new(sink)), child: Some(child) }
}

fn styled(sink: impl Write + 'static, choice: ColorChoice) -> AutoStream<Box<dyn Write>> {
    AutoStream::new(Box::new(sink), choice)
}

fn plain() -> impl Write {
    AutoStream::auto(io::stdout().lock())
}

/// How many rows a line takes after wrapping.
fn rows_of(line: &str, columns: usize) -> usize {
    let width = strip_str(line).to_string().width();
    width.div_ceil(columns.max(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_take_several_rows() {
        let check = |line: &str, expected: usize| assert_eq!(rows_of(line, 10), expected, "{line}");
        check("", 1);
        check("0123456789", 1);
        check("\u{1b}[1m0123456789\u{1b}[0m", 1);
        check("0123456789a", 2);
        check("漢字漢字漢字", 2);
    }
}
