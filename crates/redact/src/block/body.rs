//! Measures the body of a block: lines of long runs, separated only by white space, quotes, line
//! numbers, or escaped line ends.

/// The longest line number, in digits.
const NUMBER: usize = 6;
/// The shortest line that is recognized only by the text after it.
const LINE_LEAST: usize = 24;

/// The form of a body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Body {
    /// Whether a character belongs to it.
    pub(super) holds: fn(char) -> bool,
    /// Whether a run is a line of it.
    pub(super) is_line: fn(&str) -> bool,
}

/// The length of the body at the start of a text.
pub(super) fn after(text: &str, body: &Body) -> usize {
    let (mut end, mut begin) = (0, 0);
    for run in text.split_inclusive(|it: char| !(body.holds)(it)) {
        let kept = run.trim_end_matches(|it: char| !(body.holds)(it));
        // The last line may be short; its padding shows it.
        if (body.is_line)(kept) || (end > 0 && kept.ends_with('=')) {
            end = begin + kept.len();
        } else if !is_between(kept) {
            let is_last = end > 0 && is_last_line(text, end..begin, kept);
            return if is_last { begin + kept.len() } else { end };
        }
        begin += run.len();
    }
    end
}

/// The length of the body at the end of a text.
pub(super) fn before(text: &str, body: &Body) -> usize {
    let (mut length, mut end, mut is_first) = (0, 0, true);
    for run in text.rsplit(|it: char| !(body.holds)(it)) {
        let both = |it: fn(&u8) -> bool| run.bytes().any(|byte| it(&byte));
        let is_drawn = both(u8::is_ascii_uppercase) && both(u8::is_ascii_lowercase);
        let is_line = run.len() >= LINE_LEAST && is_drawn;
        if is_line || (is_first && run.ends_with('=')) {
            length = end + run.len();
        } else if !is_between(run) && !std::mem::take(&mut is_first) {
            break;
        }
        // The separator is one character, which may have several bytes.
        let rest = text.len() - end - run.len();
        let held = text.get(..rest).and_then(|it| it.chars().next_back());
        end += run.len() + held.map_or(0, char::len_utf8);
    }
    length
}

/// Whether a run is empty, an escaped line end, or a line number.
fn is_between(run: &str) -> bool {
    let is_number = run.len() <= NUMBER && run.bytes().all(|it| it.is_ascii_digit());
    is_number || matches!(run, "n" | "r" | "t")
}

/// Whether a short run is the last line: on its own line, right after the body, cut or without
/// padding.
fn is_last_line(text: &str, gap: std::ops::Range<usize>, run: &str) -> bool {
    let gap_text = text.get(gap.clone()).unwrap_or_default();
    let (gap_text, run_text) = match run.strip_prefix('n') {
        Some(rest) if gap_text.ends_with('\\') => (format!("{gap_text}n"), rest),
        Some(_) | None => (gap_text.to_owned(), run),
    };
    let breaks = gap_text.matches('\n').count() + gap_text.matches("\\n").count();
    let is_numbered =
        |it: char| it.is_whitespace() || it.is_ascii_digit() || "→|:+>\\nrt".contains(it);
    let rest = text.get(gap.end + run.len()..).unwrap_or_default();
    let ends = ["\n", "\r", "\\", "\"", "'", "`", "…", "...", "[", "<"];
    let is_alone = rest.is_empty() || ends.iter().any(|it| rest.starts_with(it));
    let is_word = run_text.bytes().all(|it| it.is_ascii_lowercase());
    breaks == 1
        && gap_text.chars().all(is_numbered)
        && is_alone
        && !run_text.contains('=')
        && (rest.is_empty() || !is_word)
}
