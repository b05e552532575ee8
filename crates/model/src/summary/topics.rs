//! The topics and the category of a session.

use super::line::plain;
use crate::turn::Turn;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The most topics.
pub const TOPICS: usize = 5;
/// How many of the latest turns are read.
const TURN_LIMIT: usize = 200;
/// The longest topic, in characters.
const TOPIC_CHARS: usize = 32;
/// Stop words.
const EMPTY: &str = " about above after again also another because been before being below between both cannot change \
changes check code could does doing done down each else every file files first fixed from further have having here \
into just know like line lines look made make more most much must need needs never next none only other over please \
really right same should since some still such sure take than that their them then there these they thing things this \
those through under update updated used using very want wants were what when where which while will with without work \
works would wrote your redacted true false null function const return import class let's i'll i've it's done now ";

/// The kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// A new feature.
    Feature,
    /// A bug fix.
    Fix,
    /// A refactoring.
    Refactor,
    /// Tests.
    Test,
    /// Documentation.
    Docs,
    /// An answer, not a change.
    Question,
    /// Build, release, operation.
    Ops,
    /// None of these, or unknown.
    Other,
}

impl Category {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Feature,
        Self::Fix,
        Self::Refactor,
        Self::Test,
        Self::Docs,
        Self::Question,
        Self::Ops,
        Self::Other,
    ];

    /// Parses a word that a person wrote.
    #[must_use]
    pub fn meant(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str().eq_ignore_ascii_case(word))
    }

    /// The word used in JSON and messages.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Feature => "feature",
            Self::Fix => "fix",
            Self::Refactor => "refactor",
            Self::Test => "test",
            Self::Docs => "docs",
            Self::Question => "question",
            Self::Ops => "ops",
            Self::Other => "other",
        }
    }
}

/// Prefixes of prompt words that identify a category; on a tie the earlier category wins.
const TELLING: [(Category, &[&str]); 6] = [
    (
        Category::Fix,
        &[
            "fix", "bug", "crash", "broken", "fail", "error", "wrong", "regress", "mend", "repair",
            "debug", "panic",
        ],
    ),
    (
        Category::Refactor,
        &[
            "refactor",
            "rename",
            "clean",
            "simplif",
            "restructur",
            "split",
            "extract",
            "dedup",
            "reorganis",
            "reorganiz",
            "tidy",
        ],
    ),
    (Category::Test, &["test", "coverage", "fixture", "snapshot", "proptest", "flaky"]),
    (Category::Docs, &["doc", "readme", "comment", "changelog", "guide", "spelling", "wording"]),
    (
        Category::Ops,
        &[
            "deploy", "release", "install", "docker", "pipeline", "upgrade", "config", "migrat",
            "server", "commit", "merge", "rebase",
        ],
    ),
    (
        Category::Feature,
        &[
            "add",
            "implement",
            "feature",
            "creat",
            "build",
            "support",
            "introduc",
            "write",
            "new",
            "make",
        ],
    ),
];
/// Words that begin a question.
const ASKING: [&str; 12] =
    ["what", "why", "how", "where", "who", "which", "when", "explain", "is", "are", "does", "can"];
/// Name fragments of tools that change files.
const CHANGING: [&str; 5] = ["edit", "write", "patch", "replace", "create"];

/// Frequent words, file stems and tools, the most important first.
pub(super) fn topics(turns: &[Turn]) -> Vec<String> {
    let mut weights: BTreeMap<String, u32> = BTreeMap::new();
    for turn in latest(turns) {
        for (text, weight) in [(&turn.prompt, 3), (&turn.text, 1)] {
            words(&plain(text))
                .for_each(|(word, times)| *weights.entry(word).or_default() += weight * times);
        }
        for (tool, count) in &turn.tools {
            *weights.entry(shortened(&plain(tool))).or_default() += (*count).min(2);
        }
    }
    weights.remove("");
    let mut by_weight: Vec<_> = weights.into_iter().collect();
    by_weight.sort_by_key(|(word, weight)| (std::cmp::Reverse(*weight), word.clone()));
    by_weight.into_iter().take(TOPICS).map(|(word, _)| word).collect()
}

/// The meaningful words of a text with their weights: the stem of a file counts twice.
fn words(text: &str) -> impl Iterator<Item = (String, u32)> {
    text.split(|it: char| {
        it.is_whitespace() || matches!(it, '"' | '(' | ')' | ',' | '`' | '[' | ']' | '=' | ';')
    })
    .filter_map(|word| {
        let word = word.trim_matches(|it: char| !it.is_alphanumeric());
        stem(word).map(|it| (it, 2)).or_else(|| meaning(word).map(|it| (it, 1)))
    })
}

/// The name of a file without its folder and extension.
fn stem(word: &str) -> Option<String> {
    let name = word.rsplit('/').next()?;
    let (stem, ending) = name.rsplit_once('.')?;
    let known = (1..=5).contains(&ending.len()) && ending.bytes().all(|it| it.is_ascii_lowercase());
    let named = stem.len() >= 3 && stem.starts_with(char::is_alphabetic) && !word.contains("://");
    (known && named).then(|| shortened(&stem.to_lowercase()))
}

fn meaning(word: &str) -> Option<String> {
    let plain = word.chars().all(|it| it.is_alphabetic() || matches!(it, '-' | '_'));
    let small = word.to_lowercase();
    let empty = EMPTY.contains(&format!(" {small} "));
    (plain && small.chars().count() >= 4 && !empty).then(|| shortened(&small))
}

fn shortened(word: &str) -> String {
    word.chars().take(TOPIC_CHARS).collect()
}

/// The kind of work, by the words of the prompts and the tools used.
pub(super) fn category(turns: &[Turn]) -> Category {
    let changed = latest(turns).iter().any(changes);
    let prompts: Vec<String> =
        latest(turns).iter().map(|it| plain(&it.prompt).to_lowercase()).collect();
    let asked = prompts.iter().filter(|it| is_question(it)).count();
    if !changed && asked * 2 > prompts.len() {
        return Category::Question;
    }
    let mut best = (0, Category::Other);
    for (category, begins) in TELLING {
        let score: usize = prompts.iter().map(|it| told(it, begins)).sum();
        if score > best.0 {
            best = (score, category);
        }
    }
    match best.1 {
        Category::Other if changed => Category::Feature,
        told => told,
    }
}

fn told(prompt: &str, begins: &[&str]) -> usize {
    let words = prompt.split(|it: char| !it.is_alphanumeric());
    words.filter(|word| begins.iter().any(|it| word.starts_with(it))).count()
}

fn is_question(prompt: &str) -> bool {
    let first = prompt.split(|it: char| !it.is_alphanumeric()).next().unwrap_or_default();
    prompt.ends_with('?') || ASKING.contains(&first)
}

fn changes(turn: &Turn) -> bool {
    turn.tools.keys().any(|tool| {
        let tool = tool.to_ascii_lowercase();
        CHANGING.iter().any(|it| tool.contains(it))
    })
}

fn latest(turns: &[Turn]) -> &[Turn] {
    turns.get(turns.len().saturating_sub(TURN_LIMIT)..).unwrap_or_default()
}
