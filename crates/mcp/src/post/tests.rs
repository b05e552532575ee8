//! Each message with its headers, and what the client gets.

use super::*;
use crate::desk::Options;
use crate::lookups::lookups;
use serde_json::json;
use taffrail_model::Timestamp;
use tempfile::TempDir;

const MODERN: Post<'_> = Post {
    body: b"",
    version: Some("2026-07-28"),
    method: Some("tools/call"),
    name: Some("search"),
    agent: Some("lamp-client/1.0 (x)"),
};

/// A desk whose API does not answer: an answer says so.
fn desk(folder: &TempDir) -> Desk {
    Desk::new(Options {
        connect: Box::new(|| Err("no daemon".to_owned())),
        random: Box::new(|| Ok([7; 8])),
        now: || Timestamp::from_second(5).unwrap(),
        state: folder.path().to_owned(),
        here: String::new(),
        exclude: Box::new(|| Ok(Vec::new())),
        version: "1.2",
    })
}

fn modern(method: &str, mut params: Value) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

fn old(method: &str) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"name": "search"}}).to_string()
}

/// The status, and what of the answer counts.
fn check(body: &str, post: Post<'_>, status: u16, pointer: &str, expected: &Value) {
    let folder = TempDir::new().unwrap();
    let reply = desk(&folder).post(&Post { body: body.as_bytes(), ..post });
    let document = reply.body.map_or(Value::Null, |it| serde_json::from_str(&it).unwrap());
    let found = document.pointer(pointer).unwrap_or(&Value::Null);
    assert_eq!((reply.status, found), (status, expected), "{body} {post:?}: {document}");
}

#[test]
fn both_eras_are_answered() {
    let (plain, text) = (Post::default(), "/result/content/0/text");
    let found = json!("no daemon");
    check(&old("initialize"), plain, 200, "/result/protocolVersion", &json!("2025-11-25"));
    check(&old("tools/list"), plain, 200, "/result/tools/6/name", &json!("usage"));
    check(&old("tools/call"), plain, 200, text, &found);
    let with = Post { version: Some("2025-06-18"), ..plain };
    check(&old("tools/call"), with, 200, text, &found);
    let discover = Post { method: Some("server/discover"), name: None, ..MODERN };
    let versions = json!(VERSIONS);
    let body = modern("server/discover", json!({}));
    check(&body, discover, 200, "/result/supportedVersions", &versions);
    let call = modern("tools/call", json!({"name": "search", "arguments": {"query": "x"}}));
    check(&call, MODERN, 200, text, &found);
    check(&call, MODERN, 200, "/result/resultType", &json!("complete"));
}

#[test]
fn a_message_without_a_question_has_no_answer() {
    let notice = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    check(notice, Post::default(), 202, "", &Value::Null);
    check(r#"{"jsonrpc":"2.0","id":4,"result":{}}"#, Post::default(), 202, "", &Value::Null);
}

#[test]
fn what_cannot_be_answered_has_the_status_of_its_error() {
    let code = |body: &str, post: Post<'_>, status: u16, code: i32| {
        check(body, post, status, "/error/code", &json!(code));
    };
    let plain = Post::default();
    code("nonsense", plain, 400, -32700);
    code("[]", plain, 400, -32600);
    code(&old("approve"), plain, 200, -32601);
    code(&old("tools/list"), Post { version: Some("1999-01-01"), ..plain }, 400, -32022);
    code(&old("server/discover"), plain, 400, -32602);
    let call = modern("tools/call", json!({"name": "search"}));
    code(&call, plain, 400, -32020);
    code(&call, Post { version: Some("2025-06-18"), ..MODERN }, 400, -32020);
    code(&call, Post { method: Some("tools/list"), ..MODERN }, 400, -32020);
    code(&call, Post { method: None, ..MODERN }, 400, -32020);
    code(&call, Post { name: Some("show"), ..MODERN }, 400, -32020);
    let other = modern("tools/call", json!({"name": "approve"}));
    code(&other, Post { name: Some("approve"), ..MODERN }, 200, -32602);
    let ping = modern("ping", json!({}));
    code(&ping, Post { method: Some("ping"), ..MODERN }, 404, -32601);
}

#[test]
fn each_look_up_is_logged_with_the_program_that_asked() {
    let folder = TempDir::new().unwrap();
    let desk = desk(&folder);
    let call = modern("tools/call", json!({"name": "search"}));
    let status =
        |body: String, post: Post<'_>| desk.post(&Post { body: body.as_bytes(), ..post }).status;
    assert_eq!(status(call, MODERN), 200);
    assert_eq!(status(old("tools/call"), Post::default()), 200);
    assert_eq!(status(old("tools/list"), Post::default()), 200);
    let all = lookups(folder.path()).unwrap().lookups;
    let all: Vec<_> = all.iter().map(|it| (&*it.tool, it.client.as_deref())).collect();
    assert_eq!(all, [("search", Some("lamp-client")), ("search", None)]);
}
