//! Whose a session is, and the folder of its project.

use super::ADAPTER_ID;
use taffrail_model::{AgentId, RuntimeIdentity};

/// The folder of all projects, below the agent's home.
const PROJECTS: &str = "projects/";
/// The longest project folder name the agent writes in full; it cuts a longer one and appends a
/// hash.
const WHOLE_FOLDER: usize = 200;

/// A user's session; its id is globally unique.
pub(super) fn session(id: &str) -> RuntimeIdentity {
    worker("", id)
}

/// A sub-agent; its short id is unique only within its parent session.
pub(super) fn worker(parent: &str, id: &str) -> RuntimeIdentity {
    RuntimeIdentity::new(AgentId::new(ADAPTER_ID), parent, id)
}

/// Whether the agent gives a working directory this project folder.
///
/// The agent turns everything but ASCII letters and digits into dashes, one for each UTF-16 unit.
/// That is irreversible, so we compare folders and never decode them.
pub(super) fn is_folder_of(folder: &str, cwd: &str) -> bool {
    let mut written = cwd.chars().flat_map(folder_characters);
    if folder.len() <= WHOLE_FOLDER {
        return written.eq(folder.chars());
    }
    let mut given = folder.chars();
    given.by_ref().take(WHOLE_FOLDER).eq(written.by_ref().take(WHOLE_FOLDER))
        && given.next() == Some('-')
        && written.next().is_some()
}

/// The project folder for a working directory; `None` if the agent would cut it and append its own
/// hash.
pub(super) fn folder_of(cwd: &str) -> Option<String> {
    let folder: String = cwd.chars().flat_map(folder_characters).collect();
    (folder.len() <= WHOLE_FOLDER).then_some(folder)
}

/// The project folder in a path below the home, and the rest of the path.
pub(super) fn split(path: &str) -> Option<(&str, &str)> {
    let (folder, rest) = path.strip_prefix(PROJECTS)?.split_once('/')?;
    (!folder.is_empty() && !rest.is_empty()).then_some((folder, rest))
}

fn folder_characters(character: char) -> impl Iterator<Item = char> {
    let (kept, count) = if character.is_ascii_alphanumeric() {
        (character, 1)
    } else {
        ('-', character.len_utf16())
    };
    std::iter::repeat_n(kept, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_recognised() {
        let check = |folder: &str, cwd: &str, expected: bool| {
            assert_eq!(is_folder_of(folder, cwd), expected, "{folder} {cwd}");
        };
        check("-w-my-app", "/w/my_app", true);
        check("-w-my-app", "/w/my.app", true);
        check("-w-my-app", "/w/my_app/src", false);
        check("C--w", r"C:\w", true);
        check("-w----", "/w/é🎉", true);
        let long = format!("/{}", "a".repeat(300));
        let cut = format!("-{}", "a".repeat(199));
        check(&format!("{cut}-k3x9z1"), &long, true);
        check(&format!("{cut}-k3x9z1"), "/elsewhere", false);
    }
}
