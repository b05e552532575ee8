//! The wording of notices: short, redacted, on one line, without control characters.

use super::{About, Notice, NoticeKind, Occasion};
use crate::summary::line::{fitted, fitted_around_commands, plain};
use crate::{Timestamp, hash, terminal};
use std::collections::BTreeSet;

/// The longest line of an occasion, in characters.
const SAYS_CHARS: usize = 160;
/// The longest session label, in characters.
const LABEL_CHARS: usize = 40;
/// The most sessions named in a notice.
const NAMED: usize = 5;

/// A line by an agent, made safe for a notice. A command in backticks is never cut: half of one may
/// do something else.
pub(super) fn says(text: &str) -> String {
    fitted_around_commands(&terminal::line(&plain(text)), SAYS_CHARS)
}

/// A session's label, made safe for a notice.
pub(super) fn label(text: &str) -> String {
    match fitted(&terminal::line(&plain(text)), LABEL_CHARS) {
        it if it.is_empty() => "a session".to_owned(),
        it => it,
    }
}

/// The text for an approval request.
pub(super) fn asks(command: &str) -> String {
    match command.trim() {
        "" => "It waits for an approval.".to_owned(),
        command => format!("Asks for: {command}"),
    }
}

/// One notice for all due occasions; `None` if there are none.
pub(super) fn notice(due: &[Occasion], at: Timestamp) -> Option<Notice> {
    let kind = due.iter().map(|it| it.kind).max()?;
    let names: Vec<&[u8]> =
        due.iter().flat_map(|it| it.names.first()).map(String::as_bytes).collect();
    let id = hash::to_hex(&hash::digest("notice", &names)).chars().take(16).collect();
    let about: Vec<About> = due.iter().map(About::of).collect();
    let labels: BTreeSet<&str> = about.iter().map(|it| it.label.as_str()).collect();
    let sessions: BTreeSet<_> = about.iter().map(|it| it.session_id).collect();
    let (title, body) = match (about.as_slice(), sessions.len()) {
        ([only], _) => (alone(only), only.says.clone()),
        (all, 1) => of_one_session(all, kind),
        (all, _) => (together(all), named(&labels)),
    };
    Some(Notice { id, at, kind, title, body, about })
}

impl About {
    fn of(it: &Occasion) -> Self {
        let Occasion { session, kind, label, says, approval, .. } = it.clone();
        Self { session_id: session, label, kind, says, approval_id: approval }
    }
}

fn alone(it: &About) -> String {
    let label = &it.label;
    match it.kind {
        NoticeKind::Input => format!("{label} waits for a prompt"),
        NoticeKind::Finished => format!("{label} is done"),
        NoticeKind::Finding => format!("{label}: a remark"),
        NoticeKind::Waiting => format!("{label} waits for you"),
        NoticeKind::Risky => format!("{label} asks for something risky"),
    }
}

/// Shows the most urgent occasion in full.
fn of_one_session(all: &[About], kind: NoticeKind) -> (String, String) {
    let first = all.iter().find(|it| it.kind == kind);
    let more = all.len().saturating_sub(1);
    let (title, says) = first.map(|it| (alone(it), it.says.clone())).unwrap_or_default();
    (title, format!("{says} (and {more} more)"))
}

/// For example "3 sessions wait, 1 for something risky; 2 are done".
fn together(all: &[About]) -> String {
    let count = |kinds: &[NoticeKind]| {
        let of = all.iter().filter(|it| kinds.contains(&it.kind)).map(|it| it.session_id);
        of.collect::<BTreeSet<_>>().len()
    };
    let waiting =
        match (count(&[NoticeKind::Waiting, NoticeKind::Risky]), count(&[NoticeKind::Risky])) {
            (0, _) => None,
            (1, 0) => Some("1 session waits".to_owned()),
            (many, 0) => Some(format!("{many} sessions wait")),
            (1, _) => Some("1 session asks for something risky".to_owned()),
            (many, risky) => Some(format!("{many} sessions wait, {risky} for something risky")),
        };
    let done = match count(&[NoticeKind::Finished]) {
        0 => None,
        1 => Some("1 is done".to_owned()),
        many => Some(format!("{many} are done")),
    };
    let input = match count(&[NoticeKind::Input]) {
        0 => None,
        1 => Some("1 waits for a prompt".to_owned()),
        many => Some(format!("{many} wait for a prompt")),
    };
    let remarks = match all.iter().filter(|it| it.kind == NoticeKind::Finding).count() {
        0 => None,
        1 => Some("1 remark".to_owned()),
        many => Some(format!("{many} remarks")),
    };
    waiting.into_iter().chain(done).chain(input).chain(remarks).collect::<Vec<_>>().join("; ")
}

fn named(labels: &BTreeSet<&str>) -> String {
    let shown: Vec<&str> = labels.iter().take(NAMED).copied().collect();
    let more = labels.len().saturating_sub(NAMED);
    let tail = if more == 0 { String::new() } else { format!(" and {more} more") };
    shown.join(", ") + &tail
}
