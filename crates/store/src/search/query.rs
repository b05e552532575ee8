//! Parses the query that a person types.

use taffrail_model::search_words::words;

/// Words without meaning of their own; they count only if nothing else was typed.
const STOP_WORDS: &[&str] = &[
    "a", "about", "all", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can",
    "could", "did", "do", "does", "for", "from", "had", "has", "have", "how", "i", "if", "in",
    "into", "is", "it", "its", "me", "my", "no", "not", "of", "on", "or", "our", "out", "should",
    "so", "some", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this",
    "those", "to", "up", "was", "we", "were", "what", "when", "where", "which", "who", "why",
    "will", "with", "would", "you", "your",
];

/// A part of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Clause {
    /// A word that adds to the score.
    Word(String),
    /// An identifier or a path, typed as one word: its parts in sequence add to the score.
    Joined(Vec<String>),
    /// Words that must follow one another.
    Phrase(Vec<String>),
    /// A prefix of a word that must occur.
    Prefix(String),
}

/// A query: clauses on the text, and filters as typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// The clauses on the text.
    pub clauses: Vec<Clause>,
    /// `agent:`
    pub agent: Option<String>,
    /// `device:`
    pub device: Option<String>,
    /// `project:`
    pub project: Option<String>,
    /// `kind:`
    pub kind: Option<String>,
    /// `since:`
    pub since: Option<String>,
    /// `in:`
    pub session: Option<String>,
    /// `topic:`
    pub topic: Option<String>,
    /// `category:`
    pub category: Option<String>,
    /// `summary:`
    pub summary: Option<String>,
    /// `branch:`
    pub branch: Option<String>,
    /// `tag:`
    pub tag: Option<String>,
    /// `file:` or `path:`; its parts are also a phrase of the text.
    pub file: Option<String>,
    /// A filter that was typed and does not exist.
    pub unknown: Option<String>,
}

/// All filters.
pub const FILTERS: &[&str] = &[
    "agent", "branch", "category", "device", "file", "in", "kind", "project", "since", "summary",
    "tag", "topic",
];

impl Query {
    /// Parses a query. Records an unknown filter so that the caller can report it.
    #[must_use]
    pub fn parse(typed: &str) -> Self {
        let mut query = Self::default();
        for piece in pieces(typed) {
            match piece {
                Piece::Quoted(text) => query.add_phrase(text),
                Piece::Filter(name, value) => query.set(name, value),
                Piece::Plain(text) => query.add_plain(text),
            }
        }
        query.drop_stop_words();
        if let Some(file) = query.file.clone() {
            query.add_phrase(&file);
        }
        query
    }

    /// Whether several words were typed, as in a question: then other forms of them match too.
    #[must_use]
    pub fn is_question(&self) -> bool {
        self.clauses.iter().filter(|it| matches!(it, Clause::Word(_))).count() >= 2
    }

    /// Whether the query has no clause on the text.
    #[must_use]
    pub fn has_no_words(&self) -> bool {
        self.clauses.is_empty()
    }

    /// At least one filter is set.
    #[must_use]
    pub fn has_filters(&self) -> bool {
        // The destructuring reminds whoever adds a filter of this place.
        let Self { clauses: _, unknown: _, agent, device, project, kind, since, session, .. } =
            self;
        let Self { topic, category, summary, branch, tag, file, .. } = self;
        let of_events = [kind, since, session, file];
        let of_sessions = [agent, device, project, topic, category, summary, branch, tag];
        of_events.into_iter().chain(of_sessions).any(Option::is_some)
    }

    /// Whether the query filters on final summaries.
    #[must_use]
    pub fn asks_what_about(&self) -> bool {
        self.topic.is_some() || self.category.is_some() || self.summary.is_some()
    }

