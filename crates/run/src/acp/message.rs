//! Reads messages of the Agent Client Protocol: JSON-RPC, one message a line.
//!
//! Only what a pipe acts on is read. Anything else, and anything that is not well-formed, such as a
//! message with the same field twice, is `None` and passes as it is.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::borrow::Cow;
use taffrail_model::approval::Decision;

/// The id of a request.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(untagged)]
pub(super) enum RequestId {
    /// Most agents count.
    Number(i64),
    /// Others draw.
    Text(String),
}

/// A message, by what it asks for.
#[derive(Debug)]
pub(super) enum Message<'a> {
    /// A request: it wants an answer.
    Request(RequestId, Cow<'a, str>, Option<&'a RawValue>),
    /// A notification: it wants none.
    Notification(Cow<'a, str>, Option<&'a RawValue>),
    /// The answer to a request.
    Answer(RequestId, Result<&'a RawValue, &'a RawValue>),
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(default)]
    id: Option<RequestId>,
    #[serde(default, borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    params: Option<&'a RawValue>,
    #[serde(default, borrow)]
    result: Option<&'a RawValue>,
    #[serde(default, borrow)]
    error: Option<&'a RawValue>,
}

/// The message on a line.
pub(super) fn message(line: &[u8]) -> Option<Message<'_>> {
    let it: Envelope<'_> = serde_json::from_slice(line).ok()?;
    Some(match (it.id, it.method, it.result, it.error) {
        (Some(id), Some(method), None, None) => Message::Request(id, method, it.params),
        (None, Some(method), None, None) => Message::Notification(method, it.params),
        (Some(id), None, Some(result), None) => Message::Answer(id, Ok(result)),
        (Some(id), None, None, Some(error)) => Message::Answer(id, Err(error)),
        // An answer of `null` is one, too.
        (Some(id), None, None, None) => Message::Answer(id, Ok(RawValue::NULL)),
        (_, _, _, _) => return None,
    })
}

/// A type that messages hold; `None` for another one.
pub(super) fn read<'a, T: Deserialize<'a>>(raw: Option<&'a RawValue>) -> Option<T> {
    serde_json::from_str(raw?.get()).ok()
}

/// The parameters of `session/request_permission`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PermissionParams {
    pub(super) session_id: String,
    pub(super) tool_call: ToolCall,
    pub(super) options: Vec<PermissionOption>,
}

/// A tool call, whole or as far as it changed.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ToolCall {
    pub(super) tool_call_id: String,
    pub(super) title: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) status: Option<String>,
    pub(super) raw_input: Option<Value>,
    pub(super) locations: Option<Vec<Value>>,
    pub(super) content: Option<Vec<Value>>,
}

/// One way to answer a request.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PermissionOption {
    pub(super) option_id: String,
    pub(super) kind: String,
}

/// The parameters of requests that open a session or prompt it, and the result of `session/new`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SessionParams {
    pub(super) session_id: Option<String>,
    pub(super) cwd: Option<String>,
}

/// The parameters of `session/update`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct UpdateParams {
    pub(super) session_id: String,
    pub(super) update: Value,
}

/// The parameters of `$/cancel_request`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CancelParams {
    pub(super) request_id: RequestId,
}

/// The result of `session/prompt`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PromptResult {
    pub(super) stop_reason: String,
}

/// The result of `session/request_permission`.
#[derive(Debug, Deserialize)]
pub(super) struct PermissionResult {
    outcome: PermissionOutcome,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PermissionOutcome {
    option_id: Option<String>,
}

/// What an answer to a request decides: by the kind of its option.
pub(super) fn decided(
    answer: Result<&RawValue, &RawValue>,
    options: &[PermissionOption],
) -> Option<Decision> {
    let result: PermissionResult = read(Some(answer.ok()?))?;
    let chosen = result.outcome.option_id?;
    let option = options.iter().find(|it| it.option_id == chosen)?;
    match option.kind.as_str() {
        "allow_once" | "allow_always" => Some(Decision::Allow),
        "reject_once" | "reject_always" => Some(Decision::Deny),
        _ => None,
    }
}

/// The option that answers a request once. Nothing is allowed or denied for longer from here.
pub(super) fn option_for<'o>(
    decision: &Decision,
    options: &'o [PermissionOption],
) -> Option<&'o str> {
    let kind = match decision {
        Decision::Allow => "allow_once",
        Decision::Deny => "reject_once",
        Decision::Unknown(_) => return None,
    };
    options.iter().find(|it| it.kind == kind).map(|it| it.option_id.as_str())
}

