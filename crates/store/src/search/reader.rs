//! Queries the search index.

use super::fields::{self, Fields};
use super::meaning::{Meaning, fused};
use super::plan::{Want, planned};
use super::ranking;
use super::writer::Stand;
use crate::db::StoreError;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use taffrail_model::Timestamp;
use tantivy::collector::TopDocs;
use tantivy::columnar::Column;
use tantivy::query::{BooleanQuery, EnableScoring, Query as _};
use tantivy::{
    DocAddress, DocId, DocSet, Index, Order, ReloadPolicy, Searcher, SegmentOrdinal, TERMINATED,
};

/// Totals are exact up to this number.
pub const EXACT_TOTAL: usize = 1_000;
/// How many of the best hits are ranked again.
const CANDIDATES: usize = 200;

/// The search index, open for reading.
pub struct SearchReader {
    searcher: Searcher,
    fields: Fields,
    stand: Stand,
}

impl std::fmt::Debug for SearchReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SearchReader").field("stand", &self.stand).finish_non_exhaustive()
    }
}

/// A hit: its session's row, its key and its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The session's row.
    pub session: i64,
    /// The first bytes of the event's id.
    pub key: u64,
    /// A higher score is a better match.
    pub score: f32,
    /// How much of the query it matches.
    pub fit: Fit,
    /// It has no word of the query, but a similar meaning.
    pub by_meaning: bool,
}

/// How much of a query a hit matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// It has all words.
    Whole,
    /// It has some words and scores near the best hit.
    Part,
    /// It has some words and scores far below the best hit.
    Weak,
}

impl Fit {
    /// The same, but at least a part.
    pub(super) fn or_part(self) -> Self {
        if self == Self::Weak { Self::Part } else { self }
    }
}

/// The result of a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hits {
    /// The best hits, in order.
    pub hits: Vec<Hit>,
    /// How many events match.
    pub total: usize,
    /// More events match than `total`.
    pub total_is_at_least: bool,
    /// How many of `total` match weakly.
    pub weaker: usize,
}

impl Hits {
    fn new(hits: Vec<Hit>, (total, weaker): (usize, usize)) -> Self {
        let total_is_at_least = total > EXACT_TOTAL;
        Self { hits, total: total.min(EXACT_TOTAL), total_is_at_least, weaker }
    }
}

impl Hit {
    /// What names the event.
    pub(super) const fn place(&self) -> (i64, u64) {
        (self.session, self.key)
    }
}

/// The best first, with room for several sessions.
fn in_order(mut hits: Vec<Hit>) -> Vec<Hit> {
    order(&mut hits);
    ranking::spread(&mut hits);
    order(&mut hits);
    hits
}

/// The best first.
fn order(hits: &mut [Hit]) {
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.key.cmp(&b.key)));
}

impl SearchReader {
    /// Opens the search index, if it exists in our format. A damaged one counts as missing, because
    /// it can be rebuilt.
    #[must_use]
    pub fn open(data: &Path) -> Option<Self> {
        let folder = data.join("search");
        let found = folder.join("meta.json").exists().then(|| Self::of(&folder));
        let found = found?.inspect_err(|error| tracing::warn!(%error, "cannot open search"));
        found.ok().flatten()
    }

    fn of(folder: &Path) -> Result<Option<Self>, StoreError> {
        let index = Index::open_in_dir(folder)?;
        let Some(stand) = index.load_metas()?.payload.as_deref().and_then(Stand::read) else {
            return Ok(None);
        };
        fields::register(&index);
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let fields = Fields::of(&index.schema())?;
        Ok(Some(Self { searcher: reader.searcher(), fields, stand }))
    }

    /// For queries elsewhere in this module.
    pub(super) fn searcher(&self) -> &Searcher {
        &self.searcher
    }

    /// The fields of its documents.
    pub(super) fn fields(&self) -> &Fields {
        &self.fields
    }

    /// How far it has indexed.
    #[must_use]
    pub fn stand(&self) -> &Stand {
        &self.stand
    }

    /// Whether it keeps vectors.
    #[must_use]
    pub fn meaning(&self) -> Meaning {
        self.fields.meaning()
    }

    /// How many documents there are.
    #[must_use]
    pub fn documents(&self) -> u64 {
        self.searcher.num_docs()
    }

