//! The row of a session.

use serde_json::Value;
use taffrail_kit::Speaker;
use taffrail_kit::json::{microdollars, nested, text, time};
use taffrail_model::TitleRank;

/// Default names, given before the session has content.
const DEFAULT_NAMES: [&str; 3] = ["CLI Session", "New Chat", "ACP Session"];

/// Reads the row; `None` if it is not an object.
pub(super) fn read(row: &[u8], speaker: &mut Speaker<'_, '_>) -> Option<()> {
    let row = serde_json::from_slice(row).ok().filter(Value::is_object)?;
    say(&row, speaker);
    Some(())
}

fn say(row: &Value, speaker: &mut Speaker<'_, '_>) {
    // The session's own row shares no numbering with the messages.
    speaker.id("session");
    speaker.at(time(row, "/created_at"));
    speaker.cwd(text(row, "/working_dir"));
    if let Some((rank, name)) = title(row) {
        speaker.title(rank, Some(name));
    }
    if let Some(parent) = text(row, "/parent_session_id") {
        speaker.child_of(parent);
    }
    let facts = speaker.facts();
    facts.model = model(row).or(facts.model.take());
    facts.cost_microdollars = facts.cost_microdollars.max(microdollars(row, "/accumulated_cost"));
    speaker.started(None, text(row, "/session_type"));
}

fn model(row: &Value) -> Option<String> {
    let config = nested(row, "/model_config_json")?;
    text(&config, "/model_name").map(str::to_owned)
}

/// The name, or the field that older versions used instead.
fn title(row: &Value) -> Option<(TitleRank, &str)> {
    let name = text(row, "/name").or(text(row, "/description"))?;
    if is_set(row.get("user_set_name")) {
        return Some((TitleRank::Given, name));
    }
    (!DEFAULT_NAMES.contains(&name)).then_some((TitleRank::Generated, name))
}

/// A boolean, which SQLite stores as a number.
fn is_set(flag: Option<&Value>) -> bool {
    flag.is_some_and(|it| it.as_bool() == Some(true) || it.as_i64().is_some_and(|it| it != 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_name_is_ranked_by_who_gave_it() {
        let check = |row: Value, expected: Option<(TitleRank, &str)>| {
            assert_eq!(title(&row), expected, "{row}");
        };
        check(json!({"name": "a", "user_set_name": 1}), Some((TitleRank::Given, "a")));
        check(json!({"name": "a", "user_set_name": true}), Some((TitleRank::Given, "a")));
        check(json!({"name": "a", "user_set_name": 0}), Some((TitleRank::Generated, "a")));
        check(json!({"name": "", "description": "b"}), Some((TitleRank::Generated, "b")));
        check(json!({"name": "CLI Session", "user_set_name": false}), None);
        check(json!({}), None);
    }
}
