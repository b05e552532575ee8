//! Which lines the board shows: the heading of every group, and as many sessions as fit.

use crate::state::sessions::Sessions;
use crate::table::GROUPS;
use taffrail_model::SessionId;
use taffrail_model::status::Group;

/// One line of the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Row {
    /// Headings of groups; several if space is short.
    Heads(Vec<Head>),
    /// A session.
    Session(SessionId),
    /// An empty line.
    Blank,
}

/// The heading of a group: its count, and which sessions are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) group: Group,
    pub(crate) count: usize,
    /// The first session that is shown, and how many are.
    pub(crate) shown: (usize, usize),
}

/// The lines of a board of this height.
pub(crate) fn rows(sessions: &Sessions, chosen: Option<SessionId>, height: usize) -> Vec<Row> {
    let counts = GROUPS.map(|group| sessions.group(group).len());
    let chosen = position_of(sessions, chosen);
    let heads = GROUPS.into_iter().filter(|it| has_head(sessions, *it)).count();
    let given = shares(counts, chosen.map(|(group, _)| group), height.saturating_sub(heads));
    let mut out = Vec::with_capacity(height);
    let mut folded = Vec::new();
    let folds = given.iter().zip(GROUPS).all(|(room, group)| *room == 0 || !is_foldable(group));
    for (at, group) in GROUPS.into_iter().enumerate().filter(|it| has_head(sessions, it.1)) {
        let all = sessions.group(group);
        let room = given.get(at).copied().unwrap_or_default();
        let place = chosen.filter(|(it, _)| *it == at).map(|(_, place)| place);
        let first = window(all.len(), room, place);
        let head = Head { group, count: all.len(), shown: (first, room) };
        if folds && is_foldable(group) {
            folded.push(head);
            continue;
        }
        out.push(Row::Heads(vec![head]));
        out.extend(all.iter().skip(first).take(room).map(|it| Row::Session(*it)));
    }
    if !folded.is_empty() {
        out.push(Row::Heads(folded));
    }
    out.truncate(height);
    out.resize(height, Row::Blank);
    out
}

/// Every group has a heading, except failures if there are none.
fn has_head(sessions: &Sessions, group: Group) -> bool {
    group != Group::Failed || !sessions.group(group).is_empty()
}

/// Idle and done share one line if neither shows a session.
fn is_foldable(group: Group) -> bool {
    matches!(group, Group::Idle | Group::Done)
}

fn position_of(sessions: &Sessions, chosen: Option<SessionId>) -> Option<(usize, usize)> {
    let chosen = chosen.filter(|it| sessions.is_shown(*it))?;
    sessions.position_of(chosen)
}

/// How many sessions of each group are shown. Groups take what they need in their order, but the
/// group of the chosen session gets at least half of the room.
fn shares(counts: [usize; 6], chosen: Option<usize>, mut room: usize) -> [usize; 6] {
    let kept = chosen.and_then(|at| counts.get(at)).map_or(0, |it| (*it).min(room.div_ceil(2)));
    let mut out = [0; 6];
    if let Some(share) = chosen.and_then(|at| out.get_mut(at)) {
        *share = kept;
        room -= kept;
    }
    for (share, count) in out.iter_mut().zip(counts) {
        let more = count.saturating_sub(*share).min(room);
        *share += more;
        room -= more;
    }
    out
}

/// The first session that is shown, so that the chosen one is visible and in the middle if
/// possible.
fn window(count: usize, room: usize, place: Option<usize>) -> usize {
    let last = count.saturating_sub(room);
    place.map_or(0, |place| place.saturating_sub(room / 2).min(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_share_what_room_there_is() {
        let check = |counts, chosen, room, expected| {
            assert_eq!(shares(counts, chosen, room), expected, "{counts:?} in {room}");
        };
        check([2, 3, 1, 0, 4, 7], Some(0), 35, [2, 3, 1, 0, 4, 7]);
        check([2, 3, 1, 0, 4, 7], Some(0), 10, [2, 3, 1, 0, 4, 0]);
        check([2, 3, 1, 0, 4, 7], Some(5), 10, [2, 3, 0, 0, 0, 5]);
        check([2, 3, 1, 2, 4, 7], Some(0), 10, [2, 3, 1, 2, 2, 0]);
        check([0, 0, 0, 0, 0, 300], Some(5), 15, [0, 0, 0, 0, 0, 15]);
        check([300, 5, 5, 5, 5, 5], Some(0), 15, [15, 0, 0, 0, 0, 0]);
        check([1, 1, 1, 1, 1, 1], None, 0, [0, 0, 0, 0, 0, 0]);
        check([1, 1, 1, 1, 1, 1], Some(4), 1, [0, 0, 0, 0, 1, 0]);
    }

    #[test]
    fn the_chosen_one_is_in_sight() {
        for count in 0..20 {
            for room in 0..10 {
                for place in 0..count {
                    let first = window(count, room, Some(place));
                    assert!(first <= place, "{count} {room} {place}");
                    assert!(room == 0 || place < first + room, "{count} {room} {place}");
                }
            }
        }
    }
}