/// The line that answers a request with an option.
pub(super) fn answer_line(id: &RequestId, option: &str) -> Vec<u8> {
    let outcome = json!({"outcome": {"outcome": "selected", "optionId": option}});
    line(&json!({"jsonrpc": "2.0", "id": value(id), "result": outcome}))
}

/// The line that tells an editor that its answer to a request is not needed any more.
pub(super) fn cancel_line(id: &RequestId) -> Vec<u8> {
    let params = json!({"requestId": value(id)});
    line(&json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": params}))
}

fn value(id: &RequestId) -> Value {
    match id {
        RequestId::Number(number) => (*number).into(),
        RequestId::Text(text) => text.as_str().into(),
    }
}

fn line(message: &Value) -> Vec<u8> {
    format!("{message}\n").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_read_only_where_it_is_well_formed() {
        let check = |line: &str, expected: &str| {
            let got = match message(line.as_bytes()) {
                Some(Message::Request(id, method, _)) => format!("request {id:?} {method}"),
                Some(Message::Notification(method, _)) => format!("notification {method}"),
                Some(Message::Answer(id, Ok(_))) => format!("answer {id:?}"),
                Some(Message::Answer(id, Err(_))) => format!("error {id:?}"),
                None => "none".to_owned(),
            };
            assert_eq!(got, expected, "{line}");
        };
        check(r#"{"jsonrpc":"2.0","id":5,"method":"a/b"}"#, "request Number(5) a/b");
        check(r#"{"method":"a\/b","id":"x","params":{}}"#, r#"request Text("x") a/b"#);
        check(r#"{"method":"a","params":[1]}"#, "notification a");
        check(r#"{"id":5,"result":{}}"#, "answer Number(5)");
        check(r#"{"id":5,"result":null}"#, "answer Number(5)");
        check(r#"{"id":5,"error":{"code":1}}"#, "error Number(5)");
        check(r#"{"id":1,"id":2,"method":"x"}"#, "none");
        check(r#"{"id":18446744073709551616,"method":"x"}"#, "none");
        check(r#"{"id":1.0,"method":"x"}"#, "none");
        check(r#"{"id":5,"method":"x","result":1}"#, "none");
        check(r#"[{"id":5,"method":"x"}]"#, "none");
        check("this is no JSON", "none");
        check("\r\n", "none");
    }

    #[test]
    fn an_answer_names_an_option_of_its_own_kind() {
        let option = |id: &str, kind: &str| PermissionOption {
            option_id: id.to_owned(),
            kind: kind.to_owned(),
        };
        let options = [
            option("forever", "allow_always"),
            option("yes", "allow_once"),
            option("yes and more", "allow_once"),
            option("no", "reject_once"),
        ];
        assert_eq!(option_for(&Decision::Allow, &options), Some("yes"));
        assert_eq!(option_for(&Decision::Deny, &options), Some("no"));
        assert_eq!(option_for(&Decision::Allow, &[option("forever", "allow_always")]), None);
        assert_eq!(option_for(&Decision::Unknown(String::new()), &options), None);
        let check = |answer: &str, expected: Option<Decision>| {
            let line = format!(r#"{{"id":1,{answer}}}"#);
            let Some(Message::Answer(_, answer)) = message(line.as_bytes()) else { panic!() };
            assert_eq!(decided(answer, &options), expected, "{line}");
        };
        let chosen = |id: &str| format!(r#""result":{{"outcome":{{"optionId":"{id}"}}}}"#);
        check(&chosen("forever"), Some(Decision::Allow));
        check(&chosen("no"), Some(Decision::Deny));
        check(&chosen("other"), None);
        check(r#""result":{"outcome":{"outcome":"cancelled"}}"#, None);
        check(r#""error":{"code":-32800}"#, None);
        check(r#""result":null"#, None);
    }

    #[test]
    fn an_answer_is_one_line() {
        let check = |id: RequestId, expected: &str| {
            let line = answer_line(&id, "a\nb");
            assert_eq!(line.iter().filter(|it| **it == b'\n').count(), 1);
            let value: Value = serde_json::from_slice(&line).unwrap();
            assert_eq!(value["id"].to_string(), expected);
            let outcome = json!({"outcome": {"outcome": "selected", "optionId": "a\nb"}});
            assert_eq!(value["result"], outcome);
        };
        check(RequestId::Number(5), "5");
        check(RequestId::Text("d\"7".to_owned()), r#""d\"7""#);
    }
}
