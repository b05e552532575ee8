//! Matches approval requests with tool calls. A hook does not name its call, so the oldest request
//! without a call gets the oldest unassigned call with the same input. A request has at most one
//! call, and a call belongs to at most one request.

use super::Approval;

/// A tool call, as a transcript or a hook reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The agent's own id of the call.
    pub id: String,
    /// The input hash of the call.
    pub input: String,
}

/// Assigns calls, in order, to the requests of one session and returns the indexes of the requests
/// that changed. A call is never assigned twice.
#[must_use]
pub fn attach(requests: &mut [&mut Approval], calls: &[Call]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..requests.len()).collect();
    order.sort_by_key(|at| requests.get(*at).map(|it| (it.asked_at, it.id.clone())));
    let mut changed = Vec::new();
    for call in calls {
        if requests.iter().any(|it| it.call.as_deref() == Some(&call.id)) {
            continue;
        }
        let fits = |it: &Approval| it.call.is_none() && it.input_hash == call.input;
        let found = order.iter().find(|at| requests.get(**at).is_some_and(|it| fits(it)));
        if let Some((at, it)) = found.and_then(|at| Some((*at, requests.get_mut(*at)?))) {
            it.call = Some(call.id.clone());
            changed.push(at);
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::super::moves::tests::asked;
    use super::*;
    use crate::Timestamp;

    #[test]
    fn two_equal_requests_get_two_calls() {
        let check =
            |requests: &[(i64, &str)], calls: &[(&str, &str)], expected: &[Option<&str>]| {
                let mut all: Vec<Approval> = requests
                    .iter()
                    .map(|(at, input)| Approval {
                        asked_at: Timestamp::from_second(*at).unwrap(),
                        input_hash: (*input).to_owned(),
                        ..asked(&at.to_string())
                    })
                    .collect();
                let calls: Vec<_> = calls
                    .iter()
                    .map(|(id, input)| Call { id: (*id).to_owned(), input: (*input).to_owned() })
                    .collect();
                for _ in 0..2 {
                    let mut given: Vec<_> = all.iter_mut().collect();
                    drop(attach(&mut given, &calls));
                }
                let got: Vec<_> = all.iter().map(|it| it.call.as_deref()).collect();
                assert_eq!(got, expected);
            };
        check(&[(2, "a"), (1, "a")], &[("t1", "a"), ("t2", "a")], &[Some("t2"), Some("t1")]);
        check(&[(1, "a"), (2, "a")], &[("t1", "a")], &[Some("t1"), None]);
        check(&[(1, "a")], &[("t1", "a"), ("t2", "a")], &[Some("t1")]);
        check(&[(1, "a"), (2, "b")], &[("t2", "b"), ("t1", "a")], &[Some("t1"), Some("t2")]);
        check(&[(1, "a")], &[("t1", "b")], &[None]);
        check(&[], &[("t1", "b")], &[]);
    }
}
