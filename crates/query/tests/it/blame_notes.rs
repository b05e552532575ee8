//! Records of other tools about commits: they are shown as claims, and notes are written without touching others.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must stop")]

use crate::blame_transcripts::{Call, Kind, Transcript};
use crate::blame_world::World;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use taffrail_api::{BlameQuery, CommitsQuery, NoteList, NoteSource, NotedBy, NotedLine};
use taffrail_query::blame::{NoteWish, Writing, blame, commits, write_notes};

const LAMP: &str = "def lamp(wick):\n    return wick.height\nLAMPS = [lamp(w) for w in wicks()]\n";
const NOTE: &str = "hand.py\n  s_00000000000000::t_1 1\nlamp.py\n  h_31dce776f88375 1\n---\n\
    {\"schema_version\":\"authorship/3.0.0\",\"humans\":{\"h_31dce776f88375\":{\"author\":\"Ana\"}},\
    \"sessions\":{\"s_00000000000000\":{\"agent_id\":{\"tool\":\"cursor\",\"id\":\"c-1\",\"model\":\"gpt\"}}}}\n";

/// What git prints in the repository of a world.
fn printed(world: &World, words: &[&str]) -> Option<String> {
    let output = Command::new("git").current_dir(world.root()).args(words).output().unwrap();
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
}

/// A session that wrote `lamp.py`, and a hand that wrote `hand.py`, in one commit.
fn world(message: &str) -> (World, Transcript) {
    let mut world = World::new(5);
    let home = world.root().parent().unwrap().to_owned();
    let folder = world.root().to_string_lossy().into_owned();
    let mut session = Transcript::new(&home, &folder, Kind::Plain, 1);
    session.prompt("2026-10-01T10:00:01.000Z", "make the lamp");
    let whole = Call { path: "lamp.py", before: None, after: LAMP, part: None };
    session.call("2026-10-01T10:00:02.000Z", &whole);
    world.write(Path::new("lamp.py"), LAMP);
    world.write(Path::new("hand.py"), "SPARE = lamp(None) or nothing\n");
    world.wait(60);
    for (key, value) in [("user.name", "Ana"), ("user.email", "ana@example.org")] {
        world.git(&["config", key, value], "Ana");
    }
    world.git(&["add", "-A"], "Ana");
    world.git(&["commit", "-q", "-m", message], "Ana");
    (world, session)
}

fn noted(world: &World, path: &str) -> Vec<NotedLine> {
    let here = world.root().to_string_lossy().into_owned();
    let query = BlameQuery { path: path.to_owned(), line: Some(1), here, text: None };
    let reply = blame(&world.settings(), &query).unwrap();
    reply.lines.into_iter().flat_map(|it| it.notes).collect()
}

fn written(world: &World, writing: Writing) -> NoteList {
    let here = world.root().to_string_lossy().into_owned();
    let wish = NoteWish { here, commits: vec!["HEAD".to_owned()], since: None, writing };
    write_notes(&world.settings(), &wish).unwrap()
}

/// A record's author in short: source, kind, tool, conversation, whether it is ours, and whether it agrees.
type Short = (NoteSource, NotedBy, Option<String>, Option<String>, bool, Option<bool>);

fn short(it: &NotedLine) -> Short {
    let (tool, conversation) = (it.tool.clone(), it.conversation.clone());
    (it.source, it.by, tool, conversation, it.session_id.is_some(), it.agrees)
}

#[test]
fn a_note_is_shown_then_written_once_and_read_back() {
    let (world, session) = world("work");
    let (hook, mark) =
        (world.root().join(".git/hooks/reference-transaction"), world.root().join("ran"));
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, format!("#!/bin/sh\ntouch {}\n", mark.display())).unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    let shown = written(&world, Writing::Show);
    let text = shown.notes.first().and_then(|it| it.note.clone()).unwrap();
    assert!(text.starts_with("lamp.py\n  s_") && text.contains(" 1-3\n---\n"), "{text}");
    assert_eq!(printed(&world, &["rev-parse", "-q", "--verify", "refs/notes/ai"]), None);
    let refs = printed(&world, &["for-each-ref", "--format=%(refname)"]).unwrap();
    assert_eq!(written(&world, Writing::Do).notes, shown.notes);
    assert!(!mark.exists(), "git ran a hook of the repository");
    let note = printed(&world, &["notes", "--ref=ai", "show", "HEAD"]);
    assert_eq!(note.as_deref(), Some(text.as_str()));
    let after = printed(&world, &["for-each-ref", "--format=%(refname)"]).unwrap();
    assert_eq!(after, format!("{refs}refs/notes/ai\n"));
    let again = written(&world, Writing::Do);
    assert_eq!(again.notes.iter().map(|it| it.note.clone()).collect::<Vec<_>>(), [None]);
    let claude = Some("claude".to_owned());
    let expected = (NoteSource::GitAi, NotedBy::Agent, claude, Some(session.id), true, Some(true));
    assert_eq!(noted(&world, "lamp.py").iter().map(short).collect::<Vec<_>>(), [expected]);
    assert_eq!(noted(&world, "hand.py"), []);
}

