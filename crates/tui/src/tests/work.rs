//! How much the board does while nothing happens: counted, so that the result does not depend on
//! the machine.

use super::Desk;
use crate::samples;
use crate::state::message::Ask;
use crate::update::derive;
use serde_json::json;
use std::collections::HashSet;

const SESSIONS: u32 = 5_000;
const LIVE: u32 = 50;

/// Thousands of sessions, some of them working since now.
fn many() -> Desk {
    let sessions = (0..SESSIONS).map(|number| {
        let (group, status) =
            if number < LIVE { ("working", "running") } else { ("done", "exited") };
        let fields = json!({"group": group, "status": status, "status_since": samples::now(),
            "project_path": format!("/home/ada/src/p{number}")});
        samples::session(number, &fields)
    });
    let mut desk = Desk::new((200, 50));
    desk.tell(super::Message::News(super::News::All(sessions.collect(), None)));
    // The initial requests are answered, as far as the board waits for them.
    desk.state.details.awaited = 0;
    desk.state.under_way.clear();
    desk.state.unsummed = (0..LIVE).map(|it| samples::session(it, &json!({})).id).collect();
    desk.pass(0);
    desk.asked.clear();
    desk
}

#[test]
fn a_second_that_passes_changes_the_ages_and_nothing_else() {
    let mut desk = many();
    for _ in 0..50 {
        let before = desk.buffer();
        desk.pass(1_000);
        let after = desk.buffer();
        let changes = before.diff(&after);
        assert!(changes.len() <= 3 * LIVE as usize, "{} cells", changes.len());
        let columns: HashSet<u16> = changes.iter().map(|it| it.0).collect();
        assert!(columns.len() <= 3, "{columns:?}");
    }
    let is_cheap = |it: &Ask| matches!(it, Ask::Recent | Ask::Today | Ask::Quota);
    assert!(desk.asked.iter().all(is_cheap), "{:?}", desk.asked);
    assert!(desk.asked.len() <= 6, "{:?}", desk.asked);
}

#[test]
fn it_rests_as_long_as_nothing_in_sight_changes() {
    let mut desk = many();
    assert_eq!(derive::rest(&desk.state), 1_000);
    desk.pass(61_000);
    assert_eq!(derive::rest(&desk.state), 10_000);
    let before = desk.buffer();
    desk.pass(10_000);
    assert_eq!(before, desk.buffer());
}
