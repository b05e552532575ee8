//! A log of changes to one JSON value: a line sets the whole, sets a part, extends a list or deletes.

use serde_json::Value;

/// The state after all whole lines; `None` if the log does not begin with a state.
pub(super) fn state_of(log: &str) -> Option<Value> {
    let mut state: Option<Value> = None;
    for line in log.lines() {
        // A line that is being written ends what can be read.
        let Ok(mut change) = serde_json::from_str::<Value>(line) else { break };
        let kind = change.get("kind").and_then(Value::as_u64);
        let value = change.get_mut("v").map(Value::take);
        match (kind, &mut state) {
            (Some(0), _) => state = value,
            (Some(1), Some(whole)) => set(whole, &change, value),
            (Some(2), Some(whole)) => extend(whole, &change, value),
            (Some(3), Some(whole)) => delete(whole, &change),
            _ => {}
        }
    }
    state
}

fn keys(change: &Value) -> &[Value] {
    change.get("k").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// The part at these keys. Members that are missing are made; elements are not.
fn part<'v>(mut here: &'v mut Value, keys: &[Value]) -> Option<&'v mut Value> {
    for key in keys {
        here = match key {
            Value::String(name) => {
                if here.is_null() {
                    *here = Value::Object(serde_json::Map::new());
                }
                here.as_object_mut()?.entry(name.as_str()).or_insert(Value::Null)
            }
            other => here.get_mut(index(other)?)?,
        };
    }
    Some(here)
}

fn index(key: &Value) -> Option<usize> {
    key.as_u64().and_then(|it| usize::try_from(it).ok())
}

fn set(whole: &mut Value, change: &Value, value: Option<Value>) {
    if let Some((Value::Number(_), before)) = keys(change).split_last()
        && let Some(Value::Array(all)) = part(whole, before)
    {
        let at = keys(change).last().and_then(index);
        match at {
            Some(at) if at == all.len() => all.push(value.unwrap_or_default()),
            Some(at) => {
                if let Some(here) = all.get_mut(at) {
                    *here = value.unwrap_or_default();
                }
            }
            None => {}
        }
        return;
    }
    if let Some(here) = part(whole, keys(change)) {
        *here = value.unwrap_or_default();
    }
}

/// Cuts a list at `i`, if it is given, and appends.
fn extend(whole: &mut Value, change: &Value, value: Option<Value>) {
    let Some(here) = part(whole, keys(change)) else { return };
    if here.is_null() {
        *here = Value::Array(Vec::new());
    }
    let Value::Array(all) = here else { return };
    if let Some(end) = change.get("i").and_then(index) {
        all.truncate(end);
    }
    if let Some(Value::Array(more)) = value {
        all.extend(more);
    }
}

fn delete(whole: &mut Value, change: &Value) {
    let Some((last, before)) = keys(change).split_last() else { return };
    match (part(whole, before), last) {
        (Some(Value::Object(members)), Value::String(name)) => {
            members.remove(name);
        }
        (Some(Value::Array(all)), key) => {
            if let Some(at) = index(key).filter(|at| *at < all.len()) {
                all.remove(at);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn changes_are_applied_in_order() {
        let check =
            |log: &str, expected: Option<Value>| assert_eq!(state_of(log), expected, "{log}");
        let first = r#"{"kind":0,"v":{"a":[1,2,3],"b":{"c":1}}}"#;
        let with = |more: &str| format!("{first}\n{more}\n");
        check(&with(r#"{"kind":1,"k":["b","c"],"v":2}"#), Some(json!({"a":[1,2,3],"b":{"c":2}})));
        check(&with(r#"{"kind":1,"k":["a",1],"v":9}"#), Some(json!({"a":[1,9,3],"b":{"c":1}})));
        check(&with(r#"{"kind":2,"k":["a"],"v":[7],"i":1}"#), Some(json!({"a":[1,7],"b":{"c":1}})));
        check(&with(r#"{"kind":2,"k":["a"],"v":[4]}"#), Some(json!({"a":[1,2,3,4],"b":{"c":1}})));
        check(
            &with(r#"{"kind":2,"k":["d"],"v":[4]}"#),
            Some(json!({"a":[1,2,3],"b":{"c":1},"d":[4]})),
        );
        check(&with(r#"{"kind":3,"k":["b","c"]}"#), Some(json!({"a":[1,2,3],"b":{}})));
        check(&with(r#"{"kind":0,"v":{}}"#), Some(json!({})));
        check(&with(r#"{"kind":1,"k":["b"#), Some(json!({"a":[1,2,3],"b":{"c":1}})));
        check(
            &with(r#"{"kind":1,"k":["a",99,"x"],"v":1}"#),
            Some(json!({"a":[1,2,3],"b":{"c":1}})),
        );
        check("", None);
        check(r#"{"kind":1,"k":["a"],"v":1}"#, None);
    }
}
