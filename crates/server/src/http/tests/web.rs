//! How browsers authenticate, what their cookie opens, and what it does not.

use super::Machine;
use super::raw::{Answer, send};
use crate::http::auth::own_host;
use crate::http::token::Token;
use serde_json::json;

const CODE: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

impl Machine {
    /// A request without the token.
    pub(super) fn plain(&self, method: &str, path: &str, headers: &str, body: &str) -> Answer {
        self.plain_at(&self.host(), (method, path), headers, body)
    }

    /// The name that only authenticated browsers know.
    pub(super) fn host(&self) -> String {
        let token = Token::open(&self.path("token"), super::CHANCE).unwrap();
        own_host(&token, self.address().port()).unwrap()
    }

    /// The same to another name.
    pub(super) fn plain_at(
        &self,
        host: &str,
        (method, path): (&str, &str),
        headers: &str,
        body: &str,
    ) -> Answer {
        let (address, length) = (self.address(), body.len());
        let close = if headers.contains("Upgrade") { "" } else { "Connection: close\r\n" };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\n{close}\
             Content-Length: {length}\r\n{headers}\r\n{body}"
        );
        send(address, &request)
    }

    fn gives_code(&self, code: &str) {
        let body = json!({"code": code, "address": "127.0.0.1:0"});
        let told: serde_json::Value = self.client().post("/api/web", &body).unwrap();
        assert_eq!(told["url"], format!("http://{}", self.host()));
    }

    pub(super) fn cookie(&self) -> String {
        self.gives_code(CODE);
        let answer = self.plain("GET", &format!("/enter?code={CODE}"), "", "");
        assert_eq!(answer.status, 303, "{answer:?}");
        cookie_in(&answer)
    }
}

/// The cookie an answer sets, as a browser sends it back.
fn cookie_in(answer: &Answer) -> String {
    let set = answer.head.lines().find_map(|it| it.strip_prefix("set-cookie: ")).unwrap();
    assert!(set.ends_with("; path=/; max-age=86400; httponly; samesite=strict"), "{set}");
    set.split(';').next().unwrap().to_owned()
}

#[test]
fn a_code_lets_a_browser_in_once() {
    let machine = Machine::new();
    let cookie = machine.cookie();
    let with = format!("Cookie: other=1; {cookie}\r\n");
    assert_eq!(machine.plain("GET", "/api/health", &with, "").status, 200);
    let again = machine.plain("GET", &format!("/enter?code={CODE}"), "", "");
    assert_eq!(again.status, 401, "{again:?}");
    assert_eq!(machine.plain("GET", "/api/health", "", "").status, 401);
}

#[test]
fn a_cookie_is_worth_nothing_under_a_name_that_other_ports_share() {
    let machine = Machine::new();
    let with = format!("Cookie: {}\r\n", machine.cookie());
    let port = machine.address().port();
    let status = |host: &str| machine.plain_at(host, ("GET", "/api/sessions"), &with, "").status;
    assert_eq!(status(&machine.host()), 200);
    for host in ["127.0.0.1", "localhost", "[::1]"] {
        assert_eq!(status(&format!("{host}:{port}")), 401, "{host}");
    }
    let guessed = format!("{}.localhost:{port}", "0".repeat(32));
    assert_eq!(status(&guessed), 401);
    assert_eq!(status(&format!("a.localhost:{port}")), 403);
    // A request to such a name is redirected to our own, and its code is still valid there.
    machine.gives_code(CODE);
    let enter = format!("/enter?code={CODE}");
    let sent = machine.plain_at(&format!("127.0.0.1:{port}"), ("GET", &enter), "", "");
    assert_eq!(sent.status, 307, "{sent:?}");
    assert!(sent.head.contains(&format!("location: http://{}/enter", machine.host())), "{sent:?}");
    assert!(!sent.head.contains("set-cookie"), "{sent:?}");
    assert_eq!(machine.plain("GET", &enter, "", "").status, 303);
}

#[test]
fn a_file_posts_its_code_and_a_page_sends_the_browser_on() {
    let machine = Machine::new();
    machine.gives_code(CODE);
    let form = "Content-Type: application/x-www-form-urlencoded\r\nOrigin: null\r\n\
        Sec-Fetch-Site: cross-site\r\n";
    let foreign = form.replace("null", "http://evil.example");
    let body = format!("code={CODE}");
    assert_eq!(machine.plain("POST", "/enter", &foreign, &body).status, 403);
    assert_eq!(machine.plain("POST", "/enter", form, "code=ff").status, 401);
    let answer = machine.plain("POST", "/enter", form, &body);
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.body.contains("content=\"0;url=/\""), "{answer:?}");
    let with = format!("Cookie: {}\r\n", cookie_in(&answer));
    assert_eq!(machine.plain("GET", "/api/health", &with, "").status, 200);
    assert_eq!(machine.plain("POST", "/enter", form, &body).status, 401);
}

