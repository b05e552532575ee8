//! Whole homes generated from a seed: every agent, every shape of source, forks and sub-agents.

mod claude_code;
mod codex;
mod gemini_cli;
mod goose;
mod telling;

use crate::{Chance, Home};
use telling::Generator;

/// The share of bytes of each agent, in percent.
const SHARES: [usize; 4] = [50, 25, 20, 5];

/// A history of about this many bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Corpus {
    /// Determines everything.
    pub seed: u64,
    /// The size, over all agents.
    pub bytes: usize,
}

/// The written history.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    /// Bytes in files; the rows of a database are not counted.
    pub bytes: usize,
    /// Every file below the home, in order of writing.
    pub files: Vec<String>,
}

impl Corpus {
    /// Writes the homes of all agents. Equal seeds and sizes write equal bytes.
    pub fn write(&self, home: &Home) -> Written {
        let mut out = Shelf { home, written: Written::default() };
        let share = |agent: usize| self.bytes * SHARES[agent] / 100;
        let teller = |agent: &str| Generator::new(Chance::new(self.seed).fork(agent));
        claude_code::write(&mut out, &mut teller("claude-code"), share(0));
        codex::write(&mut out, &mut teller("codex"), share(1));
        gemini_cli::write(&mut out, &mut teller("gemini-cli"), share(2));
        goose::write(&mut out, &mut teller("goose"), share(3));
        out.written
    }
}

/// The destination of files.
struct Shelf<'a> {
    home: &'a Home,
    written: Written,
}

impl Shelf<'_> {
    fn put(&mut self, below: &str, bytes: &[u8]) {
        self.home.write(below, bytes);
        self.written.bytes += bytes.len();
        self.written.files.push(below.to_owned());
    }
}
