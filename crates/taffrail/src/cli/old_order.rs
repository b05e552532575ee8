//! `taffrail queue ID add` was the order of 0.1.0. Scripts that use it still run.

use std::ffi::OsString;

const VERBS: [&str; 3] = ["add", "ls", "rm"];

/// The arguments with the verb of `queue` before the session.
pub(super) fn verb_first(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let is_verb =
        |at: usize| arguments.get(at).is_some_and(|it| VERBS.iter().any(|verb| it == verb));
    let place = arguments.iter().position(|it| it == "queue");
    // Options of the program may come before its command, words of another command may not.
    let begins = |at: &usize| {
        arguments.iter().take(*at).skip(1).all(|it| it.to_string_lossy().starts_with("--"))
    };
    if let Some(at) = place.filter(begins)
        && !is_verb(at + 1)
        && is_verb(at + 2)
    {
        arguments.swap(at + 1, at + 2);
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_old_order_of_queue_still_runs() {
        let check = |typed: &str, expected: &str| {
            let words = typed.split(' ').map(OsString::from).collect();
            let expected: Vec<_> = expected.split(' ').map(OsString::from).collect();
            assert_eq!(verb_first(words), expected, "{typed}");
        };
        check("taffrail queue 3f add hello", "taffrail queue add 3f hello");
        check("taffrail --json queue 3f ls", "taffrail --json queue ls 3f");
        check("taffrail queue add 3f hello", "taffrail queue add 3f hello");
        check("taffrail queue add add hello", "taffrail queue add add hello");
        check("taffrail send queue 3f add", "taffrail send queue 3f add");
        check("taffrail queue", "taffrail queue");
    }
}
