//! The ledger outlives the index.

use crate::store::builder::{Desk, all_said, at, boot, piece, who};
use rusqlite::Connection;
use taffrail_model::{AgentId, Facts, Lifecycle, RuntimeIdentity};
use taffrail_store::{Filter, IndexReader, Ledger, StoreError, Writer};

fn ledger(desk: &Desk) -> Ledger {
    Ledger::open_read_only(desk.folder.path()).unwrap().unwrap()
}

fn full() -> Desk {
    let mut desk = Desk::new();
    let facts = Facts { project_path: Some("/w".to_owned()), ..Facts::default() };
    desk.write(&[
        piece("a", &who("s")).saying(&all_said(0..3)).knowing(facts),
        piece("b", &who("t")).saying(&all_said(0..3)),
    ]);
    desk
}

#[test]
fn every_session_is_bound_with_its_commit() {
    let mut desk = full();
    let binding = ledger(&desk).binding(who("s").session()).unwrap().unwrap();
    assert_eq!(binding.backend, AgentId::new("agent"));
    assert_eq!(binding.runtime_session_id.as_str(), "s");
    assert_eq!(binding.runtime_source_uri, "agent-lines:a");
    assert_eq!(binding.project_path.as_deref(), Some("/w"));
    assert_eq!((binding.status, binding.created_at), (Lifecycle::Resumable, at(1)));
    assert!(binding.resume_capability.by_runtime_id);
    assert!(ledger(&desk).binding(who("t").session()).unwrap().is_some());
    assert!(ledger(&desk).binding(who("u").session()).unwrap().is_none());

    let (id, cursor) = (desk.source("a").id, binding.source_cursor);
    desk.writer.begin().unwrap();
    desk.writer.vanish(&[id]).unwrap();
    desk.writer.commit(at(9)).unwrap();
    let binding = ledger(&desk).binding(who("s").session()).unwrap().unwrap();
    assert_eq!((binding.status, binding.created_at), (Lifecycle::Lost, at(1)));
    // A missing source confirms nothing: the last-seen time and the cursor stay.
    assert_eq!((binding.last_seen_at, binding.source_cursor), (at(1), cursor));
    assert_eq!(binding.provenance[0].provenance.source_kind, "runtime_transcript");
    assert!(!binding.resume_capability.by_runtime_id);

    desk.writer.begin().unwrap();
    desk.writer.restore(&[id]).unwrap();
    desk.writer.commit(at(11)).unwrap();
    let binding = ledger(&desk).binding(who("s").session()).unwrap().unwrap();
    assert_eq!((binding.status, binding.last_seen_at), (Lifecycle::Resumable, at(11)));
}

#[test]
fn an_executor_makes_a_binding_active_and_the_last_one_is_remembered() {
    let mut desk = full();
    let session = who("s").session();
    let told = |desk: &Desk| {
        let it = ledger(desk).binding(session).unwrap().unwrap();
        (it.status, it.peer_id, it.current_executor_peer_id)
    };
    let name = || Some("tmux:%3".to_owned());
    desk.writer.attach(&[session], Some("tmux:%3")).unwrap();
    assert_eq!(told(&desk), (Lifecycle::Active, name(), name()));
    // New facts of its source do not change that.
    let facts = Facts { project_path: Some("/x".to_owned()), ..Facts::default() };
    desk.write(&[piece("a", &who("s")).saying(&all_said(0..4)).knowing(facts)]);
    assert_eq!(told(&desk), (Lifecycle::Active, name(), name()));
    desk.writer.attach(&[session], None).unwrap();
    assert_eq!(told(&desk), (Lifecycle::Resumable, name(), None));
    desk.writer.attach(&[session], Some("process:7")).unwrap();
    desk.writer.detach_all().unwrap();
    assert_eq!(told(&desk), (Lifecycle::Resumable, Some("process:7".to_owned()), None));
    assert_eq!(ledger(&desk).last_run_by("process:7").unwrap(), [session]);
    assert_eq!(ledger(&desk).last_run_by("tmux:%3").unwrap(), []);
}

#[test]
fn a_session_only_the_journal_tells_of_has_no_source_and_is_not_lost() {
    let mut desk = Desk::new();
    let heard = piece("journal/agent/d.jsonl", &who("s"))
        .source(|it| it.locator = "journal:agent/d.jsonl".to_owned());
    desk.write(&[heard.saying(&all_said(0..1))]);
    let check = |desk: &Desk| {
        let binding = ledger(desk).binding(who("s").session()).unwrap().unwrap();
        let provenance = &binding.provenance[0].provenance;
        assert_eq!(binding.source_cursor, None, "a position in no source");
        assert_eq!(binding.status, Lifecycle::Detached);
        assert_eq!(provenance.source_kind, "runtime_unavailable");
        assert_eq!(provenance.runtime_source_uri, "");
        assert_eq!(desk.session(&who("s")).lifecycle, Lifecycle::Detached);
    };
    check(&desk);
    let id = desk.source("journal/agent/d.jsonl").id;
    desk.writer.begin().unwrap();
    desk.writer.vanish(&[id]).unwrap();
    desk.writer.commit(at(9)).unwrap();
    check(&desk);
    desk.writer.reset().unwrap();
    desk.writer.finish(at(10)).unwrap();
    check(&desk);
}

