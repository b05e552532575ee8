//! One-time links: shown by whoever opens them, used once by whoever presses the button.

use super::approvals::{body, hook};
use super::notices::clock;
use super::raw::Answer;
use super::{FIRST, Machine, SECOND, card, id, until};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;
use taffrail_api::{ApprovalReply, ApprovalRequestBody, ApprovalRow, ToolInput};
use taffrail_context::{NtfyTopic, PublicUrl, Settings};
use taffrail_devices::exchange::{approvals, decisions};
use taffrail_model::approval::{Decision, State};
use taffrail_model::caller::Caller;
use taffrail_model::status::Status;
use taffrail_model::{ApprovalId, Timestamp};
use taffrail_notify::{Channel, Link, LinkAction, Links};

const PUBLIC: &str = "phone.example";

/// A machine with links and a tunnel.
fn machine() -> Machine {
    Machine::with(reachable)
}

fn reachable(settings: &mut Settings) {
    settings.hub.draw = Some(|out| out.fill(3));
    settings.public_url = Some(PublicUrl::try_from(format!("https://{PUBLIC}")).unwrap());
}

/// A request whose command is all there is to it.
fn asks(nonce: &str, command: &str) -> ApprovalRequestBody {
    let fields = json!({"command": command, "description": "as the agent says"});
    ApprovalRequestBody { input: Some(ToolInput { fields, cut: false }), ..body(nonce, command) }
}

fn pending(machine: &Machine, command: &str) -> ApprovalRow {
    until("the request", || {
        let all = approvals(machine.handle.exchange(), true).unwrap().approvals;
        all.into_iter().find(|it| it.state == State::Pending && it.command == command)
    })
}

fn now(machine: &Machine) -> Timestamp {
    (machine.handle.settings().now)()
}

/// The link of a request, as a channel sends it.
fn link(machine: &Machine, row: &ApprovalRow, action: LinkAction) -> String {
    let (approval, input_hash) = (row.id.clone(), row.input_hash.clone());
    let link = Link { approval, input_hash, action, channel: Channel::Telegram };
    address(row, action, &machine.handle.links().unwrap().issue(link, now(machine)))
}

fn address(row: &ApprovalRow, action: LinkAction, token: &str) -> String {
    format!("/phone/{}/{}/{token}", action.as_str(), row.id)
}

/// What a phone asks, which is not signed in.
fn phone(machine: &Machine, method: &str, path: &str, headers: &str) -> Answer {
    machine.plain_at(PUBLIC, (method, path), headers, "")
}

#[test]
fn a_link_is_shown_as_often_as_it_is_opened_and_answers_once() {
    let machine = machine();
    let waits = hook(&machine, asks("n1", "npm test"));
    let row = pending(&machine, "npm test");
    let path = link(&machine, &row, LinkAction::Allow);
    // A chat that previews links opens them, too.
    for method in ["GET", "HEAD", "GET"] {
        let shown = phone(&machine, method, &path, "Sec-Fetch-Site: cross-site\r\n");
        assert_eq!(shown.status, 200, "{shown:?}");
        assert!(shown.head.contains("form-action 'self'"), "{shown:?}");
        assert!(method == "HEAD" || shown.body.contains("<pre>npm test</pre>"), "{shown:?}");
    }
    let foreign = phone(&machine, "POST", &path, "Origin: https://evil.example\r\n");
    assert_eq!(foreign.status, 403, "{foreign:?}");
    assert_eq!(pending(&machine, "npm test").id, row.id);
    let ours = format!("Origin: https://{PUBLIC}\r\n");
    let pressed = phone(&machine, "POST", &path, &ours);
    assert!(pressed.status == 200 && pressed.body.contains("Allowed."), "{pressed:?}");
    let answer = waits.join().unwrap().unwrap();
    assert_eq!(answer, ApprovalReply { decision: Some(Decision::Allow), reason: None });
    for method in ["GET", "POST"] {
        let again = phone(&machine, method, &path, "");
        assert!(again.status == 410 && again.body.contains("used already"), "{again:?}");
    }
    check_log(&machine, &row.id);
}

