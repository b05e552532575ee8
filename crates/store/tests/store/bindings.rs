//! What only we know outlives the index.

use crate::builder::{Desk, all_said, at, boot, piece, who};
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

    let id = desk.source("a").id;
    desk.writer.begin().unwrap();
    desk.writer.vanish(&[id]).unwrap();
    desk.writer.commit(at(9)).unwrap();
    let binding = ledger(&desk).binding(who("s").session()).unwrap().unwrap();
    assert_eq!((binding.status, binding.created_at), (Lifecycle::Lost, at(1)));
    assert_eq!(binding.last_seen_at, at(9));
    assert!(!binding.resume_capability.by_runtime_id);
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
