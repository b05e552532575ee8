//! Which lines the board shows: every group's head always, and as many sessions as there is room for.

use super::fleet::Fleet;
use crate::table::GROUPS;
use taffrail_model::SessionId;
use taffrail_model::status::Group;

/// One line of the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Row {
    /// Heads of groups; several where space is short.
    Heads(Vec<Head>),
    /// A session.
    Session(SessionId),
    /// Nothing.
    Blank,
}

/// The head of a group: how many there are, and which of them are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) group: Group,
    pub(crate) count: usize,
    /// The first that is shown, and how many are.
    pub(crate) shown: (usize, usize),
}

/// The lines of a board so many lines high.
pub(crate) fn rows(fleet: &Fleet, chosen: Option<SessionId>, height: usize) -> Vec<Row> {
    let counts = GROUPS.map(|group| fleet.group(group).len());
    let chosen = place_of(fleet, chosen);
    let given = shares(counts, chosen.map(|(group, _)| group), height);
    let mut out = Vec::with_capacity(height);
    let mut folded = Vec::new();
    let folds = given.iter().zip(GROUPS).all(|(room, group)| *room == 0 || !is_foldable(group));
    for (at, group) in GROUPS.into_iter().enumerate() {
        let all = fleet.group(group);
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

/// Idle and done go on one line where neither shows a session.
fn is_foldable(group: Group) -> bool {
    matches!(group, Group::Idle | Group::Done)
}

fn place_of(fleet: &Fleet, chosen: Option<SessionId>) -> Option<(usize, usize)> {
    let chosen = chosen?;
    GROUPS.into_iter().enumerate().find_map(|(at, group)| {
        fleet.group(group).iter().position(|it| *it == chosen).map(|place| (at, place))
    })
}

/// How many sessions of each group are shown. Groups take what they need in their order, but the
/// group of the chosen one gets half of the room at least.
fn shares(counts: [usize; 5], chosen: Option<usize>, height: usize) -> [usize; 5] {
    let mut room = height.saturating_sub(counts.len());
    let kept = chosen.and_then(|at| counts.get(at)).map_or(0, |it| (*it).min(room.div_ceil(2)));
    let mut out = [0; 5];
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

/// The first session that is shown, so that the chosen one is in sight and in the middle if it can.
fn window(count: usize, room: usize, place: Option<usize>) -> usize {
    let last = count.saturating_sub(room);
    place.map_or(0, |place| place.saturating_sub(room / 2).min(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_share_what_room_there_is() {
        let check = |counts, chosen, height, expected| {
            assert_eq!(shares(counts, chosen, height), expected, "{counts:?} in {height}");
        };
        check([2, 3, 1, 4, 7], Some(0), 40, [2, 3, 1, 4, 7]);
        check([2, 3, 1, 4, 7], Some(0), 15, [2, 3, 1, 4, 0]);
        check([2, 3, 1, 4, 7], Some(4), 15, [2, 3, 0, 0, 5]);
        check([0, 0, 0, 0, 300], Some(4), 20, [0, 0, 0, 0, 15]);
        check([300, 5, 5, 5, 5], Some(0), 20, [15, 0, 0, 0, 0]);
        check([1, 1, 1, 1, 1], None, 5, [0, 0, 0, 0, 0]);
        check([1, 1, 1, 1, 1], Some(3), 6, [0, 0, 0, 1, 0]);
        check([1, 1, 1, 1, 1], Some(3), 2, [0, 0, 0, 0, 0]);
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
