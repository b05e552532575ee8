//! Symbols for a terminal whose locale supports only ASCII: `LC_ALL=C`, or `POSIX`.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};

/// Write only ASCII, as far as the symbols are ours.
static PLAIN: AtomicBool = AtomicBool::new(false);

/// Our symbols and lines, each with its replacement. Text of agents and people stays unchanged.
const MARKS: &[(char, &str)] = &[
    ('●', "*"),
    ('○', "o"),
    ('◐', "o"),
    ('✕', "x"),
    ('✓', "+"),
    ('…', "..."),
    ('⏎', "<nl>"),
    ('─', "-"),
    ('│', "|"),
    ('┌', "+"),
    ('┐', "+"),
    ('└', "+"),
    ('┘', "+"),
    ('├', "+"),
    ('┤', "+"),
    ('╭', "+"),
    ('╮', "+"),
    ('╰', "+"),
    ('╯', "+"),
    ('▸', ">"),
    ('▾', "v"),
    ('▶', ">"),
    ('→', ">"),
    ('←', "<"),
    ('↑', "^"),
    ('↓', "v"),
    ('·', "."),
    ('•', "*"),
    ('×', "x"),
    ('–', "-"),
    ('—', "-"),
    ('“', "\""),
    ('”', "\""),
    ('’', "'"),
    ('█', "#"),
    ('▌', "|"),
    ('▏', "|"),
    ('░', "."),
];

/// Reads the locale: the first of these variables that is set decides. Without any, Unicode symbols
/// are used, because most terminals show them.
pub fn set_locale(variable: impl Fn(&str) -> Option<String>) {
    let set = |name: &&str| variable(name).filter(|it| !it.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(set);
    let is_plain = locale.is_some_and(|it| matches!(it.as_str(), "C" | "POSIX"));
    PLAIN.store(is_plain, Ordering::Relaxed);
}

/// True if only ASCII is written.
pub fn is_plain() -> bool {
    PLAIN.load(Ordering::Relaxed)
}

/// A text with the symbols that this terminal supports.
pub fn shown(text: &str) -> Cow<'_, str> {
    if !is_plain() || text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(replaced(text)) }
}

fn replaced(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for it in text.chars() {
        match plain(it) {
            Some(mark) => out.push_str(mark),
            None => out.push(it),
        }
    }
    out
}

/// The replacement of one of our symbols.
fn plain(mark: char) -> Option<&'static str> {
    MARKS.iter().find(|(it, _)| *it == mark).map(|(_, plain)| *plain)
}

/// The replacement of a symbol in one column of the board.
pub fn in_one_column(symbol: &str) -> Option<&'static str> {
    let mut letters = symbol.chars();
    let (mark, rest) = (letters.next()?, letters.next());
    plain(mark).filter(|_| rest.is_none()).and_then(|it| it.get(..1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locale_of_ascii_has_ascii_marks() {
        assert_eq!(replaced("● 1 failed ✕ … “done”"), "* 1 failed x ... \"done\"");
        assert_eq!(replaced("größe"), "größe");
        assert_eq!((in_one_column("…"), in_one_column("│")), (Some("."), Some("|")));
        assert_eq!((in_one_column("a"), in_one_column("ö"), in_one_column("")), (None, None, None));
        let check = |set: &[(&str, &str)], expected: bool| {
            let find = |name: &str| {
                set.iter().find(|(it, _)| *it == name).map(|(_, value)| (*value).to_owned())
            };
            set_locale(find);
            assert_eq!(is_plain(), expected, "{set:?}");
        };
        check(&[("LC_ALL", "C")], true);
        check(&[("LC_ALL", "C.UTF-8"), ("LANG", "C")], false);
        check(&[("LC_ALL", ""), ("LANG", "POSIX")], true);
        check(&[("LANG", "en_GB.UTF-8")], false);
        check(&[], false);
    }
}
