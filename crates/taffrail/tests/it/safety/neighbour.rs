//! Another user of this machine answers in the daemon's place. Needs root, to be two users.

use super::{LOOK, PROGRAM};
use serde_json::{Value, json};
use std::fs::{self, Permissions, set_permissions};
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use taffrail_testkit::{Home, until_every};

const VICTIM: u32 = 20_001;
const OTHER: u32 = 20_002;

/// Answers everything with yes, and records what it received. The test itself answers: what counts
/// is the owner of the files, and the peer's user if the files would pass.
fn answering(socket: &Path) -> Arc<Mutex<Vec<u8>>> {
    let listener = UnixListener::bind(socket).unwrap();
    set_permissions(socket, Permissions::from_mode(0o777)).unwrap();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let told = heard.clone();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut bytes = vec![0; 65_536];
            let count = stream.read(&mut bytes).unwrap_or(0);
            told.lock().unwrap().extend_from_slice(&bytes[..count]);
            let body = r#"{"schema_version":1,"decision":"allow","running":true,"approvals":[]}"#;
            let answer = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\
                 Content-Length: {}\r\n\r\n{body}",
                body.len()
            );
            stream.write_all(answer.as_bytes()).ok();
        }
    });
    heard
}

fn own(path: &Path, user: u32) {
    chown(path, Some(user), Some(user)).unwrap();
}

/// The output of the hook.
fn hook(home: &Home) -> String {
    let payload = json!({"session_id": "11111111-1111-4111-8111-111111111111", "cwd": "/w",
        "hook_event_name": "PermissionRequest", "permission_mode": "default", "tool_name": "Bash",
        "tool_input": {"command": "deploy zqhunter22"}});
    let mut hook = home.command(&["hook", "claude-code"]);
    let mut child = hook.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

/// A home of another user whose daemon ran once: its file is left, and the folder of its socket is
/// gone.
fn left_behind() -> Option<(Home, PathBuf)> {
    let mut home = Home::new(PROGRAM);
    if !home.give_to(VICTIM) || home.run(&["--version"]).status != 0 {
        return None;
    }
    let mut run = home.spawn(&["daemon", "run"]);
    let file = home.path(".local/state/taffrail/daemon.json");
    let socket = until_every(LOOK, "the daemon's file", || {
        let text = fs::read_to_string(&file).ok()?;
        let place: Value = serde_json::from_str(&text).ok()?;
        Some(PathBuf::from(place["socket"].as_str()?))
    });
    run.kill();
    fs::remove_dir_all(socket.parent().unwrap()).unwrap();
    Some((home, socket))
}

#[test]
fn a_daemon_of_somebody_else_is_not_believed() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    for way in ["another's folder", "open to others", "a link", "another's file"] {
        let Some((home, socket)) = left_behind() else {
            panic!("the program cannot be run as another user");
        };
        let folder = socket.parent().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        set_permissions(elsewhere.path(), Permissions::from_mode(0o755)).unwrap();
        let heard = match way {
            "another's folder" => {
                fs::create_dir(folder).unwrap();
                own(folder, OTHER);
                answering(&socket)
            }
            "open to others" => {
                fs::create_dir(folder).unwrap();
                own(folder, VICTIM);
                set_permissions(folder, Permissions::from_mode(0o777)).unwrap();
                answering(&socket)
            }
            "a link" => {
                symlink(elsewhere.path(), folder).unwrap();
                answering(&elsewhere.path().join(socket.file_name().unwrap()))
            }
            _ => {
                let other = elsewhere.path().join("s.sock");
                let file = home.path(".local/state/taffrail/daemon.json");
                let text = fs::read_to_string(&file).unwrap();
                let mut place: Value = serde_json::from_str(&text).unwrap();
                place["socket"] = json!(other);
                fs::write(&file, place.to_string()).unwrap();
                own(&file, OTHER);
                answering(&other)
            }
        };
        let said = hook(&home);
        assert_eq!(said, "", "{way}");
        let heard = String::from_utf8_lossy(&heard.lock().unwrap()).into_owned();
        assert!(!heard.contains("zqhunter22"), "{way}: {heard}");
    }
}
