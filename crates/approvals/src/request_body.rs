//! A request as it is sent to the approval broker.

use serde_json::Value;
use taffrail_adapters::Request;
use taffrail_api::{ApprovalRequestBody, ToolInput};
use taffrail_model::Timestamp;

/// The size limit of a command; rules do not trust a longer one.
const COMMAND: usize = 64 * 1024 + 1;

/// The size limit of one string in an input.
const TEXT: usize = 32 * 1024;
/// The size limit of all strings in an input.
const INPUT: usize = 128 * 1024;
/// The most fields or elements at one place in an input.
const MANY: usize = 256;
/// The depth limit of an input.
const DEEP: usize = 8;

/// Builds the body of a request with this name and time, with somebody present at the agent.
pub fn body_of(request: Request, nonce: &str, asked_at: Timestamp) -> ApprovalRequestBody {
    ApprovalRequestBody {
        nonce: nonce.to_owned(),
        asked_at,
        agent: request.who.agent.as_str().to_owned(),
        session: request.who.id.as_str().to_owned(),
        scope: request.who.scope,
        tool: request.tool,
        command: request.command.map(|it| cut(it, COMMAND)),
        says: cut(request.says, COMMAND),
        input_hash: request.mark,
        project: request.project,
        files: request.files,
        unattended: false,
        input: request.input.map(judged),
        pipe: None,
    }
}

/// Keeps as much of an input as a person can judge, and notes whether something is left out.
fn judged(input: Value) -> ToolInput {
    let mut room = Room { left: INPUT, cut: false };
    let fields = room.take(input, DEEP);
    ToolInput { fields, cut: room.cut }
}

struct Room {
    left: usize,
    cut: bool,
}

impl Room {
    fn take(&mut self, value: Value, deep: usize) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(_) | Value::Object(_) if deep == 0 => self.left_out(),
            Value::Array(all) => {
                let most = all.len().min(MANY);
                self.cut |= most < all.len();
                all.into_iter().take(most).map(|it| self.take(it, deep - 1)).collect()
            }
            Value::Object(all) => {
                self.cut |= all.len() > MANY;
                let named = |(name, it)| (self.text(name), self.take(it, deep - 1));
                Value::Object(all.into_iter().take(MANY).map(named).collect())
            }
            plain @ (Value::Null | Value::Bool(_) | Value::Number(_)) => plain,
        }
    }

    fn text(&mut self, text: String) -> String {
        let whole = text.len();
        let kept = cut(text, self.left.min(TEXT));
        self.cut |= kept.len() < whole;
        self.left = self.left.saturating_sub(kept.len());
        kept
    }

    fn left_out(&mut self) -> Value {
        self.cut = true;
        Value::Null
    }
}

fn cut(mut text: String, most: usize) -> String {
    text.truncate(text.floor_char_boundary(most));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_input_is_told_whole_or_said_to_be_cut() {
        let check = |input: Value, expected: Value, is_cut: bool| {
            let got = judged(input);
            assert_eq!((got.fields, got.cut), (expected, is_cut));
        };
        let edit = json!({"file_path": "/w/a", "old_string": "é", "new_string": "", "all": true});
        check(edit.clone(), edit, false);
        let long = "é".repeat(TEXT);
        check(json!({"content": long}), json!({"content": "é".repeat(TEXT / 2)}), true);
        let deep = (0..20).fold(json!("x"), |inside, _| json!([inside]));
        let shallow = (0..DEEP).fold(Value::Null, |inside, _| json!([inside]));
        check(deep, shallow, true);
        check(json!(vec![1; MANY + 1]), json!(vec![1; MANY]), true);
        let many = judged(json!(vec!["x".repeat(TEXT); 9]));
        assert!(many.cut && many.fields.to_string().len() < INPUT + 100);
    }
}
