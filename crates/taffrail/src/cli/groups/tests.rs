//! Checks for every command and its help.

use super::super::program;
use super::*;
use clap::Arg;

/// Every command with the words that name it, hidden ones too.
fn all() -> Vec<(String, Command)> {
    fn below(path: &str, command: &Command, out: &mut Vec<(String, Command)>) {
        for it in command.get_subcommands().filter(|it| it.get_name() != "help") {
            let path = format!("{path} {}", it.get_name());
            below(&path, it, out);
            out.push((path, it.clone()));
        }
    }
    let (mut root, mut out) = (program(), Vec::new());
    root.build();
    below("", &root, &mut out);
    assert!(out.len() > 100, "the commands are not read");
    out
}

#[test]
fn every_visible_command_is_in_one_group() {
    let root = program();
    let visible = root.get_subcommands().filter(|it| !it.is_hide_set());
    let mut visible: Vec<_> = visible.map(|it| it.get_name().to_owned()).collect();
    let mut listed: Vec<_> = GROUPS.iter().flat_map(|(_, names)| names.split([' ', '+'])).collect();
    visible.sort();
    listed.sort_unstable();
    assert_eq!(visible, listed);
}

#[test]
fn the_help_fits_a_screen() {
    let help = program().render_long_help().to_string();
    assert!(help.lines().count() <= 70, "{} lines", help.lines().count());
    for line in help.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    for (heading, _) in GROUPS {
        assert!(help.contains(&format!("\n{heading}:\n")), "{heading}: {help}");
    }
}

#[test]
fn every_old_name_is_still_understood() {
    for words in [
        "binding 3f2a",
        "binding join 3f2a 91c0 --json",
        "notify test --dry-run --json",
        "otel codex --show",
        "status --format waybar",
        "statusline claude-code --then date",
        "health --json",
        "state export @last",
        "state import a.json --json",
        "state validate a.json --strict",
        "snapshot @last --history",
        "validate --contract ecc a.json",
        "schema ecc.session.v1",
        "tail --lines 3",
        "feed --lines 3",
    ] {
        let words = format!("taffrail {words}");
        assert!(program().try_get_matches_from(words.split(' ')).is_ok(), "{words}");
    }
}

#[test]
fn every_command_takes_json() {
    for (path, command) in all() {
        let is_json = |it: &Arg| it.get_long() == Some("json");
        assert!(command.get_arguments().any(is_json), "{path}");
    }
}

#[test]
fn json_counts_before_and_after_a_command() {
    for words in ["--json config get x", "config --json get x", "config get x --json"] {
        let words = format!("taffrail {words}");
        let root = program().try_get_matches_from(words.split(' ')).unwrap();
        let config = root.subcommand().unwrap().1;
        let get = config.subcommand().unwrap().1;
        assert!([&root, config, get].iter().all(|it| it.get_flag("json")), "{words}");
    }
}

#[test]
fn a_limit_is_n_and_a_dry_run_has_no_letter() {
    for (path, command) in all() {
        for it in command.get_arguments() {
            let is_limit = it.get_long() == Some("limit");
            assert_eq!(it.get_short() == Some('n'), is_limit, "{path} {}", it.get_id());
            let is_dry = it.get_long() == Some("dry-run");
            assert!(!is_dry || it.get_short().is_none(), "{path}");
        }
    }
}
