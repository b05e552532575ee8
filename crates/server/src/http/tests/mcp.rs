//! MCP over loopback: who is let in, what is answered, and what is noted.

use super::raw::Answer;
use super::{FIRST, Machine};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const JSON: &str = "Content-Type: application/json\r\n";
const MODERN: &str = "MCP-Protocol-Version: 2026-07-28\r\nUser-Agent: lamp/1.0\r\n";

fn machine() -> Machine {
    let machine = Machine::new();
    std::fs::create_dir_all(machine.path("state")).unwrap();
    machine
}

fn message(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).to_string()
}

/// The result of a message in the era without `initialize`.
fn modern(machine: &Machine, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let name = params["name"].as_str().map(|it| format!("Mcp-Name: {it}\r\n")).unwrap_or_default();
    let headers = format!("{JSON}{MODERN}Mcp-Method: {method}\r\n{name}");
    let answer = machine.ask("POST", "/mcp", &headers, &message(method, &params));
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["result"].take()
}

fn call(machine: &Machine, tool: &str, given: &Value) -> String {
    let result = modern(machine, "tools/call", json!({"name": tool, "arguments": given}));
    assert_eq!(result["isError"], false, "{tool}: {result}");
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

#[test]
fn only_who_is_let_in_is_answered() {
    let machine = machine();
    let (token, cookie) = (machine.token(), machine.cookie());
    let body = message("tools/list", &json!({}));
    let check = |method: &str, headers: &str, expected: u16| -> Answer {
        let body = if method == "POST" { &*body } else { "" };
        let answer = machine.plain(method, "/mcp", headers, body);
        assert_eq!(answer.status, expected, "{method} {headers} {answer:?}");
        answer
    };
    let bearer = format!("{JSON}Authorization: Bearer {token}\r\n");
    let listed = check("POST", &bearer, 200).json();
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 7, "{listed}");
    check("POST", JSON, 401);
    check("POST", &format!("{JSON}Authorization: Bearer {}\r\n", "0".repeat(64)), 401);
    check("POST", &format!("{bearer}Origin: http://evil.example\r\n"), 403);
    check("POST", &format!("{bearer}Sec-Fetch-Site: cross-site\r\n"), 403);
    check("POST", &format!("{JSON}Cookie: {cookie}\r\n"), 403);
    check("POST", &bearer.replace("application/json", "text/plain"), 415);
    let alone = format!("Authorization: Bearer {token}\r\n");
    let refused = check("GET", &alone, 405);
    assert!(refused.head.contains("allow: post"), "{refused:?}");
    check("DELETE", &alone, 405);
    // Our own programs have no use for it.
    let own = machine.client().post::<Value>("/mcp", &json!({})).unwrap_err().to_string();
    assert!(own.contains("no such"), "{own}");
}

#[test]
fn both_eras_are_answered_and_each_look_up_is_noted() {
    let machine = machine();
    let hello = json!({"protocolVersion": "2025-06-18", "clientInfo": {"name": "x"}});
    let old = machine.post("/mcp", &message("initialize", &hello));
    assert_eq!(
        (old.status, &old.json()["result"]["protocolVersion"]),
        (200, &hello["protocolVersion"])
    );
    let notice = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    let silent = machine.post("/mcp", &notice);
    assert_eq!((silent.status, &*silent.body), (202, ""));
    let discovered = modern(&machine, "server/discover", json!({}));
    assert_eq!(discovered["supportedVersions"][0], "2026-07-28", "{discovered}");
    let mut tags = BTreeSet::new();
    for (tool, given) in [
        ("search", json!({"query": "prompt"})),
        ("show", json!({"session": FIRST})),
        ("sessions", json!({})),
        ("why", json!({"session": FIRST})),
        ("errors", json!({"text": "no such error"})),
        ("usage", json!({})),
    ] {
        let text = call(&machine, tool, &given);
        let tag = text.split_once("recalled-").and_then(|(_, it)| it.get(..16)).unwrap();
        assert!(tags.insert(tag.to_owned()), "{tag} twice: {text}");
    }
    let found = call(&machine, "search", &json!({"query": "prompt"}));
    assert!(found.contains("claude-jsonl:"), "{found}");
    let noted = taffrail_mcp::lookups(&machine.path("state")).unwrap().lookups;
    let noted: Vec<_> = noted.iter().map(|it| (&*it.tool, it.client.as_deref())).collect();
    let tools = ["search", "show", "sessions", "why", "errors", "usage", "search"];
    assert_eq!(noted, tools.map(|it| (it, Some("lamp"))));
}

#[test]
fn a_tool_acts_on_nothing() {
    let machine = machine();
    let params = json!({"name": "approve", "arguments": {"id": "3f2a"}});
    let answer = machine.post("/mcp", &message("tools/call", &params)).json();
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let before = machine.woken();
    call(&machine, "sessions", &json!({}));
    call(&machine, "search", &json!({"query": "prompt"}));
    let woken = machine.woken();
    let mut new = woken.iter().skip(before.len());
    assert!(new.all(|it| ["settle", "search"].contains(it)), "{woken:?}");
}

#[test]
fn an_excluded_project_counts_at_once() {
    let machine = machine();
    let shown = call(&machine, "sessions", &json!({}));
    assert!(shown.contains("session "), "{shown}");
    let config = "[control]\nscripts = true\n[mcp]\nexclude = [\"/w/app\"]\n";
    std::fs::write(machine.path("config/config.toml"), config).unwrap();
    let hidden = call(&machine, "sessions", &json!({}));
    assert!(!hidden.contains("\nsession "), "{hidden}");
}
