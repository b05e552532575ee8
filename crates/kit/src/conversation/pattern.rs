//! Patterns of paths: `sessions/{session}/events.jsonl`, `logs/*/chat-{session}.json`, `**/x.json`.
//!
//! Parts are separated by `/`. In a part, `*` stands for any text and `{name}` for any text that is
//! remembered under that name; at most one of both in a part, after any number of `{name:36}`, which
//! stand for text of that length. `**` stands for any number of parts.

/// A part of a pattern, with the text before and after its placeholder.
enum Part<'p> {
    Literal(&'p str),
    Any { before: &'p str, name: &'p str, after: &'p str },
    Exact { before: &'p str, name: &'p str, length: usize, after: &'p str },
    Deep,
}

fn part(text: &str) -> Part<'_> {
    if text == "**" {
        return Part::Deep;
    }
    if let Some(part) = exact(text) {
        return part;
    }
    if let Some((before, after)) = split(text, b'*') {
        return Part::Any { before, name: "", after };
    }
    match split(text, b'{').and_then(|(before, rest)| Some((before, split(rest, b'}')?))) {
        Some((before, (name, after))) => Part::Any { before, name, after },
        None => Part::Literal(text),
    }
}

/// The text before and after the first such sign. Every file of a home is matched with every pattern, and
/// on texts of a few bytes a plain loop beats `split_once`, which prepares a search.
fn split(text: &str, sign: u8) -> Option<(&str, &str)> {
    debug_assert!(sign.is_ascii());
    let at = text.bytes().position(|it| it == sign)?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// A part whose first placeholder has a length.
fn exact(text: &str) -> Option<Part<'_>> {
    let (before, rest) = split(text, b'{')?;
    let (inner, after) = split(rest, b'}')?;
    let (name, length) = split(inner, b':')?;
    Some(Part::Exact { before, name, length: length.parse().ok()?, after })
}

/// What a path has at the names of a pattern.
pub(super) type Names<'a> = Vec<(&'a str, &'a str)>;

/// The names of a path that a pattern matches.
pub(super) fn matched<'a>(pattern: &'a str, path: &'a str) -> Option<Names<'a>> {
    let mut names = Vec::new();
    is_matched(pattern, path, &mut names).then_some(names)
}

fn is_matched<'a>(pattern: &'a str, path: &'a str, names: &mut Names<'a>) -> bool {
    let (first, rest) = cut(pattern);
    if let Part::Deep = part(first) {
        return deep(rest, path, names);
    }
    let (here, below) = cut(path);
    if here.is_empty() || rest.is_none() != below.is_none() {
        return false;
    }
    is_part(first, here, names)
        && rest.zip(below).is_none_or(|(rest, below)| is_matched(rest, below, names))
}

/// Whether a part of a path matches that of a pattern.
fn is_part<'a>(pattern: &'a str, here: &'a str, names: &mut Names<'a>) -> bool {
    match part(pattern) {
        Part::Literal(text) => text == here,
        Part::Deep => false,
        Part::Any { before, name, after } => {
            let inner = here.strip_prefix(before).and_then(|it| it.strip_suffix(after));
            names.extend(inner.filter(|_| !name.is_empty()).map(|it| (name, it)));
            inner.is_some_and(|it| !it.is_empty())
        }
        Part::Exact { before, name, length, after } => {
            let inner = here.strip_prefix(before).and_then(|it| it.split_at_checked(length));
            names.extend(inner.map(|(it, _)| (name, it)));
            inner.is_some_and(|(_, rest)| is_part(after, rest, names))
        }
    }
}

/// Tries the rest of the pattern at every depth of the path.
fn deep<'a>(rest: Option<&'a str>, path: &'a str, names: &mut Names<'a>) -> bool {
    let Some(rest) = rest else { return true };
    let mut below = Some(path);
    while let Some(path) = below {
        let before = names.len();
        if is_matched(rest, path, names) {
            return true;
        }
        names.truncate(before);
        below = cut(path).1;
    }
    false
}

