//! The websocket: its messages, their order, and clients that are too slow for it.

use super::golden::finding;
use super::{FIRST, Machine, PATIENCE, SECOND, id};
use crate::http::token::renew_token;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use taffrail_api::{Allowed, FindingChange, FindingMessage};
use taffrail_context::{Update, UpdateKind};
use taffrail_model::Kind;
use taffrail_model::status::Status;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

/// A client of the websocket.
struct Socket {
    runtime: Runtime,
    socket: WebSocketStream<TcpStream>,
}

impl Socket {
    fn open(machine: &Machine) -> Self {
        Self::open_with(machine, &[("authorization", format!("Bearer {}", machine.token()))])
    }

    fn open_with(machine: &Machine, headers: &[(&'static str, String)]) -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let address = machine.address();
        let mut request = format!("ws://{address}/ws").into_client_request().unwrap();
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().unwrap());
        }
        let socket = runtime.block_on(async {
            let stream = TcpStream::connect(address).await.unwrap();
            tokio_tungstenite::client_async(request, stream).await.unwrap().0
        });
        Self { runtime, socket }
    }

    fn say(&mut self, message: &Value) {
        let text = Message::text(message.to_string());
        self.runtime.block_on(self.socket.send(text)).unwrap();
    }

    /// Sends to a client that may have gone away.
    fn try_say(&mut self, message: &Value) {
        let text = Message::text(message.to_string());
        self.runtime.block_on(self.socket.send(text)).ok();
    }

    fn next(&mut self) -> Value {
        let next = async { tokio::time::timeout(PATIENCE, self.socket.next()).await };
        let message = self.runtime.block_on(next).unwrap().unwrap().unwrap();
        serde_json::from_str(message.to_text().unwrap()).unwrap()
    }

    fn ends(&mut self) -> bool {
        let next = async { tokio::time::timeout(PATIENCE, self.socket.next()).await };
        matches!(self.runtime.block_on(next).unwrap(), None | Some(Ok(Message::Close(_)) | Err(_)))
    }
}

#[test]
fn who_is_signed_out_is_told_nothing_more_and_decides_nothing() {
    for with_cookie in [false, true] {
        let machine = Machine::new();
        let origin = ("origin", format!("http://{}", machine.host()));
        let headers = match with_cookie {
            true => vec![("cookie", machine.cookie()), origin, ("host", machine.host())],
            false => vec![("authorization", format!("Bearer {}", machine.token()))],
        };
        let mut socket = Socket::open_with(&machine, &headers);
        socket.say(&json!({"type": "subscribe-stream"}));
        assert_eq!(socket.next()["type"], "stream-init");
        let asks = super::approvals::hook(&machine, super::approvals::body("n1", "rm -rf build"));
        let asked = socket.next();
        assert_eq!(asked["approval"]["command"], "rm -rf build");
        renew_token(&machine.path("token"), [9; 32]).unwrap();
        machine.stands(FIRST, Status::Running);
        let id = asked["approval"]["id"].as_str().unwrap();
        socket
            .try_say(&json!({"type": "approval-decision", "approvalId": id, "decision": "allow"}));
        assert!(socket.ends(), "{headers:?}");
        let open = machine.handle.broker().open_requests();
        assert_eq!(open.iter().filter(|it| it.id.as_str() == id).count(), 1);
        super::approvals::decide(&machine.client(), id, Allowed::Deny).unwrap();
        asks.join().unwrap();
    }
}

#[test]
fn a_subscription_is_a_beginning_and_all_that_follows_in_order() {
    let machine = Machine::new();
    let mut socket = Socket::open(&machine);
    socket.say(&json!({"type": "subscribe-stream", "sessionId": FIRST}));
    let init = socket.next();
    let cursor = machine.cursor(FIRST);
    assert_eq!(init["type"], "stream-init");
    assert_eq!(init["sessionId"], json!(id(FIRST)));
    assert_eq!(init["cursor"], json!(cursor.to_string()));
    assert_eq!(init["events"].as_array().unwrap().len() as u64, cursor.sequence);
    machine.goes_on(SECOND, 2, 4);
    machine.goes_on(FIRST, 6, 30);
    for number in 1..=24 {
        let told = socket.next();
        let at = format!("{}.{}", cursor.generation, cursor.sequence + number);
        assert_eq!((&told["type"], &told["cursor"]), (&json!("stream-event"), &json!(at)));
        assert_eq!(told["event"]["sessionId"], json!(id(FIRST)));
    }
    machine.stands(FIRST, Status::WaitingApproval);
    let told: Vec<_> = (0..3).map(|_| socket.next()).collect();
    assert_eq!(told[0]["type"], "stream-status");
    assert_eq!(told[0]["session"]["status"], "waiting_approval");
    let expected = json!({"type": "session.status", "sessionId": id(FIRST),
        "status": "waiting_approval", "working": false});
    assert_eq!(told[1], expected);
    let expected = json!({"type": "waiting-for-input", "sessionId": id(FIRST),
        "waitingFor": {"kind": "approval", "text": "npm test"}});
    assert_eq!(told[2], expected);
}

