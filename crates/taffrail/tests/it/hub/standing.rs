//! The reported state of the hub: whether it is reachable, when devices last sent something, and
//! what is wrong.

use crate::hub::world::{Hub, daemon, device, look, seen, team, word, write};
use serde_json::{Value, json};
use taffrail_testkit::Home;
use taffrail_testkit::hubs::{Flush, NatsServer};

fn hub(home: &Home) -> Value {
    home.json(&["hub", "--json"])
}

/// What a command prints about the hub beside its output.
fn aside(home: &Home, command: &str) -> String {
    let output = home.run(&[command]);
    format!("{}{}", output.stdout, output.stderr)
}

#[test]
fn the_hub_says_whether_it_is_reached_and_who_was_heard() {
    let alone = device("alone");
    assert!(alone.ok(&["hub"]).contains("No hub is in use"));
    let mut server = NatsServer::start(Flush::Lazily);
    let url = server.url();
    let (laptop, tower) = (device("laptop"), device("tower"));
    crate::hub::world::take_in(&laptop, &tower);
    let used = laptop.run(&["hub", "use", &url]);
    assert!(used.stderr.contains("taffrail daemon start"), "{}", used.stderr);
    tower.ok(&["hub", "use", &url]);
    let told = hub(&laptop);
    assert_eq!((word(&told, "state"), &told["daemon"]), ("reached", &json!(false)), "{told}");
    assert_eq!(told["devices"][0]["heard_at"], Value::Null);
    assert!(laptop.ok(&["hub"]).contains("no daemon runs"));
    write(&tower, 1, 10);
    let _daemons = (daemon(&laptop), daemon(&tower));
    seen(&laptop, 1, 10);
    let told = look("the state", || Some(hub(&laptop)).filter(|it| it["state"] == "reached"));
    assert_eq!((&told["daemon"], word(&told["devices"][0], "name")), (&json!(true), "tower"));
    assert!(told["devices"][0]["heard_at"].is_string(), "{told}");
    assert!(!aside(&laptop, "ls").contains("the hub"));
    server.kill();
    look("its loss", || Some(hub(&laptop)).filter(|it| it["state"] == "unreachable"));
    let said = laptop.ok(&["hub"]);
    assert!(said.contains("not reached for"), "{said}");
    for command in ["ls", "approvals", "status"] {
        let said = aside(&laptop, command);
        assert!(said.contains("the hub is not reached for"), "{command}: {said}");
    }
    server.start_again();
    look("its return", || Some(hub(&laptop)).filter(|it| it["state"] == "reached"));
}

#[test]
fn a_daemon_that_does_not_use_the_hub_is_named() {
    let laptop = device("laptop");
    let _daemon = daemon(&laptop);
    let folder = Hub::directory();
    laptop.ok(&["hub", "use", &folder.url()]);
    assert_eq!(word(&hub(&laptop), "state"), "unknown");
    assert!(laptop.ok(&["hub"]).contains("taffrail daemon restart"));
}

#[test]
fn a_removed_device_is_told_wherever_it_asks() {
    let folder = Hub::directory();
    let [laptop, tower] = team(&folder, ["laptop", "tower"]);
    let _daemons = (daemon(&laptop), daemon(&tower));
    look("the hub", || Some(hub(&tower)).filter(|it| it["state"] == "reached"));
    laptop.ok(&["device", "remove", "tower"]);
    look("its removal", || Some(hub(&tower)).filter(|it| it["state"] == "removed"));
    assert!(tower.ok(&["hub"]).contains("removed from the team"));
    let listed = tower.run(&["device", "ls"]);
    assert!(listed.stderr.contains("removed from the team"), "{}", listed.stderr);
    assert_eq!(tower.json(&["device", "ls", "--json"])["this"]["state"], "removed");
    let doctor = tower.ok(&["doctor"]);
    assert!(doctor.contains("hub: this device was removed from the team"), "{doctor}");
}

#[test]
fn a_bucket_without_keys_says_which_are_missing() {
    let laptop = device("laptop");
    let refused = laptop.run(&["hub", "use", "s3://bucket"]);
    assert_eq!(refused.status, 6, "{}", refused.stderr);
    for name in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "hub.credentials"] {
        assert!(refused.stderr.contains(name), "{}", refused.stderr);
    }
    laptop.ok(&["hub", "use", "s3://bucket", "--force"]);
    let _daemon = daemon(&laptop);
    let told = look("the state", || Some(hub(&laptop)).filter(|it| it["state"] == "failing"));
    assert!(word(&told, "error").contains("AWS_ACCESS_KEY_ID"), "{told}");
}
