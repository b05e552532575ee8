//! The conversation for others to read: known kinds of secrets are removed, and paths are reduced.

use crate::error::DevicesError;
use serde_json::Value;
use std::path::Path;
use taffrail_context::{Settings, Target};
use taffrail_model::redact::redact_value;
use taffrail_query::{Piece, export_one};
use taffrail_store::SessionRow;

/// Paths and their replacements, longest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reduce(Vec<(String, String)>);

impl Reduce {
    /// Replaces the project's path by its name, and the user's home by `~`.
    pub fn of(project: Option<&str>, user_home: &Path) -> Self {
        let name =
            |path: &str| Path::new(path).file_name().map(|it| it.to_string_lossy().into_owned());
        let project = project.and_then(|path| Some((path.to_owned(), format!("/{}", name(path)?))));
        let home = (user_home.to_string_lossy().into_owned(), "~".to_owned());
        let all = project.into_iter().chain([home]);
        Self(all.filter(|(path, _)| path.len() > 1).collect())
    }

    /// Removes secrets and reduces paths in every string of a document.
    pub(super) fn document(&self, value: &mut Value) {
        redact_value(value);
        self.walk(value);
    }

    /// Reduces paths in every string of a document.
    pub fn walk(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.text(text),
            Value::Array(all) => all.iter_mut().for_each(|it| self.walk(it)),
            Value::Object(fields) => {
                let all = std::mem::take(fields);
                fields.extend(all.into_iter().map(|(name, mut value)| {
                    self.walk(&mut value);
                    (self.text(&name), value)
                }));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Reduces paths in a text.
    pub fn text(&self, text: &str) -> String {
        let start = text.to_owned();
        self.0.iter().fold(start, |text, (path, word)| text.replace(path, word))
    }
}

/// Every event of a session, one per line.
pub(super) fn events(
    settings: &Settings,
    row: &SessionRow,
    reduce: &Reduce,
) -> Result<Vec<u8>, DevicesError> {
    let mut out = Vec::new();
    export_one(settings, &Target::Id(row.id.to_string()), &mut |piece| {
        let value = match piece.redacted() {
            Piece::Session(session) => serde_json::to_value(session),
            Piece::Event(event) => serde_json::to_value(event),
        };
        // The API serializes the same value, so it serializes here.
        let mut value = value.unwrap_or_default();
        reduce.document(&mut value);
        out.extend_from_slice(value.to_string().as_bytes());
        out.push(b'\n');
        true
    })?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_lead_nowhere_and_secrets_are_gone() {
        let reduce = Reduce::of(Some("/home/ann/src/app"), Path::new("/home/ann"));
        let check = |value: Value, expected: Value| {
            let mut value = value;
            reduce.document(&mut value);
            assert_eq!(value, expected);
        };
        check(json!("in /home/ann/src/app/a.rs"), json!("in /app/a.rs"));
        check(json!({"/home/ann/x": ["/home/ann/src/app", 1]}), json!({"~/x": ["/app", 1]}));
        let key = format!("ghp_{}", "a1B2c3D4e5F6a1B2c3D4e5F6a1B2c3D4e5F6");
        let mut value = json!({ "text": format!("use {key} now") });
        reduce.document(&mut value);
        assert!(!value.to_string().contains(&key), "{value}");
    }
}
