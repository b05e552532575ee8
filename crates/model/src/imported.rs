//! A session that a document describes: nothing of it was seen here, and nothing of it runs here.

use serde::{Deserialize, Serialize};
use serde_json::Number;

/// The status of the work in an imported document, in the document's own words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Imported {
    /// The status, as `in_progress`; absent if the document has none.
    pub status: Option<String>,
    /// The completed part, from 0 to 1, as the document writes it.
    pub progress: Option<Number>,
}

impl Imported {
    /// The status in words, as `in progress, 65 %`.
    #[must_use]
    pub fn words(&self) -> String {
        let status = self.status.as_deref().map_or("status unknown".to_owned(), spaced);
        let part = self.progress.as_ref().and_then(Number::as_f64);
        match part.filter(|it| (0.0..=1.0).contains(it)) {
            Some(part) => format!("{status}, {:.0} %", part * 100.0),
            None => status,
        }
    }
}

fn spaced(word: &str) -> String {
    word.replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_document() {
        let check = |json: &str, expected: &str| {
            let it: Imported = serde_json::from_str(json).unwrap();
            assert_eq!(it.words(), expected);
        };
        check(r#"{"status": "in_progress", "progress": 0.65}"#, "in progress, 65 %");
        check(r#"{"status": "paused", "progress": null}"#, "paused");
        check(r#"{"status": null, "progress": 7}"#, "status unknown");
    }
}
