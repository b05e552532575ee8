//! The one door to stdout and stderr: data to the first, everything else to the second.

use crate::error::CliError;
use serde::Serialize;
use std::io::{self, IsTerminal, Write};

/// Where data goes. A reader that hangs up is not an error.
pub(crate) struct Out {
    stdout: io::BufWriter<anstream::AutoStream<io::StdoutLock<'static>>>,
    closed: bool,
}

impl Out {
    /// Opens stdout; styles are taken out where nobody would see them.
    pub(crate) fn new() -> Self {
        let stdout = anstream::AutoStream::auto(io::stdout().lock());
        Self { stdout: io::BufWriter::new(stdout), closed: false }
    }

    /// Writes one line; `false` when nobody reads any more.
    pub(crate) fn line(&mut self, text: &str) -> Result<bool, CliError> {
        if !self.closed {
            let written = writeln!(self.stdout, "{text}");
            self.judge(written)?;
        }
        Ok(!self.closed)
    }

    /// Writes a value as one line of JSON.
    pub(crate) fn json_line(&mut self, value: &impl Serialize) -> Result<bool, CliError> {
        let text = serde_json::to_string(value).map_err(anyhow::Error::from)?;
        self.line(&text)
    }

    /// Writes a document as JSON for people and programs alike.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<(), CliError> {
        let text = serde_json::to_string_pretty(value).map_err(anyhow::Error::from)?;
        self.line(&text)?;
        self.end()
    }

    /// Sends everything on its way.
    pub(crate) fn end(&mut self) -> Result<(), CliError> {
        let flushed = self.stdout.flush();
        self.judge(flushed)
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

/// Says something to the person, not to the program that reads the data.
pub(crate) fn say(text: &str) {
    // There is no one left to tell when stderr is gone.
    writeln!(anstream::stderr(), "{text}").ok();
}

/// A person looks at stdout.
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// A person looks at stderr.
pub(crate) fn is_watched() -> bool {
    io::stderr().is_terminal()
}

/// The columns of the screen; 80 where there is none.
pub(crate) fn columns() -> usize {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok();
    size.map(|it| usize::from(it.ws_col)).filter(|width| *width >= 40).unwrap_or(80)
}
