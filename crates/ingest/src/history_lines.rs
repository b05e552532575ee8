//! Which lines of a prompt history may be archived. The file holds prompts of all sessions, so its
//! copy has spaces in place of every line that may not be kept.

use taffrail_adapters::{PromptHistory, by_id};
use taffrail_capture::LINE_LIMIT;
use taffrail_model::observed::SourceState;
use taffrail_model::{Facts, RuntimeIdentity, prompt_history};
use taffrail_store::archive::blank;

/// The prompt history that a known source is, if it is one.
pub(crate) fn history_of(state: &SourceState) -> Option<&'static PromptHistory> {
    let adapter = by_id(state.agent.as_str())?;
    adapter.prompt_history().filter(|_| prompt_history::is_locator(&state.locator))
}

/// Whether a line is a prompt of a session that may be kept.
pub(crate) fn is_kept(
    (agent, history): (&str, &PromptHistory),
    line: &[u8],
    may_keep: impl Fn(&RuntimeIdentity, &Facts) -> bool,
) -> bool {
    history.prompt(agent, line).is_some_and(|(who, prompt)| {
        let project_path = prompt.project.as_deref().map(str::to_owned);
        may_keep(&who, &Facts { project_path, ..Facts::default() })
    })
}

/// Takes bytes as they come and gives whole lines, blank where they may not be kept.
#[derive(Debug, Default)]
pub(crate) struct LineFilter {
    line: Vec<u8>,
    /// The line is too long and was blanked so far.
    is_blank: bool,
}

impl LineFilter {
    /// Takes the bytes at `offset`; `give` receives lines and parts of lines with their offsets.
    pub(crate) fn take(
        &mut self,
        offset: u64,
        bytes: &[u8],
        is_kept: impl Fn(&[u8]) -> bool,
        mut give: impl FnMut(u64, &[u8]),
    ) {
        let mut end = offset;
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            end += part.len() as u64;
            self.line.extend_from_slice(part);
            let is_whole = part.ends_with(b"\n");
            if !is_whole && self.line.len() <= LINE_LIMIT {
                continue;
            }
            let text = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
            if self.is_blank || !is_whole || !is_kept(text) {
                blank(&mut self.line);
            }
            give(end - self.line.len() as u64, &self.line);
            self.is_blank = !is_whole;
            self.line.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_places_however_the_bytes_come() {
        let text = b"keep a\ndrop b\n\nkeep c\nkeep d";
        let expected = b"keep a\n      \n\nkeep c\n".to_vec();
        for size in 1..text.len() {
            let (mut filter, mut got) = (LineFilter::default(), Vec::new());
            for (number, part) in text.chunks(size).enumerate() {
                let is_kept = |line: &[u8]| line.starts_with(b"keep");
                filter.take((number * size) as u64, part, is_kept, |offset, bytes| {
                    assert_eq!(offset, got.len() as u64, "{size}");
                    got.extend_from_slice(bytes);
                });
            }
            assert_eq!(got, expected, "{size}");
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_blank_to_its_end() {
        let (mut filter, mut got) = (LineFilter::default(), Vec::new());
        for (offset, part) in [vec![b'x'; LINE_LIMIT], b"yz".to_vec(), b"w\nkeep\n".to_vec()]
            .iter()
            .scan(0, |at, part| Some((std::mem::replace(at, *at + part.len() as u64), part)))
        {
            filter.take(offset, part, |_| true, |_, bytes| got.extend_from_slice(bytes));
        }
        let (head, tail) = got.split_at(LINE_LIMIT);
        assert!(head.iter().all(|byte| *byte == b' '));
        assert_eq!(tail, b"   \nkeep\n");
    }
}
