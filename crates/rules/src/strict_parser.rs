//! Parses only the commands that every shell reads alike. Only these can be allowed by a rule.
//!
//! These are plain commands joined by `&&`, `||` or `;`, made of plain characters or of words that
//! are one single-quoted literal. They contain no expansion, assignment or redirection, and no word
//! that is parsed twice.

use super::limit::COMMAND_BYTES;
use std::fmt;

/// The operators between two commands.
const JOINTS: [&str; 3] = ["&&", "||", ";"];

/// First words that do not start a plain command: keywords, words that change how the rest is
/// parsed, and assignments.
const SHELL_WORDS: &str = "\
    if then else elif fi do done case esac while until for in function select time coproc repeat foreach end \
    begin switch and or not try always \
    - builtin command exec nocorrect noglob \
    alias declare export float integer local nameref readonly typeset compound enum namespace set let \
    eval trap fc emulate";

/// Shell builtins that may parse a word again, as arithmetic or as a subscript, and then run what
/// it contains.
const READ_AGAIN: &str = "[ test printf read unset getopts wait mapfile readarray print vared shift \
                          return exit break continue ulimit kill";

/// Why a command is not plain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotPlain {
    /// It is longer than [`COMMAND_BYTES`].
    TooLong,
    /// A character with a special meaning in some shell.
    Character(char),
    /// A word that begins like an expansion.
    Begins(String),
    /// A quote that is not closed, or is joined to something.
    Quote,
    /// A command is missing.
    Missing,
    /// A first word that belongs to the shell and not to a program.
    First(String),
    /// A word that a shell builtin would parse again.
    ReadAgain(String),
}

impl fmt::Display for NotPlain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "it is longer than {COMMAND_BYTES} bytes"),
            Self::Character('\n') => f.write_str("it has more than one line"),
            Self::Character(it) => write!(f, "it has {}", named(*it)),
            Self::Begins(it) => write!(f, "`{it}` begins like an expansion"),
            Self::Quote => f.write_str("a quote in it does not make one whole word"),
            Self::Missing => f.write_str("a command is missing in it"),
            Self::First(it) => write!(f, "`{it}` is read by the shell itself"),
            Self::ReadAgain(it) => write!(f, "`{it}` may read its words again"),
        }
    }
}

fn named(it: char) -> String {
    match it.is_ascii_graphic() {
        true => format!("`{it}`"),
        false => format!("the character U+{:04X}", u32::from(it)),
    }
}

/// The words of every command, as every shell reads them.
///
/// # Errors
/// Returns [`NotPlain`] with the reason why shells might differ.
pub fn plain_commands(text: &str) -> Result<Vec<Vec<String>>, NotPlain> {
    if text.len() > COMMAND_BYTES {
        return Err(NotPlain::TooLong);
    }
    let mut commands = Vec::new();
    let mut words: Vec<Word> = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(' ');
        if rest.is_empty() {
            commands.push(command(words)?);
            return Ok(commands);
        }
        if let Some(after) = after_joint(rest) {
            commands.push(command(std::mem::take(&mut words))?);
            rest = after;
            continue;
        }
        let (word, after) = word(rest)?;
        words.push(word);
        rest = after;
    }
}

struct Word {
    text: String,
    is_quoted: bool,
}

fn after_joint(rest: &str) -> Option<&str> {
    JOINTS.into_iter().find_map(|it| rest.strip_prefix(it))
}

/// The next word and the text after it.
fn word(rest: &str) -> Result<(Word, &str), NotPlain> {
    let (word, after) = match rest.strip_prefix('\'') {
        Some(quoted) => literal(quoted)?,
        None => bare(rest)?,
    };
    match after.chars().next() {
        None | Some(' ') => Ok((word, after)),
        Some(_) if after_joint(after).is_some() => Ok((word, after)),
        Some('\'') => Err(NotPlain::Quote),
        Some(_) if word.is_quoted => Err(NotPlain::Quote),
        Some(it) => Err(NotPlain::Character(it)),
    }
}

fn bare(rest: &str) -> Result<(Word, &str), NotPlain> {
    let end = rest.find(|it| !is_plain(it)).unwrap_or(rest.len());
    let (text, after) = rest.split_at(end);
    match text.chars().next() {
        None => Err(NotPlain::Character(rest.chars().next().unwrap_or('\0'))),
        Some('=' | '%') => Err(NotPlain::Begins(text.to_owned())),
        Some(_) => Ok((Word { text: text.to_owned(), is_quoted: false }, after)),
    }
}

/// A literal after its first quote. It must not contain a backslash, because one shell interprets
/// it even there.
fn literal(rest: &str) -> Result<(Word, &str), NotPlain> {
    let (text, after) = rest.split_once('\'').ok_or(NotPlain::Quote)?;
    match text.chars().find(|it| !is_literal(*it)) {
        Some(it) => Err(NotPlain::Character(it)),
        None => Ok((Word { text: text.to_owned(), is_quoted: true }, after)),
    }
}

const fn is_plain(it: char) -> bool {
    matches!(it, 'A'..='Z' | 'a'..='z' | '0'..='9')
        || matches!(it, '_' | '-' | '.' | '/' | ':' | ',' | '+' | '@' | '%' | '=')
}

fn is_literal(it: char) -> bool {
    match it.is_ascii() {
        true => (' '..='~').contains(&it) && it != '\\',
        false => it.is_alphanumeric(),
    }
}

/// One command, if its first word can be a program's name.
fn command(words: Vec<Word>) -> Result<Vec<String>, NotPlain> {
    let Some(first) = words.first().map(|it| it.text.clone()) else {
        return Err(NotPlain::Missing);
    };
    // Quotes do not help here: `'%1'` still names a job in one shell.
    let is_program = !first.is_empty()
        && !first.starts_with('%')
        && first.chars().all(|it| is_plain(it) && it != '=')
        && !is_among(SHELL_WORDS, &first);
    if !is_program {
        return Err(NotPlain::First(first));
    }
    let is_code = |it: &Word| it.is_quoted && it.text.contains(['$', '`', '[', '(']);
    if is_among(READ_AGAIN, &first) && words.iter().skip(1).any(is_code) {
        return Err(NotPlain::ReadAgain(first));
    }
    Ok(words.into_iter().map(|it| it.text).collect())
}

fn is_among(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|it| it == word)
}
