//! Splits a text as BERT's uncased tokenizer does: into words in lower case without accents, and
//! single punctuation marks.

/// Latin letters and what is left of them without their accents.
const BASES: [(&str, char); 22] = [
    ("àáâãäåāăąǎ", 'a'),
    ("çćĉċč", 'c'),
    ("ď", 'd'),
    ("èéêëēĕėęě", 'e'),
    ("ĝğġģǧ", 'g'),
    ("ĥ", 'h'),
    ("ìíîïĩīĭįǐ", 'i'),
    ("ĵ", 'j'),
    ("ķ", 'k'),
    ("ĺļľ", 'l'),
    ("ñńņň", 'n'),
    ("òóôõöōŏőǒ", 'o'),
    ("ŕŗř", 'r'),
    ("śŝşšș", 's'),
    ("ţťț", 't'),
    ("ùúûüũūŭůűųǔ", 'u'),
    ("ŵ", 'w'),
    ("ýÿŷ", 'y'),
    ("źżž", 'z'),
    ("ơ", 'o'),
    ("ư", 'u'),
    ("ǵ", 'g'),
];

/// Calls `each` for every word of a text.
pub(crate) fn words(text: &str, mut each: impl FnMut(&str)) {
    let mut word = String::new();
    for character in text.chars() {
        match Class::of(character) {
            Class::Letter => push_lower(character, &mut word),
            Class::Dropped => {}
            Class::Gap => flush(&mut word, &mut each),
            Class::Alone => {
                flush(&mut word, &mut each);
                word.push(character);
                flush(&mut word, &mut each);
            }
        }
    }
    flush(&mut word, &mut each);
}

fn flush(word: &mut String, each: &mut impl FnMut(&str)) {
    if !word.is_empty() {
        each(word);
        word.clear();
    }
}

fn push_lower(character: char, word: &mut String) {
    if character.is_ascii() {
        word.push(character.to_ascii_lowercase());
    } else {
        let lower = character.to_lowercase().filter(|it| Class::of(*it) != Class::Dropped);
        word.extend(lower.map(without_accent));
    }
}

fn without_accent(character: char) -> char {
    let known = BASES.iter().find(|(accented, _)| accented.contains(character));
    known.map_or(character, |(_, base)| *base)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    /// Accents that follow their letter.
    Dropped,
    Gap,
    /// A word by itself: punctuation, and letters of scripts without spaces.
    Alone,
}

impl Class {
    fn of(character: char) -> Self {
        match character {
            _ if character.is_ascii_alphanumeric() => Self::Letter,
            _ if character.is_ascii_punctuation() => Self::Alone,
            _ if character.is_whitespace() || character.is_control() => Self::Gap,
            '\u{300}'..='\u{36f}' => Self::Dropped,
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{feff}' => Self::Gap,
            '¡' | '§' | '«' | '¶' | '·' | '»' | '¿' => Self::Alone,
            '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}' => Self::Alone,
            '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{ff01}'..='\u{ff0f}' => {
                Self::Alone
            }
            '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{2fa1f}' => Self::Alone,
            _ => Self::Letter,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_lower_case_without_accents_and_punctuation_is_alone() {
        let check = |text: &str, expected: &[&str]| {
            let mut found = Vec::new();
            words(text, |it| found.push(it.to_owned()));
            assert_eq!(found, expected, "{text}");
        };
        check("", &[]);
        check("  \n\t", &[]);
        check("Fix The test", &["fix", "the", "test"]);
        check("Crème BRÛLÉE", &["creme", "brulee"]);
        check("cre\u{300}me", &["creme"]);
        check("İstanbul Straße", &["istanbul", "straße"]);
        check("src/lib.rs:12", &["src", "/", "lib", ".", "rs", ":", "12"]);
        check("don't — “stop”", &["don", "'", "t", "—", "“", "stop", "”"]);
        check("数据库 db", &["数", "据", "库", "db"]);
        check("a\u{0}b\u{200b}c", &["a", "b", "c"]);
    }
}
