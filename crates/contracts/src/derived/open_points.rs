//! What an answer itself names as left to do: the list below a heading or a line such as "Left:".

use crate::prose::{list_item, said, unmarked};

/// Headings of what is not done.
const LEFT: &str = "left|left to do|still left|what is left|what's left|whats left|remaining|remaining work|\
    remaining tasks|still to do|to do|todo|todos|not done|not done yet|not yet done|open|open points|open items|\
    still open|outstanding|pending|unfinished|missing|still missing|not implemented|not covered";
/// Headings of what may go wrong, or could follow.
const RISKS: &str = "risks|remaining risks|known issues|known limitations|limitations|caveats|follow-ups|\
    follow ups|followups|untested|not tested|not verified|concerns";

/// The open points of an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenPoints {
    /// Work that is left.
    pub left: Vec<String>,
    /// Risks and possible follow-ups.
    pub risks: Vec<String>,
}

/// The open points that an answer names.
#[must_use]
pub fn open_points(answer: &str) -> OpenPoints {
    let mut out = OpenPoints::default();
    let mut list: Option<&str> = None;
    for line in answer.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match (list_item(line), list) {
            (Some(item), Some(LEFT)) => out.left.push(said(&unmarked(item))),
            (Some(item), Some(_)) => out.risks.push(said(&unmarked(item))),
            (Some(_), None) => {}
            (None, _) => list = list_below(line),
        }
    }
    out.left.retain(|it| !is_nothing(it));
    out.risks.retain(|it| !is_nothing(it));
    out
}

/// The kind of list that a line opens.
fn list_below(line: &str) -> Option<&'static str> {
    let is_heading = line.starts_with('#') || line.ends_with(':') || line.ends_with("**");
    let text = unmarked(line.trim_start_matches(['#', ' ']));
    let name = text.trim_end_matches([':', ' ']).to_lowercase();
    let names = |list: &&str| list.split('|').any(|it| it == name);
    [LEFT, RISKS].into_iter().find(names).filter(|_| is_heading)
}

/// Whether an item only says that there is nothing.
pub(crate) fn is_nothing(item: &str) -> bool {
    let plain = item.trim_end_matches('.').to_lowercase();
    matches!(plain.as_str(), "" | "none" | "nothing" | "n/a" | "-" | "pending" | "nothing left")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_answer_leaves_open_is_read_from_its_lists() {
        let check = |answer: &str, left: &[&str], risks: &[&str]| {
            let got = open_points(answer);
            assert_eq!(
                (got.left.as_slice(), got.risks.as_slice()),
                (&owned(left)[..], &owned(risks)[..])
            );
        };
        let answer = "## Done so far\n- The bucket\n\n## Left\n- `ops` config\n- Docs.\n\n**Known issues**\n1. Slow";
        check(answer, &["ops config", "Docs."], &["Slow"]);
        check("Still open:\n- A\nThat is all.\n- B", &["A"], &[]);
        check("Remaining:\n- None.", &[], &[]);
        check("- left", &[], &[]);
        check("We left early.", &[], &[]);
    }

    fn owned(all: &[&str]) -> Vec<String> {
        all.iter().map(|it| (*it).to_owned()).collect()
    }
}
