//! Reads an agent's database while the agent uses it, without leaving a trace.

use crate::capture::readback::{bodies, references};
use crate::capture::world::{Run, World};
use rusqlite::Connection;
use taffrail_capture::Reading;
use taffrail_model::observed::Observed;

const PATH: &str = "sessions/sessions.db";

/// The part of Goose 1.52.0's schema that holds history.
const SCHEMA: &str = "
CREATE TABLE sessions (
  id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', description TEXT NOT NULL DEFAULT '',
  user_set_name BOOLEAN DEFAULT FALSE, session_type TEXT NOT NULL DEFAULT 'user',
  working_dir TEXT NOT NULL, created_at TIMESTAMP, updated_at TIMESTAMP, accumulated_cost REAL,
  model_config_json TEXT, parent_session_id TEXT);
CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT,
  session_id TEXT NOT NULL REFERENCES sessions(id), role TEXT NOT NULL,
  content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL, timestamp TIMESTAMP,
  tokens INTEGER, metadata_json TEXT);
";

fn goose(journal: &str) -> (World, Connection) {
    let world = World::new("goose");
    std::fs::create_dir_all(world.path("sessions")).unwrap();
    let connection = Connection::open(world.path(PATH)).unwrap();
    connection.pragma_update(None, "journal_mode", journal).unwrap();
    connection.execute_batch(SCHEMA).unwrap();
    (world, connection)
}

fn open_session(agent: &Connection, id: &str) {
    let insert = "INSERT INTO sessions (id, name, working_dir, created_at, updated_at) \
                  VALUES (?1, ?1, '/w', '2026-11-14 22:59:23', '2026-11-14 22:59:23')";
    agent.execute(insert, [id]).unwrap();
}

fn say(agent: &Connection, session: &str, text: &str) {
    let content = serde_json::json!([{"type": "text", "text": text}]).to_string();
    let insert = "INSERT INTO messages (message_id, session_id, role, content_json, \
                  created_timestamp, metadata_json) VALUES (?1, ?2, 'user', ?3, 1794697163, \
                  '{\"userVisible\":true,\"agentVisible\":true}')";
    agent.execute(insert, [format!("m-{text}").as_str(), session, &content]).unwrap();
}

/// The keys of the pieces of a run; the file itself has none.
fn keys(run: &Run) -> Vec<(&str, bool)> {
    run.pieces.iter().map(|piece| (piece.source.key.as_str(), piece.gone)).collect()
}

#[test]
fn a_database_in_use_is_read_with_its_log_and_only_what_changed_is_read_again() {
    let (mut world, agent) = goose("WAL");
    open_session(&agent, "s1");
    open_session(&agent, "s2");
    say(&agent, "s1", "one");
    say(&agent, "s2", "two");
    assert!(world.names("sessions").contains("sessions.db-wal"));
    let before = world.names("sessions");
    let run = world.run();
    assert_eq!(run.problems, Vec::<String>::new());
    // The newest session comes first.
    assert_eq!(keys(&run), [("s2", false), ("s1", false), ("", false)]);
    assert_eq!(world.texts().iter().filter(|it| ["one", "two"].contains(&it.as_str())).count(), 2);
    assert!(world.run().is_quiet());
    assert_eq!(world.names("sessions"), before);

    say(&agent, "s2", "three");
    let run = world.run();
    assert_eq!(keys(&run), [("s2", false), ("", false)]);
    assert!(world.texts().contains(&"three".to_owned()));

    agent.execute("DELETE FROM messages WHERE session_id = 's1'", []).unwrap();
    agent.execute("DELETE FROM sessions WHERE id = 's1'", []).unwrap();
    let run = world.run();
    assert_eq!(keys(&run), [("s1", true), ("", false)]);
    assert!(world.texts().contains(&"one".to_owned()), "what a deleted session said is kept");
    assert!(world.run().is_quiet());

    open_session(&agent, "s1");
    say(&agent, "s1", "again");
    assert_eq!(keys(&world.run()), [("s1", false), ("", false)]);
    assert_eq!(world.names("sessions"), before);
}

/// A writer fills its log, which notifies watchers, and commits in shared memory, which notifies nobody. Only a
/// database that is read although its files look the same shows the commit.
#[test]
fn an_answer_that_is_committed_after_its_log_was_read_is_read() {
    let (mut world, agent) = goose("WAL");
    open_session(&agent, "s1");
    say(&agent, "s1", "one");
    let shared = world.path("sessions/sessions.db-shm");
    // Both copies of the header.
    let header = || std::fs::read(&shared).unwrap()[..96].to_vec();
    let commit = |header: &[u8]| {
        use std::os::unix::fs::FileExt;
        let file = std::fs::OpenOptions::new().write(true).open(&shared).unwrap();
        file.write_all_at(header, 0).unwrap();
    };
    let before = header();
    say(&agent, "s1", "two");
    let after = header();
    commit(&before);
    world.run();
    commit(&after);
    assert!(world.run().is_quiet(), "its files look the same");
    assert!(!world.texts().contains(&"two".to_owned()));
    for known in world.known.values_mut().filter(|it| it.state.key.is_empty()) {
        known.half_read = true;
    }
    world.run();
    assert!(world.texts().contains(&"two".to_owned()));
}