#[test]
fn sessions_without_a_binding_get_one_at_the_next_look() {
    let desk = full();
    let Desk { folder, writer } = desk;
    let file = folder.path().join("ledger.db");
    drop(writer);
    let bound = |name: &str| {
        let ledger = Ledger::open_read_only(folder.path()).unwrap().unwrap();
        ledger.binding(who(name).session()).unwrap().map(|it| it.created_at)
    };
    let look = |second| {
        let mut writer = Writer::open(folder.path(), boot()).unwrap();
        writer.finish(at(second)).unwrap();
    };
    // An older ledger, which knows one of the two.
    let query = "DELETE FROM bindings WHERE runtime_session_id = 't'; \
                 UPDATE meta SET value = '0' WHERE name = 'bound';";
    Connection::open(&file).unwrap().execute_batch(query).unwrap();
    assert_eq!((bound("s"), bound("t")), (Some(at(1)), None));
    look(5);
    assert_eq!((bound("s"), bound("t")), (Some(at(1)), Some(at(5))));
    // A ledger that was lost entirely.
    for ending in ["", "-wal", "-shm"] {
        std::fs::remove_file(format!("{}{ending}", file.display())).unwrap_or_default();
    }
    look(7);
    assert_eq!((bound("s"), bound("t")), (Some(at(7)), Some(at(7))));
    look(8);
    assert_eq!((bound("s"), bound("t")), (Some(at(7)), Some(at(7))));
}

#[test]
fn what_was_repaired_by_hand_outlives_the_index() {
    let mut desk = full();
    let (s, t) = (who("s").session(), who("t").session());
    let mut ledger = Ledger::open(desk.folder.path(), &boot().new_device).unwrap();
    ledger.supersede(t, s, at(2)).unwrap();
    ledger.archive(s, Some(at(2))).unwrap();
    let check = |desk: &Desk| {
        let lives = [&who("s"), &who("t")].map(|it| desk.session(it).lifecycle);
        assert_eq!(lives, [Lifecycle::Archived, Lifecycle::Superseded]);
        let shown = |workers| {
            let filter = Filter { workers, ..Filter::default() };
            desk.reader().sessions(&filter).unwrap().len()
        };
        assert_eq!((shown(false), shown(true)), (1, 2));
    };
    check(&desk);
    desk.writer.reset().unwrap();
    desk.write(&[
        piece("a", &who("s")).saying(&all_said(0..3)),
        piece("b", &who("t")).saying(&all_said(0..3)),
    ]);
    desk.writer.finish(at(3)).unwrap();
    check(&desk);
}

#[test]
fn bindings_survive_a_reset_and_what_has_no_source_is_listed_as_lost() {
    let mut desk = full();
    let device = desk.writer.device().unwrap();
    desk.writer.reset().unwrap();
    assert_eq!(desk.reader().count_sessions().unwrap(), (0, 0));
    assert!(ledger(&desk).binding(who("s").session()).unwrap().is_some());
    desk.write(&[piece("b", &who("t")).saying(&all_said(0..3))]);
    desk.writer.finish(at(2)).unwrap();
    let lost = desk.session(&who("s"));
    assert_eq!((lost.lifecycle, lost.sequence), (Lifecycle::Lost, 0));
    assert_eq!(
        (lost.source_uri.as_str(), lost.project_path.as_deref()),
        ("agent-lines:a", Some("/w"))
    );
    assert_eq!(desk.session(&who("t")).lifecycle, Lifecycle::Resumable);
    assert_eq!(desk.writer.device().unwrap(), device);

    desk.write(&[piece("a", &who("s")).saying(&all_said(0..3))]);
    assert_eq!(desk.session(&who("s")).lifecycle, Lifecycle::Resumable);
    assert_eq!(desk.live(&who("s")), [0, 1, 2]);
}

#[test]
fn an_identity_keeps_its_scope_through_the_ledger() {
    let scoped = RuntimeIdentity::new(AgentId::new("agent"), "device:/store", "7");
    let mut desk = Desk::new();
    desk.write(&[piece("a", &scoped).saying(&all_said(0..1))]);
    desk.writer.reset().unwrap();
    desk.writer.finish(at(2)).unwrap();
    assert_eq!(desk.session(&scoped).runtime_id.as_str(), "7");
}

#[test]
fn an_index_of_another_schema_is_no_index_and_is_replaced() {
    let desk = full();
    let first = desk.reader().generation().to_owned();
    let Desk { folder, writer } = desk;
    drop(writer);
    for version in [1, 99] {
        let index = Connection::open(folder.path().join("index.db")).unwrap();
        index.pragma_update(None, "user_version", version).unwrap();
        drop(index);
        assert!(IndexReader::open(folder.path()).unwrap().is_none());
        let mut writer = Writer::open(folder.path(), boot()).unwrap();
        writer.finish(at(3)).unwrap();
        let reader = IndexReader::open(folder.path()).unwrap().unwrap();
        assert_ne!(reader.generation(), first);
        let listed = reader.sessions(&Filter::default()).unwrap();
        assert_eq!(listed.len(), 2);
        assert!(listed.iter().all(|row| row.lifecycle == Lifecycle::Lost));
    }
}

#[test]
fn a_newer_ledger_is_refused_and_nothing_is_written() {
    let Desk { folder, writer } = full();
    drop(writer);
    let path = folder.path().join("ledger.db");
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let before = std::fs::read(&path).unwrap();
    let error = Writer::open(folder.path(), boot()).unwrap_err();
    assert!(matches!(error, StoreError::Newer { found: 99, .. }), "{error}");
    assert!(Ledger::open_read_only(folder.path()).unwrap().is_none());
    assert_eq!(std::fs::read(&path).unwrap(), before);
}
