//! Sessions in a project with an `.ai-session` directory are linked to their feature.

use super::{By, binding, daemon, hints, history};
use crate::bindings::history::SESSION;
use serde_json::{Value, json};
use taffrail_testkit::Home;
use taffrail_testkit::claude::{path, talk};

const OTHER: &str = "33333333-3333-4333-8333-333333333333";

/// A project with a feature, a session in it and one elsewhere. Both sessions are indexed after the
/// feature was created.
fn home() -> (Home, String, Value) {
    let home = Home::new(history::PROGRAM);
    home.write("app/src/main.rs", "");
    let project = home.path("app");
    let made = home.run_in(&project, &["work", "new", "Dark mode", "--json"]);
    assert_eq!(made.status, 0, "{made:?}");
    let made: Value = serde_json::from_str(&made.stdout).unwrap();
    let project = project.to_string_lossy().into_owned();
    let later = |text: String| text.replace("2026-10-01T", "2126-10-01T");
    home.write(
        &path(SESSION),
        later(talk(SESSION, 0, 4)).replace("/w/app", &format!("{project}/src")),
    );
    home.write(&path(OTHER), later(talk(OTHER, 0, 4)));
    (home, project, made["feature_id"].clone())
}

fn check_linked(by: By) {
    let (home, project, feature) = home();
    home.index();
    let _daemon = (by == By::Daemon).then(|| daemon(&home));
    let shown = home.json(&["show", SESSION, "--json"]);
    let link = json!({"feature_id": feature, "project": project, "status": "active"});
    assert_eq!(shown["feature"], link, "{by:?}");
    let text = home.ok(&["show", SESSION]);
    let says = format!("works for {} in {project}\n", feature.as_str().unwrap());
    assert!(text.contains(&says), "{by:?}: {text}");
    let link = json!({"feature_id": feature, "project": project});
    assert_eq!(binding(&home, SESSION)["metadata"]["feature"], link, "{by:?}");
    assert_eq!(home.json(&["show", OTHER, "--json"])["feature"], Value::Null);
    assert_eq!(hints(&binding(&home, OTHER)), json!({}));
    let work = home.run_in(home.path("app").as_path(), &["work", "show", "--json"]);
    let work: Value = serde_json::from_str(&work.stdout).unwrap();
    let sessions: Vec<_> = work["sessions"].as_array().unwrap().iter().collect();
    assert_eq!(sessions.len(), 1, "{work}");
    assert_eq!(sessions[0]["session_id"], home.session(SESSION)["id"]);
    let text = home.run_in(home.path("app").as_path(), &["work", "show"]).stdout;
    assert!(text.contains("\nsessions\n") && text.contains("claude-code"), "{text}");
}

#[test]
fn a_session_is_linked_to_the_feature_of_its_project() {
    check_linked(By::Command);
    check_linked(By::Daemon);
}

#[test]
fn work_goes_on_without_an_index_and_with_a_broken_one() {
    let (home, _, feature) = home();
    let shown = || {
        let output = home.run_in(home.path("app").as_path(), &["work", "show", "--json"]);
        assert_eq!(output.status, 0, "{output:?}");
        serde_json::from_str::<Value>(&output.stdout).unwrap()
    };
    let check = || {
        let it = shown();
        assert_eq!((&it["feature_id"], &it["sessions"]), (&feature, &json!([])));
    };
    check();
    assert!(!home.path(".local/share/taffrail").exists(), "nothing of ours is made");
    home.write(".local/share/taffrail/index.db", "no database");
    check();
}

#[test]
fn a_directory_that_cannot_be_read_links_nothing() {
    let (home, _, _) = home();
    home.index();
    home.write("app/.ai-session/active-features.yaml", "<<<<<<< ours\n");
    assert_eq!(home.json(&["show", SESSION, "--json"])["feature"], Value::Null);
    assert_eq!(hints(&binding(&home, SESSION)), json!({}));
}