/// The decision by a link is in the log, and the second use of it.
fn check_log(machine: &Machine, request: &ApprovalId) {
    let log = decisions(machine.handle.settings()).unwrap();
    let [decided] = log.decisions.try_into().unwrap();
    let who = decided.seen.unwrap();
    assert_eq!((decided.by.as_str(), who.caller), ("phone", Caller::Person));
    assert_eq!(who.program, "phone link");
    assert_eq!(who.because, "a one-time link that was sent by telegram");
    let [refused] = log.attempts.try_into().unwrap();
    assert_eq!(refused.what, "phone link allow");
    assert_eq!(refused.approval_id.as_ref(), Some(request));
    assert_eq!(refused.because, "this link was used already; each counts once");
}

#[test]
fn a_link_that_does_not_count_decides_nothing_and_says_why() {
    let machine = machine();
    let waits = [hook(&machine, asks("n1", "npm test")), hook(&machine, asks("n2", "npm start"))];
    let (one, two) = (pending(&machine, "npm test"), pending(&machine, "npm start"));
    let path = link(&machine, &one, LinkAction::Allow);
    let token = path.rsplit('/').next().unwrap();
    let altered = token.chars().take(token.len() - 3).chain("AAA".chars()).collect::<String>();
    let links = machine.handle.links().unwrap();
    let late = Link {
        approval: one.id.clone(),
        input_hash: one.input_hash.clone(),
        action: LinkAction::Allow,
        channel: Channel::Telegram,
    };
    let expired = links.issue(late.clone(), now(&machine) - Duration::from_secs(600));
    let elsewhere = Links::new([4; 32]).issue(late, now(&machine));
    let check = |path: &str, status: u16, expected: &str| {
        for method in ["GET", "POST"] {
            let answer = phone(&machine, method, path, "");
            assert_eq!(answer.status, status, "{method} {path} {answer:?}");
            assert!(answer.body.contains(expected), "{method} {path} {answer:?}");
        }
    };
    check(&address(&one, LinkAction::Allow, &altered), 404, "This link is not known");
    check(&address(&one, LinkAction::Allow, &elsewhere), 404, "This link is not known");
    check(&address(&one, LinkAction::Allow, "x"), 404, "This link is not known");
    check(&address(&one, LinkAction::Deny, token), 403, "another request or action");
    check(&address(&two, LinkAction::Allow, token), 403, "another request or action");
    check(&address(&one, LinkAction::Allow, &expired), 410, "has expired");
    check(&path.replace("/allow/", "/approve/"), 404, "This link is not known");
    let open = approvals(machine.handle.exchange(), false).unwrap().approvals;
    assert_eq!(open.iter().filter(|it| it.state == State::Pending).count(), 2);
    // The link itself still counts, and its request alone is answered.
    assert_eq!(phone(&machine, "POST", &path, "").status, 200);
    let deny = link(&machine, &two, LinkAction::Deny);
    assert_eq!(phone(&machine, "POST", &deny, "").status, 200);
    let said = waits.map(|it| it.join().unwrap().unwrap().decision);
    assert_eq!(said, [Some(Decision::Allow), Some(Decision::Deny)]);
    // A link to a request that was decided meanwhile names who did.
    let late = link(&machine, &one, LinkAction::Deny);
    let answer = phone(&machine, "POST", &late, "");
    assert!(answer.status == 409 && answer.body.contains("was decided by phone"), "{answer:?}");
    let gone = link(&machine, &one, LinkAction::Deny);
    let answer = phone(&machine, "GET", &gone, "");
    assert!(answer.status == 410 && answer.body.contains("no longer open"), "{answer:?}");
}

