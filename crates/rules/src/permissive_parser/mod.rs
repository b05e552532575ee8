//! Parses a command as permissively as possible, for rules that deny or ask: it finds every program
//! that the command seems to run, wherever it appears.
//!
//! A seat belt, not a wall. It cannot know what a shell learns at run time, such as the value of a
//! variable or the content of a script, and it skips what it does not understand.

mod frame;
mod reader;
mod wrappers;

pub(super) use frame::Written;
pub(super) use reader::GIVEN;
pub(super) use wrappers::{SHELLS, comes_to, program, runs};

use super::limit::{COMMAND_BYTES, cut};
use reader::read;

/// The deepest nesting of commands that is followed.
const DEEPEST: usize = 6;
/// The most commands found in one.
const MOST: usize = 2_000;
/// The most words of these commands together: a command is found again behind every wrapper
/// program.
const MOST_WORDS: usize = 100_000;

/// The commands inside a command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommandList {
    /// Every command that seems to run, as its words.
    pub commands: Vec<Vec<String>>,
    /// A limit was reached, and there may be more.
    pub is_cut: bool,
}

/// Finds every command that seems to run, including those in substitutions and those that programs
/// such as `env` or `sh -c` run.
#[must_use]
pub fn commands_in(script: &str) -> CommandList {
    let mut found = CommandList::default();
    let mut room = MOST_WORDS;
    gather(script, 0, &mut found, &mut room);
    found
}

/// The commands of a text as written, without those that wrapper programs run.
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

/// The standard input of a command, as far as the text contains it.
fn fed_to(command: &Written, before: Option<&Written>) -> Vec<String> {
    let mut fed = command.fed.clone();
    if let Some(before) = before.filter(|_| command.is_piped) {
        fed.extend(before.fed.iter().cloned());
        fed.extend(wrappers::printed(&before.words));
    }
    fed
}
