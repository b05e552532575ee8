//! What a page in a browser, another program or another user might try over loopback. All of it
//! must be refused.

use super::Machine;
use super::raw::{Answer, send};
use crate::http::openapi::description;

const METHODS: [&str; 8] = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "QUERY"];
const UPGRADE: &str = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

/// One refused attempt: its headers and the response.
struct Attempt {
    head: String,
    expected: u16,
}

fn attempts(machine: &Machine) -> Vec<Attempt> {
    let address = machine.address();
    let (port, token) = (address.port(), machine.token());
    let good = format!("Authorization: Bearer {token}\r\n");
    let ours = format!("Host: {address}\r\n");
    let mut out = Vec::new();
    let mut add = |head: String, expected| out.push(Attempt { head, expected });
    for host in [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        "127.0.0.1".to_owned(),
        format!("127.0.0.1:{}", port ^ 1),
        format!("127.0.0.2:{port}"),
        format!("localhost.evil.example:{port}"),
        format!("127.0.0.1:{port}.evil.example"),
        format!("LOCALHOST:{port}"),
        format!("0.0.0.0:{port}"),
        String::new(),
    ] {
        add(format!("Host: {host}\r\n{good}"), 403);
    }
    add(format!("{ours}Host: evil.example\r\n{good}"), 403);
    for origin in [
        "null".to_owned(),
        "http://evil.example".to_owned(),
        format!("https://{address}"),
        format!("http://127.0.0.1:{}", port ^ 1),
        format!("http://localhost:{port}.evil.example"),
        "file://".to_owned(),
    ] {
        add(format!("{ours}{good}Origin: {origin}\r\n"), 403);
    }
    for site in ["cross-site", "same-site", "", "none, cross-site"] {
        add(format!("{ours}{good}Sec-Fetch-Site: {site}\r\n"), 403);
    }
    for token in [
        String::new(),
        "Authorization: Bearer \r\n".to_owned(),
        "Authorization: Bearer x\r\n".to_owned(),
        format!("Authorization: Bearer {token}x\r\n"),
        format!("Authorization: Bearer {}\r\n", token.get(..63).unwrap()),
        format!("Authorization: Bearer {}\r\n", token.to_uppercase()),
        format!("Authorization: Basic {token}\r\n"),
        format!("authorization: {token}\r\n"),
        format!("Cookie: token={token}\r\n"),
        format!("{good}Authorization: Bearer x\r\n"),
        format!("X-Forwarded-For: 127.0.0.1\r\nX-Token: {token}\r\n"),
    ] {
        add(format!("{ours}{token}"), 401);
    }
    out
}

fn check(answer: &Answer, expected: u16, request: &str) {
    assert_eq!(answer.status, expected, "{request}\n{answer:?}");
    assert!(!answer.head.contains("access-control-"), "{request}\n{answer:?}");
    for header in ["x-content-type-options: nosniff", "referrer-policy: no-referrer", "default-src"]
    {
        assert!(answer.head.contains(header), "{header}: {request}\n{answer:?}");
    }
}

#[test]
fn a_thousand_hostile_requests_and_none_is_let_in() {
    let machine = Machine::new();
    let address = machine.address();
    let odd = ["/", "/api", "/nothing", "/ws/", "/api/sessions/..%2f..%2fetc"];
    let described = description().paths.paths;
    let paths: Vec<_> = described.keys().map(String::as_str).chain(odd).collect();
    let attempts = attempts(&machine);
    let mut tried = 0;
    for (number, attempt) in attempts.iter().enumerate() {
        for (place, path) in paths.iter().enumerate() {
            let path = path.replace("{id}", "@last");
            // Every route gets every attempt, with a method that changes from one to the next; the
            // websocket always with its upgrade.
            let method = match path.as_str() {
                "/ws" => "GET",
                _ => METHODS[(number + place) % METHODS.len()],
            };
            let ending = if path == "/ws" { UPGRADE } else { "Connection: close\r\n" };
            let head = &attempt.head;
            let request = format!("{method} {path} HTTP/1.1\r\n{head}{ending}\r\n");
            check(&send(address, &request), attempt.expected, &request);
            tried += 1;
        }
    }
    assert!(tried >= 1_000, "only {tried}");
    assert_eq!(machine.woken(), [""; 0], "something was done");
    assert_eq!(machine.get("/api/health").status, 200);
}

#[test]
fn a_target_that_names_another_host_is_refused() {
    let machine = Machine::new();
    let (address, token) = (machine.address(), machine.token());
    for target in ["http://evil.example/api/health", "http://evil.example:80/ws"] {
        let request = format!(
            "GET {target} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\
             Connection: close\r\n\r\n"
        );
        check(&send(address, &request), 403, &request);
    }
}

#[test]
fn bodies_that_are_not_json_change_nothing() {
    let machine = Machine::new();
    for path in description().paths.paths.into_keys() {
        for kind in [
            "",
            "Content-Type: text/plain\r\n",
            "Content-Type: application/x-www-form-urlencoded\r\n",
            "Content-Type: multipart/form-data; boundary=x\r\n",
            "Content-Type: application/jsonp\r\n",
            "Content-Type: application/json\r\nContent-Type: text/plain\r\n",
        ] {
            let path = path.replace("{id}", "@last");
            let answer = machine.ask("POST", &path, kind, "{}");
            check(&answer, 415, &format!("{path} {kind}"));
        }
    }
    assert_eq!(machine.woken(), [""; 0]);
    let answer = machine.ask("DELETE", "/api/receipts/none", "Content-Type: text/plain\r\n", "{}");
    check(&answer, 415, "a DELETE with a body of another kind");
    check(&machine.ask("DELETE", "/api/receipts/none", "", ""), 404, "a DELETE without a body");
    let long = format!("{{\"ids\":[\"{}\"]}}", "x".repeat(1024 * 1024));
    assert_eq!(machine.post("/api/forget", &long).status, 413);
    assert_eq!(machine.woken(), [""; 0]);
}
