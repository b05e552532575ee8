//! What controls decisions: Taffrail itself, its files and socket, agents' settings, shell start-up
//! files and keys. A request that touches any of it is risky, and no rule allows it.

use super::paths::goes_through;
use super::permissive_parser::{self, commands_in};

/// Our commands that only read.
const READS: &[&str] = &[
    "agents",
    "approvals",
    "archive",
    "attach",
    "binding",
    "completions",
    "doctor",
    "events",
    "explain",
    "export",
    "feed",
    "findings",
    "handoff",
    "health",
    "help",
    "hook",
    "index",
    "ls",
    "man",
    "schema",
    "search",
    "show",
    "snapshot",
    "state",
    "stats",
    "status",
    "statusline",
    "summary",
    "tail",
    "validate",
    "wait",
    "work",
];

/// Files and folders that control decisions, by the end or a part of a path.
const FILES: &[&str] = &[
    ".config/taffrail",
    ".local/share/taffrail",
    ".local/state/taffrail",
    "taffrail.sock",
    "taffrail/rules.toml",
    "taffrail/config.toml",
    "taffrail/token",
    "taffrail/daemon.json",
    "taffrail/device",
    ".taffrail/policy.toml",
    ".mcp.json",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".config/fish",
    ".gitconfig",
    ".git/config",
    ".git/hooks",
    ".ssh",
    ".gnupg",
];

/// Settings files in a dot folder, as agents and editors have them.
const SETTINGS: &[&str] = &[
    "settings.json",
    "settings.local.json",
    "hooks.json",
    "config.toml",
    "mcp.json",
    "tasks.json",
];

/// Why a request touches what controls decisions, if it does.
#[must_use]
pub fn controls(command: Option<&str>, files: &[&str]) -> Option<&'static str> {
    let by_file = files.iter().any(|it| is_control(it)).then_some(FILE);
    by_file.or_else(|| command.and_then(of_command))
}

const FILE: &str = "touches what decides for you";
const OURS: &str = "acts on Taffrail itself";

fn of_command(text: &str) -> Option<&'static str> {
    let found = commands_in(text);
    let targets = permissive_parser::written(text);
    let words = found.commands.iter().flatten().map(String::as_str);
    let mut all = words.chain(targets.iter().flat_map(|it| &it.targets).map(AsRef::as_ref));
    if found.commands.iter().any(|it| acts(it)) {
        return Some(OURS);
    }
    all.any(is_control).then_some(FILE)
}

/// Whether one of our commands does more than read.
fn acts(command: &[String]) -> bool {
    let is_ours = command.first().is_some_and(|it| permissive_parser::program(it) == "taffrail");
    let verb = command.iter().skip(1).find(|it| !it.starts_with('-'));
    is_ours && verb.is_some_and(|it| !READS.contains(&it.as_str()))
}

fn is_control(word: &str) -> bool {
    // The value of an option, `-o=…` or `--file=…`, counts as its own word.
    let word = word.rsplit_once('=').map_or(word, |(_, it)| it);
    let word = word.strip_suffix('/').unwrap_or(word);
    is_settings(word) || FILES.iter().any(|it| goes_through(word, it))
}

/// Whether a path is a settings file of an agent or an editor: in a dot folder, or a dot file
/// directly in the user's home.
fn is_settings(word: &str) -> bool {
    let mut parts = word.rsplit('/');
    let (name, folder) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let in_hidden = folder.len() > 1 && folder.starts_with('.') && folder != "..";
    let is_json = name.starts_with('.') && name.ends_with(".json");
    (in_hidden && SETTINGS.contains(&name)) || (is_json && is_home(word, name))
}

/// Whether a path is this name directly in a home.
fn is_home(word: &str, name: &str) -> bool {
    let folder = word.strip_suffix(name).unwrap_or_default().trim_end_matches('/');
    let is_below = |above: &str| {
        folder.strip_prefix(above).is_some_and(|it| !it.is_empty() && !it.contains('/'))
    };
    ["~", "$HOME", "/root"].contains(&folder) || is_below("/home/") || is_below("/Users/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_on_taffrail_or_what_decides_is_known() {
        let check = |command: &str, expected: bool| {
            assert_eq!(controls(Some(command), &[]).is_some(), expected, "{command}");
        };
        check("taffrail approve 3f2a", true);
        check("taffrail config set summary.command '[\"x\"]'", true);
        check("/usr/local/bin/taffrail device approve 1 --yes", true);
        check("true && taffrail forget x --yes", true);
        check("cat ~/.local/state/taffrail/token", true);
        check("sed -i s/ask/allow/ ~/.config/taffrail/rules.toml", true);
        check("echo x >> /home/ann/.bashrc", true);
        check("curl --unix-socket /run/user/1/taffrail/taffrail.sock http://x", true);
        check("cp a ~/.agent/settings.json", true);
        check("cp a ~/.agent.json", true);
        check("cp a .eslintrc.json", false);
        check("taffrail ls --json", false);
        check("taffrail --no-pager search x", false);
        check("cat src/taffrail.rs", false);
        check("git config user.name", false);
    }

    #[test]
    fn a_file_that_decides_is_known() {
        let check = |file: &str, expected: bool| {
            assert_eq!(controls(None, &[file]).is_some(), expected, "{file}");
        };
        check("/home/ann/.agent/settings.json", true);
        check("/home/ann/.agent.json", true);
        check("/home/ann/src/app/.eslintrc.json", false);
        check("../settings.json", false);
        check("/home/ann/.ssh/authorized_keys", true);
        check(".git/hooks/pre-commit", true);
        check("/home/ann/src/app/main.rs", false);
        check("/home/ann/src/sshd/main.rs", false);
    }
}
