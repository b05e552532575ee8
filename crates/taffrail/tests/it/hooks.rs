//! Hooks in the agents' settings: files that others care about, edited carefully.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use taffrail_testkit::{Home, Output};

const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
const SETTINGS: &str = ".claude/settings.json";
const MINE: &str = "{\n  // mine\n  \"theme\": \"dark\" /* x */\n}";

fn with_settings(text: &str) -> Home {
    let home = Home::new(PROGRAM);
    home.write(SETTINGS, text);
    home
}

fn text(home: &Home, below: &str) -> String {
    fs::read_to_string(home.path(below)).unwrap()
}

fn install(home: &Home) -> String {
    home.ok(&["hooks", "install", "--yes"]);
    text(home, SETTINGS)
}

fn state(home: &Home, agent: &str) -> Value {
    let list = home.json(&["hooks", "status", "--agent", agent, "--json"]);
    list["agents"][0]["state"].clone()
}

#[test]
fn in_twice_and_out_leaves_every_byte() {
    let check = |before: &str| {
        let home = with_settings(before);
        let once = install(&home);
        assert_eq!(state(&home, "claude"), "installed");
        assert_eq!(install(&home), once, "twice is once");
        home.ok(&["hooks", "uninstall", "--yes"]);
        assert_eq!(text(&home, SETTINGS), before);
        assert_eq!(state(&home, "claude"), "absent");
    };
    check(MINE);
    check("");
    check(" \r\n\t");
    check("// only a remark");
    check("\u{feff}{\r\n\t\"a\": [ ],\r\n}\r\n");
    check("{ \"hooks\": { \"Stop\": [ ] } }");
    check("{\"hooks\":{},\"hooks\":{ /* later counts */ }}");
    check("{}");
}

#[test]
fn a_file_we_made_goes_again() {
    let home = Home::new(PROGRAM);
    home.write(".claude/projects/x", "");
    home.write(".codex/sessions/x", "");
    home.ok(&["hooks", "install", "--yes"]);
    let codex: Value = serde_json::from_str(&text(&home, ".codex/hooks.json")).unwrap();
    assert_eq!(codex["hooks"]["Stop"][0]["hooks"][0]["command"], format!("{PROGRAM} hook codex"));
    let mode = |below: &str| fs::metadata(home.path(below)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(SETTINGS), 0o600);
    home.ok(&["hooks", "uninstall", "--yes"]);
    assert!(!home.path(SETTINGS).exists() && !home.path(".codex/hooks.json").exists());
}

#[test]
fn what_was_changed_in_between_stays_changed() {
    let home = with_settings(MINE);
    let ours = install(&home);
    home.write(SETTINGS, ours.replace("dark", "light").replace("// mine", "// still mine"));
    home.ok(&["hooks", "uninstall", "--yes"]);
    let expected = MINE.replace("dark", "light").replace("// mine", "// still mine");
    assert_eq!(text(&home, SETTINGS), expected);
}

#[test]
fn hooks_an_agent_wrote_anew_are_found() {
    let home = with_settings("{\"theme\":\"dark\"}");
    let ours: Value = serde_json::from_str(&install(&home)).unwrap();
    home.write(SETTINGS, serde_json::to_string_pretty(&ours).unwrap());
    assert_eq!(state(&home, "claude"), "installed");
    fs::remove_dir_all(home.path(".local/state/taffrail")).unwrap();
    home.ok(&["hooks", "uninstall", "--yes"]);
    let left: Value = serde_json::from_str(&text(&home, SETTINGS)).unwrap();
    assert_eq!(left, serde_json::json!({"theme": "dark"}));
}

#[test]
fn tables_that_hold_hooks_take_ours_too() {
    let home = Home::new(PROGRAM);
    let mine = "# mine\nmodel = \"x\"\n\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"say\"\n# end";
    home.write(".codex/config.toml", mine);
    home.ok(&["hooks", "install", "--yes"]);
    assert!(!home.path(".codex/hooks.json").exists());
    let trusted = "\n[hooks.state.\"x:stop:0:0\"]\ntrusted_hash = \"sha256:1\"\n";
    home.append(".codex/config.toml", trusted);
    assert_eq!(state(&home, "codex"), "installed");
    home.ok(&["hooks", "uninstall", "--yes"]);
    assert_eq!(text(&home, ".codex/config.toml"), format!("{mine}\n{trusted}"));
    home.write(".codex/config.toml", "model = \"x\"\n[hooks.state]\n");
    home.ok(&["hooks", "install", "--yes"]);
    assert!(home.path(".codex/hooks.json").exists(), "trust alone is no hook");
}

