//! `taffrail setup`, and `taffrail uninstall` that undoes it to the byte.

use super::{PROGRAM, text};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use taffrail_testkit::{Home, Output};

const SETTINGS: &str = ".claude/settings.json";
const BASH: &str = ".local/share/bash-completion/completions/taffrail";
const FISH: &str = ".config/fish/completions/taffrail.fish";
/// Odd on purpose: no final newline, tabs, a comment.
const MINE: &str = "{\n\t// mine\n\t\"theme\": \"dark\"}";

/// A home with two agents, and a user of this shell.
fn machine() -> Home {
    let home = Home::new(PROGRAM);
    home.write(SETTINGS, MINE);
    home.write(".codex/config.toml", "model = \"x\"");
    home.write(".zshrc", "autoload -U compinit; compinit");
    home
}

fn setup(home: &Home, shell: &str, arguments: &[&str]) -> Output {
    let mut command = home.command(&["setup"]);
    let output = command.args(arguments).env("SHELL", shell).output().unwrap();
    Output {
        status: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The same at a terminal, with these answers.
fn answered(home: &Home, shell: &str, answers: &str) -> String {
    let shown = home.at_terminal_of(shell, &["setup"], answers);
    assert_eq!(shown.status, 0, "{}", shown.stdout);
    shown.stdout
}

/// Every file and folder below a home with its content, without our own folders.
fn everything(home: &Home) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    fn below(folder: &Path, out: &mut BTreeMap<PathBuf, Option<Vec<u8>>>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let is_ours = path.file_name().is_some_and(|it| it == "taffrail") && path.is_dir();
            if path.is_symlink() || is_ours {
                continue;
            }
            if path.is_dir() {
                out.insert(path.clone(), None);
                below(&path, out);
            } else {
                out.insert(path.clone(), Some(fs::read(path).unwrap()));
            }
        }
    }
    let mut out = BTreeMap::new();
    below(home.root(), &mut out);
    out
}

#[test]
fn a_dry_run_shows_every_step_and_writes_nothing() {
    let home = machine();
    let before = everything(&home);
    for arguments in [&["--dry-run"][..], &["--yes", "--dry-run"]] {
        let told = setup(&home, "/bin/bash", arguments);
        assert_eq!(told.status, 0, "{}", told.stderr);
        for name in ["1/4 hooks", "2/4 service", "3/4 notifications", "4/4 completions"] {
            assert!(told.stdout.contains(name), "{name}: {}", told.stdout);
        }
        let file = home.path(SETTINGS);
        assert!(told.stdout.contains(&format!("+++ {}", file.display())), "{}", told.stdout);
        assert!(told.stdout.contains("Nothing was changed."), "{}", told.stdout);
        assert_eq!(everything(&home), before);
    }
}

#[test]
fn without_a_terminal_or_yes_nothing_is_done() {
    let home = machine();
    let before = everything(&home);
    let told = setup(&home, "/bin/bash", &[]);
    assert_eq!(told.status, 2);
    assert!(told.stderr.contains("--dry-run") && told.stderr.contains("--yes"), "{}", told.stderr);
    assert_eq!(everything(&home), before);
}

#[test]
fn setup_twice_is_once_and_uninstall_returns_every_byte() {
    for (shell, file) in [("/bin/bash", BASH), ("/usr/bin/fish", FISH), ("/bin/zsh", ".zshrc")] {
        let home = machine();
        let before = everything(&home);
        let told = setup(&home, shell, &["--yes"]);
        assert_eq!(told.status, 0, "{}", told.stderr);
        assert!(told.stdout.contains("Next:"), "{}", told.stdout);
        assert!(text(&home, SETTINGS).contains("taffrail"), "hooks");
        assert!(text(&home, file).contains("taffrail"), "{shell}");
        let after = everything(&home);
        let again = setup(&home, shell, &["--yes"]);
        assert_eq!(everything(&home), after, "{shell}: twice is once");
        assert!(again.stdout.matches("already done").count() >= 3, "{}", again.stdout);
        home.ok(&["uninstall", "--yes"]);
        assert_eq!(everything(&home), before, "{shell}");
    }
}

