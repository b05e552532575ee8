//! What the model answers used that events end.

use std::collections::HashMap;
use taffrail_model::answer::{Answer, AnswerUsage, Side, ends};
use taffrail_model::{EventId, Timestamp};
use taffrail_store::{EventRow, IndexReader};

/// How many seconds before the first wanted event an answer may have begun that a wanted event ends.
const BEFORE: i64 = 600;

/// The usage of the answers that some of these events end. What cannot be looked up is left out.
pub(crate) fn answers_of(
    reader: &IndexReader,
    session: i64,
    rows: &[EventRow],
) -> HashMap<EventId, AnswerUsage> {
    let is_model = |it: &&EventRow| Side::of(&it.origin, &it.kind) == Side::Model;
    let Some(first) = rows.iter().filter(is_model).map(|it| it.at).min() else {
        return HashMap::new();
    };
    let from = Timestamp::from_second(first.as_second() - BEFORE).unwrap_or(first);
    ended(reader, session, from).unwrap_or_default()
}

fn ended(
    reader: &IndexReader,
    session: i64,
    from: Timestamp,
) -> Result<HashMap<EventId, AnswerUsage>, taffrail_store::StoreError> {
    let answers: Vec<Answer> = reader.answers(session)?;
    let answers: Vec<_> =
        answers.into_iter().filter(|it| it.at.is_some_and(|it| it >= from)).collect();
    let sides = reader.sides(session, from)?;
    let events: Vec<_> = sides.iter().map(|(_, at, side)| (*at, *side)).collect();
    let ends = ends(&events, &answers).into_iter();
    let found = ends.zip(&answers).filter_map(|(end, answer)| {
        let (id, _, _) = sides.get(end?)?;
        Some((*id, AnswerUsage::from(answer)))
    });
    Ok(found.collect())
}