#[test]
fn an_agent_calls_once_however_many_files_it_has() {
    let home = Home::new(PROGRAM);
    let mine = "[[hooks.Stop]]\nhooks = [{ type = \"command\", command = \"say\" }]\n";
    home.write(".codex/config.toml", mine);
    home.ok(&["hooks", "install", "--yes"]);
    let tables = text(&home, ".codex/config.toml");
    home.write(".codex/config.toml", "");
    home.ok(&["hooks", "install", "--yes"]);
    home.write(".codex/config.toml", tables);
    home.ok(&["hooks", "install", "--yes"]);
    assert_eq!(text(&home, ".codex/config.toml"), mine);
    assert_eq!(state(&home, "codex"), "installed");
}

#[test]
fn nothing_is_written_unasked() {
    let home = with_settings(MINE);
    let shown = home.ok(&["hooks", "install", "--dry-run"]);
    assert!(shown.contains("+  \"hooks\": {") && shown.contains("PermissionRequest"), "{shown}");
    let refused = home.run(&["hooks", "install"]);
    assert_eq!((refused.status, refused.stdout.as_str()), (2, ""));
    let refused = home.run(&["hooks", "install", "--json"]);
    assert_eq!((refused.status, refused.stdout.as_str()), (2, ""));
    let told = home.json(&["hooks", "install", "--dry-run", "--json"]);
    assert_eq!((&told["done"], &told["files"][0]["agent"]), (&false.into(), &"claude-code".into()));
    assert_eq!(text(&home, SETTINGS), MINE);
    assert!(!home.path(".local/state/taffrail").exists());
}

/// Runs a command at a terminal, where a person answers.
fn answered(home: &Home, arguments: &[&str], answer: &str) -> String {
    let shown = home.at_terminal(arguments, answer);
    assert_eq!(shown.status, 0, "{}", shown.stdout);
    shown.stdout
}

#[test]
fn a_person_is_asked() {
    let home = with_settings(MINE);
    for no in ["n\n", "\n", "what\n", "\u{4}"] {
        let shown = answered(&home, &["hooks", "install"], no);
        assert!(shown.contains("Write this?") && shown.contains("not written"), "{shown}");
        assert_eq!(text(&home, SETTINGS), MINE, "{no:?}");
    }
    answered(&home, &["hooks", "install"], "y\n");
    assert_eq!(state(&home, "claude"), "installed");
    answered(&home, &["hooks", "uninstall"], "yes\n");
    assert_eq!(text(&home, SETTINGS), MINE);
}

fn refused(home: &Home, said: &str) -> Output {
    let output = home.run(&["hooks", "install", "--yes"]);
    assert_eq!((output.status, output.stdout.as_str()), (6, ""), "{}", output.stderr);
    assert!(output.stderr.contains(said), "{}", output.stderr);
    assert!(!home.path(".local/state/taffrail").exists(), "nothing was written");
    output
}

#[test]
fn what_is_not_ours_to_change_is_refused() {
    let home = with_settings("{\n  \"a\": 1\n  \"b\": 2\n}\n");
    refused(&home, "settings.json cannot be read: Expected comma on line 2 column 9");
    let home = with_settings("{\"hooks\": 1}");
    refused(&home, "`hooks` is not an object");
    let home = Home::new(PROGRAM);
    home.write(".claude/settings.json", b"{\"a\": \"\xff\"}");
    refused(&home, "is not UTF-8");
}

#[test]
fn links_and_files_of_others_are_refused() {
    let home = Home::new(PROGRAM);
    home.write("elsewhere.json", MINE);
    home.write(".claude/projects/x", "");
    symlink(home.path("elsewhere.json"), home.path(SETTINGS)).unwrap();
    refused(&home, "is a symbolic link");
    assert_eq!(text(&home, "elsewhere.json"), MINE);
    home.remove(SETTINGS);
    symlink(home.path("nowhere.json"), home.path(SETTINGS)).unwrap();
    refused(&home, "is a symbolic link");
    assert!(!home.path("nowhere.json").exists());
    home.remove(SETTINGS);
    home.write(SETTINGS, MINE);
    // Only root can give a file to another user; otherwise there is no foreign file to test.
    if std::os::unix::fs::chown(home.path(SETTINGS), Some(65534), None).is_ok() {
        refused(&home, "belongs to another user");
    }
}

