//! Completions, requested as shells do, and the manual pages.
#![expect(
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use taffrail_testkit::Home;
use taffrail_testkit::claude::{path, talk};

const SHELLS: [&str; 5] = ["bash", "zsh", "fish", "powershell", "elvish"];

fn home() -> Home {
    let home = Home::new(env!("CARGO_BIN_EXE_taffrail"));
    for number in 1..=3 {
        let session = format!("{number}1111111-1111-4111-8111-111111111111");
        home.write(&path(&session), talk(&session, 0, 2));
    }
    home.index();
    home
}

/// The first eight digits of every session's id.
fn ids(home: &Home) -> Vec<String> {
    let sessions = home.sessions();
    sessions.iter().map(|it| it["id"].as_str().unwrap()[..8].to_owned()).collect()
}

/// The completions of a shell for these words, the last of which is being typed.
fn asked(home: &Home, shell: &str, words: &[&str]) -> Vec<String> {
    let mut command = home.command(&[&["--", "taffrail"], words].concat());
    command.env("COMPLETE", shell).env("_CLAP_IFS", "\n");
    command.env("_CLAP_COMPLETE_INDEX", words.len().to_string());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn ids_of_sessions_are_offered_with_their_titles() {
    let home = home();
    let ids = ids(&home);
    for command in ["show", "events", "tail", "export"] {
        let offered = asked(&home, "bash", &[command, ""]);
        let words = ["@last", "@waiting", "."].map(str::to_owned);
        let expected = [words.as_slice(), ids.as_slice()].concat();
        let offered: Vec<_> = offered.into_iter().filter(|it| !it.starts_with('-')).collect();
        assert_eq!(offered, expected, "{command}");
    }
    let id = ids[1].as_str();
    assert_eq!(asked(&home, "bash", &["show", &id[..5]]), [id]);
    let titled = |mark: char| format!("{id}{mark}Prompt number 0000.");
    assert_eq!(asked(&home, "fish", &["show", &id[..5]]), [titled('\t')]);
    assert_eq!(asked(&home, "powershell", &["show", &id[..5]]), [titled('\t')]);
    assert_eq!(asked(&home, "zsh", &["show", &id[..5]]), [titled(':')]);
    assert_eq!(asked(&home, "elvish", &["show", &id[..5]]), [id]);
    let longer = asked(&home, "bash", &["show", &format!("{id}-")]);
    assert_eq!(longer.len(), 1);
    assert_eq!((longer[0].len(), longer[0].starts_with(id)), (36, true));
    assert_eq!(asked(&home, "bash", &["show", "@l"]), ["@last"]);
    assert_eq!(asked(&home, "bash", &["show", "zz"]), [""; 0]);
    assert_eq!(asked(&home, "bash", &["ls", "--agent", "gem"]), ["gemini-cli"]);
}

#[test]
fn nothing_is_read_anew_and_nothing_written() {
    let home = home();
    let files = || {
        ["index.db", "ledger.db", "writer.lock"]
            .map(|name| fs::read(home.path(".local/share/taffrail").join(name)).unwrap())
    };
    let offered = || {
        asked(&home, "elvish", &["show", ""])
            .iter()
            .filter(|it| it.len() == 8 && *it != "@waiting")
            .count()
    };
    let session = "41111111-1111-4111-8111-111111111111";
    home.write(&path(session), talk(session, 0, 2));
    let before = files();
    assert_eq!(offered(), 3, "the new one is not known yet");
    assert!(files() == before, "a file of ours changed");
    home.index();
    assert_eq!(offered(), 4);
}

#[test]
fn a_machine_without_an_index_offers_words_only() {
    let home = Home::new(env!("CARGO_BIN_EXE_taffrail"));
    let offered = asked(&home, "bash", &["show", ""]);
    assert_eq!(offered.iter().filter(|it| !it.starts_with('-')).count(), 3, "{offered:?}");
    assert!(!home.path(".local/share/taffrail").exists());
}

#[test]
fn every_shell_has_a_script_that_asks_this_program() {
    let home = home();
    for shell in SHELLS {
        let script = home.ok(&["completions", shell]);
        assert!(script.contains(env!("CARGO_BIN_EXE_taffrail")), "{shell}: {script}");
        assert!(script.contains("COMPLETE"), "{shell}: {script}");
    }
    assert_eq!(home.run(&["completions", "tcsh"]).status, 2);
}

#[test]
fn bash_completes_with_the_script() {
    let home = home();
    let script = "source <(\"$0\" completions bash); COMP_WORDS=(taffrail show ''); COMP_CWORD=2; \
                  COMP_TYPE=9; _clap_complete_taffrail taffrail '' show; echo \"${COMPREPLY[*]}\"";
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", script, env!("CARGO_BIN_EXE_taffrail")]);
    bash.current_dir(home.root());
    for (name, value) in home.command(&[]).get_envs() {
        value.map(|value| bash.env(name, value));
    }
    let output = bash.output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.starts_with(&format!("@last @waiting . {}", ids(&home).join(" "))), "{said}");
}

#[test]
fn every_command_has_a_page() {
    let home = Home::new(env!("CARGO_BIN_EXE_taffrail"));
    let main = home.ok(&["man"]);
    assert!(main.contains(".TH taffrail 1"), "{main}");
    let output = home.run(&["man", "--out", "pages/man1"]);
    assert_eq!((output.status, output.stdout.as_str()), (0, ""), "{}", output.stderr);
    let folder = home.path("pages/man1");
    assert_eq!(fs::read_to_string(folder.join("taffrail.1")).unwrap(), main);
    for page in ["taffrail-ls.1", "taffrail-export.1", "taffrail-config-set.1"] {
        let text = fs::read_to_string(folder.join(page)).unwrap();
        assert!(page.starts_with("taffrail-config") || text.contains("EXAMPLES"), "{page}");
        let mode = fs::metadata(folder.join(page)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o644, "{page}");
    }
    for name in ["help", "hook", "state", "health"] {
        assert!(!folder.join(format!("taffrail-{name}.1")).exists(), "{name}");
    }
    assert!(main.contains(".SS \"One session\""), "{main}");
}
