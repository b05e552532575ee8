//! Telemetry is accepted only with its token, in any encoding.

use super::Machine;
use super::raw::{Answer, send_bytes};
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use std::io::Write;

const KINDS: [&str; 2] = ["application/json", "application/x-protobuf"];

fn prompt(session: &str) -> Vec<u8> {
    let text = |key: &str, it: &str| json!({"key": key, "value": {"stringValue": it}});
    let record = json!({
        "timeUnixNano": "1794733200000000000",
        "body": {"stringValue": "claude_code.user_prompt"},
        "attributes": [text("session.id", session), text("prompt", "SECRET")],
    });
    json!({"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}).to_string().into_bytes()
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

/// A request, with ways to make it wrong.
struct Posted<'a> {
    method: &'a str,
    path: &'a str,
    host: String,
    token: String,
    headers: &'a str,
    body: &'a [u8],
}

impl Machine {
    fn otel(&self, path: &'static str) -> Posted<'static> {
        let token = std::fs::read_to_string(self.path("otel-token")).unwrap();
        let host = self.server().otel().unwrap().to_string();
        let headers = "Content-Type: application/json\r\n";
        Posted { method: "POST", path, host, token, headers, body: b"{}" }
    }

    fn send_otel(&self, asked: &Posted<'_>) -> Answer {
        let Posted { method, path, host, token, headers, body } = asked;
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\
             Connection: close\r\nContent-Length: {}\r\n{headers}\r\n",
            body.len()
        );
        let address = self.server().otel().unwrap();
        send_bytes(address, &[head.as_bytes(), body].concat())
    }

    /// The spooled journal entries.
    fn spooled(&self) -> Vec<Value> {
        let folder = self.handle.settings().data.join("journal/spool");
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut all: Vec<Value> = files
            .map(|it| serde_json::from_slice(&std::fs::read(it.path()).unwrap()).unwrap())
            .collect();
        all.sort_by_key(|it| it["payload"].to_string());
        all
    }
}

#[test]
fn what_is_sent_is_in_the_journal_without_its_words() {
    let machine = Machine::new();
    let plain = prompt("one");
    let squeezed = packed(&prompt("two"));
    for (headers, body) in [
        ("Content-Type: application/json; charset=utf-8\r\n", &plain),
        ("Content-Type: application/json\r\nContent-Encoding: gzip\r\n", &squeezed),
        // An exporter without a response sends again.
        ("Content-Type: application/json\r\nContent-Encoding: identity\r\n", &plain),
    ] {
        let answer = machine.send_otel(&Posted { headers, body, ..machine.otel("/v1/logs") });
        assert_eq!((answer.status, answer.body.as_str()), (200, "{}"), "{answer:?}");
    }
    let said = machine.spooled();
    let mut nonces: Vec<_> = said.iter().map(|it| it["nonce"].to_string()).collect();
    nonces.sort();
    nonces.dedup();
    assert_eq!(nonces.len(), 2);
    let expected = json!({
        "name": "user_prompt", "at": "2026-11-15T09:00:00Z", "attributes": {"session.id": "one"},
    });
    assert_eq!(said[0]["payload"], expected);
    assert_eq!((&said[0]["via"], &said[0]["agent"]), (&json!("telemetry"), &json!("claude-code")));
}

#[test]
fn every_route_answers_in_the_form_it_was_asked_in() {
    let machine = Machine::new();
    for path in ["/v1/logs", "/v1/metrics", "/v1/traces"] {
        for kind in KINDS {
            let headers = format!("Content-Type: {kind}\r\n");
            let body: &[u8] = if kind == KINDS[0] { b"{}" } else { b"" };
            let asked = Posted { headers: &headers, body, ..machine.otel(path) };
            let answer = machine.send_otel(&asked);
            assert_eq!(answer.status, 200, "{path} {kind}: {answer:?}");
            assert!(answer.head.contains(&format!("content-type: {kind}")), "{answer:?}");
        }
    }
    assert_eq!(machine.spooled(), [Value::Null; 0]);
}

#[test]
fn what_is_wrong_is_refused_and_nothing_is_written_down() {
    let machine = Machine::new();
    let body = prompt("one");
    let good = || Posted { body: &body, ..machine.otel("/v1/logs") };
    let check = |asked: Posted<'_>, expected: u16| {
        let answer = machine.send_otel(&asked);
        let Posted { method, path, host, headers, .. } = asked;
        assert_eq!(answer.status, expected, "{method} {path} {host} {headers}: {answer:?}");
    };
    check(Posted { token: "x".into(), ..good() }, 401);
    check(Posted { token: String::new(), ..good() }, 401);
    check(Posted { token: machine.token(), ..good() }, 401);
    check(Posted { host: "evil.example".into(), ..good() }, 403);
    check(Posted { host: format!("evil.example:{}", machine.address().port()), ..good() }, 403);
    let json = "Content-Type: application/json\r\n";
    let foreign = format!("{json}Origin: http://evil.example\r\n");
    check(Posted { headers: &foreign, ..good() }, 403);
    check(Posted { headers: "", ..good() }, 415);
    check(Posted { headers: "Content-Type: text/plain\r\n", ..good() }, 415);
    let brotli = format!("{json}Content-Encoding: br\r\n");
    check(Posted { headers: &brotli, ..good() }, 415);
    let gzip = format!("{json}Content-Encoding: gzip\r\n");
    check(Posted { headers: &gzip, ..good() }, 400);
    check(Posted { body: b"{\"resourceLogs\": [", ..good() }, 400);
    check(Posted { headers: "Content-Type: application/x-protobuf\r\n", ..good() }, 400);
    check(Posted { method: "GET", ..good() }, 405);
    check(Posted { path: "/api/sessions", ..good() }, 404);
    check(Posted { path: "/v1/logs/", ..good() }, 404);
    assert_eq!(machine.spooled(), [Value::Null; 0]);
    // Its token opens nothing else.
    let asked = good();
    let request = format!(
        "GET /api/sessions HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\
         Connection: close\r\n\r\n",
        machine.address(),
        asked.token
    );
    assert_eq!(super::raw::send(machine.address(), &request).status, 401);
}

#[test]
fn a_body_that_is_too_long_is_refused() {
    let machine = Machine::new();
    let long = vec![b' '; crate::otel::BODY + 1];
    for path in ["/v1/logs", "/v1/traces"] {
        let answer = machine.send_otel(&Posted { body: &long, ..machine.otel(path) });
        assert_eq!(answer.status, 413, "{answer:?}");
    }
}