#[test]
fn a_code_is_given_over_the_socket_only() {
    let machine = Machine::new();
    let body = json!({"code": CODE}).to_string();
    assert_eq!(machine.post("/api/web", &body).status, 403);
    let bad = machine.client().post::<serde_json::Value>("/api/web", &json!({"code": "x"}));
    assert!(bad.is_err(), "{bad:?}");
}

#[test]
fn a_cookie_alone_only_reads() {
    let machine = Machine::new();
    let (cookie, address) = (machine.cookie(), machine.host());
    let check = |method: &str, path: &str, headers: &str, expected: u16| {
        let headers = format!("Cookie: {cookie}\r\n{headers}");
        let answer =
            machine.plain(method, path, &headers, if method == "POST" { "{}" } else { "" });
        assert_eq!(answer.status, expected, "{method} {path} {headers} {answer:?}");
    };
    let json = "Content-Type: application/json\r\n";
    let ours = format!("{json}Origin: http://{address}\r\nX-Taffrail-Page: 1\r\n");
    let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    check("GET", "/api/sessions", "", 200);
    check("GET", "/api/sessions", "Origin: http://evil.example\r\n", 403);
    check("GET", "/api/sessions", "Sec-Fetch-Site: same-site\r\n", 403);
    check("POST", "/api/index", json, 403);
    check("POST", "/api/index", &format!("{json}X-Taffrail-Page: 1\r\n"), 403);
    check("POST", "/api/index", &format!("{json}Origin: http://{address}\r\n"), 403);
    check("POST", "/api/index", &ours, 200);
    check("GET", "/ws", upgrade, 403);
    check("GET", "/ws", &format!("{upgrade}Origin: http://evil.example\r\n"), 403);
    check("GET", "/ws", &format!("{upgrade}Origin: http://{address}\r\n"), 101);
}

