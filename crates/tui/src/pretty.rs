//! Indents JSON without parsing its values: every digit, key and escape stays unchanged.

/// The same JSON with one line per field and element.
#[must_use]
pub fn pretty(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    let mut characters = json.chars().filter(|it| *it != '\r').peekable();
    while let Some(character) = characters.next() {
        if in_text {
            out.push(character);
            in_text = escaped || character != '"';
            escaped = character == '\\' && !escaped;
            continue;
        }
        match character {
            it if it.is_ascii_whitespace() => {}
            '"' => {
                in_text = true;
                out.push(character);
            }
            '{' | '[' => {
                out.push(character);
                while characters.next_if(char::is_ascii_whitespace).is_some() {}
                match characters.next_if(|it| matches!(it, '}' | ']')) {
                    Some(end) => out.push(end),
                    None => {
                        depth += 1;
                        new_line(&mut out, depth);
                    }
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                new_line(&mut out, depth);
                out.push(character);
            }
            ',' => {
                out.push(character);
                new_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            it => out.push(it),
        }
    }
    out
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    #[test]
    fn it_is_written_as_serde_writes_it_and_nothing_is_lost() {
        let check = |json: &str, expected: &str| assert_eq!(pretty(json), expected);
        check("{}", "{}");
        check("[ ]", "[]");
        check(
            r#"{"b":1.10,"a":[12345678901234567890123,{}]}"#,
            "{\n  \"b\": 1.10,\n  \"a\": [\n    12345678901234567890123,\n    {}\n  ]\n}",
        );
        check(r#"{ "a" : "x\\\", : {" }"#, "{\n  \"a\": \"x\\\\\\\", : {\"\n}");
    }

    proptest! {
        #[test]
        fn any_value_is_as_serde_has_it(texts in proptest::collection::vec(".{0,12}", 0..5), flag: bool) {
            let value: Value = json!({ "a": texts, "b": { "c": flag, "d": [] }, "e": [[1, 2.5], null] });
            let expected = serde_json::to_string_pretty(&value).unwrap();
            prop_assert_eq!(&pretty(&value.to_string()), &expected);
            prop_assert_eq!(&pretty(&expected), &expected);
        }
    }
}
