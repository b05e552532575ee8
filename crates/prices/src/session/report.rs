//! Where the tokens and the money of a session went, by answer and by turn.

use super::cache::{Cache, Miss, Why};
use super::fill::{Fill, Shares};
use super::retry::Failed;
use taffrail_model::answer::{Answer, Step, ends};
use taffrail_model::cost::plus;
use taffrail_model::{Kind, Timestamp, Tokens};

/// What happened with one answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerReport {
    /// The number of its turn; `None` before the first turn, or if its time is unknown.
    pub turn: Option<u32>,
    /// What the context grew by since the answer before, estimated.
    pub grown: Shares,
    /// Why the context was not read from the cache, if it was not.
    pub miss: Option<Miss>,
    /// It repeats a call that failed.
    pub is_retry: bool,
}

/// What a turn used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TurnReport {
    /// Its place in the session, from 1; `None` for answers outside of turns.
    pub number: Option<u32>,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// Its answers.
    pub answers: u64,
    /// Their tokens.
    pub tokens: Tokens,
    /// Their cost, as far as known.
    pub cost_microdollars: Option<i64>,
    /// The number of answers whose cost is unknown.
    pub unknown_answers: u64,
    /// The context of its last answer.
    pub context_tokens: Option<u64>,
    /// Why its context was not read from the cache: of its largest miss.
    pub why: Option<Why>,
    /// The tokens of that miss.
    missed: u64,
}

/// A compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compaction {
    /// When.
    pub at: Timestamp,
    /// The context of the answer before and of the answer after it, if known.
    pub before: Option<u64>,
    /// The context of the answer after it.
    pub after: Option<u64>,
}

/// The cost of some answers, or of a part of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Share {
    /// The number of answers.
    pub answers: u64,
    /// The tokens that the cost is for.
    pub tokens: u64,
    /// What they cost, as far as known.
    pub cost_microdollars: Option<i64>,
}

impl Share {
    fn add(&mut self, tokens: u64, cost: Option<i64>) {
        self.answers += 1;
        self.tokens = self.tokens.saturating_add(tokens);
        self.cost_microdollars = plus(self.cost_microdollars, cost);
    }
}

/// Where the tokens and the money of a session went.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// One for each answer, in order.
    pub answers: Vec<AnswerReport>,
    /// The turns, and first what belongs to no turn. Their sums are those of the session.
    pub turns: Vec<TurnReport>,
    /// The context after the last answer.
    pub fill: Fill,
    /// The compactions.
    pub compactions: Vec<Compaction>,
    /// Answers that repeat a failed call.
    pub retries: Share,
    /// Caches that were written again because they had expired.
    pub cold: Share,
    /// The agent reports what is read from a cache.
    pub knows_cache: bool,
}

/// Gives the list price of an answer.
pub type Price<'a> = &'a dyn Fn(&Answer) -> Option<i64>;

/// Folds the answers and the events of a session, both ordered by time. `turns` are the times at
/// which its turns began.
#[must_use]
pub fn report(
    turns: &[Timestamp],
    steps: &[Step<'_>],
    answers: &[Answer],
    price: Price<'_>,
) -> Report {
    let mut out = Report { turns: turn_rows(turns), ..Report::default() };
    out.knows_cache = answers.iter().any(|it| it.tokens.cache_read + it.tokens.cache_write > 0);
    let (mut cache, mut failed, mut from) = (Cache::default(), Failed::default(), 0);
    let sides: Vec<_> = steps.iter().map(|it| (it.at, it.side)).collect();
    for (answer, end) in answers.iter().zip(ends(&sides, answers)) {
        let until = until(steps, answer, end).max(from);
        let since = steps.get(from..until).unwrap_or_default();
        from = until;
        let before = out.fill.context();
        let grown = out.fill.take(answer, since);
        out.compacted(since, before, answer);
        let miss = cache.take(answer, since).filter(|_| out.knows_cache);
        let is_retry = failed.take(since);
        let row = row_of(turns, answer);
        let turn = out.turns.get(row).and_then(|it| it.number);
        out.charge((answer, row), (miss, is_retry), price);
        out.answers.push(AnswerReport { turn, grown, miss, is_retry });
    }
    out.turns.retain(|it| it.number.is_some() || it.answers > 0);
    out
}

impl Report {
    /// A compaction shows in the next answer with a known context.
    fn compacted(&mut self, since: &[Step<'_>], before: Option<u64>, answer: &Answer) {
        for step in since.iter().filter(|it| *it.kind == Kind::ContextCompacted) {
            self.compactions.push(Compaction { at: step.at, before, after: None });
        }
        let after = answer.tokens.context();
        for it in self.compactions.iter_mut().rev().take_while(|it| it.after.is_none()) {
            it.after = after;
        }
    }

    fn charge(
        &mut self,
        (answer, row): (&Answer, usize),
        (miss, is_retry): (Option<Miss>, bool),
        price: Price<'_>,
    ) {
        let cost = answer.cost_microdollars;
        if is_retry {
            self.retries.add(answer.tokens.total(), cost);
        }
        if let Some(miss) = miss.filter(|it| it.why == Why::Pause && it.rewritten > 0) {
            self.cold.add(miss.rewritten, cost_of_writing(answer, miss.rewritten, price));
        }
        if let Some(turn) = self.turns.get_mut(row) {
            turn.add(answer, miss);
        }
    }
}

impl TurnReport {
    fn add(&mut self, answer: &Answer, miss: Option<Miss>) {
        self.answers += 1;
        self.tokens = self.tokens.plus(answer.tokens);
        self.cost_microdollars = plus(self.cost_microdollars, answer.cost_microdollars);
        self.unknown_answers += u64::from(answer.cost_microdollars.is_none());
        self.context_tokens = answer.tokens.context().or(self.context_tokens);
        if let Some(miss) = miss.filter(|it| it.tokens > self.missed) {
            (self.why, self.missed) = (Some(miss.why), miss.tokens);
        }
    }
}

/// A row for what belongs to no turn, and one for each turn.
fn turn_rows(turns: &[Timestamp]) -> Vec<TurnReport> {
    let turns = (1..).zip(turns).map(|(number, at)| TurnReport {
        number: Some(number),
        started_at: Some(*at),
        ..TurnReport::default()
    });
    [TurnReport::default()].into_iter().chain(turns).collect()
}

/// The row of the turn in which an answer was written.
fn row_of(turns: &[Timestamp], answer: &Answer) -> usize {
    answer.at.map_or(0, |at| turns.partition_point(|it| *it <= at))
}

/// The end of the events that belong to an answer and to what it was sent.
fn until(steps: &[Step<'_>], answer: &Answer, end: Option<usize>) -> usize {
    match (end, answer.at) {
        (Some(end), _) => end + 1,
        (None, Some(at)) => steps.partition_point(|it| it.at <= at),
        (None, None) => 0,
    }
}

/// What writing these tokens to the cache cost more than reading them.
fn cost_of_writing(answer: &Answer, written: u64, price: Price<'_>) -> Option<i64> {
    let tokens = answer.tokens;
    let cache_write = tokens.cache_write.saturating_sub(written);
    let cache_read = tokens.cache_read.saturating_add(written);
    let warm = Answer {
        tokens: Tokens { cache_write, cache_read, ..tokens },
        cache_write_1h: answer.cache_write_1h.min(cache_write),
        ..answer.clone()
    };
    Some((price(answer)? - price(&warm)?).max(0))
}

#[cfg(test)]
mod tests;
