//! The commands in groups, as `taffrail --help` lists them.

use clap::Command;
use std::fmt::Write;

/// Every visible command, in exactly one group; `+` joins two that share a line.
pub(super) const GROUPS: [(&str, &str); 8] = [
    ("See", "ls show search tail feed findings blame+commits stats+digest usage+quota web"),
    (
        "Act",
        "approvals approve+deny rules away send+queue new+stop attach+resume run+acp wait handoff",
    ),
    ("One session", "explain summary tag+note star+rename export forget capture"),
    ("Devices", "link sync+hub device share teleport key"),
    (
        "Setup",
        "setup hooks+mcp config daemon service notifications telemetry agents doctor upgrade uninstall",
    ),
    ("Data", "index+rebuild archive backup restore"),
    ("Documents", "document work conformance"),
    ("Scripts", "events status-bar token completions man"),
];

/// What two commands do that share a line.
const PAIRS: [(&str, &str); 13] = [
    ("index+rebuild", "Read new history, or all of it again"),
    ("blame+commits", "Show which sessions wrote a file's lines, or commits"),
    ("approve+deny", "Answer a request for approval"),
    ("send+queue", "Send a prompt to a session, or manage those that wait"),
    ("new+stop", "Start an agent, in tmux or in a git worktree; end one"),
    ("attach+resume", "Go to a session's tmux pane, or resume the session"),
    ("hooks+mcp", "Let agents report to Taffrail, or ask it over MCP"),
    ("run+acp", "Run an agent in this terminal, or for an editor"),
    ("tag+note", "Tag a session, or add a note to it"),
    ("stats+digest", "Count sessions, tokens and cost, or sum up a week"),
    ("usage+quota", "Show tokens and cost, or limits; see `budgets`, `prices`"),
    ("sync+hub", "Show what goes to other devices, or how; choose the hub"),
    ("star+rename", "Give a session a star, or a title"),
];

/// The columns of a command's name.
const NAME: usize = 14;

const HEAD: &str = "{about-with-newline}\n{usage-heading} {usage}\n\n";
const FOOT: &str = "Every command takes --json, --no-pager, --color WHEN and --hyperlink WHEN;\n--help shows examples.\n";

/// The same command with its subcommands in groups in its help.
pub(super) fn grouped(command: Command) -> Command {
    let template = format!("{HEAD}{}{FOOT}", listed(&command));
    command.help_template(template)
}

fn listed(command: &Command) -> String {
    let (header, literal) = (command.get_styles().get_header(), command.get_styles().get_literal());
    let mut out = String::new();
    for (heading, names) in GROUPS {
        // Writing to a string cannot fail.
        writeln!(out, "{header}{heading}:{header:#}").ok();
        for name in names.split(' ') {
            let pair = PAIRS.iter().find(|(pair, _)| *pair == name);
            let about = pair.map_or_else(|| about(command, name), |(_, it)| (*it).to_owned());
            let name = name.replace('+', ", ");
            writeln!(out, "  {literal}{name:NAME$}{literal:#} {about}").ok();
        }
    }
    out
}

/// The first line of a command's help.
pub(super) fn about(command: &Command, name: &str) -> String {
    let about = command.find_subcommand(name).and_then(Command::get_about);
    about.map(ToString::to_string).unwrap_or_default()
}

#[cfg(test)]
mod tests;
