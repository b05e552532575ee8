//! A session is handed off from one real agent to another.

use crate::agents::PROGRAM;
use crate::agents::expected::Evidence;
use crate::agents::stage::{PAUSE, Stage, finished, prompt};
use serde_json::Value;
use std::path::Path;
use taffrail_testkit::agents::Agent;
use taffrail_testkit::until_every;

#[test]
fn a_session_that_is_handed_over_knows_where_it_came_from() {
    for (from, to, name) in
        [(Agent::Claude, Agent::Codex, "codex"), (Agent::Codex, Agent::Claude, "claude-code")]
    {
        let stage = Stage::new(from, Evidence::Files);
        let screen = stage.start(&[]);
        prompt(&screen, "hello");
        finished(&screen, "Hello there.");
        let old = stage.new_is("the turn is over");
        let id = old["id"].as_str().unwrap();
        let arguments = ["handoff", id, "--to", name, "--yes"];
        let _other = stage.machine.beside(to, Path::new(PROGRAM), &arguments);
        let new = until_every(PAUSE, "the new session", || {
            let is_new = |it: &Value| it["agent"] == name && it["prompts"] == 1;
            stage.machine.home().sessions().into_iter().find(is_new)
        });
        assert_eq!(new["lineage"]["kind"], "handoff", "{new}");
        assert_eq!(new["lineage"]["session_id"], old["id"], "{new}");
        stage.check_daemon();
    }
}
