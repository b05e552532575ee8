//! The checkpoints of Entire: a trailer of a commit names one, and a branch or a ref holds what it says of sessions.

use crate::noted::{NotedAuthor, NotedBy};
use serde_json::Value;

/// The trailer in a commit's message.
pub const TRAILER: &str = "Entire-Checkpoint";
/// The most sessions of a checkpoint that are looked at.
const SESSIONS: usize = 4;
/// The branch that holds all checkpoints of older versions, here and as it was fetched.
const BRANCHES: [&str; 2] =
    ["refs/heads/entire/checkpoints/v1", "refs/remotes/origin/entire/checkpoints/v1"];

/// The ids that the values of a commit's trailers name.
#[must_use]
pub fn checkpoint_ids(values: &str) -> Vec<String> {
    let words = values.split(|it: char| !it.is_ascii_alphanumeric());
    let is_id = |it: &&str| (12..=26).contains(&it.len());
    words.filter(is_id).map(str::to_owned).collect()
}

/// Where git may have a checkpoint's sessions, as `REF:PATH`; a later name of the same session counts less.
#[must_use]
pub fn checkpoint_places(id: &str) -> Vec<Vec<String>> {
    let letters: Vec<char> = id.chars().collect();
    let text = |part: &[char]| part.iter().collect::<String>();
    let (Some((first, rest)), Some((_, last))) =
        (letters.split_at_checked(2), letters.split_at_checked(letters.len().saturating_sub(2)))
    else {
        return Vec::new();
    };
    let place = |file: String| {
        let own = format!("refs/entire/checkpoints/{}/{id}:{file}", text(last));
        let shared = BRANCHES.map(|it| format!("{it}:{}/{}/{file}", text(first), text(rest)));
        [own].into_iter().chain(shared).collect()
    };
    let numbered = (0..SESSIONS).map(|it| format!("{it}/metadata.json"));
    numbered.chain(["metadata.json".to_owned()]).map(place).collect()
}

/// The session that a checkpoint's file names.
#[must_use]
pub fn checkpoint_session(text: &str) -> Option<NotedAuthor> {
    let metadata: Value = serde_json::from_str(text).ok()?;
    let word = |name: &str| metadata.get(name).and_then(Value::as_str).map(str::to_owned);
    let conversation = Some(word("session_id")?);
    let (tool, model) = (word("agent"), word("model"));
    Some(NotedAuthor { tool, model, conversation, ..NotedAuthor::new(NotedBy::Agent) })
}