/// A row with another executor repeated `session.status` and `waiting-for-input`.
#[test]
fn a_row_that_changes_repeats_no_status() {
    let machine = Machine::new();
    let mut socket = Socket::open(&machine);
    socket.say(&json!({"type": "subscribe-stream", "sessionId": FIRST}));
    assert_eq!(socket.next()["type"], "stream-init");
    machine.stands(FIRST, Status::WaitingApproval);
    let told: Vec<_> = (0..3).map(|_| socket.next()["type"].clone()).collect();
    assert_eq!(told, ["stream-status", "session.status", "waiting-for-input"]);
    machine.runs_at(FIRST, Status::WaitingApproval, "tmux:%4");
    let row = machine.client().get(&format!("/api/sessions/{}", id(FIRST))).unwrap();
    let what = UpdateKind::Row { row: Box::new(row) };
    machine.handle.live().publish(Update { session: id(FIRST), is_remote: false, what });
    machine.stands(FIRST, Status::Running);
    let told: Vec<_> = (0..2).map(|_| socket.next()).collect();
    assert_eq!((&told[0]["type"], &told[1]["type"]), (&json!("stream-status"), &told[0]["type"]));
    assert_eq!(told[0]["session"]["executor"], "tmux:%4");
    assert_eq!(told[1]["session"]["status"], "running");
}

#[test]
fn a_cursor_goes_on_where_it_stopped() {
    let machine = Machine::new();
    let cursor = machine.cursor(FIRST).to_string();
    machine.goes_on(FIRST, 6, 8);
    let mut socket = Socket::open(&machine);
    socket.say(&json!({"type": "subscribe-stream", "sessionId": FIRST, "after": cursor}));
    let init = socket.next();
    assert_eq!((&init["snapshot"], init["events"].as_array().unwrap().len()), (&json!(false), 2));
    socket
        .say(&json!({"type": "subscribe-stream", "sessionId": FIRST, "after": "g.1", "limit": 3}));
    let init = socket.next();
    assert_eq!((&init["snapshot"], init["events"].as_array().unwrap().len()), (&json!(true), 3));
}

#[test]
fn who_subscribes_to_all_hears_of_all_until_it_had_enough() {
    let machine = Machine::new();
    machine.stands(FIRST, Status::Running);
    let mut socket = Socket::open(&machine);
    socket.say(&json!({"type": "subscribe-stream"}));
    let init = socket.next();
    assert_eq!(
        (&init["type"], init["sessions"].as_array().unwrap().len()),
        (&json!("stream-init"), 1)
    );
    machine.goes_on(SECOND, 2, 3);
    // The status of the first was published before, and may arrive late.
    let mut next = socket.next();
    while next["sessionId"] == json!(id(FIRST)) {
        next = socket.next();
    }
    assert_eq!(next["event"]["text"], "Prompt number 0002.");
    let exited = machine.made_up(Kind::SessionExited, "");
    let what = UpdateKind::Event { line: exited, cursor: "g.1".to_owned() };
    machine.handle.live().publish(Update { session: id(SECOND), is_remote: false, what });
    assert_eq!(socket.next()["type"], "capture-event");
    socket.say(&json!({"type": "unsubscribe-stream"}));
    socket.say(&json!({"type": "nothing"}));
    assert_eq!(socket.next()["type"], "error");
    machine.goes_on(SECOND, 3, 4);
    socket.say(&json!({"type": "subscribe-stream", "sessionId": SECOND}));
    assert_eq!(socket.next()["type"], "stream-init");
}

