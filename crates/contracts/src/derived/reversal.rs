//! What hunks say about a file whose content before them is unknown.

use super::lines::compared;
use super::patch::Hunk;

/// The text before these hunks were applied, in order, by the text after them. `None` if the place of
/// a hunk is not certain.
pub(super) fn reversed(after: &str, hunks: &[Hunk]) -> Option<String> {
    let mut text = after.to_owned();
    for hunk in hunks.iter().rev() {
        let is_certain = hunk.has_whole_lines && !hunk.new.is_empty();
        if !is_certain || text.matches(&hunk.new).count() != 1 {
            return None;
        }
        text = text.replacen(&hunk.new, &hunk.old, 1);
    }
    Some(text)
}

/// The counts of a single hunk of whole lines: those of the whole file are the same, because what
/// is before and after the hunk is equal.
pub(super) fn counted(hunks: &[Hunk]) -> Option<(u64, u64)> {
    match hunks {
        [hunk] if hunk.has_whole_lines => compared(&hunk.old, &hunk.new),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hunk(old: &str, new: &str) -> Hunk {
        Hunk { old: old.to_owned(), new: new.to_owned(), has_whole_lines: true }
    }

    #[test]
    fn hunks_are_taken_back_from_the_last_to_the_first() {
        let hunks = [hunk("a\n", "b\n"), hunk("b\n", "c\nd\n")];
        assert_eq!(reversed("x\nc\nd\ny\n", &hunks).as_deref(), Some("x\na\ny\n"));
        assert_eq!(reversed("x\n", &hunks), None, "the hunk is not there");
        assert_eq!(reversed("c\nd\nc\nd\n", &hunks), None, "it is there twice");
        assert_eq!(reversed("x\n", &[hunk("a\n", "")]), None, "it has no place");
    }
}
