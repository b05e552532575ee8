//! What files cost: the cost of each turn, divided between the edits made in it.

use std::collections::{BTreeMap, HashMap};
use taffrail_context::Error;
use taffrail_model::Timestamp;
use taffrail_store::IndexReader;

/// The edits of a session: when, and of which file.
pub(crate) type SessionEdits = Vec<(Timestamp, String)>;

/// What each file cost, by its path. A file of turns without a known cost is not in it.
pub(crate) fn file_costs(
    reader: &IndexReader,
    sessions: &HashMap<i64, SessionEdits>,
) -> Result<HashMap<String, i64>, Error> {
    let mut costs = HashMap::new();
    for (row, edits) in sessions {
        let answers = reader.answers(*row)?;
        let known = answers.iter().filter_map(|it| Some((it.at?, it.cost_microdollars?)));
        for (path, cost) in shares(&reader.turn_starts(*row)?, known, edits) {
            *costs.entry(path.to_owned()).or_default() += cost;
        }
    }
    Ok(costs)
}

/// The part of each file in the cost of a session. What a turn without edits cost belongs to no file.
fn shares<'e>(
    starts: &[Timestamp],
    answers: impl Iterator<Item = (Timestamp, i64)>,
    edits: &'e [(Timestamp, String)],
) -> BTreeMap<&'e str, i64> {
    let turn_at = |at: &Timestamp| starts.partition_point(|start| start <= at);
    let mut costs = HashMap::<usize, i64>::new();
    for (at, cost) in answers {
        *costs.entry(turn_at(&at)).or_default() += cost;
    }
    let mut turns = HashMap::<usize, Vec<&str>>::new();
    for (at, path) in edits {
        turns.entry(turn_at(at)).or_default().push(path);
    }
    let mut shares = BTreeMap::new();
    for (turn, paths) in &turns {
        let Some(cost) = costs.get(turn) else { continue };
        let each = cost / i64::try_from(paths.len()).unwrap_or(i64::MAX);
        paths.iter().for_each(|path| *shares.entry(*path).or_default() += each);
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_of_a_turn_is_divided_between_its_edits() {
        let at = |second: i64| Timestamp::from_second(second).unwrap();
        let starts = [at(10), at(20), at(30)];
        let edits = |list: &[(i64, &str)]| {
            list.iter().map(|(second, path)| (at(*second), (*path).to_owned())).collect::<Vec<_>>()
        };
        type Case<'c> = (&'c [(i64, i64)], &'c [(i64, &'c str)], &'c [(&'c str, i64)]);
        let all: [Case<'_>; 5] = [
            (
                &[(11, 60), (15, 40)],
                &[(12, "a"), (13, "a"), (14, "b"), (19, "a")],
                &[("a", 75), ("b", 25)],
            ),
            // Nobody edited anything in the second turn.
            (&[(11, 10), (21, 90)], &[(12, "a")], &[("a", 10)]),
            // The cost of the turn is not known.
            (&[(11, 10)], &[(12, "a"), (22, "b")], &[("a", 10)]),
            // Before the first prompt.
            (&[(1, 7), (20, 8)], &[(2, "a"), (20, "b")], &[("a", 7), ("b", 8)]),
            (&[], &[(12, "a")], &[]),
        ];
        for (answers, given, wanted) in all {
            let given = edits(given);
            let known = answers.iter().map(|(second, cost)| (at(*second), *cost));
            assert_eq!(shares(&starts, known, &given), wanted.iter().copied().collect());
        }
    }
}
