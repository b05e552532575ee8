//! Where the time of a turn went: its events and sub-agents, read back and folded into spans.

use crate::contracts::workers_below;
use crate::recorded::{Recorder, questions_in, take_worker};
use crate::resolve::resolve;
use crate::window::complete;
use std::ops::Range;
use taffrail_api::{SCHEMA_VERSION, Trace, TraceSpan, Usage};
use taffrail_context::{Error, Settings, Target};
use taffrail_exports::Recorded;
use taffrail_exports::trace::{Span, trace as spans_of};
use taffrail_model::Timestamp;
use taffrail_store::{IndexReader, Outline, SessionRow};

/// The most events of a turn that are read.
const EVENTS: u64 = 20_000;
/// The most spans of a trace.
const SPANS: usize = 5_000;

/// The trace of a turn; of the last one without a number.
///
/// # Errors
/// When the session has no turn of this number, or the index cannot be read.
pub fn trace(settings: &Settings, target: &Target, turn: Option<u32>) -> Result<Trace, Error> {
    let session = resolve(settings, target)?;
    let none = |turns| Error::NoTurn(turn.unwrap_or_default(), turns);
    let reader = IndexReader::open(&settings.data)?.ok_or_else(|| none(0))?;
    reader.hold()?;
    let outline = reader.outline(session.row)?;
    let number = turn.unwrap_or(outline.turns());
    let (_, began) = outline.prompt_of(number).ok_or_else(|| none(outline.turns()))?;
    let ended = outline.prompt_of(number.saturating_add(1)).map_or(Timestamp::MAX, |it| it.1);
    let id = session.id;
    let recorder = Recorder::new((settings, &reader))?;
    let recorded = turn_of(&recorder, session, (&outline, number, began..ended))?;
    let last = recorded.events.last().map_or(began, |it| it.created_at);
    let mut spans = spans_of(&recorded);
    let ends = spans.iter().map(|it| it.to).chain([last]).max();
    let more = spans.len() > SPANS;
    spans.truncate(SPANS);
    Ok(Trace {
        schema_version: SCHEMA_VERSION,
        session_id: id,
        turn: number,
        from: began.as_millisecond(),
        to: ends.unwrap_or(began).as_millisecond(),
        spans: spans.into_iter().map(row).collect(),
        more,
    })
}

/// The session as if it had only this turn.
fn turn_of(
    recorder: &Recorder<'_>,
    session: SessionRow,
    (outline, number, time): (&Outline, u32, Range<Timestamp>),
) -> Result<Recorded, Error> {
    let (settings, reader) = recorder.parts();
    let place = |turn: u32| {
        let prompt = outline.prompt_of(turn).map(|it| reader.place_of(outline, it));
        prompt.transpose().map(|it| it.map(|(place, _)| place))
    };
    let from = place(number)?.unwrap_or(1);
    let until = place(number.saturating_add(1))?.unwrap_or_else(|| outline.total() + 1);
    let count = until.saturating_sub(from).min(EVENTS);
    let rows = reader.events_from(outline, from, usize::try_from(count).unwrap_or_default())?;
    let questions = questions_in(&rows);
    let events = complete((settings, reader), &session, rows)?;
    let mut below: Vec<_> = workers_below(reader, session.id)?.into_iter().map(Some).collect();
    let mut workers = Vec::new();
    while let Some(worker) = take_worker(session.id, &mut below) {
        if worker.started_at.is_some_and(|it| time.contains(&it)) {
            workers.push(recorder.session(worker, &mut below)?);
        }
    }
    workers.sort_by_key(|it| it.events.first().map(|event| event.created_at));
    let mut answers = recorder.answers(session.row)?;
    answers.retain(|it| it.at.is_some_and(|at| time.contains(&at)));
    Ok(Recorded { questions, ..recorder.recorded(session, (events, answers, workers))? })
}

fn row(span: Span) -> TraceSpan {
    TraceSpan {
        id: span.id,
        parent_id: span.parent,
        kind: span.kind.as_str().to_owned(),
        name: span.name,
        from: span.from.as_millisecond(),
        to: span.to.as_millisecond(),
        usage: span.tokens.map(Usage::from),
        cost_microdollars: span.cost_microdollars,
        failed: span.failed,
        denied: span.denied,
        event_id: span.event,
        session_id: span.session,
    }
}
