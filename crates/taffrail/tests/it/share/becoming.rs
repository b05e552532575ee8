//! An admin admits devices, and cannot become another user that way.

use crate::share::PROGRAM;
use crate::share::world::{daemon, end, look, team, word};
use serde_json::json;
use taffrail_testkit::Home;
use tempfile::tempdir;

/// A team admin could become any user: invite a device of her own as Bob's, and admit it herself.
#[test]
fn an_admin_cannot_become_another_user() {
    let hub = tempdir().unwrap();
    let [ann, bob, _carl] = team(&hub);
    let notes = bob.path("notes");
    let command = json!(["sh", "-c", format!("cat >> {}", notes.display())]).to_string();
    bob.ok(&["config", "set", "notifications.command", &command]);
    let runs = [daemon(&ann), daemon(&bob)];
    let new = Home::new(PROGRAM);
    let invite = ann.json(&["device", "invite", "--for", "bob@x.org", "--json"]);
    let asked = new.json(&["device", "join", word(&invite, "invite"), "--name", "box", "--json"]);
    let request = word(&asked, "request");
    let refused = ann.run(&["device", "approve", request, "--yes"]);
    assert_eq!(refused.status, 6, "{}", refused.stderr);
    assert!(refused.stderr.contains("taffrail device vouch"), "{}", refused.stderr);
    // Her own confirmation does not count for Bob.
    let refused = ann.run(&["device", "vouch", request, "--yes"]);
    assert_eq!(refused.status, 6, "{}", refused.stderr);
    assert_eq!(ann.json(&["device", "ls", "--json"])["devices"].as_array().unwrap().len(), 3);
    look("Bob's device to be in", || {
        (bob.json(&["device", "ls", "--json"])["this"]["state"] == "in").then_some(())
    });
    // Bob's own confirmation admits it, and Bob is informed.
    let vouched = bob.json(&["device", "vouch", request, "--yes", "--json"]);
    ann.ok(&["device", "approve", word(&vouched, "request"), "--yes"]);
    let said = "laptop let box in as a device of yours";
    look("the notice", || std::fs::read_to_string(&notes).ok().filter(|it| it.contains(said)));
    let doctor = bob.run(&["doctor"]).stdout;
    assert!(doctor.contains(said), "{doctor}");
    [&ann, &bob].into_iter().zip(runs).for_each(|(home, run)| end(home, run));
}