fn cut(text: &str) -> (&str, Option<&str>) {
    split(text, b'/').map_or((text, None), |(first, rest)| (first, Some(rest)))
}

/// A pattern with the names of a match filled in. What is filled in is never filled in again: a path may
/// contain braces.
pub(super) fn filled(pattern: &str, names: &Names<'_>) -> String {
    let (mut out, mut rest) = (String::with_capacity(pattern.len() + 64), pattern);
    while let Some((before, after)) = split(rest, b'{') {
        let Some((name, after)) = split(after, b'}') else { break };
        out.push_str(before);
        out.extend(names.iter().find(|(it, _)| *it == name).map(|(_, value)| *value));
        rest = after;
    }
    out + rest
}

/// The session that a path names: `{session}`, or `{agent}` below its `{parent}`, whose ids are unique
/// only there.
pub(super) fn session_named(find: impl Fn(&str) -> Option<String>) -> Option<String> {
    let below = || Some(format!("{}/{}", find("parent")?, find("agent")?));
    find("session").or_else(below)
}

/// The sub-agent that a path names `{worker}`, whose id is unique within its `{parent}`: the parent, and
/// the id.
pub(super) fn worker_named<'a>(
    find: impl Fn(&str) -> Option<&'a str>,
) -> Option<(&'a str, &'a str)> {
    find("parent").zip(find("worker"))
}

/// Whether a text is a pattern below a home: it is relative, and no part leads out.
pub(super) fn is_pattern(text: &str) -> bool {
    let is_part = |it: &str| !matches!(it, "" | "." | "..") && !it.contains('\\');
    text.split('/').all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_whole_paths_and_remembers_names() {
        let check = |pattern: &str, path: &str, expected: Option<&[(&str, &str)]>| {
            assert_eq!(matched(pattern, path).as_deref(), expected, "{pattern} {path}");
        };
        check("a/{session}/e.jsonl", "a/s1/e.jsonl", Some(&[("session", "s1")]));
        check("a/{session}/e.jsonl", "a/s1/e.json", None);
        check("a/{session}/e.jsonl", "a/s1/x/e.jsonl", None);
        check("a/*/{session}.jsonl", "a/p/s1.jsonl", Some(&[("session", "s1")]));
        check("a/*/{session}.jsonl", "a/p/.jsonl", None);
        check("a/*", "a", None);
        check("**/{s}.json", "x/y/1.json", Some(&[("s", "1")]));
        check("**/{s}.json", "1.json", Some(&[("s", "1")]));
        check("a/**", "a/b/c", Some(&[]));
        check("a/**/c-{n}", "a/c-1/b/c-2", Some(&[("n", "2")]));
        check("chats/*.jsonl", "chats/x.jsonl", Some(&[]));
        check(
            "{y:4}/x-{a:2}_{b}.json",
            "2026/x-ab_c.json",
            Some(&[("y", "2026"), ("a", "ab"), ("b", "c")]),
        );
        check("{y:4}/x-{a:2}_{b}.json", "2026/x-ab.json", None);
        check("{a:2}.json", "abc.json", None);
        check("{a:2}.json", "a.json", None);
        check("{a:2}.json", "é.json", Some(&[("a", "é")]));
        check("{a:1}x", "éx", None);
    }

    #[test]
    fn names_are_filled_in() {
        let names = vec![("s", "1"), ("p", "{s}")];
        assert_eq!(filled("a/{s}/b-{s}", &names), "a/1/b-1");
        assert_eq!(filled("{p}/{s}.jsonl", &names), "{s}/1.jsonl");
    }

    #[test]
    fn a_pattern_stays_below_its_home() {
        for (text, expected) in
            [("a/*.json", true), ("..", false), ("a/../b", false), ("/a", false), ("", false)]
        {
            assert_eq!(is_pattern(text), expected, "{text}");
        }
    }
}
