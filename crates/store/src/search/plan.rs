//! Translates a query into a tantivy query.

use super::fields::{Fields, codes, row};
use super::query::{Clause, Query};
use crate::db::StoreError;
use std::collections::HashSet;
use std::sync::Arc;
use taffrail_model::Timestamp;
use taffrail_model::search_forms::forms;
use tantivy::query::doc_predicate_query::{DocPredicateQuery, FunctionPredicate};
use tantivy::query::{
    AllQuery, BooleanQuery, BoostQuery, ConstScoreQuery, DisjunctionMaxQuery, Occur, PhraseQuery,
    Query as TantivyQuery, RegexQuery, TermQuery,
};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, SegmentReader, Term};

/// The weight of another form of a word, relative to the word itself.
const OTHER_FORM: f32 = 0.8;

/// A query with its filters resolved.
#[derive(Debug, Clone)]
pub struct Want<'a> {
    /// The parsed query.
    pub query: &'a Query,
    /// Only in these sessions, by row.
    pub sessions: Option<HashSet<i64>>,
    /// Only at or after this instant.
    pub since: Option<Timestamp>,
}

/// The tantivy query.
pub(crate) struct Plan {
    pub(crate) query: BooleanQuery,
    /// The same with every word required, where several words are optional.
    pub(crate) whole: Option<BooleanQuery>,
    /// The query has words to rank by.
    pub(crate) ranked: bool,
}

/// Plans a query; `None` if it is empty.
pub(crate) fn planned(fields: &Fields, want: &Want<'_>) -> Result<Option<Plan>, StoreError> {
    let query = want.query;
    if query.has_no_words() && !query.has_filters() {
        return Ok(None);
    }
    let optional = |it: &&Clause| matches!(it, Clause::Word(_) | Clause::Joined(_));
    let several = query.clauses.len() > 1 && query.clauses.iter().any(|it| optional(&it));
    let whole = several.then(|| matching(fields, want, Words::All)).transpose()?;
    let query = matching(fields, want, Words::Any)?;
    Ok(Some(Plan { query, whole, ranked: !want.query.has_no_words() }))
}

/// How many of the words an event must have. Phrases and prefixes are always required.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Words {
    Any,
    All,
}

fn matching(fields: &Fields, want: &Want<'_>, words: Words) -> Result<BooleanQuery, StoreError> {
    let query = want.query;
    let mut parts = Vec::new();
    for clause in &query.clauses {
        let (occur, part) = asked(fields, clause, query.is_question())?;
        parts.push((if words == Words::All { Occur::Must } else { occur }, part));
    }
    let mut all: Vec<(Occur, Box<dyn TantivyQuery>)> = match parts.is_empty() {
        true => vec![(Occur::Must, Box::new(AllQuery))],
        // A filter must not make the words optional.
        false => vec![(Occur::Must, Box::new(BooleanQuery::new(parts)))],
    };
    all.extend(filter(want).map(|it| (Occur::Must, it)));
    Ok(BooleanQuery::new(all))
}

fn asked(
    fields: &Fields,
    clause: &Clause,
    is_question: bool,
) -> Result<(Occur, Box<dyn TantivyQuery>), StoreError> {
    let term = |word: &String| Term::from_field_text(fields.body, word);
    let one = |word: &String| -> Box<dyn TantivyQuery> {
        Box::new(TermQuery::new(term(word), IndexRecordOption::WithFreqs))
    };
    let row = |words: &[String]| -> Box<dyn TantivyQuery> {
        match words {
            [word] => one(word),
            words => Box::new(PhraseQuery::new(words.iter().map(term).collect())),
        }
    };
    Ok(match clause {
        Clause::Word(word) if is_question => {
            let other = |it: &String| -> Box<dyn TantivyQuery> {
                Box::new(BoostQuery::new(one(it), OTHER_FORM))
            };
            let mut all = vec![one(word)];
            all.extend(forms(word).iter().map(other));
            (Occur::Should, Box::new(DisjunctionMaxQuery::new(all)))
        }
        Clause::Word(word) => (Occur::Should, one(word)),
        Clause::Joined(words) => (Occur::Should, row(words)),
        Clause::Phrase(words) => (Occur::Must, row(words)),
        Clause::Prefix(start) => {
            let pattern = format!("{start}.*");
            (Occur::Must, Box::new(RegexQuery::from_pattern(&pattern, fields.body)?))
        }
    })
}

/// The selected kinds, as bits. File names appear in calls.
fn kinds(query: &Query) -> Option<u64> {
    let typed = query.kind.as_deref().map(codes);
    let of_files = query.file.as_ref().map(|_| codes("tool.call"));
    match (typed, of_files) {
        (Some(typed), Some(of_files)) => Some(typed & of_files),
        (typed, of_files) => typed.or(of_files),
    }
}

/// The filters on an event apart from its text.
pub(super) fn filter(want: &Want<'_>) -> Option<Box<dyn TantivyQuery>> {
    let kinds = kinds(want.query);
    if kinds.is_none() && want.since.is_none() && want.sessions.is_none() {
        return None;
    }
    let sessions = want.sessions.as_ref();
    let sessions = sessions.map(|rows| rows.iter().map(|it| row(*it)).collect::<HashSet<u64>>());
    let allowed =
        Arc::new(Allowed { kinds, since: want.since.map(Timestamp::as_second), sessions });
    let predicate = FunctionPredicate::from(move |segment: &SegmentReader| {
        let columns = segment.fast_fields();
        let (kind, at, session) =
            (columns.u64("kind")?, columns.i64("at")?, columns.u64("session")?);
        let allowed = Arc::clone(&allowed);
        Ok(move |doc: DocId| {
            allowed.is_allowed(|| kind.first(doc), || at.first(doc), || session.first(doc))
        })
    });
    let query: DocPredicateQuery = predicate.into();
    Some(Box::new(ConstScoreQuery::new(Box::new(query), 0.0)))
}

struct Allowed {
    /// As bits.
    kinds: Option<u64>,
    since: Option<i64>,
    sessions: Option<HashSet<u64>>,
}

impl Allowed {
    fn is_allowed(
        &self,
        kind: impl Fn() -> Option<u64>,
        at: impl Fn() -> Option<i64>,
        session: impl Fn() -> Option<u64>,
    ) -> bool {
        self.kinds.is_none_or(|bits| kind().is_some_and(|it| bits >> it & 1 == 1))
            && self.since.is_none_or(|since| at().is_some_and(|it| it >= since))
            && self
                .sessions
                .as_ref()
                .is_none_or(|all| session().is_some_and(|it| all.contains(&it)))
    }
}
