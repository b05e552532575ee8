//! The sessions of a reader: recorded ones of three agents, and one of just now.

use jiff::Timestamp;
use std::fs;
use std::path::Path;
use taffrail_testkit::{Home, claude};

/// The agent's id of the session of just now.
pub(crate) const RECENT: &str = "77777777-1111-4111-8111-111111111111";
/// Recorded homes of agents in `crates/adapters/src`, and where they belong.
const RECORDED: [(&str, &str); 4] = [
    ("claude_code/fixtures/first_turn/home", ".claude"),
    ("claude_code/fixtures/subagent_files/home", ".claude"),
    ("codex/fixtures/first_turn_paginated/home", ".codex"),
    ("gemini_cli/fixtures/first_turn/home", ".gemini"),
];

/// Writes the recorded sessions; their project is `~/src/app`.
pub(crate) fn recorded(home: &Home) {
    let adapters = Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters/src");
    fs::create_dir_all(home.path("src/app")).unwrap();
    for (from, to) in RECORDED {
        copy(home, &adapters.join(from), to);
    }
}

fn copy(home: &Home, from: &Path, to: &str) {
    for entry in fs::read_dir(from).unwrap().flatten() {
        let below = format!("{to}/{}", entry.file_name().to_str().unwrap());
        if entry.path().is_dir() {
            copy(home, &entry.path(), &below);
        } else {
            let text = fs::read_to_string(entry.path()).unwrap();
            home.write(&below, here(home, &text, "app"));
        }
    }
}

/// Writes a session of just now, whose agent waits for the next prompt; its project is `~/src/api`.
pub(crate) fn recent(home: &Home) {
    fs::create_dir_all(home.path("src/api")).unwrap();
    let now = Timestamp::from_second(Timestamp::now().as_second()).unwrap();
    let mut text = here(home, &claude::talk(RECENT, 0, 2), "api");
    for second in ["00", "01"] {
        text = text.replace(&format!("2026-10-01T10:00:{second}.000Z"), &now.to_string());
    }
    home.write(&claude::path(RECENT), text);
}

/// The same with a project of this home.
fn here(home: &Home, text: &str, project: &str) -> String {
    text.replace("/w/app", home.path("src").join(project).to_str().unwrap())
}