#[test]
fn a_finding_that_comes_or_goes_is_told() {
    let machine = Machine::new();
    let mut socket = Socket::open(&machine);
    socket.say(&json!({"type": "subscribe-stream", "sessionId": FIRST}));
    assert_eq!(socket.next()["type"], "stream-init");
    for (session, change) in [(SECOND, FindingChange::Appeared), (FIRST, FindingChange::Withdrawn)]
    {
        let message = Box::new(FindingMessage { change, finding: finding(session) });
        machine.handle.live().publish(Update {
            session: id(session),
            is_remote: false,
            what: UpdateKind::Finding { message },
        });
    }
    let mut told = serde_json::to_value(FindingMessage {
        change: FindingChange::Withdrawn,
        finding: finding(FIRST),
    })
    .unwrap();
    told["type"] = "finding".into();
    told["sessionId"] = id(FIRST).to_string().into();
    assert_eq!(socket.next(), told);
}

#[test]
fn what_is_not_understood_is_told_and_the_socket_stays_open() {
    let machine = Machine::new();
    let mut socket = Socket::open(&machine);
    let mut check = |message: Value, about: Value, kind: &str| {
        socket.say(&message);
        let told = socket.next();
        assert_eq!((&told["type"], &told["about"]), (&json!("error"), &about), "{message}");
        assert_eq!(told["error"]["kind"], kind, "{message}");
    };
    check(json!("words"), Value::Null, "usage");
    check(json!({}), Value::Null, "usage");
    check(json!({"type": "dance"}), json!("dance"), "usage");
    check(json!({"type": "approval-decision", "allow": true}), json!("approval-decision"), "usage");
    check(
        json!({"type": "approval-decision", "approvalId": "ffff", "decision": "allow"}),
        json!("approval-decision"),
        "not_found",
    );
    let name = "subscribe-stream";
    check(json!({"type": name, "sessionId": "zzzz"}), json!(name), "not_found");
    check(json!({"type": name, "session": FIRST}), json!(name), "usage");
    check(json!({"type": name, "sessionId": FIRST, "limit": -1}), json!(name), "usage");
    socket.runtime.block_on(socket.socket.send(Message::binary(vec![1, 2]))).unwrap();
    assert_eq!(socket.next()["type"], "error");
    socket.say(&json!({"type": name, "sessionId": FIRST}));
    assert_eq!(socket.next()["type"], "stream-init");
}

#[test]
fn a_message_that_is_too_long_ends_it() {
    let machine = Machine::new();
    let mut socket = Socket::open(&machine);
    let long = Message::text("x".repeat(100 * 1024));
    // The other side may hang up before everything is written.
    socket.runtime.block_on(socket.socket.send(long)).ok();
    assert!(socket.ends());
}

#[test]
fn who_is_too_slow_is_told_and_goes_on_from_a_snapshot() {
    let machine = Machine::new();
    let mut socket = Socket::open(&machine);
    socket.say(&json!({"type": "subscribe-stream", "sessionId": FIRST}));
    assert_eq!(socket.next()["type"], "stream-init");
    let cursor = machine.cursor(FIRST);
    let line = machine.made_up(Kind::Notice, &"x".repeat(64 * 1024));
    // Their cursors follow the beginning, so all of them are forwarded.
    let after = format!("{}.{}", cursor.generation, cursor.sequence + 1);
    for _ in 0..4_000 {
        let what = UpdateKind::Event { line: line.clone(), cursor: after.clone() };
        machine.handle.live().publish(Update { session: id(FIRST), is_remote: false, what });
    }
    machine.goes_on(FIRST, 6, 9);
    let end = machine.cursor(FIRST).to_string();
    let (mut messages, mut lagged, mut behind) = (0, 0, false);
    loop {
        let message = socket.next();
        messages += 1;
        let name = message["type"].as_str().unwrap();
        // A client that is told it fell behind receives a beginning next.
        assert_eq!((name, &message["snapshot"]) == ("stream-init", &json!(true)), behind);
        behind = name == "stream-lagged";
        lagged += usize::from(behind);
        if message["cursor"] == json!(end) {
            break;
        }
    }
    assert!(lagged > 0 && messages < 4_000, "{lagged} {messages}");
    machine.goes_on(FIRST, 9, 11);
    assert_eq!(socket.next()["event"]["text"], "Answer number 0009.");
}

#[test]
fn sockets_end_with_the_daemon() {
    let mut machine = Machine::new();
    let mut socket = Socket::open(&machine);
    socket.say(&json!({"type": "subscribe-stream"}));
    assert_eq!(socket.next()["type"], "stream-init");
    machine.stop_server();
    assert!(socket.ends());
}
