//! Reads a command as generously as it can, for rules that deny or ask: every program that it
//! seems to run, wherever it stands in it.
//!
//! A seat belt, not a wall. What a shell only learns while it runs, such as the value of a variable or the
//! content of a script, is not seen; what is not understood is passed over.

mod frame;
mod reader;
mod through;

pub(super) use frame::Written;
pub(super) use reader::GIVEN;
pub(super) use through::{SHELLS, comes_to, program, runs};

use super::COMMAND_BYTES;
use crate::text::cut;
use reader::read;

/// How deep commands inside commands are followed.
const DEEPEST: usize = 6;
/// The most commands that are found in one.
const MOST: usize = 2_000;

/// What was found in a command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// Every command that seems to be run, as its words.
    pub commands: Vec<Vec<String>>,
    /// A limit was met, and there may be more.
    pub is_cut: bool,
}

/// Every command that seems to be run: also those inside substitutions, and those that programs
/// such as `env` or `sh -c` are told to run.
#[must_use]
pub fn commands_in(script: &str) -> Found {
    let mut found = Found::default();
    gather(script, 0, &mut found);
    found
}

/// The commands of a text as they are written, and nothing that they are told to run.
pub(super) fn written(text: &str) -> Vec<Written> {
    read(cut(text, COMMAND_BYTES))
}

fn gather(script: &str, depth: usize, found: &mut Found) {
    found.is_cut |= depth > DEEPEST || script.len() > COMMAND_BYTES;
    if depth > DEEPEST {
        return;
    }
    let mut before: Option<Written> = None;
    for command in read(cut(script, COMMAND_BYTES)) {
        let fed = fed_to(&command, before.as_ref());
        let (runs, is_cut) = through::runs(&command.words);
        found.is_cut |= is_cut || found.commands.len() >= MOST;
        if found.is_cut {
            return;
        }
        for run in runs {
            found.commands.push(run.to_vec());
            for inner in through::scripts(run, &fed) {
                gather(&inner, depth + 1, found);
            }
        }
        before = Some(command);
    }
}

/// What a command is given to read, as far as it is written there.
fn fed_to(command: &Written, before: Option<&Written>) -> Vec<String> {
    let mut fed = command.fed.clone();
    if let Some(before) = before.filter(|_| command.is_piped) {
        fed.extend(before.fed.iter().cloned());
        fed.extend(through::printed(&before.words));
    }
    fed
}