#[test]
fn a_foreign_note_stays_and_is_only_a_claim() {
    let (world, _) = world("work");
    world.git(&["notes", "--ref=ai", "add", "-m", NOTE], "Ana");
    assert_eq!(written(&world, Writing::Do).notes.first().unwrap().note, None);
    let cursor = Some("cursor".to_owned());
    let cursor = (NoteSource::GitAi, NotedBy::Agent, cursor, Some("c-1".to_owned()), false, None);
    assert_eq!(noted(&world, "hand.py").iter().map(short).collect::<Vec<_>>(), [cursor]);
    let human = (NoteSource::GitAi, NotedBy::Human, None, None, false, Some(false));
    assert_eq!(noted(&world, "lamp.py").iter().map(short).collect::<Vec<_>>(), [human]);
    let here = world.root().to_string_lossy().into_owned();
    let query = CommitsQuery { here, ..CommitsQuery::default() };
    let list = commits(&world.settings(), &query).unwrap();
    let notes = list.commits.iter().flat_map(|it| &it.notes);
    let notes: Vec<_> =
        notes.map(|it| (it.by, it.name.as_deref(), it.tool.as_deref(), it.lines)).collect();
    let expected =
        [(NotedBy::Agent, None, Some("cursor"), 1), (NotedBy::Human, Some("Ana"), None, 1)];
    assert_eq!(notes, expected);
}

#[test]
fn traces_and_checkpoints_are_claims_too() {
    let (world, session) = world("work\n\nEntire-Checkpoint: a3b2c4d5e6f7");
    let head = printed(&world, &["rev-parse", "HEAD"]).unwrap();
    let record = format!(
        "{{\"vcs\":{{\"type\":\"git\",\"revision\":\"{}\"}},\"tool\":{{\"name\":\"zed\"}},\"files\":[{{\"path\":\"hand.py\",\"conversations\":\
         [{{\"url\":\"file:///x/{}.jsonl\",\"contributor\":{{\"type\":\"mixed\"}},\"ranges\":[{{\"start_line\":1,\"end_line\":1}}]}}]}}]}}\n",
        head.trim(),
        session.id
    );
    std::fs::create_dir(world.root().join(".agent-trace")).unwrap();
    world.write(Path::new(".agent-trace/traces.jsonl"), &record);
    let metadata =
        format!("{{\"session_id\":\"2026-10-01-{}\",\"agent\":\"Claude Code\"}}", session.id);
    world.git(&["checkout", "-q", "--orphan", "entire/checkpoints/v1"], "Ana");
    std::fs::create_dir_all(world.root().join("a3/b2c4d5e6f7/0")).unwrap();
    world.write(Path::new("a3/b2c4d5e6f7/0/metadata.json"), &metadata);
    world.git(&["add", "a3"], "Ana");
    world.git(&["commit", "-q", "-m", "checkpoint"], "Ana");
    world.git(&["checkout", "-q", "main"], "Ana");
    let url = Some(format!("file:///x/{}.jsonl", session.id));
    let trace = (NoteSource::AgentTrace, NotedBy::Mixed, Some("zed".to_owned()), url, true, None);
    let dated = Some(format!("2026-10-01-{}", session.id));
    let tool = Some("Claude Code".to_owned());
    let checkpoint =
        |agrees| (NoteSource::Entire, NotedBy::Agent, tool.clone(), dated.clone(), true, agrees);
    let found: Vec<Short> = noted(&world, "hand.py").iter().map(short).collect();
    assert_eq!(found, [trace, checkpoint(None)]);
    let found: Vec<Short> = noted(&world, "lamp.py").iter().map(short).collect();
    assert_eq!(found, [checkpoint(Some(true))]);
}

#[test]
fn the_text_of_an_untracked_file_is_shown_only_where_a_session_wrote_it() {
    let (world, mut session) = world("work");
    session.prompt("2026-10-01T11:00:01.000Z", "make the draft");
    let draft = Call { path: "draft.py", before: None, after: LAMP, part: None };
    session.call("2026-10-01T11:00:02.000Z", &draft);
    world.write(Path::new("draft.py"), &format!("{LAMP}PASSWORD = 'of somebody'\n"));
    let here = world.root().to_string_lossy().into_owned();
    let shown = |path: &str, text: Option<bool>| {
        let query = BlameQuery { path: path.to_owned(), line: None, here: here.clone(), text };
        let lines = blame(&world.settings(), &query).unwrap().lines;
        lines.iter().map(|it| it.text.is_some()).collect::<Vec<_>>()
    };
    assert_eq!(shown("draft.py", Some(true)), [true, true, true, false]);
    assert_eq!(shown("hand.py", Some(true)), [true]);
    assert_eq!(shown("hand.py", None), [false]);
}