#[test]
fn an_empty_home_has_nothing_to_hook_and_goes_on() {
    let home = Home::new(PROGRAM);
    let told = setup(&home, "", &["--yes"]);
    assert_eq!(told.status, 0, "{}", told.stderr);
    for said in
        ["is on this machine yet", "4/4 completions", "for bash, fish and zsh only", "Next:"]
    {
        assert!(told.stdout.contains(said), "{said}: {}", told.stdout);
    }
}

#[test]
fn a_person_is_asked_at_each_step_and_no_means_no() {
    let home = machine();
    let before = everything(&home);
    let shown = answered(&home, "/bin/bash", "n\n\nwhat\nn\nn\nn\n");
    assert!(shown.contains("Write this? [y/N]"), "{shown}");
    assert_eq!(everything(&home), before);
    // The first file is the first agent's; the others are not touched.
    answered(&home, "/bin/bash", "y\nn\nn\nn\nn\n");
    assert!(text(&home, SETTINGS).contains("taffrail"));
    assert!(!home.path(".codex/hooks.json").exists() && !home.path(BASH).exists());
}

#[test]
fn odd_files_are_left_alone_and_stop_no_other_step() {
    let home = machine();
    home.write("dotfiles/zshrc", "mine");
    home.write(SETTINGS, "{ not json");
    home.remove(".zshrc");
    symlink(home.path("dotfiles/zshrc"), home.path(".zshrc")).unwrap();
    let told = setup(&home, "/bin/zsh", &["--yes"]);
    assert_eq!(told.status, 0, "{}", told.stderr);
    assert_eq!(told.stdout.matches("left alone").count(), 2, "{}", told.stdout);
    assert_eq!(text(&home, SETTINGS), "{ not json");
    assert_eq!(text(&home, "dotfiles/zshrc"), "mine");
    assert!(text(&home, ".codex/hooks.json").contains("taffrail"), "the next agent has its hook");
    home.write(BASH, "complete -F mine taffrail\n");
    let told = setup(&home, "/bin/bash", &["--yes"]);
    assert!(told.stdout.contains("was not written by taffrail"), "{}", told.stdout);
    assert_eq!(text(&home, BASH), "complete -F mine taffrail\n");
}

#[test]
fn what_was_added_since_stays_when_completions_go() {
    let home = machine();
    let before = text(&home, ".zshrc");
    setup(&home, "/bin/zsh", &["--yes"]);
    home.append(".zshrc", "alias t=taffrail\n");
    home.ok(&["uninstall", "--yes"]);
    assert_eq!(text(&home, ".zshrc"), format!("{before}\nalias t=taffrail\n"));
}

#[test]
fn completions_a_person_asked_for_are_done_already() {
    let home = machine();
    home.write(".bashrc", "source <(taffrail completions bash)\n");
    let told = setup(&home, "/bin/bash", &["--yes"]);
    assert!(told.stdout.contains("bash: already done"), "{}", told.stdout);
    assert!(!home.path(BASH).exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_service_that_was_started_is_gone_without_a_trace() {
    const UNIT: &str = ".config/systemd/user/taffrail.service";
    const WANTED: &str = ".config/systemd/user/default.target.wants/taffrail.service";
    let home = machine();
    let before = everything(&home);
    let wanted = || {
        fs::create_dir_all(home.path(WANTED).parent().unwrap()).unwrap();
        symlink(home.path(UNIT), home.path(WANTED)).unwrap();
    };
    home.ok(&["service", "install"]);
    wanted();
    home.ok(&["service", "uninstall"]);
    assert!(!home.path(WANTED).is_symlink(), "what `systemctl enable` made");
    assert_eq!(everything(&home), before);
    // The user removed the unit by hand and left the link.
    wanted();
    home.ok(&["uninstall", "--yes"]);
    assert!(!home.path(WANTED).is_symlink(), "a link that leads nowhere");
}
