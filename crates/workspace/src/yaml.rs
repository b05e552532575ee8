//! Parses YAML into values.

use serde_json::Value;

/// Parses one document. The error for invalid YAML or merge conflicts names the line.
///
/// # Errors
/// A sentence about the error.
pub fn read(text: &str) -> Result<Value, String> {
    if let Some(line) = conflict(text) {
        return Err(format!(
            "conflict markers of a merge in line {line}; they are resolved by hand"
        ));
    }
    serde_saphyr::from_str(text).map_err(|error| first_line(&error.to_string()))
}

/// Parses bytes.
pub(crate) fn read_bytes(bytes: &[u8]) -> Result<(String, Value), String> {
    let text = std::str::from_utf8(bytes).map_err(|error| format!("not UTF-8: {error}"))?;
    Ok((text.to_owned(), read(text)?))
}

/// The first line with a merge conflict marker.
pub(crate) fn conflict(text: &str) -> Option<usize> {
    let is_marker = |line: &str| {
        ["<<<<<<<", ">>>>>>>", "|||||||"].iter().any(|it| {
            line.strip_prefix(it).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        }) || line.trim_end() == "======="
    };
    text.lines().position(is_marker).map(|at| at + 1)
}

fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or("no YAML");
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn documents_are_read_or_told() {
        let check = |text: &str, expected: Result<Value, &str>| match (read(text), expected) {
            (Ok(value), Ok(expected)) => assert_eq!(value, expected, "{text}"),
            (Err(told), Err(part)) => assert!(told.contains(part), "{text}: {told}"),
            (got, expected) => panic!("{text}: {got:?}, {expected:?}"),
        };
        check("a: 1\nb: [x, ~]\n", Ok(json!({"a": 1, "b": ["x", null]})));
        check(
            "at: 2025-01-09T10:00:00Z\nv: 1.0",
            Ok(json!({"at": "2025-01-09T10:00:00Z", "v": 1.0})),
        );
        check("", Ok(Value::Null));
        check("a: [broken", Err("line 1"));
        check("a: 1\na: 2\n", Err("line 2"));
        check(
            "x: 1\n<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> x\n",
            Err("conflict markers of a merge in line 2"),
        );
        check("a: '======='\n", Ok(json!({"a": "======="})));
        check("a: 1\n---\nb: 2\n", Err("line"));
    }
}