#[test]
fn a_browser_only_reads_until_its_first_deed_is_confirmed() {
    let machine = Machine::new();
    let (cookie, address) = (machine.cookie(), machine.host());
    let post = |path: &str, headers: &str, body: &str| {
        let json = format!("{headers}Content-Type: application/json\r\n");
        machine.plain("POST", path, &json, body).status
    };
    let page = format!("Cookie: {cookie}\r\nOrigin: http://{address}\r\nX-Taffrail-Page: 1\r\n");
    let rule = r#"{"decision": "deny", "tool": "Bash", "command": "ls *", "dry_run": false}"#;
    assert_eq!(post("/api/rules", &page, rule), 428);
    assert_eq!(post("/api/approvals/3f2a", &page, r#"{"decision": "allow"}"#), 428);
    assert!(!machine.path("config/rules.toml").exists());
    // What is only shown needs no confirmation.
    let controls = format!("/api/sessions/{}/controls", super::id(super::FIRST));
    assert_eq!(post(&format!("{controls}/resume"), &page, r#"{"dry_run": true}"#), 200);
    assert_eq!(post(&format!("{controls}/resume"), &page, r#"{"dry_run": false}"#), 428);
    assert_eq!(post(&format!("{controls}/stop"), &page, r#"{"dry_run": true}"#), 409);
    assert_eq!(post(&format!("{controls}/stop"), &page, r#"{"dry_run": false}"#), 428);
    let start = r#"{"agent": "claude", "folder": "/", "dry_run": false}"#;
    assert_eq!(post("/api/agents/start", &page, start), 428);
    // A cookie alone confirms nothing.
    assert_eq!(post("/api/web/confirm", &format!("Cookie: {cookie}\r\n"), "{}"), 403);
    let token = format!("Authorization: Bearer {}\r\n", machine.token());
    assert_eq!(post("/api/web/confirm", &token, "{}"), 403);
    assert_eq!(post("/api/rules", &page, rule), 428);
    assert_eq!(post("/api/web/confirm", &page, "{}"), 200);
    assert_eq!(post("/api/rules", &page, rule), 200);
}

#[test]
fn a_cookie_ends_with_its_token_and_cannot_be_made_up() {
    let machine = Machine::new();
    let cookie = machine.cookie();
    let (name, value) = cookie.split_once('=').unwrap();
    let (until, mark) = value.split_once('.').unwrap();
    let check = |cookie: &str, expected: u16| {
        let with = format!("Cookie: {name}={cookie}\r\n");
        assert_eq!(machine.plain("GET", "/api/health", &with, "").status, expected, "{cookie}");
    };
    check(value, 200);
    check("", 401);
    check(until, 401);
    check(&format!("{until}."), 401);
    check(&format!("{until}.{}", "0".repeat(mark.len())), 401);
    check(&format!("{}.{mark}", until.parse::<i64>().unwrap() + 1), 401);
    check(&format!("1.{mark}"), 401);
    check(&machine.token(), 401);
    crate::http::renew_token(&machine.path("token"), [7; 32]).unwrap();
    check(value, 401);
}

#[test]
fn a_page_needs_the_cookie_and_says_how_to_get_it() {
    let machine = Machine::new();
    let cookie = format!("Cookie: {}\r\n", machine.cookie());
    let html = "Accept: text/html,application/xhtml+xml\r\n";
    let check = |path: &str, headers: &str, status: u16, expected: &str| {
        let answer = machine.plain("GET", path, headers, "");
        assert_eq!(answer.status, status, "{path} {answer:?}");
        assert!(answer.body.contains(expected), "{path} {answer:?}");
        for header in
            ["default-src 'none'", "trusted-types taffrail-worker", "frame-ancestors 'none'"]
        {
            assert!(answer.head.contains(header), "{header} {answer:?}");
        }
    };
    check("/", html, 401, "taffrail web");
    check("/", "", 401, "error");
    check("/session/@last", html, 401, "taffrail web");
    check("/", &cookie, 200, "<div id=\"app\"");
    check("/session/@last", &cookie, 200, "<div id=\"app\"");
    check("/manifest.webmanifest", &cookie, 200, "icons");
    check("/assets/nothing.js", &cookie, 404, "error");
    check("/assets/..%2findex.html", &cookie, 404, "error");
    check("/nothing", &cookie, 404, "error");
    for page in ["/sessions", "/projects", "/projects/%2Fw%2Fapp"] {
        check(page, &cookie, 200, "<div id=\"app\"");
    }
    let unknown = "href=\"/door.css\"";
    check("/nothing", &format!("{cookie}{html}"), 404, unknown);
    check("/session/a/b/c", &format!("{cookie}{html}"), 404, unknown);
    check("/nothing", html, 401, unknown);
    check("/door.css", "", 200, "prefers-color-scheme");
    check("/api/nothing", &cookie, 404, "error");
    check("/api/nothing", &format!("{cookie}{html}"), 404, "error");
}

#[test]
fn a_long_answer_is_sent_smaller_to_who_takes_that_and_a_stream_never() {
    let machine = Machine::new();
    let check = |path: &str, headers: &str, coding: Option<&str>, varies: bool| {
        let with = format!("{headers}Authorization: Bearer {}\r\n", machine.token());
        let head = machine.plain("GET", path, &with, "").head;
        let named = head.lines().find_map(|it| it.strip_prefix("content-encoding: "));
        assert_eq!(named, coding, "{path} {head}");
        assert_eq!(head.contains("vary: accept-encoding"), varies, "{path} {head}");
    };
    check("/openapi.json", "Accept-Encoding: gzip, br\r\n", Some("gzip"), true);
    check("/openapi.json", "Accept-Encoding: gzip, zstd\r\n", Some("zstd"), true);
    check("/openapi.json", "", None, true);
    check("/api/approvals", "Accept-Encoding: gzip\r\n", None, true);
    check("/icon-512.png", "Accept-Encoding: gzip\r\n", None, false);
}

#[test]
fn a_rule_is_shown_before_it_is_written() {
    let machine = Machine::new();
    let file = machine.path("config/rules.toml");
    let wanted = r#"{"decision": "deny", "tool": "Bash", "command": "git push *"}"#;
    let shown = machine.post("/api/rules", wanted).json();
    assert_eq!((&shown["done"], &shown["number"]), (&json!(false), &json!(1)));
    assert!(shown["diff"].as_str().unwrap().contains("+decision = \"deny\""), "{shown}");
    assert!(!file.exists());
    let sure = wanted.replace('}', r#", "dry_run": false}"#);
    let written = machine.post("/api/rules", &sure).json();
    assert_eq!((&written["done"], &written["rule"]), (&json!(true), &shown["rule"]));
    assert!(std::fs::read_to_string(&file).unwrap().contains("git push *"));
    // A repeat does not add a second rule.
    let again = machine.post("/api/rules", &sure).json();
    assert_eq!(again["number"], 1);
    let rules = machine.get("/api/rules").json();
    assert_eq!(rules["rules"].as_array().unwrap().len(), 1, "{rules}");
    let none = machine.post("/api/rules", r#"{"decision": "perhaps", "tool": "Bash"}"#);
    assert!(none.status >= 400, "{none:?}");
}

#[test]
fn a_hook_is_shown_before_it_is_written() {
    let machine = Machine::new();
    let file = machine.path("home/.claude/settings.json");
    let wanted = r#"{"wish": "install", "agent": "claude-code"}"#;
    let shown = machine.post("/api/hooks", wanted).json();
    assert_eq!(shown["done"], false, "{shown}");
    assert!(shown["files"][0]["diff"].as_str().unwrap().contains("+"), "{shown}");
    assert!(!file.exists());
    let sure = wanted.replace('}', r#", "dry_run": false}"#);
    assert_eq!(machine.post("/api/hooks", &sure).json()["done"], true);
    assert!(std::fs::read_to_string(&file).unwrap().contains("/usr/bin/taffrail"));
    let out = sure.replace("install", "uninstall");
    assert_eq!(machine.post("/api/hooks", &out).json()["done"], true);
    assert!(!file.exists(), "it was not there before");
}
