//! Whole homes that a seed decides: every agent, every shape of source, forks and workers.

mod claude_code;
mod codex;
mod gemini_cli;
mod goose;
mod telling;

use crate::{Chance, Home};
use telling::Generator;

/// How the bytes are shared between the agents, in hundredths.
const SHARES: [usize; 4] = [50, 25, 20, 5];

/// A history of about so many bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Corpus {
    /// Decides everything.
    pub seed: u64,
    /// How much, over all agents.
    pub bytes: usize,
}

/// What was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    /// Bytes in files; the rows of a database are not counted.
    pub bytes: usize,
    /// Every file below the home, in the order of writing.
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

/// Where files go.
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
