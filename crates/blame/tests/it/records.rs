//! Records of other tools: git-ai's notes, Agent Trace and Entire's checkpoints.

use taffrail_blame::checkpoints::{checkpoint_ids, checkpoint_places, checkpoint_session};
use taffrail_blame::notes::{Note, NoteDraft, NotedLine, session_key};
use taffrail_blame::traces::traces;
use taffrail_blame::{NotedAuthor, NotedBy};

/// The example of the standard with all kinds of keys, and a newer field.
const NOTE: &str = r#"src/main.rs
  s_c9883b05a2487d::t_9f8e7d6c5b4a32 1-10,15
  h_31dce776f88375 12-13
  abcd1234abcd1234 10
"src/my file.rs"
  s_e7f2a90b31cc48::t_deadbeef012345 1-50
  s_0000000000beef::t_0 x,60-,70
---
{
  "schema_version": "authorship/3.1.0",
  "base_commit_sha": "7734793b756b3921c88db5375a8c156e9532447b",
  "prompts": {"abcd1234abcd1234": {"agent_id": {"tool": "cursor", "id": "old", "model": "gpt-4"}, "total_additions": "many"}},
  "humans": {"h_31dce776f88375": {"author": "Ana <ana@example.org>"}},
  "sessions": {"s_c9883b05a2487d": {"agent_id": {"tool": "claude", "id": "one", "model": 4}}, "s_e7f2a90b31cc48": 7},
  "later": [1]
}
"#;

fn agent(words: [Option<&str>; 3], key: &str) -> NotedAuthor {
    let [tool, model, conversation] = words.map(|it| it.map(str::to_owned));
    let key = Some(key.to_owned()).filter(|it| !it.is_empty());
    NotedAuthor { tool, model, conversation, key, ..NotedAuthor::new(NotedBy::Agent) }
}

#[test]
fn a_note_names_the_author_of_a_line() {
    let note = Note::parse(NOTE).unwrap();
    let claude = agent([Some("claude"), None, Some("one")], "c9883b05a2487d");
    let cursor = agent([Some("cursor"), Some("gpt-4"), Some("old")], "abcd1234abcd12");
    let name = Some("Ana <ana@example.org>".to_owned());
    let ana = NotedAuthor { name, ..NotedAuthor::new(NotedBy::Human) };
    let check = |path: &str, line: usize, expected: Option<NotedAuthor>| {
        assert_eq!(note.author(path, line), expected, "{path}:{line}");
    };
    check("src/main.rs", 1, Some(claude.clone()));
    check("src/main.rs", 10, Some(cursor));
    check("src/main.rs", 11, None);
    check("src/main.rs", 13, Some(ana));
    check("src/main.rs", 15, Some(claude));
    check("src/my file.rs", 50, Some(agent([None; 3], "e7f2a90b31cc48")));
    check("src/my file.rs", 70, Some(agent([None; 3], "0000000000beef")));
    check("src/my file.rs", 60, None);
    check("src/lib.rs", 1, None);
}

#[test]
fn other_texts_are_not_notes() {
    for text in [
        "",
        "---",
        "a\n---\n",
        "a\n---\n{}",
        "a\n---\n{\"schema_version\": \"other/1\"}",
        "by hand",
    ] {
        assert_eq!(Note::parse(text), None, "{text:?}");
    }
    assert_eq!(
        Note::parse("---\n{\"schema_version\": \"authorship/3.0.0\"}"),
        Some(Note::default())
    );
}

#[test]
fn a_key_is_the_hash_of_tool_and_conversation() {
    // printf 'claude:one' | sha256sum
    assert_eq!(session_key("claude", "one"), "61e4272d3f95fa");
}