#[test]
fn a_message_that_was_deleted_is_gone() {
    let (mut world, agent) = goose("WAL");
    open_session(&agent, "s1");
    say(&agent, "s1", "one");
    say(&agent, "s1", "two");
    world.run();
    agent.execute("DELETE FROM messages WHERE message_id = 'm-two'", []).unwrap();
    world.run();
    let texts = world.texts();
    assert!(texts.contains(&"one".to_owned()) && !texts.contains(&"two".to_owned()), "{texts:?}");
}

#[test]
fn a_row_is_read_back_and_a_changed_one_is_not_shown() {
    let (mut world, agent) = goose("WAL");
    open_session(&agent, "s1");
    say(&agent, "s1", "one");
    world.run();
    let texts = |world: &World| -> Vec<_> {
        let said = bodies(world).into_iter().map(|it| it.map(|body| body.text));
        said.map(|it| it.map_err(|error| error.to_string())).collect()
    };
    assert!(texts(&world).contains(&Ok(Some("one".to_owned()))));
    agent
        .execute("UPDATE messages SET content_json = replace(content_json, 'one', 'two')", [])
        .unwrap();
    let prompts =
        references(&world).iter().map(|(event, _)| event.excerpt == "one").collect::<Vec<_>>();
    for (is_prompt, said) in prompts.into_iter().zip(texts(&world)) {
        let changed = Err("the record changed since it was read".to_owned());
        assert_eq!(said == changed, is_prompt, "{said:?}");
    }
}

#[test]
fn nothing_is_made_beside_a_database_at_rest() {
    for journal in ["DELETE", "WAL"] {
        let (mut world, agent) = goose(journal);
        open_session(&agent, "s1");
        say(&agent, "s1", "one");
        agent.close().unwrap();
        let before = (world.names("sessions"), std::fs::read(world.path(PATH)).unwrap());
        assert_eq!(before.0.len(), 1, "{journal} {:?}", before.0);
        let run = world.run();
        assert_eq!(run.problems, Vec::<String>::new());
        assert!(world.texts().contains(&"one".to_owned()));
        let after = (world.names("sessions"), std::fs::read(world.path(PATH)).unwrap());
        assert_eq!(after, before, "{journal}");
        assert!(world.run().is_quiet());
    }
}

#[test]
fn a_writer_in_the_middle_of_a_transaction_hides_nothing_else() {
    let (mut world, agent) = goose("WAL");
    open_session(&agent, "s1");
    say(&agent, "s1", "one");
    agent.execute_batch("BEGIN IMMEDIATE").unwrap();
    say(&agent, "s1", "unsaid");
    let run = world.run();
    assert_eq!(run.problems, Vec::<String>::new());
    assert!(!world.texts().contains(&"unsaid".to_owned()));
    agent.execute_batch("COMMIT").unwrap();
    world.run();
    assert!(world.texts().contains(&"unsaid".to_owned()));
}

#[test]
fn a_database_without_our_tables_or_none_at_all_is_a_problem_and_no_more() {
    let mut world = World::new("goose");
    world.put(PATH, "this is not a database, however long it is");
    let run = world.run();
    assert_eq!((run.problems.len(), run.pieces.len()), (1, 0));
    std::fs::remove_file(world.path(PATH)).unwrap();
    let other = Connection::open(world.path(PATH)).unwrap();
    other.execute_batch("CREATE TABLE t (x)").unwrap();
    drop(other);
    let run = world.run();
    assert_eq!((run.problems.len(), run.pieces.len()), (1, 0));
}

#[test]
fn a_path_with_signs_that_mean_something_elsewhere_is_opened() {
    let (world, agent) = goose("DELETE");
    open_session(&agent, "s1");
    agent.close().unwrap();
    let mut odd = World::new("goose");
    let bytes = std::fs::read(world.path(PATH)).unwrap();
    let root = odd.path("a?b#c%41d");
    std::fs::create_dir_all(root.join("sessions")).unwrap();
    std::fs::write(root.join(PATH), bytes).unwrap();
    let home = taffrail_capture::Home { adapter: odd.adapter(), root, journal: false };
    let plan = taffrail_capture::plan(taffrail_capture::discover(&[home]), &[]);
    let mut given = 0;
    taffrail_capture::read(&plan.jobs[0], Reading::default(), &mut |_: Observed| {
        given += 1;
        taffrail_capture::Flow::Continue
    })
    .unwrap();
    assert_eq!(given, 2);
    assert!(odd.run().is_quiet());
}
