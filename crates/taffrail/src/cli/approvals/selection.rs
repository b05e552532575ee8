//! Resolves which request a person means.

use taffrail_api::ApprovalRow;
use taffrail_model::approval::State;

/// What a word, or none, comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Choice<'a> {
    /// This one.
    One(&'a ApprovalRow),
    /// It could be any of these.
    Several(Vec<&'a ApprovalRow>),
    /// No request is open that it could mean.
    Nothing,
}

/// The open request that is meant by the beginning of its id or of its session's; without a word the
/// only one there is.
pub(super) fn choose<'a>(open: &'a [ApprovalRow], word: Option<&str>) -> Choice<'a> {
    let Some(word) = word else { return of(open.iter().collect()) };
    let word = word.to_lowercase();
    if let Some(exact) = open.iter().find(|it| it.id.as_str() == word) {
        return Choice::One(exact);
    }
    if word.is_empty() {
        return Choice::Nothing;
    }
    let begins = |it: &&ApprovalRow| it.id.as_str().starts_with(&word);
    let requests: Vec<_> = open.iter().filter(begins).collect();
    let sessions: Vec<_> = open.iter().filter(|it| is_in(it, &word)).collect();
    if requests.is_empty() || requests == sessions {
        return of(sessions);
    }
    if sessions.is_empty() {
        return of(requests);
    }
    // The word is a prefix of one request's id and of another one's session: do not guess.
    let either = |it: &&ApprovalRow| begins(it) || is_in(it, &word);
    Choice::Several(open.iter().filter(either).collect())
}

/// What is open in one session.
pub(super) fn of_session<'a>(open: &'a [ApprovalRow], session: &str) -> Choice<'a> {
    of(open.iter().filter(|it| it.session_id.to_string() == session).collect())
}

fn is_in(it: &ApprovalRow, word: &str) -> bool {
    let plain = |text: &str| text.replace('-', "");
    plain(&it.session_id.to_string()).starts_with(&plain(word))
}

/// The one that can be answered from here; where none can, the only one there is.
fn of(found: Vec<&ApprovalRow>) -> Choice<'_> {
    let pending: Vec<_> = found.iter().filter(|it| it.state == State::Pending).copied().collect();
    match (pending.as_slice(), found.as_slice()) {
        ([one], _) | ([], [one]) => Choice::One(one),
        ([], []) => Choice::Nothing,
        ([], _) => Choice::Several(found),
        _ => Choice::Several(pending),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A request of this id in a session of this id, that can be answered from here or not.
    fn request(id: &str, session: &str, state: &str) -> ApprovalRow {
        let session = format!("{session}-0000-4000-8000-000000000000");
        serde_json::from_value(json!({
            "id": id, "session_id": session, "agent": "x", "tool": "Bash", "command": "make",
            "input_hash": "00", "risk": "low", "confidence": "high", "state": state, "outcome": null,
            "asked_at": "2026-11-15T11:58:00Z", "expires_at": "2026-11-15T13:00:00Z", "sources": [],
        }))
        .unwrap()
    }

    fn check(open: &[ApprovalRow], word: Option<&str>, expected: &[&str]) {
        let found = match choose(open, word) {
            Choice::One(it) => vec![it.id.to_string()],
            Choice::Several(all) => {
                let ids = all.iter().map(|it| it.id.to_string());
                std::iter::once("several".to_owned()).chain(ids).collect()
            }
            Choice::Nothing => Vec::new(),
        };
        assert_eq!(found, expected, "{word:?}");
    }

    #[test]
    fn one_request_needs_no_word() {
        check(&[], None, &[]);
        let one = [request("aa11", "10000000", "pending")];
        check(&one, None, &["aa11"]);
        let beside = [one[0].clone(), request("bb22", "20000000", "dialog_only")];
        check(&beside, None, &["aa11"]);
        check(&beside[1..], None, &["bb22"]);
        let two = [one[0].clone(), request("bb22", "20000000", "pending")];
        check(&two, None, &["several", "aa11", "bb22"]);
    }

    #[test]
    fn a_word_is_the_beginning_of_a_request_or_of_its_session() {
        let open = [
            request("aa11", "10000000", "pending"),
            request("aa22", "20000000", "pending"),
            request("cc33", "20000000", "dialog_only"),
            request("1000", "aa110000", "pending"),
        ];
        check(&open, Some("aa2"), &["aa22"]);
        check(&open, Some("AA2"), &["aa22"]);
        check(&open, Some("2000"), &["aa22"]);
        check(&open, Some("20000000-0000"), &["aa22"]);
        check(&open, Some("cc"), &["cc33"]);
        check(&open, Some("aa11"), &["aa11"]);
        check(&open, Some("aa"), &["several", "aa11", "aa22", "1000"]);
        check(&open, Some("100"), &["several", "aa11", "1000"]);
        check(&open, Some("dd"), &[]);
        check(&open, Some(""), &[]);
    }
}