    fn add_phrase(&mut self, text: &str) {
        let mut parts = parts_of(text);
        match parts.len() {
            0 => {}
            1 => self.clauses.extend(parts.pop().map(|it| Clause::Phrase(vec![it]))),
            _ => self.clauses.push(Clause::Phrase(parts)),
        }
    }

    fn add_plain(&mut self, text: &str) {
        let filter = text.split_once(':').filter(|(_, value)| !value.is_empty());
        let slot = filter.and_then(|(name, value)| Some((self.slot(name)?, value)));
        if let Some((slot, value)) = slot {
            *slot = Some(value.to_owned());
            return;
        }
        if let Some((name, _)) = filter.filter(|(name, value)| looks_meant(name, value)) {
            self.unknown = Some(name.to_owned());
        }
        let (text, open) = text.strip_suffix('*').map_or((text, false), |start| (start, true));
        let mut parts = parts_of(text);
        if open {
            self.clauses.extend(parts.pop().map(Clause::Prefix));
        }
        let clause = match parts.len() {
            0 => return,
            1 => parts.pop().map(Clause::Word),
            _ => Some(Clause::Joined(parts)),
        };
        self.clauses.extend(clause.filter(|it| !self.clauses.contains(it)));
    }

    fn set(&mut self, name: &str, value: &str) {
        match self.slot(name) {
            Some(slot) => *slot = Some(value.to_owned()),
            None => {
                if looks_meant(name, value) {
                    self.unknown = Some(name.to_owned());
                }
                self.add_plain(name);
                self.add_phrase(value);
            }
        }
    }

    fn slot(&mut self, name: &str) -> Option<&mut Option<String>> {
        match name {
            "agent" => Some(&mut self.agent),
            "device" => Some(&mut self.device),
            "project" => Some(&mut self.project),
            "kind" => Some(&mut self.kind),
            "since" => Some(&mut self.since),
            "in" => Some(&mut self.session),
            "topic" => Some(&mut self.topic),
            "category" => Some(&mut self.category),
            "summary" => Some(&mut self.summary),
            "branch" => Some(&mut self.branch),
            "tag" => Some(&mut self.tag),
            "file" | "path" => Some(&mut self.file),
            _ => None,
        }
    }

    fn drop_stop_words(&mut self) {
        let stops =
            |it: &Clause| matches!(it, Clause::Word(word) if STOP_WORDS.contains(&word.as_str()));
        if self.clauses.iter().any(|it| !stops(it)) {
            self.clauses.retain(|it| !stops(it));
        }
    }
}

/// Whether a name and a value look like a filter: a short lowercase word, a colon and a value.
/// Addresses, ports, lines of files and module paths are words.
fn looks_meant(name: &str, value: &str) -> bool {
    let is_small_word = name.len() > 1 && name.chars().all(|it| it.is_ascii_lowercase());
    let begins = value.starts_with(|it: char| it.is_alphanumeric() || "~._@\"".contains(it));
    is_small_word && begins && !value.chars().all(|it| it.is_ascii_digit())
}

enum Piece<'a> {
    Quoted(&'a str),
    Plain(&'a str),
    /// `name:"value"`
    Filter(&'a str, &'a str),
}

/// Splits at whitespace outside quotes; an unclosed quote extends to the end. The value of a filter
/// may be quoted.
fn pieces(typed: &str) -> Vec<Piece<'_>> {
    let mut out: Vec<Piece<'_>> = Vec::new();
    let mut parted = true;
    for (index, part) in typed.split('"').enumerate() {
        if index % 2 == 1 {
            let name = out.pop_if(|it| matches!(it, Piece::Plain(text) if text.ends_with(':')));
            // Whitespace before the quote separates the two.
            match name {
                Some(Piece::Plain(name)) if !parted => {
                    out.push(Piece::Filter(name.trim_end_matches(':'), part));
                }
                other => {
                    out.extend(other);
                    out.push(Piece::Quoted(part));
                }
            }
        } else {
            parted = part.ends_with(char::is_whitespace);
            out.extend(part.split_whitespace().map(Piece::Plain));
        }
    }
    out
}

