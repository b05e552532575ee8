//! The expected hits of a query, computed from texts: slow, plain, and without any code of search
//! itself.

use super::word;
use serde_json::Value;
use std::collections::BTreeSet;
use taffrail_testkit::Home;

/// The stop words that these tests use.
const STOP_WORDS: [&str; 4] = ["the", "of", "a", "not"];
/// The inflected words that these tests use.
const FORMS: [&str; 3] = ["cache", "caches", "caching"];

/// An event with its words, each with its position.
pub(crate) struct Said {
    pub(crate) session: String,
    pub(crate) id: String,
    pub(crate) text: String,
    agent: String,
    project: String,
    kind: String,
    at: String,
    words: Vec<(usize, String)>,
}

/// All events of a home, without the copies in forks.
pub(crate) fn everything(home: &Home) -> Vec<Said> {
    let mut out = Vec::new();
    for session in home.sessions() {
        let (id, agent) = (word(&session, "id"), word(&session, "agent"));
        for event in home.events(&id) {
            let text = searched(&event);
            if text.is_empty() || !event["data"]["inherited_from"].is_null() {
                continue;
            }
            out.push(Said {
                session: id.clone(),
                id: word(&event, "id"),
                agent: agent.clone(),
                project: word(&session, "project_path"),
                kind: word(&event, "kind"),
                at: word(&event, "createdAt"),
                words: words(&text),
                text,
            });
        }
    }
    out
}

/// The searchable text of an event: of a call, the tool and every string of its input.
fn searched(event: &Value) -> String {
    let text = word(event, "text");
    if event["kind"] != "tool.call" {
        return text;
    }
    let mut strings = Vec::new();
    match &event["data"]["input"] {
        Value::Null => strings.push(text),
        // Some agents write JSON into a string.
        Value::String(quoted) => match serde_json::from_str::<Value>(quoted) {
            Ok(input @ (Value::Object(_) | Value::Array(_))) => strings_of(&input, &mut strings),
            _ => strings.push(quoted.clone()),
        },
        input => strings_of(input, &mut strings),
    }
    format!("{}\n{}", word(&event["data"], "tool"), strings.join("\n"))
}

fn strings_of(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::String(text) => out.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|it| strings_of(it, out)),
        Value::Object(fields) => fields.values().for_each(|it| strings_of(it, out)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The lowercase words of a text: runs of letters and digits, an identifier whole and in its parts,
/// ideographs one by one, nothing longer than 64 bytes.
pub(crate) fn words(text: &str) -> Vec<(usize, String)> {
    let mut spaced = String::new();
    for letter in text.chars() {
        match letter {
            it if is_ideograph(it) => spaced.extend([' ', it, ' ']),
            it if it.is_alphanumeric() => spaced.push(it),
            _ => spaced.push(' '),
        }
    }
    let (mut out, mut place) = (Vec::new(), 0);
    for run in spaced.split(' ').filter(|run| !run.is_empty() && run.len() <= 64) {
        let parts = parts_of(run);
        if parts.len() > 1 {
            out.push((place, lower(run)));
        }
        for part in parts {
            out.push((place, lower(&part)));
            place += 1;
        }
    }
    out
}

fn is_ideograph(letter: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&letter) || ('\u{3040}'..='\u{30ff}').contains(&letter)
}

/// A capital begins a part after a lowercase letter, or before one.
fn parts_of(run: &str) -> Vec<String> {
    let letters: Vec<char> = run.chars().collect();
    let mut out = vec![String::new()];
    for (at, letter) in letters.iter().enumerate() {
        let small = |at: Option<usize>| {
            at.and_then(|at| letters.get(at)).is_some_and(|it| it.is_lowercase())
        };
        if at > 0 && letter.is_uppercase() && (small(at.checked_sub(1)) || small(Some(at + 1))) {
            out.push(String::new());
        }
        out.last_mut().unwrap().push(*letter);
    }
    out
}

fn lower(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}

/// The smallest words of a query.
fn smallest(text: &str) -> Vec<String> {
    let mut out: Vec<(usize, String)> = Vec::new();
    for (place, word) in words(text) {
        match out.last_mut() {
            Some(last) if last.0 == place => last.1 = word,
            _ => out.push((place, word)),
        }
    }
    out.into_iter().map(|(_, word)| word).collect()
}

/// A query in parts.
#[derive(Debug, Default)]
pub(crate) struct Question {
    pub(crate) words: Vec<String>,
    pub(crate) phrases: Vec<String>,
    pub(crate) prefixes: Vec<String>,
    pub(crate) agent: Option<String>,
    pub(crate) project: Option<String>,
    pub(crate) kind: Option<String>,
    pub(crate) since: Option<String>,
    pub(crate) session: Option<String>,
}

