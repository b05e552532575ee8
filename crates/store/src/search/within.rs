//! Every match inside one session: exact, and in order of time instead of rank.

use super::fields::{code, row};
use super::query::{Clause, Query};
use super::reader::SearchReader;
use crate::db::StoreError;
use taffrail_model::Kind;
use tantivy::query::{
    BooleanQuery, EnableScoring, Occur, PhraseQuery, Query as TantivyQuery, RegexQuery, TermQuery,
};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, TERMINATED, Term};

/// A match, by the time of its event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Match {
    /// Seconds since 1970.
    pub second: i64,
    /// The first bytes of the event's id.
    pub key: u64,
}

impl SearchReader {
    /// Every event of a session that has all words of a query, the earliest first. Filters of the
    /// query do not count.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn within(&self, session: i64, query: &Query) -> Result<Vec<Match>, StoreError> {
        let mut out = Vec::new();
        if query.has_no_words() {
            return Ok(out);
        }
        let plan = self.all_words(session, query)?;
        let weight = plan.weight(EnableScoring::disabled_from_searcher(self.searcher()))?;
        let finding = code(&Kind::FindingRaised);
        for segment in self.searcher().segment_readers() {
            let columns = segment.fast_fields();
            let (at, key, kind) = (columns.i64("at")?, columns.u64("key")?, columns.u64("kind")?);
            let alive = segment.alive_bitset();
            let mut found = weight.scorer(segment, 1.0)?;
            let mut doc = found.doc();
            while doc != TERMINATED {
                let is_alive = alive.is_none_or(|alive| alive.is_alive(doc));
                // A finding has no place in the transcript.
                if is_alive && kind.first(doc) != Some(finding) {
                    let (second, key) = (at.first(doc), key.first(doc));
                    let (second, key) = (second.unwrap_or_default(), key.unwrap_or_default());
                    out.push(Match { second, key });
                }
                doc = found.advance();
            }
        }
        out.sort_unstable();
        Ok(out)
    }

    fn all_words(&self, session: i64, query: &Query) -> Result<BooleanQuery, StoreError> {
        let fields = self.fields();
        let term = |word: &String| Term::from_field_text(fields.body, word);
        let in_session = Term::from_field_u64(fields.session, row(session));
        let mut all: Vec<(Occur, Box<dyn TantivyQuery>)> =
            vec![(Occur::Must, Box::new(TermQuery::new(in_session, IndexRecordOption::Basic)))];
        for clause in &query.clauses {
            let words = match clause {
                Clause::Word(word) => std::slice::from_ref(word),
                Clause::Joined(words) | Clause::Phrase(words) => words.as_slice(),
                Clause::Prefix(start) => {
                    let pattern = format!("{start}.*");
                    let prefix = RegexQuery::from_pattern(&pattern, fields.body)?;
                    all.push((Occur::Must, Box::new(prefix)));
                    continue;
                }
            };
            let query: Box<dyn TantivyQuery> = match words {
                [word] => Box::new(TermQuery::new(term(word), IndexRecordOption::Basic)),
                words => Box::new(PhraseQuery::new(words.iter().map(term).collect())),
            };
            all.push((Occur::Must, query));
        }
        Ok(BooleanQuery::new(all))
    }
}