/// The smallest words of a text, in order.
pub(crate) fn parts_of(text: &str) -> Vec<String> {
    let mut out: Vec<(usize, String)> = Vec::new();
    words(text, |word, span| match out.last_mut() {
        // An identifier comes before its parts, at the position of the first.
        Some((last, known)) if *last == span.position => *known = word.to_owned(),
        _ => out.push((span.position, word.to_owned())),
    });
    out.into_iter().map(|(_, word)| word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_read_as_it_is_meant() {
        let word = |text: &str| Clause::Word(text.to_owned());
        let many = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let check = |typed: &str, clauses: &[Clause]| {
            assert_eq!(Query::parse(typed).clauses, clauses, "{typed}");
        };
        check("", &[]);
        check("where did we fix the parser", &[word("fix"), word("parser")]);
        check("the of and", &[word("the"), word("of"), word("and")]);
        check("\"fix the\"", &[Clause::Phrase(many("fix the"))]);
        check("\"the\"", &[Clause::Phrase(many("the"))]);
        check("pars* fast", &[Clause::Prefix("pars".into()), word("fast")]);
        check("get_na*", &[Clause::Prefix("na".into()), word("get")]);
        check("getName", &[Clause::Joined(many("get name"))]);
        check("\"getName now\"", &[Clause::Phrase(many("get name now"))]);
        check("std::fs", &[Clause::Joined(many("std fs"))]);
        check("src/x.rs:12", &[Clause::Joined(many("src x rs 12"))]);
        check("漢字", &[Clause::Joined(many("漢 字"))]);
        check("\"never closed", &[Clause::Phrase(many("never closed"))]);
        check("twice twice", &[word("twice")]);
        check("*", &[]);
    }

    #[test]
    fn every_filter_alone_is_a_question() {
        for name in FILTERS {
            let query = Query::parse(&format!("{name}:x"));
            assert!(query.has_filters(), "{name}");
            assert_eq!(query.unknown, None, "{name}");
            assert_eq!(query.has_no_words(), *name != "file", "{name}");
        }
        assert!(Query::parse("path:src/lib.rs").has_filters());
    }

    #[test]
    fn what_looks_like_a_filter_and_is_none_is_noted() {
        let check = |typed: &str, expected: Option<&str>| {
            assert_eq!(Query::parse(typed).unknown.as_deref(), expected, "{typed}");
        };
        check("x foo:bar", Some("foo"));
        check("author:\"my name\"", Some("author"));
        check("std::fs https://x.org src/x.rs:12 localhost:8080 b:c E0277:x foo:", None);
        check("\"foo:bar\" said: it note: \"so\"", None);
    }

    #[test]
    fn filters_are_told_from_words() {
        let query = Query::parse("x agent:codex project:/a/b since:7d in:3f kind:error agent:");
        assert_eq!(query.agent.as_deref(), Some("codex"));
        assert_eq!(query.project.as_deref(), Some("/a/b"));
        assert_eq!(query.since.as_deref(), Some("7d"));
        assert_eq!(query.session.as_deref(), Some("3f"));
        assert_eq!(query.kind.as_deref(), Some("error"));
        assert_eq!(query.clauses.len(), 2);
        assert!(query.has_filters() && !query.has_no_words());
        assert!(!Query::parse("x").has_filters());
        let about = Query::parse("topic:parser category:fix");
        assert_eq!(
            (about.topic.as_deref(), about.category.as_deref()),
            (Some("parser"), Some("fix"))
        );
        assert!(about.has_filters() && about.has_no_words());
        let quoted = Query::parse("a project:\"my api\" said: \"so be it\" b:\"c d\"");
        assert_eq!(quoted.project.as_deref(), Some("my api"));
        assert_eq!(quoted.clauses.len(), 4);
    }
}