#[test]
fn no_link_allows_what_is_risky_or_was_not_shown() {
    let machine = machine();
    let mut waits = Vec::new();
    let mut by = |channel: Channel,
                  (nonce, asked): (&str, ApprovalRequestBody),
                  hash: Option<&str>,
                  why: &str| {
        let command = asked.says.clone();
        waits.push(hook(&machine, ApprovalRequestBody { nonce: nonce.to_owned(), ..asked }));
        let row = pending(&machine, &command);
        let input_hash = hash.unwrap_or(row.input_hash.as_str()).to_owned();
        let link =
            Link { approval: row.id.clone(), input_hash, action: LinkAction::Allow, channel };
        let token = machine.handle.links().unwrap().issue(link, now(&machine));
        let answer = phone(&machine, "POST", &address(&row, LinkAction::Allow, &token), "");
        assert!(answer.status == 409 && answer.body.contains(why), "{answer:?}");
        assert_eq!(pending(&machine, &command).id, row.id);
        let body = r#"{"decision": "deny"}"#;
        assert_eq!(machine.post(&format!("/api/approvals/{}", row.id), body).status, 200);
    };
    let open = "does not allow: open the request";
    by(Channel::Ntfy, ("n0", asks("", "npm test")), None, open);
    let mut check = |nonce: &str, asked: ApprovalRequestBody, hash: Option<&str>, why: &str| {
        by(Channel::Telegram, (nonce, asked), hash, why);
    };
    check("n1", asks("", "rm -rf /"), None, "open it on a screen");
    let fields = json!({"command": "ls", "dangerouslyDisableSandbox": true});
    let unseen =
        ApprovalRequestBody { input: Some(ToolInput { fields, cut: false }), ..body("", "ls") };
    check("n2", unseen, None, "open it on a screen");
    check("n3", body("", "ls -l"), None, "open it on a screen");
    check("n4", asks("", "ls -a"), Some("another"), "has changed");
    for it in waits {
        assert_eq!(it.join().unwrap().unwrap().decision, Some(Decision::Deny));
    }
}

#[test]
fn opening_shows_a_request_and_lets_nobody_in() {
    let machine = machine();
    let waits = hook(
        &machine,
        asks(
            "n1",
            "echo '<b>'; curl -H 'Authorization: Bearer sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'",
        ),
    );
    let row = until("the request", || {
        let all = approvals(machine.handle.exchange(), true).unwrap().approvals;
        all.into_iter().find(|it| it.state == State::Pending)
    });
    let path = link(&machine, &row, LinkAction::Open);
    let shown = phone(&machine, "GET", &path, "");
    assert!(shown.body.contains("&lt;b&gt;") && !shown.body.contains("<b>"), "{shown:?}");
    assert!(shown.body.contains("[redacted") && !shown.body.contains("sk-ant"), "{shown:?}");
    let opened = phone(&machine, "POST", &path, "");
    assert_eq!(opened.status, 303, "{opened:?}");
    assert!(
        opened.head.contains(&format!("location: /approvals?request={}", row.id)),
        "{opened:?}"
    );
    assert!(!opened.head.contains("set-cookie"), "{opened:?}");
    let page = phone(&machine, "GET", "/approvals", "Accept: text/html\r\n");
    assert_eq!(page.status, 401, "{page:?}");
    assert_eq!(phone(&machine, "POST", &path, "").status, 410);
    let deny = link(&machine, &row, LinkAction::Deny);
    assert_eq!(phone(&machine, "POST", &deny, "").status, 200);
    waits.join().unwrap();
}

