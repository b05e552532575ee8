//! Links to files in a terminal's output (OSC 8).

use std::collections::HashMap;
use std::fmt::Write;

/// Whether paths become links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Links {
    /// They are text.
    Off,
    /// They are links to files on this host.
    On {
        /// The name of this host: a terminal on another one must not open its own file.
        host: String,
    },
}

impl Links {
    /// A sanitized text that links to an absolute path.
    #[must_use]
    pub fn to(&self, path: &str, text: &str) -> String {
        match self {
            Self::On { host } if path.starts_with('/') && !text.is_empty() => {
                let (host, path) = (encoded(host), encoded(path));
                format!("\u{1b}]8;;file://{host}{path}\u{1b}\\{text}\u{1b}]8;;\u{1b}\\")
            }
            Self::On { .. } | Self::Off => text.to_owned(),
        }
    }

    /// A sanitized text in which the first mention of a path is a link to it.
    #[must_use]
    pub fn within(&self, text: &str, path: &str, shown: &str) -> String {
        match self {
            Self::On { .. } if !shown.is_empty() => text.replacen(shown, &self.to(path, shown), 1),
            Self::On { .. } | Self::Off => text.to_owned(),
        }
    }
}

/// Only letters that mean nothing to a terminal or a URL stay.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                out.push(char::from(byte));
            }
            other => {
                // Writing to a string cannot fail.
                write!(out, "%{other:02X}").ok();
            }
        }
    }
    out
}

/// Whether the terminal says that it shows links. One that does not know them may print their
/// addresses.
#[must_use]
pub fn are_supported(variables: &HashMap<String, String>) -> bool {
    let word = |name: &str| variables.get(name).map_or("", String::as_str);
    let number = |name: &str| word(name).parse::<u32>().unwrap_or_default();
    match word("FORCE_HYPERLINK") {
        "" => {}
        forced => return forced != "0",
    }
    let term = word("TERM");
    if !word("TMUX").is_empty() {
        return word("TERM_PROGRAM") == "tmux" && since(word("TERM_PROGRAM_VERSION"), (3, 4));
    }
    if matches!(term, "" | "dumb" | "linux") || term.starts_with("screen") {
        return false;
    }
    let programs = ["iTerm.app", "WezTerm", "ghostty", "Hyper", "rio", "Tabby"];
    let terms = ["kitty", "alacritty", "ghostty", "foot", "contour", "wezterm"];
    programs.contains(&word("TERM_PROGRAM"))
        || terms.iter().any(|it| term.contains(it))
        || number("VTE_VERSION") >= 5_000
        || number("KONSOLE_VERSION") >= 201_200
        || !word("WT_SESSION").is_empty()
        || !word("DOMTERM").is_empty()
}

/// Whether a version such as `3.4a` is this one or a later one.
fn since(version: &str, (major, minor): (u32, u32)) -> bool {
    let mut parts = version.split(|it: char| !it.is_ascii_digit());
    let mut next = || parts.next().and_then(|it| it.parse::<u32>().ok()).unwrap_or_default();
    (next(), next()) >= (major, minor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_path_leaves_its_link() {
        let links = Links::On { host: "den".to_owned() };
        let check = |path: &str, expected: &str| {
            let expected = format!("\u{1b}]8;;file://den{expected}\u{1b}\\x\u{1b}]8;;\u{1b}\\");
            assert_eq!(links.to(path, "x"), expected, "{path:?}");
        };
        check("/w/a-b.rs", "/w/a-b.rs");
        check("/w/a b;c", "/w/a%20b%3Bc");
        check("/w/\u{1b}\\\u{7}ü", "/w/%1B%5C%07%C3%BC");
        assert_eq!(links.to("relative", "x"), "x");
        assert_eq!(Links::Off.to("/w", "x"), "x");
        let within = links.within("a /w b", "/w", "/w");
        assert_eq!(within, "a \u{1b}]8;;file://den/w\u{1b}\\/w\u{1b}]8;;\u{1b}\\ b");
    }

    #[test]
    fn a_terminal_says_whether_it_knows_links() {
        let check = |set: &[(&str, &str)], expected: bool| {
            let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
            assert_eq!(are_supported(&set.iter().map(owned).collect()), expected, "{set:?}");
        };
        let term = ("TERM", "xterm-256color");
        check(&[], false);
        check(&[term], false);
        check(&[("TERM", "xterm-kitty")], true);
        check(&[term, ("TERM_PROGRAM", "WezTerm")], true);
        check(&[term, ("VTE_VERSION", "7600")], true);
        check(&[term, ("VTE_VERSION", "4900")], false);
        check(&[("TERM", "dumb"), ("TERM_PROGRAM", "WezTerm")], false);
        let tmux = ("TMUX", "/tmp/tmux-1/default,1,0");
        check(&[("TERM", "tmux-256color"), tmux, ("VTE_VERSION", "7600")], false);
        let program = ("TERM_PROGRAM", "tmux");
        check(&[term, tmux, program, ("TERM_PROGRAM_VERSION", "3.3a")], false);
        check(&[term, tmux, program, ("TERM_PROGRAM_VERSION", "3.5")], true);
        check(&[term, ("FORCE_HYPERLINK", "1")], true);
        check(&[term, ("TERM_PROGRAM", "WezTerm"), ("FORCE_HYPERLINK", "0")], false);
    }
}
