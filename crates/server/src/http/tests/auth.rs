//! The token and its file; which requests are accepted.

use super::{Machine, PATIENCE};
use crate::http::token::{Token, renew_token, token};
use std::fs::{Permissions, set_permissions};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::{PermissionsExt, symlink};
use tempfile::TempDir;

#[test]
fn the_right_token_under_each_of_our_names_is_let_in() {
    let machine = Machine::new();
    let (address, token) = (machine.address(), machine.token());
    let port = address.port();
    for (host, more) in [
        (format!("127.0.0.1:{port}"), String::new()),
        (format!("localhost:{port}"), format!("Origin: http://localhost:{port}\r\n")),
        (format!("[::1]:{port}"), "Sec-Fetch-Site: same-origin\r\n".to_owned()),
        (format!("127.0.0.1:{port}"), "Sec-Fetch-Site: none\r\n".to_owned()),
    ] {
        let request = format!(
            "GET /api/health HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n{more}\
             Connection: close\r\n\r\n"
        );
        let answer = super::raw::send(address, &request);
        assert_eq!(answer.status, 200, "{request}\n{answer:?}");
    }
}

#[test]
fn another_token_counts_at_once_and_the_old_one_no_more() {
    let machine = Machine::new();
    let old = machine.token();
    assert_eq!(machine.get("/api/health").status, 200);
    let new = renew_token(&machine.path("token"), [9; 32]).unwrap();
    assert_ne!(old, new);
    assert_eq!(machine.get("/api/health").status, 200);
    let address = machine.address();
    let with = |token: &str| {
        let request = format!(
            "GET /api/health HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\
             Connection: close\r\n\r\n"
        );
        super::raw::send(address, &request).status
    };
    assert_eq!((with(&old), with(&new)), (401, 200));
    std::fs::remove_file(machine.path("token")).unwrap();
    assert_eq!((with(&old), with(&new), with("")), (401, 401, 401));
}

#[test]
fn another_token_ends_streams_and_waits_that_are_open() {
    let machine = Machine::new();
    let (address, mut token) = (machine.address(), machine.token());
    for (number, path) in
        ["/api/stream", "/api/stream/status", "/api/sessions/@last/stream", "/api/wait?timeout=600"]
            .into_iter()
            .enumerate()
    {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\
             Accept: text/event-stream\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        if !path.contains("wait") {
            let mut first = [0; 2048];
            let count = stream.read(&mut first).unwrap();
            let head = String::from_utf8_lossy(&first[..count]).to_lowercase();
            assert!(head.contains("text/event-stream") && !head.contains("gzip"), "{path} {head}");
        }
        token = renew_token(&machine.path("token"), [u8::try_from(number).unwrap(); 32]).unwrap();
        stream.read_to_end(&mut Vec::new()).unwrap_or_else(|it| panic!("{path} {it}"));
    }
}

#[test]
fn a_token_is_made_once_and_only_for_its_user() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("token");
    let made = token(&path, [1; 32]).unwrap();
    assert_eq!(made, "01".repeat(32));
    assert_eq!(token(&path, [2; 32]).unwrap(), made);
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let opened = Token::open(&path, [3; 32]).unwrap();
    assert!(opened.is(made.as_bytes()));
    assert!(!opened.is(b""));
    assert!(!opened.is(&made.as_bytes()[1..]));
}

#[test]
fn a_token_others_could_have_made_is_refused() {
    let folder = TempDir::new().unwrap();
    let check = |name: &str, expected: &str| {
        let path = folder.path().join(name);
        let told = token(&path, [1; 32]).unwrap_err().to_string();
        assert!(told.ends_with(expected), "{told}");
    };
    let real = folder.path().join("real");
    token(&real, [1; 32]).unwrap();
    symlink(&real, folder.path().join("link")).unwrap();
    check("link", "(os error 40)");
    symlink(folder.path().join("nowhere"), folder.path().join("dangling")).unwrap();
    check("dangling", "(os error 40)");
    set_permissions(&real, Permissions::from_mode(0o644)).unwrap();
    check("real", "can be read by others: chmod 600");
    std::fs::write(folder.path().join("short"), "abc").unwrap();
    set_permissions(folder.path().join("short"), Permissions::from_mode(0o600)).unwrap();
    check("short", "holds no token");
}