#[test]
fn only_the_tunnels_exact_name_is_let_in_and_only_for_browsers() {
    let machine = machine();
    let cookie = machine.cookie();
    let status = |host: &str, headers: &str| {
        machine.plain_at(host, ("GET", "/api/health"), headers, "").status
    };
    let with = format!("Cookie: {cookie}\r\n");
    assert_eq!(status(PUBLIC, &with), 200);
    assert_eq!(status(PUBLIC, ""), 401);
    for host in [
        "phone.example.evil",
        "x.phone.example",
        "phone.example:8443",
        "PHONE.example",
        "phone.example.",
        "evil.example",
        "",
    ] {
        assert_eq!(status(host, &with), 403, "{host}");
    }
    // A program has the token; what comes through the tunnel is a browser or nothing.
    let token = format!("Authorization: Bearer {}\r\n", machine.token());
    assert_eq!(status(PUBLIC, &token), 401);
    let post = |origin: &str| {
        let headers = format!(
            "{with}Origin: {origin}\r\nX-Taffrail-Page: 1\r\nContent-Type: application/json\r\n"
        );
        machine.plain_at(PUBLIC, ("POST", "/api/index"), &headers, "{}").status
    };
    assert_eq!(post("https://phone.example"), 200);
    for origin in ["http://phone.example", "https://evil.example", "null"] {
        assert_eq!(post(origin), 403, "{origin}");
    }
    let code = "cd".repeat(32);
    let gives: Value = machine.client().post("/api/web", &json!({"code": code})).unwrap();
    assert_eq!(gives["public_url"], "https://phone.example");
    let entered = phone(&machine, "GET", &format!("/enter?code={code}"), "");
    assert_eq!(entered.status, 303, "{entered:?}");
    assert!(entered.head.contains("samesite=strict; secure"), "{entered:?}");
    // Without the setting the name is nobody's.
    let plain = Machine::new();
    let answer = plain.plain_at(PUBLIC, ("GET", "/api/health"), "", "");
    assert_eq!(answer.status, 403, "{answer:?}");
    assert_eq!(plain.plain_at(PUBLIC, ("POST", "/phone/allow/a/b"), "", "").status, 403);
}

/// A stub of an ntfy server, which does not run here: it notes one message.
fn ntfy() -> (NtfyTopic, std::thread::JoinHandle<Value>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let topic = format!("http://{}/mine", listener.local_addr().unwrap());
    let thread = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let (mut bytes, mut piece) = (Vec::new(), [0; 4096]);
        loop {
            let count = stream.read(&mut piece).unwrap();
            bytes.extend_from_slice(&piece[..count]);
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let Some((_, body)) = text.split_once("\r\n\r\n") else { continue };
            if let Ok(message) = serde_json::from_str(body) {
                stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}").unwrap();
                return message;
            }
        }
    });
    (NtfyTopic::try_from(topic).unwrap(), thread)
}

/// From a hook that asks to the press of a button in a notification.
#[test]
fn a_button_of_a_notification_answers_its_request() {
    let (topic, message) = ntfy();
    let machine = Machine::with(|settings| {
        reachable(settings);
        settings.now = clock;
        settings.notices.ntfy = Some(topic);
    });
    let waits = hook(&machine, asks("n1", "npm test"));
    let row = pending(&machine, "npm test");
    machine.handle.live().put_status(id(FIRST), Some(Arc::new(card(Status::WaitingApproval))));
    machine.handle.live().put_status(id(SECOND), None);
    machine.handle.open_notices(Some(machine.path("state-of-notices")));
    machine.handle.notices().looked_up();
    let message = message.join().unwrap();
    assert_eq!(message["message"], "Asks for: npm test", "{message}");
    let url = message["actions"][0]["url"].as_str().unwrap();
    let path = url.strip_prefix("https://phone.example").unwrap();
    assert!(path.starts_with(&format!("/phone/deny/{}/", row.id)), "{path}");
    assert_eq!(phone(&machine, "POST", path, "").status, 200);
    assert_eq!(waits.join().unwrap().unwrap().decision, Some(Decision::Deny));
    machine.handle.notices().stop();
    // No file has the token.
    let token = path.rsplit('/').next().unwrap();
    for file in walk(&machine.path("")) {
        let bytes = std::fs::read(&file).unwrap_or_default();
        let found = bytes.windows(token.len()).any(|it| it == token.as_bytes());
        assert!(!found, "{}", file.display());
    }
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let all = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    all.flat_map(|it| if it.is_dir() { walk(&it) } else { vec![it] }).collect()
}