#[test]
fn mode_stays_and_a_copy_is_kept() {
    let home = with_settings(MINE);
    let mode = |it: u32| {
        fs::set_permissions(home.path(SETTINGS), fs::Permissions::from_mode(it)).unwrap();
        install(&home);
        let got = fs::metadata(home.path(SETTINGS)).unwrap().permissions().mode() & 0o777;
        home.ok(&["hooks", "uninstall", "--yes"]);
        got
    };
    assert_eq!([0o644, 0o600, 0o664].map(mode), [0o644, 0o600, 0o664]);
    let copies = fs::read_dir(home.path(".local/state/taffrail/hooks/before")).unwrap();
    let mut copies: Vec<_> = copies.map(|it| it.unwrap().path()).collect();
    copies.sort();
    assert_eq!(copies.len(), 6);
    assert_eq!(fs::read_to_string(&copies[0]).unwrap(), MINE);
    let mode = fs::metadata(&copies[0]).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let beside = fs::read_dir(home.path(".claude")).unwrap().count();
    assert_eq!(beside, 1, "nothing is left beside the file");
}

/// A path may contain anything that a shell would interpret.
#[test]
fn an_odd_path_is_called_and_nothing_else() {
    let home = Home::new(PROGRAM);
    let folder = home.path("it's \"$(touch pwned)\"; `touch pwned` &");
    fs::create_dir_all(&folder).unwrap();
    let program = folder.join("taffrail");
    symlink(PROGRAM, &program).unwrap();
    home.write(".claude/projects/x", "");
    home.write(".codex/sessions/x", "");
    let run = |words: &[&str]| {
        let environment = home.command(&[]);
        let mut command = Command::new(&program);
        command.args(words).env_clear().current_dir(home.root()).stdin(Stdio::null());
        command.envs(environment.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    run(&["hooks", "install", "--yes"]);
    let command = |below: &str| {
        let settings: Value = serde_json::from_str(&text(&home, below)).unwrap();
        settings["hooks"]["Stop"][0]["hooks"][0].clone()
    };
    let claude = command(SETTINGS);
    assert_eq!(claude["command"], program.to_str().unwrap());
    assert_eq!(claude["args"], serde_json::json!(["hook", "claude-code"]));
    let codex = command(".codex/hooks.json");
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", codex["command"].as_str().unwrap()]).current_dir(home.root()).env_clear();
    let environment = home.command(&[]);
    shell.envs(environment.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut child = shell.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"{}").unwrap();
    assert!(child.wait().unwrap().success());
    let spool = home.path(".local/share/taffrail/journal/spool");
    assert_eq!(fs::read_dir(spool).unwrap().count(), 1);
    assert!(!home.path("pwned").exists());
    run(&["hooks", "uninstall", "--yes"]);
    assert!(!home.path(SETTINGS).exists());
}

#[test]
fn every_call_is_an_absolute_path_with_a_time_limit() {
    let home = with_settings("{}");
    let settings: Value = serde_json::from_str(&install(&home)).unwrap();
    for (event, groups) in settings["hooks"].as_object().unwrap() {
        let call = &groups[0]["hooks"][0];
        assert!(Path::new(call["command"].as_str().unwrap()).is_absolute());
        let expected = if event == "PermissionRequest" { 86_400 } else { 2 };
        assert_eq!(call["timeout"], expected, "{event}");
    }
}

#[test]
fn another_program_is_noticed_and_replaced() {
    let home = with_settings(MINE);
    let ours = install(&home);
    home.write(SETTINGS, ours.replace(PROGRAM, "/old/bin/taffrail"));
    let list = home.json(&["hooks", "--json"]);
    let row = &list["agents"][0];
    assert_eq!(
        (&row["state"], &row["program"]),
        (&"other_program".into(), &"/old/bin/taffrail".into())
    );
    assert_eq!(install(&home), ours);
    home.write(SETTINGS, ours.replace("\"PreCompact\"", "\"PreNothing\""));
    let list = home.json(&["hooks", "--json"]);
    let row = &list["agents"][0];
    assert_eq!(
        (&row["state"], &row["missing"]),
        (&"partly".into(), &serde_json::json!(["PreCompact"]))
    );
    assert_eq!(install(&home), ours);
}

#[test]
fn gemini_counts_its_time_limits_in_milliseconds() {
    let home = Home::new(PROGRAM);
    let (file, before) =
        (".gemini/settings.json", "{\n  // mine\n  \"ui\": { \"theme\": \"x\" }\n}\n");
    home.write(file, before);
    home.ok(&["hooks", "install", "--agent", "gemini-cli", "--yes"]);
    let after = text(&home, file);
    let command = format!("\"command\": \"{PROGRAM} hook gemini-cli\", \"timeout\": 2000");
    for event in ["SessionStart", "BeforeAgent", "BeforeTool", "Notification", "AfterAgent"] {
        assert!(after.contains(&format!("\"{event}\": [")), "{after}");
    }
    assert_eq!(after.matches(&command).count(), 7, "{after}");
    assert_eq!(state(&home, "gemini-cli"), "installed");
    home.ok(&["hooks", "uninstall", "--agent", "gemini-cli", "--yes"]);
    assert_eq!(text(&home, file), before);
    home.write(file, "{\"hooksConfig\": {\"enabled\": false}}");
    let list = home.json(&["hooks", "status", "--agent", "gemini-cli", "--json"]);
    assert!(list["agents"][0]["notes"].to_string().contains("hooksConfig.enabled"), "{list}");
}

#[test]
fn the_folders_made_for_gooses_plugin_go_with_it() {
    let home = Home::new(PROGRAM);
    home.write(".local/share/goose/sessions/x", "");
    home.write(".agents/notes.md", "mine");
    let file = ".agents/plugins/taffrail/hooks/hooks.json";
    home.ok(&["hooks", "install", "--agent", "goose", "--yes"]);
    let hooks: Value = serde_json::from_str(&text(&home, file)).unwrap();
    assert_eq!(hooks["hooks"]["Stop"][0]["hooks"][0]["command"], format!("{PROGRAM} hook goose"));
    assert_eq!(hooks["hooks"]["Stop"][0]["hooks"][0]["timeout"], 2);
    assert_eq!(state(&home, "goose"), "installed");
    home.write(".agents/plugins/other/hooks/hooks.json", "{}");
    home.ok(&["hooks", "uninstall", "--agent", "goose", "--yes"]);
    assert!(!home.path(".agents/plugins/taffrail").exists(), "our folders stay behind");
    assert_eq!(text(&home, ".agents/plugins/other/hooks/hooks.json"), "{}");
    assert_eq!(text(&home, ".agents/notes.md"), "mine");
}

#[test]
fn a_ban_is_told() {
    let home = with_settings("{\"disableAllHooks\": true}");
    let said = home.run(&["hooks", "install", "--yes"]).stderr;
    assert!(said.contains("hooks are switched off (`disableAllHooks`)"), "{said}");
    home.write(".codex/config.toml", "[features]\nhooks = false\n");
    let list = home.json(&["hooks", "status", "--agent", "codex", "--json"]);
    let notes = list["agents"][0]["notes"].to_string();
    assert!(notes.contains("features.hooks") && notes.contains("until you trust them"), "{notes}");
}

#[test]
fn a_plugin_goes_into_an_empty_folder() {
    let home = Home::new(PROGRAM);
    let said = home.json(&["hooks", "plugin", "p", "--json"]);
    assert_eq!(said["advice"].as_array().unwrap().len(), 3, "{said}");
    let read = |below: &str| -> Value { serde_json::from_str(&text(&home, below)).unwrap() };
    assert_eq!(read("p/taffrail/.claude-plugin/plugin.json")["name"], "taffrail");
    let hook = &read("p/taffrail/hooks/hooks.json")["hooks"]["Stop"][0]["hooks"][0];
    assert_eq!(hook["command"], PROGRAM);
    assert_eq!(hook["args"], json!(["hook", "claude-code", "plugin"]));
    let line = &read("p/hooks/hooks.json")["hooks"]["AfterAgent"][0]["hooks"][0];
    assert_eq!(line["command"], format!("{PROGRAM} hook gemini-cli plugin"));
    assert_eq!(read("p/gemini-extension.json")["mcpServers"]["taffrail"]["command"], PROGRAM);
    let again = home.run(&["hooks", "plugin", "p"]);
    assert_eq!((again.status, again.stdout.as_str()), (6, ""));
    home.ok(&["hooks", "plugin", "q", "--agent", "codex"]);
    assert!(home.path("q/.agents/plugins/marketplace.json").exists());
    assert!(!home.path("q/gemini-extension.json").exists(), "a part of another agent");
    assert_eq!(home.run(&["hooks", "plugin", "r", "--agent", "goose"]).status, 6);
}

/// The hook of a plugin keeps silent where the settings already call us.
#[test]
fn a_plugin_leaves_the_call_to_the_settings() {
    let home = with_settings("{}");
    let call = || {
        let mut command = home.command(&["hook", "claude-code", "plugin"]);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"{\"a\": 1}").unwrap();
        assert!(child.wait().unwrap().success());
        let spool = home.path(".local/share/taffrail/journal/spool");
        fs::read_dir(spool).map_or(0, Iterator::count)
    };
    assert_eq!(call(), 1, "without hooks in the settings");
    home.ok(&["hooks", "install", "--agent", "claude-code", "--yes"]);
    assert_eq!(call(), 1, "with hooks in the settings");
    home.ok(&["hooks", "uninstall", "--agent", "claude-code", "--yes"]);
    assert_eq!(call(), 2, "after uninstalling");
}
