//! Sources: their stored state, and what happens when they move, vanish and come back.

use crate::store::builder::{Desk, all_said, at, boot, piece, usage_key, who};
use taffrail_model::observed::{
    ArchiveState, Fingerprint, LastLine, Pass, SourceState, UnknownRecords,
};
use taffrail_model::{
    AgentId, Facts, Lifecycle, LineageKind, Outcome, RuntimeIdentity, Title, TitleRank,
};
use taffrail_store::{Filter, Writer};

#[test]
fn a_source_comes_back_as_it_was_written() {
    let state = SourceState {
        agent: AgentId::new("agent"),
        home: "/home/ä".to_owned(),
        path: "p/ö.jsonl".to_owned(),
        key: "k".to_owned(),
        locator: "agent-lines:x".to_owned(),
        rank: 3,
        fingerprint: Fingerprint {
            device: 7,
            inode: u64::MAX >> 1,
            size: 1 << 40,
            modified_ns: -5,
            beside: 11,
        },
        offset: 99,
        last_line: Some(LastLine { offset: 90, length: 8, hash: usage_key("line") }),
        reader: "{\"open\":\"turn\"}".to_owned(),
        read_whole_next: true,
        kept: ArchiveState::Bytes(77),
    };
    let mut desk = Desk::new();
    desk.write(&[piece("x", &who("s")).source(|it| *it = state.clone())]);
    let row = desk.source(&state.path);
    // The reader's state is large and is loaded separately.
    let told = SourceState { reader: String::new(), ..state.clone() };
    assert_eq!((&row.state, row.present, row.half_read), (&told, true, false));
    assert_eq!(desk.writer.memory(row.id).unwrap(), state.reader);
    let of_session = desk.reader().sources_of(desk.session(&who("s")).row).unwrap();
    assert_eq!(of_session.len(), 1);
    assert_eq!(of_session[0].state, told);
    let desk = desk.reopened();
    assert_eq!(desk.reader().sources().unwrap()[0].state, told);
    assert_eq!(desk.writer.memory(row.id).unwrap(), state.reader);
}

#[test]
fn a_file_that_moved_keeps_its_events() {
    let mut desk = Desk::new();
    desk.write(&[piece("a", &who("s")).saying(&all_said(0..3))]);
    let before = (desk.live(&who("s")), desk.session(&who("s")).sequence);
    let id = desk.source("a").id;
    desk.settle(|writer| writer.relocate(id, ("/other", "b", "agent-lines:b")).unwrap());
    assert_eq!((desk.live(&who("s")), desk.session(&who("s")).sequence), before);
    assert_eq!(desk.session(&who("s")).source_uri, "agent-lines:b");
    let moved =
        |piece: crate::store::builder::Piece| piece.source(|it| it.home = "/other".to_owned());
    let more = moved(piece("b", &who("s")).from(300).saying(&all_said(3..4)));
    assert_eq!(desk.write(&[more]), 1);
    assert_eq!(desk.live(&who("s")), [0, 1, 2, 3]);
    assert_eq!(desk.writer.sources().unwrap().len(), 1);
}

#[test]
fn a_session_is_lost_with_its_last_source_and_back_with_it() {
    let mut desk = Desk::new();
    desk.write(&[
        piece("a", &who("s")).saying(&all_said(0..3)),
        piece("b", &who("s")).saying(&all_said(0..2)),
    ]);
    let (a, b) = (desk.source("a").id, desk.source("b").id);
    let lifecycle = |desk: &Desk| desk.session(&who("s")).lifecycle;
    assert_eq!(lifecycle(&desk), Lifecycle::Resumable);
    desk.settle(|writer| writer.vanish(&[a]).unwrap());
    assert_eq!(lifecycle(&desk), Lifecycle::Resumable);
    desk.settle(|writer| writer.vanish(&[b]).unwrap());
    assert_eq!(lifecycle(&desk), Lifecycle::Lost);
    assert_eq!(desk.live(&who("s")), [0, 1, 2]);
    desk.settle(|writer| writer.restore(&[a]).unwrap());
    assert_eq!(lifecycle(&desk), Lifecycle::Resumable);
    assert_eq!(desk.session(&who("s")).sequence, 3);
}

