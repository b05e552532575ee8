//! Where the tokens and the money of one session went.

use crate::conversation::Conversation;
use crate::resolve::resolve;
use std::cmp::Reverse;
use taffrail_api::{
    AnswerRow, CompactionRow, ContextPart, ContextUsage, CostShare, SCHEMA_VERSION, SessionUsage,
    Spending, TurnUsage, Usage,
};
use taffrail_context::{Error, Settings, Target};
use taffrail_model::Tokens;
use taffrail_model::answer::Answer;
use taffrail_prices::Spent;
use taffrail_prices::session::cache::Miss;
use taffrail_prices::session::fill::{Filler, Shares};
use taffrail_prices::session::report::{AnswerReport, Report, Share, TurnReport, report};
use taffrail_store::{IndexReader, SessionRow};

/// Where the tokens and the money of a session went.
///
/// # Errors
/// When the session or the index cannot be read.
pub fn session_usage(settings: &Settings, target: &Target) -> Result<SessionUsage, Error> {
    let session = resolve(settings, target)?;
    let Some(reader) = IndexReader::open(&settings.data)? else {
        return Ok(document(&session, &[], &Report::default()));
    };
    let answers = reader.answers(session.row)?;
    let conversation = Conversation::read(settings, &session, reader.events(session.row)?);
    let price = |answer: &Answer| price(settings, answer);
    let report = report(&conversation.turns(), &conversation.steps(), &answers, &price);
    Ok(document(&session, &answers, &report))
}

fn price(settings: &Settings, answer: &Answer) -> Option<i64> {
    let (model, at) = (answer.model.as_deref()?, answer.at?);
    let (tokens, cache_write_1h) = (answer.tokens, answer.cache_write_1h);
    settings.prices.cost(&Spent { model, at, tokens, cache_write_1h })
}

fn document(session: &SessionRow, answers: &[Answer], report: &Report) -> SessionUsage {
    let rows = answers.iter().zip(&report.answers);
    SessionUsage {
        schema_version: SCHEMA_VERSION,
        session_id: session.id,
        totals: Spending {
            sessions: 1,
            answers: answers.len() as u64,
            usage: Usage::from(session.tokens),
            cost_microdollars: session.cost_microdollars,
            cost: session.cost.into(),
        },
        turns: report.turns.iter().map(|it| turn(it, report.knows_cache)).collect(),
        answers: rows.map(|(it, about)| answer(it, about, report.knows_cache)).collect(),
        context: context(report),
        compactions: compactions(report),
        retries: share(report.retries),
        cold: share(report.cold),
    }
}

fn turn(it: &TurnReport, knows_cache: bool) -> TurnUsage {
    TurnUsage {
        number: it.number,
        started_at: it.started_at,
        answers: it.answers,
        usage: Usage::from(it.tokens),
        cost_microdollars: it.cost_microdollars,
        unknown_answers: it.unknown_answers,
        context_tokens: it.context_tokens,
        cache_hit: hit(it.tokens).filter(|_| knows_cache),
        cache_miss: it.why.map(|it| it.as_str().to_owned()),
    }
}

fn answer(it: &Answer, about: &AnswerReport, knows_cache: bool) -> AnswerRow {
    AnswerRow {
        at: it.at,
        turn: about.turn,
        model: it.model.clone(),
        usage: Usage::from(it.tokens),
        cost_microdollars: it.cost_microdollars,
        context_tokens: it.tokens.context(),
        grown_by: parts(&about.grown),
        cache_hit: hit(it.tokens).filter(|_| knows_cache),
        cache_miss: about.miss.map(|Miss { why, .. }| why.as_str().to_owned()),
        is_retry: about.is_retry,
    }
}

/// The part that was read from the cache, in thousandths.
fn hit(tokens: Tokens) -> Option<f64> {
    let sent = tokens.context()?;
    Some((tokens.cache_read as f64 / sent as f64 * 1e3).round() / 1e3)
}

fn context(report: &Report) -> ContextUsage {
    let filled_by = parts(report.fill.shares());
    ContextUsage { tokens: report.fill.context(), estimated: true, filled_by }
}

fn parts(shares: &Shares) -> Vec<ContextPart> {
    let mut parts: Vec<_> = shares.iter().map(|(filler, tokens)| part(filler, *tokens)).collect();
    parts.sort_by_key(|it| Reverse(it.tokens));
    parts
}

fn part(filler: &Filler, tokens: u64) -> ContextPart {
    let (kind, tool) = match filler {
        Filler::Agent => ("agent", None),
        Filler::Prompt => ("prompt", None),
        Filler::Reply => ("reply", None),
        Filler::Summary => ("summary", None),
        Filler::ToolResult(tool) => ("tool_result", Some(tool.clone())),
    };
    ContextPart { kind: kind.to_owned(), tool, tokens }
}

fn compactions(report: &Report) -> Vec<CompactionRow> {
    let rows = report.compactions.iter().map(|it| CompactionRow {
        at: it.at,
        before_tokens: it.before,
        after_tokens: it.after,
    });
    rows.collect()
}

fn share(it: Share) -> CostShare {
    let Share { answers, tokens, cost_microdollars } = it;
    CostShare { answers, tokens, cost_microdollars }
}
