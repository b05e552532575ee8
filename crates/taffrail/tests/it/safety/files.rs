//! Our own files and folders: closed to others whoever creates them, and trusted only if they are
//! ours.

use super::PROGRAM;
use std::fs::{Permissions, metadata, set_permissions};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, chown};
use std::process::Stdio;
use taffrail_testkit::Home;

#[test]
fn the_state_folder_is_closed_whoever_makes_it() {
    let home = Home::new(PROGRAM);
    let mut shell = home.any_command("sh".as_ref(), home.root());
    shell.args(["-c", &format!("umask 0; exec {PROGRAM} statusline claude-code")]);
    let mut child = shell.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let told = r#"{"session_id": "s", "context_window": {"context_window_size": 200000,
        "used_percentage": 40, "total_input_tokens": 80000, "total_output_tokens": 100}}"#;
    child.stdin.take().unwrap().write_all(told.as_bytes()).unwrap();
    child.wait().unwrap();
    let state = home.path(".local/state/taffrail");
    let mode = metadata(&state).map(|it| it.permissions().mode() & 0o777);
    assert!(mode.as_ref().is_ok_and(|it| *it == 0o700) || mode.is_err(), "{mode:?}");
    // The daemon closes a folder that was open.
    std::fs::create_dir_all(&state).unwrap();
    set_permissions(&state, Permissions::from_mode(0o777)).unwrap();
    let _run = super::daemon(&home);
    assert_eq!(metadata(&state).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn a_configuration_others_may_write_counts_for_nothing() {
    let home = Home::strict(PROGRAM);
    let file = home.path(".config/taffrail/config.toml");
    home.write(".config/taffrail/config.toml", "[summary]\ncommand = [\"zqevil\"]\n");
    let believed = || home.run(&["config", "get", "summary.command"]).stdout.contains("zqevil");
    set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    assert!(believed());
    set_permissions(&file, Permissions::from_mode(0o666)).unwrap();
    assert!(!believed());
    set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    if rustix::process::geteuid().is_root() {
        chown(&file, Some(20_002), None).unwrap();
        assert!(!believed());
    }
}
