//! A process of a page, and what it prints.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus};
use std::time::Duration;
use taffrail_testkit::patiently;

/// The interval between two looks at a process.
const LOOK: Duration = Duration::from_millis(5);
/// How many lines a report quotes.
const TAIL: usize = 12;

/// A process that was started, and the file that it prints to. It ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Started {
    child: Child,
    said: PathBuf,
}

impl Started {
    /// Starts a process that prints to this file.
    pub(crate) fn new(mut command: Command, said: PathBuf) -> Self {
        // A process that still runs keeps the file it has.
        fs::remove_file(&said).ok();
        let file = File::create(&said).unwrap();
        command.stdout(file.try_clone().unwrap()).stderr(file);
        Self { child: command.spawn().unwrap(), said }
    }

    /// Where it reads from.
    pub(crate) fn stdin(&mut self) -> ChildStdin {
        self.child.stdin.take().unwrap()
    }

    /// Everything that it printed.
    pub(crate) fn said(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.said).unwrap()).into_owned()
    }

    /// The last lines that it printed, for a report.
    pub(crate) fn tail(&self) -> String {
        let said = self.said();
        let lines: Vec<_> = said.lines().rev().take(TAIL).collect();
        lines.into_iter().rev().map(|it| format!("\n    {it}")).collect()
    }

    /// Waits until it shows a text; `None` if it ended before, or never does.
    pub(crate) fn shows(&mut self, text: &str) -> Option<()> {
        let shown = patiently(LOOK, || {
            let is_over = self.ended().is_some();
            let is_shown = self.said().contains(text);
            (is_shown || is_over).then_some(is_shown)
        });
        shown.filter(|it| *it).map(drop)
    }

    /// Waits for its end; a process that does not end has no code.
    pub(crate) fn code(&mut self) -> Option<i32> {
        patiently(LOOK, || self.ended()).and_then(|it| it.code())
    }

    fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().unwrap()
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // It may have ended by itself.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
