//! One file through commits, a squash, a rename and an amend.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must stop")]

use crate::blame_transcripts::{Call, Kind, Transcript};
use crate::blame_world::World;
use std::path::Path;
use taffrail_api::{BlameQuery, CommitsQuery};
use taffrail_query::blame::{blame, commits};

const ONE: &str = "def lamp(wick):\n    return wick.height\nLAMPS = [lamp(w) for w in wicks()]\n";
const OLD: &str = "    return wick.height";
const NEW: &str = "    return wick.height or trimmed(wick)";

/// The session and turn of each line, and whether it has a commit.
fn who(world: &World, path: &str) -> Vec<(Option<String>, Option<usize>, bool)> {
    let here = world.root().to_string_lossy().into_owned();
    let query = BlameQuery { path: path.to_owned(), line: None, here, text: None };
    let reply = blame(&world.settings(), &query).unwrap();
    let lines = reply.lines.into_iter();
    lines.map(|it| (it.runtime_session_id, it.turn, it.commit.is_some())).collect()
}

/// A session that writes `lamp.py`, changes a line of it in its next turn, and a file that a bot
/// changes later.
fn lamp(world: &World, session: &mut Transcript) {
    let whole = Call { path: "lamp.py", before: None, after: ONE, part: None };
    let part = Call { part: Some((OLD, NEW)), ..whole };
    let deps = Some((r#"{"wick": "1.0"}"#, r#"{"wick": "1.1"}"#));
    let deps = Call { path: "deps.json", before: None, after: "", part: deps };
    session.prompt("2026-10-01T10:00:01.000Z", "make the lamp");
    session.call("2026-10-01T10:00:02.000Z", &whole);
    session.prompt("2026-10-01T10:00:03.000Z", "the wick burns low");
    session.call("2026-10-01T10:00:04.000Z", &part);
    session.call("2026-10-01T10:00:05.000Z", &deps);
    world.write(Path::new("lamp.py"), &ONE.replace(OLD, NEW));
    world.write(Path::new("deps.json"), "{\"wick\": \"1.1\"}\n");
}

fn commit(world: &mut World, message: &str) {
    world.wait(60);
    world.git(&["add", "-A"], "Ana");
    world.git(&["commit", "-q", "-m", message], "Ana");
}

#[test]
fn each_line_keeps_its_session_and_turn_through_squash_rename_and_amend() {
    let mut world = World::new(1);
    world.write(Path::new("README"), "x\n");
    commit(&mut world, "start");
    let home = world.root().parent().unwrap().to_owned();
    let folder = world.root().to_string_lossy().into_owned();
    let mut session = Transcript::new(&home, &folder, Kind::Plain, 1);
    lamp(&world, &mut session);
    commit(&mut world, "work");
    let by_hand = format!("{}SPARE = lamp(None)\n", ONE.replace(OLD, NEW));
    world.write(Path::new("lamp.py"), &by_hand);
    world.write(Path::new("hand.py"), "LAMPS = [lamp(w) for w in wicks()]\n");
    commit(&mut world, "by hand");
    world.write(Path::new("deps.json"), "{\"wick\": \"2.0\"}\n");
    commit(&mut world, "bump wick");
    let turn = |number| (Some(session.id.clone()), Some(number), true);
    let unknown = (None, None, true);
    let lamp = [turn(1), turn(2), turn(1), unknown.clone()];
    let check = |world: &World, stage: &str, path: &str| {
        assert_eq!(who(world, path), lamp, "{stage}");
        for other in ["deps.json", "hand.py"] {
            assert_eq!(who(world, other), std::slice::from_ref(&unknown), "{stage}: {other}");
        }
    };
    check(&world, "as committed", "lamp.py");
    let query = CommitsQuery { here: folder, ..CommitsQuery::default() };
    let shares = commits(&world.settings(), &query).unwrap().commits;
    let shares = shares.iter().map(|it| (it.subject.as_str(), it.lines, it.unknown_lines));
    let expected = [("bump wick", 1, 1), ("by hand", 2, 2), ("work", 4, 1), ("start", 1, 1)];
    assert_eq!(shares.collect::<Vec<_>>(), expected);
    world.git(&["reset", "-q", "--soft", "HEAD~3"], "Ana");
    commit(&mut world, "all in one");
    check(&world, "after a squash", "lamp.py");
    std::fs::create_dir(world.root().join("lib")).unwrap();
    world.git(&["mv", "lamp.py", "lib/light.py"], "Ana");
    check(&world, "before the move is committed", "lib/light.py");
    commit(&mut world, "move");
    check(&world, "after git mv", "lib/light.py");
    world.wait(60);
    world.git(&["commit", "-q", "--amend", "-m", "moved"], "Ana");
    check(&world, "after an amend", "lib/light.py");
}
