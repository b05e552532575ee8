//! Finds what was said by its meaning, beside its words.

use super::plan::{Want, filter};
use super::query::{Clause, Query};
use super::reader::{Fit, Hit, Hits, SearchReader};
use crate::db::StoreError;
use std::collections::HashMap;
use taffrail_meaning::{Vector, WORDS};
use tantivy::columnar::Column;
use tantivy::query::{AllQuery, EnableScoring, Query as _};
use tantivy::{DocId, DocSet, SegmentReader, TERMINATED};

/// Whether the search index keeps vectors of what was said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Meaning {
    /// It finds words only.
    #[default]
    Dropped,
    /// It also finds similar meanings.
    Kept,
}

/// The most hits that are found by their meaning.
const MOST: usize = 50;
/// What is less alike than this is about something else.
const LEAST: f32 = 0.3;
/// How little the first places count more than later ones.
const EVEN: f32 = 60.0;
/// How much a place among similar meanings counts beside one among words.
const BESIDE: f32 = 0.7;

impl SearchReader {
    /// The events whose meaning is nearest to that of a question, the nearest first; `None` if vectors are not
    /// kept, or if it asks for certain words.
    pub(super) fn alike(&self, want: &Want<'_>) -> Result<Option<Vec<Hit>>, StoreError> {
        let asked = self.fields().meaning.and_then(|_| question(want.query));
        let Some(asked) = asked else { return Ok(None) };
        let filter = filter(want).unwrap_or_else(|| Box::new(AllQuery));
        let weight = filter.weight(EnableScoring::disabled_from_searcher(self.searcher()))?;
        let mut best = Vec::new();
        for segment in self.searcher().segment_readers() {
            let mut found = weight.scorer(segment, 1.0)?;
            let columns = Columns::of(segment)?;
            let alive = segment.alive_bitset();
            let mut doc = found.doc();
            while doc != TERMINATED {
                if alive.is_none_or(|it| it.is_alive(doc)) {
                    best.extend(columns.hit(doc, &asked));
                }
                doc = found.advance();
            }
        }
        best.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.key.cmp(&b.key)));
        best.truncate(MOST);
        Ok(Some(best))
    }
}

/// The meaning of a question of several words. Who types an identifier, a phrase or a prefix means that.
fn question(query: &Query) -> Option<Vector> {
    let mut words = Vec::new();
    for clause in &query.clauses {
        let Clause::Word(word) = clause else { return None };
        words.push(word.as_str());
    }
    let asked = query.is_question().then(|| words.join(" "))?;
    taffrail_meaning::vector(&asked)
}

/// The columns of a segment.
struct Columns {
    vectors: Column<u64>,
    session: Column<u64>,
    key: Column<u64>,
}

impl Columns {
    fn of(segment: &SegmentReader) -> Result<Self, StoreError> {
        let columns = segment.fast_fields();
        Ok(Self {
            vectors: columns.u64("meaning")?,
            session: columns.u64("session")?,
            key: columns.u64("key")?,
        })
    }

    /// An event, if one of its pieces is alike enough.
    fn hit(&self, doc: DocId, asked: &Vector) -> Option<Hit> {
        let mut values = self.vectors.values_for_doc(doc);
        let mut score = 0.0;
        while let Some(words) = next_vector(&mut values) {
            score = asked.likeness(&Vector::from_words(&words)).max(score);
        }
        if score < LEAST {
            return None;
        }
        let of = |column: &Column<u64>| column.first(doc).unwrap_or(0);
        let session = i64::try_from(of(&self.session)).unwrap_or(0);
        Some(Hit { session, key: of(&self.key), score, fit: Fit::Part, by_meaning: true })
    }
}

fn next_vector(values: &mut impl Iterator<Item = u64>) -> Option<[u64; WORDS]> {
    let mut out = [0; WORDS];
    for word in &mut out {
        *word = values.next()?;
    }
    Some(out)
}

/// Joins both lists by the places of their hits: what is in both comes before what is in one.
pub(super) fn fused(words: &Hits, alike: &[Hit]) -> Hits {
    let score = |place: usize| 1.0 / (EVEN + place as f32);
    let scored = |it: &Hit, score: f32| (it.place(), Hit { score, ..*it });
    let by_words = words.hits.iter().enumerate().map(|(place, it)| scored(it, score(place)));
    let mut hits: HashMap<_, _> = by_words.collect();
    let (mut total, mut weaker) = (words.total, words.weaker);
    for (place, hit) in alike.iter().enumerate() {
        let score = score(place) * BESIDE;
        let Some(known) = hits.get_mut(&hit.place()) else {
            hits.extend([scored(hit, score)]);
            total += 1;
            continue;
        };
        known.score += score;
        weaker -= usize::from(known.fit == Fit::Weak && weaker > 0);
        known.fit = known.fit.or_part();
    }
    let mut hits: Vec<_> = hits.into_values().collect();
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.key.cmp(&b.key)));
    Hits { hits, total, weaker, total_is_at_least: words.total_is_at_least }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(key: u64, fit: Fit, by_meaning: bool) -> Hit {
        Hit { session: 1, key, score: 9.0, fit, by_meaning }
    }

    #[test]
    fn what_both_find_comes_first_and_only_what_words_miss_is_marked() {
        let words = vec![hit(1, Fit::Whole, false), hit(2, Fit::Weak, false)];
        let words = Hits { hits: words, total: 7, weaker: 1, ..Hits::default() };
        let found = fused(&words, &[hit(3, Fit::Part, true), hit(2, Fit::Part, true)]);
        let shown: Vec<_> = found.hits.iter().map(|it| (it.key, it.fit, it.by_meaning)).collect();
        let expected = [(2, Fit::Part, false), (1, Fit::Whole, false), (3, Fit::Part, true)];
        assert_eq!(shown, expected);
        assert_eq!((found.total, found.weaker), (8, 0));
    }

    #[test]
    fn only_a_question_has_a_meaning() {
        let check = |typed: &str, expected: bool| {
            assert_eq!(question(&Query::parse(typed)).is_some(), expected, "{typed}");
        };
        check("why did the login fail", true);
        check("why did the login fail since:7d", true);
        for typed in [
            "login",
            "login fails in parse_config",
            "\"login fail\" again",
            "log* failed again",
            "src/lib.rs:12",
            "since:7d",
        ] {
            check(typed, false);
        }
    }
}
