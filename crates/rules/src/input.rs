//! A tool's input as rules see it: the command in it, wherever it is, and the fields beside it that
//! could change its meaning.

use serde_json::{Map, Value};

/// Fields that hold a command, as a text or as a list of words.
const COMMANDS: &[&str] = &["command", "cmd", "argv", "script", "commands"];
/// Fields with the arguments of a command that has its own field.
const WORDS: &[&str] = &["args", "arguments"];
/// Fields beside a command that do not change its meaning.
const HARMLESS: &[&str] =
    &["description", "timeout", "timeout_ms", "run_in_background", "justification", "reason"];

/// The shell command in an input, whatever its field is called. Several commands are joined, one a
/// line.
#[must_use]
pub fn command_in(input: &Value) -> Option<String> {
    let fields = input.as_object()?;
    let named = COMMANDS.iter().filter_map(|it| text_of(fields.get(*it)?));
    let all: Vec<String> = named.collect();
    let words: Vec<String> = WORDS.iter().filter_map(|it| text_of(fields.get(*it)?)).collect();
    match all.as_slice() {
        [] => None,
        all => Some([all.join("\n"), words.join(" ")].join(" ").trim_end().to_owned()),
    }
}

/// A text, or a list of words quoted for a shell.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Array(words) => {
            let words: Vec<_> = words.iter().filter_map(Value::as_str).map(quoted).collect();
            (!words.is_empty()).then(|| words.join(" "))
        }
        _ => None,
    }
}

/// Quotes a word so that a shell reads it as one.
fn quoted(word: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "-_./=:,@%+".contains(it);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// The fields beside a command that could change its meaning: a disabled sandbox, an environment, a
/// folder. Fields that are unset or known to be harmless are left out.
#[must_use]
pub fn fields_beside(input: &Value) -> Vec<String> {
    let none = Map::new();
    let fields = input.as_object().unwrap_or(&none);
    let known = |name: &str| [COMMANDS, WORDS, HARMLESS].iter().any(|all| all.contains(&name));
    let is_set = |value: &Value| match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(all) => !all.is_empty(),
        Value::Object(all) => !all.is_empty(),
        Value::Bool(true) | Value::Number(_) => true,
    };
    let beside = fields.iter().filter(|(name, value)| !known(name) && is_set(value));
    beside.map(|(name, _)| name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_command_is_found_wherever_it_is() {
        let check = |input: Value, expected: Option<&str>| {
            assert_eq!(command_in(&input).as_deref(), expected, "{input}");
        };
        check(json!({"command": "git push"}), Some("git push"));
        check(json!({"cmd": "git push -f"}), Some("git push -f"));
        check(json!({"argv": ["git", "push", "-f"]}), Some("git push -f"));
        check(json!({"script": "true\ngit push"}), Some("true\ngit push"));
        check(json!({"command": ["bash", "-lc", "git push"]}), Some("bash -lc 'git push'"));
        check(json!({"command": "git", "args": ["push", "-f"]}), Some("git push -f"));
        check(json!({"command": "a", "script": "b"}), Some("a\nb"));
        check(json!({"argv": ["echo", "it's"]}), Some(r"echo 'it'\''s'"));
        check(json!({"file_path": "/a", "content": "git push"}), None);
        check(json!({"command": ""}), None);
        check(json!("git push"), None);
    }

    #[test]
    fn what_could_change_the_meaning_is_named() {
        let check = |input: Value, expected: &[&str]| {
            assert_eq!(fields_beside(&input), expected, "{input}");
        };
        check(json!({"command": "ls", "description": "look", "timeout": 9}), &[]);
        check(json!({"command": "ls", "dangerouslyDisableSandbox": false}), &[]);
        let off = json!({"command": "ls", "dangerouslyDisableSandbox": true});
        check(off, &["dangerouslyDisableSandbox"]);
        check(json!({"command": "ls", "env": {"PATH": "/x"}, "cwd": "/"}), &["cwd", "env"]);
    }
}
