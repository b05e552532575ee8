//! A feature as a session state, and back.

use crate::work::{id, project};
use serde_json::{Value, json};
use taffrail_testkit::Home;

fn plan(home: &Home, feature: &str) -> Value {
    home.json(&["work", "plan", "--feature", feature, "--json"])["plan"].clone()
}

#[test]
fn a_feature_moves_to_another_project_without_loss() {
    let home = project();
    home.ok(&["work", "task", "done", "t1", "--artifact", "src/switch.rs"]);
    let add = ["work", "task", "add", "t2", "--phase", "ship", "--agent", "a2", "--description"];
    home.ok(&[&add[..], &["release it"]].concat());
    let id = id(&home);
    let exported = home.ok(&["work", "export"]);
    let state: Value = serde_json::from_str(&exported).unwrap();
    assert_eq!(state["goal"], "a theme for the night");
    let said = ["status", "progress", "completed_work", "pending_tasks"];
    let expected = [json!("in_progress"), json!(0.5), json!(["a switch"]), json!(["release it"])];
    assert_eq!(said.map(|it| state[it].clone()), expected);
    assert_eq!(state["files_modified"][0]["path"], "src/switch.rs");

    let other = Home::new(env!("CARGO_BIN_EXE_taffrail"));
    other.write("state.json", &exported);
    assert_eq!(other.run(&["validate", "--contract", "state", "--strict", "state.json"]).status, 0);
    let made = other.json(&["work", "import", "state.json", "--json"]);
    assert_eq!(made["feature_id"], json!(id));
    assert_eq!(plan(&other, &id), plan(&home, &id));
    other.ok(&["work", "check"]);
    assert_eq!(other.run(&["work", "import", "state.json"]).status, 6, "it is there already");

    // The history alone gives the plan again.
    other.remove(&format!(".ai-session/{id}/implementation-plan.yaml"));
    other.ok(&["work", "recover"]);
    assert_eq!(plan(&other, &id), plan(&home, &id));
}

#[test]
fn a_state_of_another_tool_becomes_a_feature() {
    let home = Home::new(env!("CARGO_BIN_EXE_taffrail"));
    let state = json!({
        "schema_version": "1.0.0", "session_id": "5f2d9c1e-7a34-4b60-9d18-c0ffee000001",
        "created_at": "2026-02-03T08:00:00.000Z", "updated_at": "2026-02-03T09:00:00.000Z",
        "device": "attic", "project": "/w/kiln", "goal": "Fire the kiln", "mode": "default",
        "status": "paused", "progress": 0.3, "agents": [{"id": "a", "type": "t", "status": "pending"}],
        "completed_work": ["flue"], "pending_tasks": ["damper", "heat"], "files_modified": [],
        "context_usage": {}, "decisions_made": [],
        "teleportation": {"enabled": false, "storage_backend": "local", "encrypted": false},
    });
    home.write("state.json", state.to_string());
    home.ok(&["work", "import", "state.json"]);
    let id = "fire-the-kiln-2026-02-03";
    let tasks = plan(&home, id)["phases"][0]["tasks"].clone();
    let of = |it: &Value| {
        [&it["task_id"], &it["description"], &it["status"], &it["agent"]].map(Clone::clone)
    };
    let tasks: Vec<_> = tasks.as_array().unwrap().iter().map(of).collect();
    let expected = [
        ["t1", "flue", "completed", "a"],
        ["t2", "damper", "pending", "a"],
        ["t3", "heat", "pending", "a"],
    ];
    assert_eq!(json!(tasks), json!(expected));
    let again = home.json(&["work", "export", "--feature", id]);
    for name in ["goal", "created_at", "status", "completed_work", "pending_tasks"] {
        assert_eq!(again[name], state[name], "{name}");
    }
    home.ok(&["work", "resume", "--feature", id]);
    home.ok(&["work", "task", "start", "t2"]);
    home.ok(&["work", "check"]);
}
