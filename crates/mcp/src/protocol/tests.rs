//! Each message of a client with its answer.

use super::*;

fn connection() -> Connection {
    Connection::new("1.2", json!([{"name": "search"}]))
}

fn modern(mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "new", "version": "1"},
        "claudecode/toolUseId": "t1",
    });
    params
}

#[expect(clippy::needless_pass_by_value, reason = "each call makes its own")]
fn asked(method: &str, params: Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

fn reply(connection: &mut Connection, line: &str) -> Value {
    match connection.hear(line) {
        Step::Reply(line) | Step::Refuse(_, line) => serde_json::from_str(&line).unwrap(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn initialize_is_answered_in_the_version_of_the_client() {
    let check = |wanted: &str, expected: &str| {
        let got = reply(
            &mut connection(),
            &asked("initialize", json!({"protocolVersion": wanted, "clientInfo": {"name": "x"}})),
        );
        let expected = json!({
            "protocolVersion": expected, "capabilities": {"tools": {}},
            "serverInfo": {"name": "taffrail", "version": "1.2"}, "instructions": INSTRUCTIONS,
        });
        assert_eq!(got["result"], expected);
    };
    check("2025-06-18", "2025-06-18");
    check("2025-11-25", "2025-11-25");
    check("2026-07-28", "2025-11-25");
    check("1999-01-01", "2025-11-25");
}

#[test]
fn discover_lists_the_versions_of_both_eras() {
    let got = reply(&mut connection(), &asked("server/discover", modern(json!({}))));
    assert_eq!(got["result"]["supportedVersions"], json!(VERSIONS));
    assert_eq!(got["result"]["capabilities"], json!({"tools": {}}));
    assert_eq!(got["result"]["resultType"], "complete");
}

#[test]
fn each_era_has_its_own_form_of_a_list() {
    let old = reply(&mut connection(), &asked("tools/list", json!({})));
    assert_eq!(old["result"], json!({"tools": [{"name": "search"}]}));
    let new = reply(&mut connection(), &asked("tools/list", modern(json!({}))));
    let expected = json!({
        "resultType": "complete", "tools": [{"name": "search"}], "ttlMs": 0,
        "cacheScope": "private",
    });
    assert_eq!(new["result"], expected);
}

#[test]
fn a_call_carries_its_client_and_its_own_id() {
    let mut connection = connection();
    let given = json!({"name": "search", "arguments": {"query": "x"}});
    let Step::Call(call) = connection.hear(&asked("tools/call", modern(given.clone()))) else {
        panic!("not a call")
    };
    assert_eq!((call.client.as_deref(), call.call.as_deref()), (Some("new"), Some("t1")));
    let answer: Value = serde_json::from_str(&call.answered(Ok("hit".into()))).unwrap();
    let expected = json!({
        "content": [{"type": "text", "text": "hit"}], "isError": false, "resultType": "complete",
    });
    assert_eq!(answer["result"], expected);
    connection.hear(&asked("initialize", json!({"clientInfo": {"name": "old"}})));
    let Step::Call(call) = connection.hear(&asked("tools/call", given)) else {
        panic!("not a call")
    };
    assert_eq!((call.client.as_deref(), call.call.as_deref()), (Some("old"), None));
    let answer: Value = serde_json::from_str(&call.answered(Err("no".into()))).unwrap();
    let expected = json!({"content": [{"type": "text", "text": "no"}], "isError": true});
    assert_eq!(answer["result"], expected);
}

#[test]
fn what_is_not_a_request_of_ours_is_refused() {
    let check = |line: &str, code: i32| {
        assert_eq!(reply(&mut connection(), line)["error"]["code"], code, "{line}");
    };
    check("nonsense", -32700);
    check("[]", -32600);
    check(&asked("approve", json!({})), -32601);
    check(&asked("ping", modern(json!({}))), -32601);
    check(&asked("server/discover", json!({})), -32602);
    check(&asked("tools/call", json!({})), -32602);
    let future = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "2031-01-01"}});
    check(&asked("tools/list", future), -32022);
}

#[test]
fn notifications_and_answers_are_met_with_silence() {
    for line in [
        r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#,
        r#"{"jsonrpc": "2.0", "id": 4, "result": {}}"#,
    ] {
        assert_eq!(connection().hear(line), Step::Silence, "{line}");
    }
}
