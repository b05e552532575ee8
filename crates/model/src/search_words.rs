//! Splits text into words for indexing and queries: runs of letters and digits, and the parts of
//! identifiers.

/// Longer words are hashes, keys and encoded data; people do not search for them.
pub const LONGEST_WORD: usize = 64;

/// The position of a word in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Its first byte.
    pub start: usize,
    /// The end, exclusive.
    pub end: usize,
    /// Its position among the words; the parts of an identifier have consecutive positions.
    pub position: usize,
}

/// Finds every word: `fixTheTest` yields itself and, from the same position on, `fix`, `The`,
/// `Test`. Letters of scripts without spaces are words by themselves.
pub fn spans(text: &str, out: &mut Vec<Span>) {
    out.clear();
    let mut finder = Finder { out, position: 0, run: None, parts: Vec::new(), before: Class::Gap };
    let mut rest = text.char_indices().peekable();
    while let Some((at, character)) = rest.next() {
        let class = Class::of(character);
        let after = || rest.peek().map_or(Class::Gap, |(_, next)| Class::of(*next));
        finder.take(at, class, after);
        if class == Class::Ideograph {
            finder.alone(at, at + character.len_utf8());
        }
    }
    finder.close(text.len());
}

/// Calls `each` for every word in lower case.
pub fn words(text: &str, mut each: impl FnMut(&str, Span)) {
    let mut found = Vec::new();
    let mut lower = String::new();
    spans(text, &mut found);
    for span in found {
        into_lower(text.get(span.start..span.end).unwrap_or_default(), &mut lower);
        each(&lower, span);
    }
}

/// Lowercases a word.
pub fn into_lower(text: &str, out: &mut String) {
    out.clear();
    if text.is_ascii() {
        out.push_str(text);
        out.make_ascii_lowercase();
    } else {
        out.extend(text.chars().flat_map(char::to_lowercase));
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Gap,
    Small,
    Capital,
    /// A digit, or a letter without case.
    Other,
    /// A letter that is a word.
    Ideograph,
}

impl Class {
    #[inline]
    fn of(character: char) -> Self {
        match character {
            'a'..='z' => Self::Small,
            'A'..='Z' => Self::Capital,
            '0'..='9' => Self::Other,
            _ if character.is_ascii() => Self::Gap,
            '\u{2e80}'..='\u{2fdf}'
            | '\u{3040}'..='\u{30ff}'
            | '\u{3400}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}' => Self::Ideograph,
            _ if character.is_uppercase() => Self::Capital,
            _ if character.is_lowercase() => Self::Small,
            _ if character.is_alphanumeric() => Self::Other,
            _ => Self::Gap,
        }
    }

    fn is_in_run(self) -> bool {
        !matches!(self, Self::Gap | Self::Ideograph)
    }
}

struct Finder<'a> {
    out: &'a mut Vec<Span>,
    position: usize,
    /// The start of the current run of letters.
    run: Option<usize>,
    /// The starts of its further parts.
    parts: Vec<usize>,
    before: Class,
}

impl Finder<'_> {
    #[inline]
    fn take(&mut self, at: usize, class: Class, after: impl FnOnce() -> Class) {
        if !class.is_in_run() {
            self.close(at);
        } else if self.run.is_none() {
            self.run = Some(at);
        } else if class == Class::Capital && begins_part(self.before, after) {
            self.parts.push(at);
        }
        self.before = class;
    }

    /// Ends the run: adds the whole word, and its parts if it has any.
    fn close(&mut self, end: usize) {
        let Some(start) = self.run.take() else { return };
        if end - start <= LONGEST_WORD {
            self.out.push(Span { start, end, position: self.position });
            if !self.parts.is_empty() {
                self.give_parts(start, end);
            }
            self.position += 1;
        }
        self.parts.clear();
    }

    fn give_parts(&mut self, start: usize, end: usize) {
        let mut from = start;
        for at in self.parts.iter().copied() {
            self.out.push(Span { start: from, end: at, position: self.position });
            self.position += 1;
            from = at;
        }
        self.out.push(Span { start: from, end, position: self.position });
    }

    fn alone(&mut self, start: usize, end: usize) {
        self.out.push(Span { start, end, position: self.position });
        self.position += 1;
    }
}

/// A capital starts a part after a lowercase letter, and as the last of several (`HTTPServer`) or
/// after a digit (`sha256Sum`) if a lowercase letter follows.
fn begins_part(before: Class, after: impl FnOnce() -> Class) -> bool {
    match before {
        Class::Small => true,
        Class::Capital | Class::Other => after() == Class::Small,
        Class::Gap | Class::Ideograph => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn identifiers_and_paths_are_found_by_their_parts() {
        let check = |text: &str, expected: &[(&str, usize)]| {
            let mut got = Vec::new();
            words(text, |word, span| got.push((word.to_owned(), span.position)));
            let expected: Vec<_> = expected.iter().map(|(w, p)| ((*w).to_owned(), *p)).collect();
            assert_eq!(got, expected, "{text}");
        };
        check("Fix it.", &[("fix", 0), ("it", 1)]);
        check("snake_case_2", &[("snake", 0), ("case", 1), ("2", 2)]);
        check("getZzName x", &[("getzzname", 0), ("get", 0), ("zz", 1), ("name", 2), ("x", 3)]);
        check("HTTPServer", &[("httpserver", 0), ("http", 0), ("server", 1)]);
        check("sha256Sum 3F2A", &[("sha256sum", 0), ("sha256", 0), ("sum", 1), ("3f2a", 2)]);
        check("src/x.rs:12", &[("src", 0), ("x", 1), ("rs", 2), ("12", 3)]);
        check("Ünïcode ЖУК", &[("ünïcode", 0), ("жук", 1)]);
        check("a漢字b", &[("a", 0), ("漢", 1), ("字", 2), ("b", 3)]);
        check(&"a".repeat(65), &[]);
        check(&format!("x{}y z", "aB".repeat(40)), &[("z", 0)]);
    }

    proptest! {
        #[test]
        fn every_word_stands_where_it_is_said_to(text in "\\PC{0,80}") {
            let mut last = 0;
            let mut found = Vec::new();
            spans(&text, &mut found);
            for span in found {
                prop_assert!(text.get(span.start..span.end).is_some_and(|word| !word.is_empty()));
                prop_assert!(span.position >= last);
                last = span.position;
            }
        }
    }
}
