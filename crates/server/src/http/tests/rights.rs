//! Who may do what: every route that changes something declares its right and enforces it.

use super::Machine;
use crate::http::openapi::description;
use crate::http::routes::{FREE, right_of};
use serde_json::json;
use taffrail_model::caller::Right;

#[test]
fn every_route_that_does_something_says_what_it_needs() {
    let paths = description().paths.paths;
    let acts = paths.iter().filter(|(_, item)| item.post.is_some() || item.delete.is_some());
    for (path, _) in acts {
        let is_free = |it: &&str| *it == path || it.strip_prefix("/api") == Some(path);
        assert!(right_of(path) != Right::Read || FREE.iter().any(is_free), "{path}");
    }
}

#[test]
fn a_script_sends_and_decides_nothing_until_the_user_lets_it() {
    let machine = Machine::new();
    let config = machine.path("config/config.toml");
    std::fs::write(&config, "[control]\nscripts = false\n").unwrap();
    let rule = json!({"decision": "allow", "tool": "Bash", "command": "ls *", "dry_run": false});
    let refused = |path: &str, body: &serde_json::Value| {
        let answer = machine.client().post::<serde_json::Value>(path, body);
        answer.err().map(|it| it.to_string())
    };
    for (path, body) in [
        ("/api/rules", rule.clone()),
        ("/api/forget", json!({"ids": ["@last"], "yes": true})),
        ("/api/approvals/3f2a", json!({"decision": "allow", "by": "board"})),
        ("/api/web", json!({})),
        ("/api/hooks", json!({"wish": "install", "dry_run": false})),
    ] {
        let why = refused(path, &body).unwrap_or_default();
        assert!(why.contains("only a person may do this"), "{path}: {why}");
    }
    assert!(!machine.path("config/rules.toml").exists());
    let log = machine.client().get::<serde_json::Value>("/api/approvals/log").unwrap();
    let tried: Vec<_> = log["attempts"].as_array().unwrap().iter().map(|it| &it["what"]).collect();
    assert_eq!(tried, ["rules", "forget", "approve", "web", "hooks"]);
    assert_eq!(log["attempts"][0]["caller"], "unknown");
    assert_eq!(log["attempts"][0]["pid"], std::process::id());
    // A change of the configuration counts at once.
    std::fs::write(&config, "[control]\nscripts = true\n").unwrap();
    assert_eq!(refused("/api/rules", &rule), None);
}
