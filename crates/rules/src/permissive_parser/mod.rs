//! Reads a command as generously as it can, for rules that deny or ask: every program that it
//! seems to run, wherever it stands in it.
//!
//! A seat belt, not a wall. What a shell only learns while it runs, such as the value of a variable or the
//! content of a script, is not seen; what is not understood is passed over.

mod frame;
mod reader;
mod wrappers;

pub(super) use frame::Written;
pub(super) use reader::GIVEN;
pub(super) use wrappers::{SHELLS, comes_to, program, runs};

use super::limit::{COMMAND_BYTES, cut};
use reader::read;

/// How deep commands inside commands are followed.
const DEEPEST: usize = 6;
/// The most commands that are found in one.
const MOST: usize = 2_000;
/// The most words that these have together: a command is found again behind every program that runs it.
const MOST_WORDS: usize = 100_000;

/// The commands inside a command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommandList {
    /// Every command that seems to be run, as its words.
    pub commands: Vec<Vec<String>>,
    /// A limit was met, and there may be more.
    pub is_cut: bool,
}

/// Every command that seems to be run: also those inside substitutions, and those that programs
/// such as `env` or `sh -c` are told to run.
#[must_use]
pub fn commands_in(script: &str) -> CommandList {
    let mut found = CommandList::default();
    let mut room = MOST_WORDS;
    gather(script, 0, &mut found, &mut room);
    found
}

/// The commands of a text as they are written, and nothing that they are told to run.
pub(super) fn written(text: &str) -> Vec<Written> {
    read(cut(text, COMMAND_BYTES))
}

fn gather(script: &str, depth: usize, found: &mut CommandList, room: &mut usize) {
    found.is_cut |= depth > DEEPEST || script.len() > COMMAND_BYTES;
    if depth > DEEPEST {
        return;
    }
    let mut before: Option<Written> = None;
    for command in read(cut(script, COMMAND_BYTES)) {
        let fed = fed_to(&command, before.as_ref());
        let (runs, is_cut) = wrappers::runs(&command.words);
        found.is_cut |= is_cut || found.commands.len() >= MOST;
        if found.is_cut {
            return;
        }
        for run in runs {
            let Some(left) = room.checked_sub(run.len()) else {
                found.is_cut = true;
                return;
            };
            *room = left;
            found.commands.push(run.to_vec());
            for inner in wrappers::scripts(run, &fed) {
                gather(&inner, depth + 1, found, room);
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
        fed.extend(wrappers::printed(&before.words));
    }
    fed
}
