//! Which servers are found, and which files are refused.

use super::*;
use serde_json::json;
use std::fs::{Permissions, create_dir_all, set_permissions, write};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};

const LOCK: &str = "lock.json";
const POINTERS: [&str; 3] = ["/url", "/token", "/pid"];

fn locked(root: &Path, url: &str, pid: u32) {
    let lock = json!({ "url": url, "token": "secret", "pid": pid }).to_string();
    write(root.join(LOCK), lock).unwrap();
    set_permissions(root.join(LOCK), Permissions::from_mode(0o600)).unwrap();
}

fn addresses(found: io::Result<Vec<ServerAddress>>) -> Result<Vec<String>, String> {
    let shown = |it: &ServerAddress| match it {
        ServerAddress::Socket(path) => path.display().to_string(),
        ServerAddress::Port { path, token, .. } => {
            let token = token.as_ref().map_or("-", Token::secret);
            format!("{it}{path} {token}")
        }
    };
    found.map(|it| it.iter().map(shown).collect()).map_err(|it| it.to_string())
}

#[test]
fn an_address_is_on_loopback_or_none() {
    let check = |url: &str, expected: Option<(&str, &str)>| {
        let got = loopback(url).map(|(address, path)| (address.to_string(), path));
        let expected = expected.map(|(address, path)| (address.to_owned(), path));
        assert_eq!(got, expected, "{url}");
    };
    check("ws://127.0.0.1:25463/hub", Some(("127.0.0.1:25463", "/hub")));
    check("ws://localhost:1/hub", Some(("127.0.0.1:1", "/hub")));
    check("ws://[::1]:1", Some(("[::1]:1", "")));
    check("ws://192.168.1.1:25463/hub", None);
    check("ws://127.0.0.1.example.com:1/hub", None);
    check("ws://user@127.0.0.1:1/hub", None);
    check("ws://127.0.0.1:1@example.com/hub", None);
    check("wss://127.0.0.1:1/hub", None);
    check("ws://127.0.0.1/hub", None);
    check("", None);
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_names_a_server_while_its_process_listens() {
    let root = tempfile::tempdir().unwrap();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap();
    let url = format!("ws://{address}/hub");
    let found = || addresses(web_socket(root.path(), LOCK, POINTERS));
    assert_eq!(found(), Ok(vec![]), "no file");
    locked(root.path(), &url, std::process::id());
    assert_eq!(found(), Ok(vec![format!("{address}/hub secret")]));
    let parent = std::os::unix::process::parent_id();
    locked(root.path(), &url, parent);
    assert_eq!(found(), Ok(vec![]), "the process that the file names does not listen");
    locked(root.path(), &url, std::process::id());
    drop(server);
    assert_eq!(found(), Ok(vec![]), "the file outlives its server");
}

#[test]
fn a_file_that_others_can_have_written_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let found = || addresses(web_socket(root.path(), LOCK, POINTERS));
    locked(root.path(), "ws://10.0.0.1:1/hub", 1);
    let refused = Err("lock.json names a server that is not on loopback".to_owned());
    assert_eq!(found(), refused);
    set_permissions(root.path().join(LOCK), Permissions::from_mode(0o666)).unwrap();
    assert_eq!(found(), Err("lock.json can be written by others".to_owned()));
    std::fs::rename(root.path().join(LOCK), root.path().join("other.json")).unwrap();
    symlink(root.path().join("other.json"), root.path().join(LOCK)).unwrap();
    let link = Err("lock.json is a symbolic link below the agent's home".to_owned());
    assert_eq!(found(), link);
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_names_every_server() {
    let root = tempfile::tempdir().unwrap();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap();
    create_dir_all(root.path().join("instances")).unwrap();
    let instance = |name: &str, host: &str, port: u16| {
        let it = json!({ "host": host, "port": port, "pid": std::process::id() }).to_string();
        let path = root.path().join("instances").join(name);
        write(&path, it).unwrap();
        set_permissions(path, Permissions::from_mode(0o600)).unwrap();
    };
    let pointers = ["/host", "/port", "/pid"];
    let found = || addresses(in_folder(root.path(), ("instances", "token"), pointers));
    instance("gone.json", "127.0.0.1", 1);
    instance("elsewhere.json", "0.0.0.0", address.port());
    assert_eq!(found(), Ok(vec![]));
    instance("here.json", "127.0.0.1", address.port());
    assert_eq!(found(), Ok(vec![format!("{address} -")]), "no token");
    write(root.path().join("token"), "secret\n").unwrap();
    set_permissions(root.path().join("token"), Permissions::from_mode(0o600)).unwrap();
    assert_eq!(found(), Ok(vec![format!("{address} secret")]));
}

#[test]
fn a_token_is_not_shown() {
    assert_eq!(format!("{:?}", Token::new("secret")), "Token");
}