#[test]
fn a_session_its_agent_deleted_is_lost_and_keeps_what_it_said() {
    let mut desk = Desk::new();
    desk.write(&[piece("a", &who("s")).saying(&all_said(0..3))]);
    let mut gone = piece("a", &who("s")).made();
    gone.gone = true;
    gone.sessions.clear();
    desk.settle(|writer| {
        writer.append(&gone, at(2)).unwrap();
    });
    assert!(!desk.source("a").present);
    assert_eq!(desk.session(&who("s")).lifecycle, Lifecycle::Lost);
    assert_eq!(desk.live(&who("s")), [0, 1, 2]);
}

#[test]
fn only_what_can_be_resumed_is_resumable() {
    let stranger = RuntimeIdentity::new(AgentId::new("stranger"), "", "s");
    let worker = RuntimeIdentity::new(AgentId::new("agent"), "s", "w");
    let works = Facts { parent: Some(who("s")), ..Facts::default() };
    let mut desk = Desk::new();
    desk.write(&[
        piece("a", &who("s")).saying(&all_said(0..1)),
        piece("b", &stranger).saying(&all_said(0..1)),
        piece("c", &worker).saying(&all_said(0..1)).knowing(works),
    ]);
    assert_eq!(desk.session(&who("s")).lifecycle, Lifecycle::Resumable);
    assert_eq!(desk.session(&stranger).lifecycle, Lifecycle::Detached);
    let row = desk.session(&worker);
    assert_eq!(row.lifecycle, Lifecycle::Detached);
    assert_eq!(row.parent, Some(who("s").session()));
    assert_eq!(row.lineage.unwrap().kind, LineageKind::Subagent);
    let listed = |workers| {
        let filter = Filter { workers, ..Filter::default() };
        desk.reader().sessions(&filter).unwrap().len()
    };
    assert_eq!((listed(false), listed(true)), (2, 3));
    assert_eq!(desk.reader().count_sessions().unwrap(), (3, 1));
}

#[test]
fn what_several_sources_know_is_joined_in_any_order() {
    let title = |rank, text: &str| Some(Title { rank, text: text.to_owned() });
    let low = Facts {
        title: title(TitleRank::Given, "mine"),
        model: Some("old".to_owned()),
        project_path: Some("/w".to_owned()),
        ..Facts::default()
    };
    let high = Facts {
        title: title(TitleRank::FirstPrompt, "prompt"),
        model: Some("new".to_owned()),
        ..Facts::default()
    };
    let pieces = [
        piece("a", &who("s")).knowing(low).ranked(0),
        piece("b", &who("s")).knowing(high).ranked(1),
    ];
    let check = |order: [usize; 2]| {
        let mut desk = Desk::new();
        for index in order {
            desk.write(&[pieces[index].clone()]);
        }
        let row = desk.session(&who("s"));
        let said = (row.title.as_deref(), row.model.as_deref(), row.project_path.as_deref());
        assert_eq!(said, (Some("mine"), Some("new"), Some("/w")));
        assert_eq!((row.title_derived, row.source_uri.as_str()), (false, "agent-lines:b"));
    };
    check([0, 1]);
    check([1, 0]);
}

#[test]
fn what_was_not_understood_is_counted_anew_with_every_pass() {
    let mut desk = Desk::new();
    let mut odd = piece("a", &who("s")).made();
    odd.unknown = vec![UnknownRecords { raw_type: "new".into(), version: None, count: 2 }];
    odd.outcome = Outcome { skipped_records: 1, ..Outcome::default() };
    for (pass, expected) in [(Pass::Append, 1), (Pass::Append, 2), (Pass::Again, 1)] {
        odd.pass = pass;
        desk.settle(|writer| {
            writer.append(&odd, at(1)).unwrap();
        });
        let unknown = desk.reader().unknown_records().unwrap();
        let [row] = unknown.as_slice() else { panic!("{unknown:?}") };
        assert_eq!((row.raw_type.as_str(), row.count), ("new", 2 * expected));
        assert_eq!(desk.reader().skipped_records().unwrap(), expected);
    }
}

#[test]
fn the_folder_and_every_file_in_it_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("data/taffrail");
    let mut writer = Writer::open(&folder, boot()).unwrap();
    writer.begin().unwrap();
    writer.append(&piece("a", &who("s")).saying(&all_said(0..3)).made(), at(1)).unwrap();
    writer.commit(at(1)).unwrap();
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    let files: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 6, "{files:?}");
    for file in files {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}