impl Question {
    /// The query as typed.
    pub(crate) fn typed(&self) -> String {
        let phrases = self.phrases.iter().map(|it| format!("\"{it}\""));
        let prefixes = self.prefixes.iter().map(|it| format!("{it}*"));
        let mut out: Vec<String> =
            self.words.iter().cloned().chain(phrases).chain(prefixes).collect();
        let filters = [
            ("agent", &self.agent),
            ("project", &self.project),
            ("kind", &self.kind),
            ("since", &self.since),
            ("in", &self.session),
        ];
        let filters = filters.iter().filter_map(|(name, it)| Some((name, it.as_ref()?)));
        out.extend(filters.map(|(name, value)| format!("{name}:{value}")));
        out.join(" ")
    }

    /// The expected hits.
    pub(crate) fn answer(&self, all: &[Said]) -> BTreeSet<(String, String)> {
        let fits = all.iter().filter(|it| self.is_said(it) && self.is_let_through(it));
        fits.map(|it| (it.session.clone(), it.id.clone())).collect()
    }

    /// True if the query contains words.
    pub(crate) fn has_words(&self) -> bool {
        let all = [&self.words, &self.phrases, &self.prefixes];
        all.into_iter().flatten().any(|it| !words(it).is_empty())
    }

    /// True if the query has neither words nor filters, at most punctuation.
    pub(crate) fn asks_nothing(&self) -> bool {
        !self.has_words() && !self.has_filters()
    }

    fn has_filters(&self) -> bool {
        let all = [&self.agent, &self.project, &self.kind, &self.since, &self.session];
        all.into_iter().any(Option::is_some)
    }

    /// Phrases and prefixes must occur; without any, one of the words must.
    fn is_said(&self, said: &Said) -> bool {
        if !self.has_words() {
            return self.has_filters();
        }
        let phrases = self.phrases.iter().map(|it| smallest(it)).filter(|it| !it.is_empty());
        let mut must: Vec<bool> = phrases.map(|parts| has_row(said, &parts)).collect();
        let mut may: Vec<Vec<String>> = self.words.iter().map(|it| smallest(it)).collect();
        for prefix in &self.prefixes {
            let mut parts = smallest(prefix);
            let Some(start) = parts.pop() else { continue };
            must.push(said.words.iter().any(|(_, word)| word.starts_with(&start)));
            may.push(parts);
        }
        may.retain(|parts| !parts.is_empty());
        let stops =
            |parts: &Vec<String>| parts.len() == 1 && STOP_WORDS.contains(&parts[0].as_str());
        if !must.is_empty() || may.iter().any(|it| !stops(it)) {
            may.retain(|it| !stops(it));
        }
        // Several words make a question, which also matches other forms of them.
        let words: BTreeSet<_> = may.iter().filter(|it| it.len() == 1).cloned().collect();
        if words.len() > 1 && words.iter().any(|it| FORMS.contains(&it[0].as_str())) {
            may.extend(FORMS.map(|it| vec![it.to_owned()]));
        }
        if must.is_empty() {
            may.iter().any(|it| has_row(said, it))
        } else {
            must.iter().all(|it| *it)
        }
    }

    fn is_let_through(&self, said: &Said) -> bool {
        let is =
            |asked: &Option<String>, fits: &dyn Fn(&str) -> bool| asked.as_deref().is_none_or(fits);
        is(&self.agent, &|it| said.agent == it)
            && is(&self.project, &|it| is_in(&said.project, it))
            && is(&self.kind, &|it| said.kind == it || said.kind.split('.').any(|part| part == it))
            && is(&self.since, &|it| said.at.as_str() >= it)
            && is(&self.session, &|it| said.session.starts_with(it))
    }
}

/// In a folder with this name, or in this folder or below it.
fn is_in(project: &str, asked: &str) -> bool {
    if !asked.contains('/') {
        return project.ends_with(&format!("/{asked}"));
    }
    project == asked || project.starts_with(&format!("{asked}/"))
}

/// True if the words occur one after the other.
fn has_row(said: &Said, parts: &[String]) -> bool {
    let is_at =
        |place: usize, part: &String| said.words.iter().any(|it| it.0 == place && it.1 == *part);
    let begins = said.words.iter().map(|it| it.0).collect::<BTreeSet<_>>();
    begins
        .into_iter()
        .any(|place| parts.iter().enumerate().all(|(at, part)| is_at(place + at, part)))
}
