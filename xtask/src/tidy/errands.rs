//! The table "Where to look" of AGENTS.md: every path in it exists, a row names at most three files
//! or folders, and it answers the errands of a newcomer.

use super::Finding;
use super::files::{File, Tree};
use std::path::Path;

/// The most places that a row names; pages of `docs/` explain and do not count.
const MOST_PLACES: usize = 3;

/// Rows that name too many places, or one that does not exist.
pub(super) fn check(tree: &Tree, root: &Path) -> Vec<Finding> {
    let Some(File { text, .. }) = tree.file("AGENTS.md") else { return Vec::new() };
    let rows = text.lines().enumerate().skip_while(|(_, it)| !it.starts_with("| to change"));
    let rows = rows.filter(|(_, it)| it.starts_with("| ") && !it.starts_with("| to change"));
    rows.flat_map(|(at, row)| complaints(root, row).into_iter().map(move |it| (at, it)))
        .map(|(at, words)| Finding::new("AGENTS.md".to_owned(), at + 1, words))
        .collect()
}

fn complaints(root: &Path, row: &str) -> Vec<String> {
    let places = places_of(row);
    let absent = places.iter().filter(|it| !it.contains('<') && !root.join(it).exists());
    let mut out: Vec<_> = absent.map(|it| format!("names {it}, which is not there")).collect();
    if places.len() > MOST_PLACES {
        out.push(format!("names {} places, {MOST_PLACES} are enough", places.len()));
    }
    out
}

/// The paths in a row: those in backticks that start at the root of the repository.
fn places_of(row: &str) -> Vec<&str> {
    let quoted = row.split('`').skip(1).step_by(2);
    quoted.filter(|it| it.starts_with("crates/") || it.starts_with("xtask/")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A newcomer's errand: words of its row, and a text in a file below one of the row's places.
    struct Errand {
        row: &'static str,
        answers: &'static [(&'static str, &'static str)],
    }

    const ERRANDS: [Errand; 8] = [
        Errand {
            row: "from a new line in a transcript to the screen",
            answers: &[
                ("crates/ingest/src/watcher/mod.rs", "pub fn open"),
                ("crates/daemon/src/live/publish.rs", "fn publish"),
                ("crates/server/src/http/fanout.rs", "fn written"),
            ],
        },
        Errand {
            row: "from an agent's question to its answer",
            answers: &[
                ("crates/approvals/src/hook/ask.rs", "pub fn ask_desk"),
                ("crates/approvals/src/broker/ask.rs", "pub fn ask"),
                ("crates/server/src/http/approvals.rs", "fn decide_approval"),
            ],
        },
        Errand {
            row: "the idle threshold",
            answers: &[("crates/model/src/status.rs", "pub idle: i64")],
        },
        Errand {
            row: "what is found, and in which order",
            answers: &[("crates/store/src/search/ranking.rs", "fn ")],
        },
        Errand {
            row: "which secrets are taken out of text",
            answers: &[("crates/redact/src/rules/mod.rs", "Rule")],
        },
        Errand {
            row: "a field of a contract's document",
            answers: &[("crates/contracts/src/ecc/from_captured.rs", "fn ")],
        },
        Errand {
            row: "a column of the session list",
            answers: &[
                ("crates/api/src/reply.rs", "pub struct Session "),
                ("crates/query/src/session_row.rs", "pub fn session"),
                ("crates/taffrail/src/cli/ls.rs", "fn "),
            ],
        },
        Errand {
            row: "when a Codex session begins to wait for approval",
            answers: &[
                ("crates/adapters/src/codex/server.rs", "AskedApproval"),
                ("crates/model/src/status/fold.rs", "AskedApproval"),
            ],
        },
    ];

    fn agents() -> String {
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../AGENTS.md")).unwrap()
    }

    #[test]
    fn a_newcomers_errands_are_answered_by_three_files_at_most() {
        let (text, root) = (agents(), Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
        for Errand { row, answers } in &ERRANDS {
            let line = text.lines().find(|it| it.contains(row));
            let line = line.unwrap_or_else(|| panic!("no row says `{row}`"));
            assert!(answers.len() <= MOST_PLACES, "{row}");
            for (file, needle) in *answers {
                let place = places_of(line).into_iter().any(|it| {
                    let (begin, _) = it.split_once('<').unwrap_or((it, ""));
                    file.starts_with(begin)
                });
                assert!(place, "{row}: {file} is not below {line}");
                let found = std::fs::read_to_string(root.join(file)).unwrap();
                assert!(found.contains(needle), "{row}: {file} does not say `{needle}`");
            }
        }
    }

    #[test]
    fn a_row_names_few_places_and_only_those_that_are_there() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let check = |row: &str, expected: &[&str]| assert_eq!(complaints(&root, row), expected);
        check("| a | `crates/model`, [docs](docs/a.md) |", &[]);
        check("| a | `crates/nowhere` |", &["names crates/nowhere, which is not there"]);
        check("| a | `crates/adapters/src/<agent>/` |", &[]);
        let four = "| a | `crates/api`, `crates/hooks`, `crates/run`, `crates/tui` |";
        check(four, &["names 4 places, 3 are enough"]);
    }
}
