//! A server of an agent that is not ready when the daemon finds it. The test is the server: a real
//! one cannot be made to start slowly at will.

use super::{daemon, end};
use serde_json::json;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use taffrail_testkit::{Home, until};

/// The replies of a server that starts: first to its log-in page, then as it should.
const NOT_READY: &str = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
const READY: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";

fn home_with(server: &TcpListener) -> Home {
    let home = Home::new(super::PROGRAM);
    let port = server.local_addr().unwrap().port();
    let document = json!({ "host": "127.0.0.1", "port": port, "pid": std::process::id() });
    home.write(".kimi-code/server/instances/one.json", document.to_string());
    home.write(".kimi-code/server.token", "secret");
    home.ok(&["config", "set", "agents.kimi-code.server", "true"]);
    home
}

/// Replies to the next request, and returns its first line.
fn reply(server: &TcpListener, reply: &str) -> String {
    let mut stream = until("a request", || server.accept().ok()).0;
    let mut first = String::new();
    BufReader::new(&stream).read_line(&mut first).unwrap();
    stream.write_all(reply.as_bytes()).unwrap();
    first
}

#[test]
fn a_server_that_refused_while_it_started_is_asked_again() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    server.set_nonblocking(true).unwrap();
    let home = home_with(&server);
    let run = daemon(&home);
    let first = reply(&server, NOT_READY);
    assert!(first.starts_with("GET /"), "{first}");
    assert_eq!(reply(&server, NOT_READY), first);
    assert_eq!(reply(&server, READY), first);
    end(run);
}