    /// Finds the best matches.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn find(&self, want: &Want<'_>, limit: usize, now: Timestamp) -> Result<Hits, StoreError> {
        let mut found = self.find_words(want, limit, now)?;
        if let Some(alike) = self.alike(want)? {
            found = fused(&found, &alike);
        }
        found.hits.truncate(limit);
        Ok(found)
    }

    fn find_words(
        &self,
        want: &Want<'_>,
        limit: usize,
        now: Timestamp,
    ) -> Result<Hits, StoreError> {
        let Some(plan) = planned(&self.fields, want)? else {
            return Ok(Hits::default());
        };
        let total = self.count(&plan.query)?;
        let how = How { ranked: plan.ranked, most: limit.max(CANDIDATES), now };
        let Some(whole) = &plan.whole else {
            let hits = in_order(self.candidates(&plan.query, how)?);
            return Ok(Hits::new(hits, (total, 0)));
        };
        let all = self.candidates(whole, how)?;
        let is_cut = all.len() >= how.most;
        let mut some = if is_cut { Vec::new() } else { self.candidates(&plan.query, how)? };
        let places: HashSet<_> = all.iter().map(Hit::place).collect();
        some.retain(|it| !places.contains(&it.place()));
        let least = ranking::cut(all.iter().chain(&some));
        for hit in &mut some {
            hit.fit = if hit.score < least { Fit::Weak } else { Fit::Part };
        }
        let near = some.iter().filter(|it| it.fit == Fit::Part).count();
        let known = if is_cut { self.count(whole)? } else { all.len() };
        let weaker = total.min(EXACT_TOTAL).saturating_sub(known + near);
        // A long output that happens to have all words keeps its place by its score.
        let (first, low): (Vec<_>, Vec<_>) = all.into_iter().partition(|it| it.score >= least);
        some.extend(low);
        let mut hits = in_order(first);
        hits.extend(in_order(some));
        Ok(Hits::new(hits, (total, weaker)))
    }

    /// The best matches with their weight, in no order.
    fn candidates(&self, query: &BooleanQuery, how: How) -> Result<Vec<Hit>, StoreError> {
        let mut columns: HashMap<SegmentOrdinal, Columns> = HashMap::new();
        let mut hits = Vec::new();
        for (score, address) in self.best(query, how)? {
            let columns = match columns.entry(address.segment_ord) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(free) => free.insert(self.columns(address.segment_ord)?),
            };
            hits.push(columns.hit(score, address.doc_id, (how.ranked, how.now)));
        }
        Ok(hits)
    }

    /// How many events match; one above the exact limit means more.
    fn count(&self, query: &BooleanQuery) -> Result<usize, StoreError> {
        let weight = query.weight(EnableScoring::disabled_from_searcher(&self.searcher))?;
        let mut total = 0;
        for segment in self.searcher.segment_readers() {
            let mut found = weight.scorer(segment, 1.0)?;
            let alive = segment.alive_bitset();
            let mut doc = found.doc();
            while doc != TERMINATED && total <= EXACT_TOTAL {
                total += usize::from(alive.is_none_or(|alive| alive.is_alive(doc)));
                doc = found.advance();
            }
        }
        Ok(total)
    }

    fn best(&self, query: &BooleanQuery, how: How) -> Result<Vec<(f32, DocAddress)>, StoreError> {
        if how.ranked {
            let top = TopDocs::with_limit(how.most).order_by_score();
            return Ok(self.searcher.search(query, &top)?);
        }
        let latest = TopDocs::with_limit(how.most).order_by_fast_field::<i64>("at", Order::Desc);
        let found = self.searcher.search(query, &latest)?;
        Ok(found.into_iter().map(|(_, address)| (1.0, address)).collect())
    }

    fn columns(&self, segment: SegmentOrdinal) -> Result<Columns, StoreError> {
        let columns = self.searcher.segment_reader(segment).fast_fields();
        Ok(Columns {
            at: columns.i64("at")?,
            kind: columns.u64("kind")?,
            session: columns.u64("session")?,
            key: columns.u64("key")?,
        })
    }
}

/// How candidates are ranked, and how many there are at most.
#[derive(Clone, Copy)]
struct How {
    ranked: bool,
    most: usize,
    now: Timestamp,
}

/// The columns of a segment. Opening them costs more than reading them.
struct Columns {
    at: Column<i64>,
    kind: Column<u64>,
    session: Column<u64>,
    key: Column<u64>,
}

impl Columns {
    fn hit(&self, score: f32, doc: DocId, (ranked, now): (bool, Timestamp)) -> Hit {
        let of = |column: &Column<u64>| column.first(doc).unwrap_or(0);
        let age = now.as_second().saturating_sub(self.at.first(doc).unwrap_or(0));
        let weighed = || ranking::weighed(score, age, of(&self.kind));
        let score = if ranked { weighed() } else { ranking::latest(age) };
        let session = i64::try_from(of(&self.session)).unwrap_or(0);
        Hit { session, key: of(&self.key), score, fit: Fit::Whole, by_meaning: false }
    }
}