#[test]
fn a_written_note_reads_back() {
    let line = |path: &str, line: usize, turn: usize| NotedLine {
        path: path.to_owned(),
        line,
        tool: "claude".to_owned(),
        conversation: "one".to_owned(),
        model: Some("opus".to_owned()),
        turn: Some(turn),
    };
    let lines = vec![
        line("a b.rs", 3, 1),
        line("a b.rs", 1, 1),
        line("a b.rs", 2, 1),
        line("a b.rs", 7, 2),
        line("q\".rs", 1, 1),
    ];
    let draft = NoteDraft { commit: "ab".repeat(20), lines };
    let text = draft.text().unwrap();
    assert_eq!(Some(&text), draft.text().as_ref());
    let note = Note::parse(&text).unwrap();
    let key = session_key("claude", "one");
    let author = agent([Some("claude"), Some("opus"), Some("one")], &key);
    for (number, expected) in [(1, true), (3, true), (4, false), (7, true)] {
        assert_eq!(note.author("a b.rs", number), expected.then(|| author.clone()), "{number}");
    }
    assert_eq!(note.author("q\".rs", 1), None, "the form has no such path");
    assert!(text.starts_with("\"a b.rs\"\n  s_"), "{text}");
    assert!(text.contains(" 1-3\n") && text.contains(" 7\n"), "{text}");
    let none = NoteDraft { commit: String::new(), lines: vec![line("q\".rs", 1, 1)] };
    assert_eq!(none.text(), None);
}

#[test]
fn a_trace_names_lines_and_contributors() {
    let text = concat!(
        r#"{"version":"0.1.0","vcs":{"type":"git","revision":"ab12"},"tool":{"name":"cursor"},"files":[{"path":"a.ts","#,
        r#""conversations":[{"url":"https://x/c/1","contributor":{"type":"ai","model_id":"anthropic/opus"},"#,
        r#""ranges":[{"start_line":4,"end_line":6},{"start_line":9,"end_line":9,"contributor":{"type":"robot"}},{"start_line":-1}]}]}]}"#,
        "\nnot json\n{\"files\":7}\n",
        r#"{"vcs":{"type":"jj","revision":"kk"},"files":[{"path":"b.ts","conversations":[{"contributor":{"type":"human"},"ranges":[{"start_line":1,"end_line":2}]}]}]}"#,
    );
    let found = traces(text);
    let short = |it: &taffrail_blame::traces::Trace| {
        (
            it.revision.clone(),
            it.path.clone(),
            it.lines,
            it.author.by.clone(),
            it.author.model.clone(),
        )
    };
    let words = |it: &str| it.to_owned();
    let expected = [
        (Some(words("ab12")), words("a.ts"), (4, 6), NotedBy::Agent, Some(words("anthropic/opus"))),
        (Some(words("ab12")), words("a.ts"), (9, 9), NotedBy::Unknown, None),
        (None, words("b.ts"), (1, 2), NotedBy::Human, None),
    ];
    assert_eq!(found.iter().map(short).collect::<Vec<_>>(), expected);
    assert_eq!(found.first().unwrap().author.conversation.as_deref(), Some("https://x/c/1"));
}

#[test]
fn a_checkpoint_names_its_sessions() {
    assert_eq!(
        checkpoint_ids("a3b2c4d5e6f7 01KVBJCWYA4YW6J5M9GP655HZN ../../x ab"),
        ["a3b2c4d5e6f7", "01KVBJCWYA4YW6J5M9GP655HZN"]
    );
    let places = checkpoint_places("a3b2c4d5e6f7");
    assert_eq!(
        places.first().unwrap(),
        &[
            "refs/entire/checkpoints/f7/a3b2c4d5e6f7:0/metadata.json",
            "refs/heads/entire/checkpoints/v1:a3/b2c4d5e6f7/0/metadata.json",
            "refs/remotes/origin/entire/checkpoints/v1:a3/b2c4d5e6f7/0/metadata.json",
        ]
    );
    let text = r#"{"session_id":"one","agent":"Claude Code","strategy":"manual-commit","new":[]}"#;
    assert_eq!(checkpoint_session(text), Some(agent([Some("Claude Code"), None, Some("one")], "")));
    assert_eq!(checkpoint_session("{\"sessions\":[]}"), None);
}
