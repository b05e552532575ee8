//! Wrapper programs: which words of a command form a command of their own, and which are text for a
//! shell.

use std::collections::BTreeSet;

/// Words that may precede a command without being one.
const KEYWORDS: &[&str] = &[
    "if", "then", "else", "elif", "do", "while", "until", "!", "{", "}", "coproc", "and", "or",
    "not", "begin",
];

/// Programs that run the command after their options, and how many words come first.
const WRAPPERS: &[(&str, usize)] = &[
    ("env", 0),
    ("sudo", 0),
    ("doas", 0),
    ("command", 0),
    ("exec", 0),
    ("nohup", 0),
    ("builtin", 0),
    ("noglob", 0),
    ("nocorrect", 0),
    ("-", 0),
    ("time", 0),
    ("nice", 0),
    ("ionice", 0),
    ("stdbuf", 0),
    ("setsid", 0),
    ("xargs", 0),
    ("busybox", 0),
    ("toybox", 0),
    ("unshare", 0),
    ("strace", 0),
    ("caffeinate", 0),
    ("systemd-run", 0),
    ("watch", 0),
    ("parallel", 0),
    ("timeout", 1),
    ("gtimeout", 1),
    ("chroot", 1),
    ("flock", 1),
    ("taskset", 1),
    ("chrt", 1),
    ("function", 1),
];

/// Shells that take a text with `-c`.
pub(crate) const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish"];

/// Arguments of `find` that a command follows.
const EXECUTES: &[&str] = &["-exec", "-execdir", "-ok", "-okdir"];

/// The most positions in one command from which another is parsed.
const MOST_PLACES: usize = 64;

/// A program's name without its folder.
pub(crate) fn program(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Every command that a command runs, itself first, and whether there may be more.
pub(crate) fn runs(words: &[String]) -> (Vec<&[String]>, bool) {
    let mut begins: BTreeSet<usize> = BTreeSet::new();
    let mut open = vec![0];
    while let Some(at) = open.pop().filter(|_| begins.len() < MOST_PLACES) {
        let at = past_openings(words, at);
        if begins.insert(at) {
            open.extend(places_after(words, at));
        }
    }
    let is_cut = begins.len() >= MOST_PLACES;
    let runs = begins.into_iter().filter_map(|at| words.get(at..));
    (runs.filter(|it| !it.is_empty()).collect(), is_cut)
}

/// Skips keywords and assignments.
fn past_openings(words: &[String], at: usize) -> usize {
    let is_opening = |it: &&String| KEYWORDS.contains(&it.as_str()) || is_assignment(it);
    at + words.iter().skip(at).take_while(is_opening).count()
}

fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else {
        return false;
    };
    let name = name.strip_suffix('+').unwrap_or(name);
    !name.is_empty() && name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_')
}

/// The positions where a wrapped command may begin.
fn places_after(words: &[String], at: usize) -> Vec<usize> {
    let Some(name) = words.get(at).map(|it| program(it)) else {
        return Vec::new();
    };
    if name == "find" {
        let executes = words.iter().enumerate().skip(at);
        let executes = executes.filter(|(_, it)| EXECUTES.contains(&it.as_str()));
        return executes.map(|(place, _)| place + 1).collect();
    }
    let Some((_, operands)) = WRAPPERS.iter().find(|(it, _)| *it == name) else {
        return Vec::new();
    };
    let first = past_options(words, &[at + 1]);
    (0..*operands).fold(first, |places, _| {
        let next: Vec<usize> = places.into_iter().map(|it| it + 1).collect();
        past_options(words, &next)
    })
}

/// The positions themselves and those after skipped options, each with or without a value.
pub(crate) fn past_options(words: &[String], places: &[usize]) -> Vec<usize> {
    let mut reached: BTreeSet<usize> = BTreeSet::new();
    let mut open = places.to_vec();
    while let Some(at) = open.pop() {
        if !reached.insert(at) {
            continue;
        }
        match words.get(at) {
            Some(it) if it.starts_with('-') && it.contains('=') => open.push(at + 1),
            Some(it) if it.starts_with('-') => open.extend([at + 1, at + 2]),
            Some(_) | None => {}
        }
    }
    reached.into_iter().collect()
}

/// The positions after these words if a command starts with them, ignoring the program's folder and
/// options before each word; empty if it does not.
pub(crate) fn comes_to(command: &[String], words: &[&str]) -> Vec<usize> {
    let Some((first, rest)) = words.split_first() else {
        return vec![0];
    };
    if !command.first().is_some_and(|it| is_program(it, first)) {
        return Vec::new();
    }
    rest.iter().fold(vec![1], |places, word| {
        let here = |at: &usize| command.get(*at).is_some_and(|it| it == word);
        past_options(command, &places).into_iter().filter(here).map(|at| at + 1).collect()
    })
}

/// Some file systems are case-insensitive.
fn is_program(word: &str, name: &str) -> bool {
    let word = if name.contains('/') { word } else { program(word) };
    word.eq_ignore_ascii_case(name)
}

/// The texts that a command passes to a shell. `fed` is its standard input.
pub(super) fn scripts(run: &[String], fed: &[String]) -> Vec<String> {
    let Some((first, rest)) = run.split_first() else {
        return Vec::new();
    };
    match program(first) {
        name if SHELLS.contains(&name) => shell(rest, fed),
        "eval" | "watch" | "parallel" => vec![rest.join(" ")],
        "trap" => rest.first().cloned().into_iter().collect(),
        "su" | "script" | "runuser" | "flock" => told(rest, 'c', "--command"),
        "env" => told(rest, 'S', "--split-string"),
        _ => Vec::new(),
    }
}

fn shell(rest: &[String], fed: &[String]) -> Vec<String> {
    let texts = told(rest, 'c', "--command");
    if texts.is_empty() { fed.to_vec() } else { texts }
}

/// The words that may be an option's text: the rest of the word, or any following word that is not
/// an option.
fn told(rest: &[String], short: char, long: &str) -> Vec<String> {
    let is_short =
        |it: &str| it.starts_with(['-', '+']) && !it.starts_with("--") && it.contains(short);
    let Some(at) = rest.iter().position(|it| is_short(it) || it.starts_with(long)) else {
        return Vec::new();
    };
    let own = rest.get(at).and_then(|it| it.split_once(['=', short])).map(|(_, text)| text);
    let own = own.filter(|it| it.len() > 1).map(str::to_owned);
    let later = rest.iter().skip(at + 1).filter(|it| !it.starts_with('-')).cloned();
    own.into_iter().chain(later).collect()
}

/// The output of a command that prints its words.
pub(super) fn printed(words: &[String]) -> Option<String> {
    let (first, rest) = words.split_first()?;
    matches!(program(first), "echo" | "printf" | "print").then(|| rest.join(" "))
}
