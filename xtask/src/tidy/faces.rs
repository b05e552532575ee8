//! Commands ask the API: a daemon's, or the same routes in their own process. Then every face gives
//! one answer. A command that reaches past the API is listed here with its reason.

use super::Finding;
use super::files::Tree;

const COMMANDS: &str = "crates/taffrail/src/cli/";

/// The crates that answer questions and change things behind the API.
const BEHIND: [&str; 6] = [
    "taffrail_approvals::",
    "taffrail_daemon::",
    "taffrail_devices::",
    "taffrail_ingest::",
    "taffrail_query::",
    "taffrail_store::",
];

/// Reasons to reach past the API, and the commands that have them.
const EXCEPTIONS: [(&str, &[&str]); 6] = [
    (
        "reads new lines before it asks",
        &["blame", "context", "feed", "findings", "ls", "ls/filters", "quota", "search"],
    ),
    ("counts days by the clock of the reader", &["digest", "stats", "usage"]),
    (
        "reads a whole history, event by event, or line by line",
        &["archive", "events", "export", "handoff", "show", "terminal"],
    ),
    (
        "shows progress while it holds the writer",
        &["backup", "capture", "forget", "index", "rebuild"],
    ),
    (
        "reads and writes files that the user names, or the user's own documents",
        &[
            "agents",
            "annotations",
            "prices",
            "snapshot",
            "state",
            "state/resume",
            "teleport",
            "teleport/through",
            "work/conversion",
            "work/held",
        ],
    ),
    (
        "asks or sets up this machine: its caller, keys, hub, rules, agents and service",
        &[
            "acp",
            "approvals/always",
            "approvals/log",
            "completions",
            "confirmation",
            "device",
            "doctor",
            "hub",
            "hub/figures",
            "hub/relocation",
            "hub/server",
            "hub/status",
            "key",
            "link/first",
            "link/host",
            "link/mod",
            "link/second",
            "new",
            "recover",
            "relay",
            "resume",
            "rights",
            "rules",
            "run",
            "share",
            "status_bar",
            "stop",
            "sync",
            "telemetry",
            "token",
        ],
    ),
];

/// Commands that reach past the API without a reason, and reasons that no command needs.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let reaches = |path: &str| place_behind(tree, path).is_some();
    let files = tree.shipped().map(|(path, _)| path).filter(|it| it.starts_with(COMMANDS));
    let unlisted = files.filter(|it| !is_listed(it)).filter_map(|it| {
        let (line, name) = place_behind(tree, it)?;
        let message =
            format!("uses {name}; ask `context.questions()`, or list the reason in faces.rs");
        Some(Finding::new(it, line, message))
    });
    let needless = listed().filter(|it| !reaches(it)).map(|it| {
        Finding::new(it, 0, "has a reason in faces.rs to reach past the API, and does not")
    });
    unlisted.chain(needless).collect()
}

fn listed() -> impl Iterator<Item = String> {
    let commands = EXCEPTIONS.iter().flat_map(|(_, commands)| commands.iter());
    commands.map(|it| format!("{COMMANDS}{it}.rs"))
}

fn is_listed(path: &str) -> bool {
    listed().any(|it| it == path)
}

/// The first line that names a crate behind the API, and the crate.
fn place_behind(tree: &Tree, path: &str) -> Option<(usize, &'static str)> {
    let lines = tree.file(path)?.text.lines().enumerate();
    let code = lines.take_while(|(_, it)| *it != "#[cfg(test)]");
    code.filter_map(|(at, line)| {
        let name = BEHIND.iter().find(|it| line.contains(**it))?;
        Some((at + 1, name.trim_end_matches(':')))
    })
    .next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let all: Vec<_> = listed().map(|it| (it, "use taffrail_query::x;".to_owned())).collect();
        let all = all.iter().map(|(path, text)| (path.as_str(), text.as_str()));
        let all: Vec<_> = all.filter(|it| files.iter().all(|file| file.0 != it.0)).collect();
        let tree = Tree::of(&[&all, files].concat());
        check(&tree).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_command_asks_the_api() {
        let check = |text: &str, expected: &[&str]| {
            assert_eq!(found(&[("crates/taffrail/src/cli/health.rs", text)]), expected, "{text}");
        };
        check("use taffrail_api::AgentList;", &[]);
        check("#[cfg(test)]\nmod tests { use taffrail_store::Ledger; }", &[]);
        check(
            "\nuse taffrail_query::agents;",
            &[
                "crates/taffrail/src/cli/health.rs:2: uses taffrail_query; ask `context.questions()`, \
               or list the reason in faces.rs",
            ],
        );
    }

    #[test]
    fn a_reason_that_nobody_needs_is_taken_off_the_list() {
        assert_eq!(
            found(&[("crates/taffrail/src/cli/stats.rs", "use taffrail_api::Stats;")]),
            ["crates/taffrail/src/cli/stats.rs: has a reason in faces.rs to reach past the API, \
              and does not"]
        );
    }
}
