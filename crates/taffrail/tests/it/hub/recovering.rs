//! All devices are lost; only the hub and the recovery key remain.

use crate::hub::PROGRAM;
use crate::hub::world::{
    Hub, daemon, go_on, known, look, over_each, recover_at, said, seen, team, write,
};
use serde_json::{Value, json};
use taffrail_testkit::Home;

/// A new machine with a key on it.
fn machine(key: &str) -> Home {
    let home = Home::new(PROGRAM);
    home.write("key", key);
    home
}

fn recover(home: &Home, hub: &Hub) -> Value {
    recover_at(home, &hub.url())
}

fn refused(home: &Home, hub: &Hub, arguments: &[&str], expected: (i32, &str)) {
    let (url, words) = (hub.url(), ["key", "recover"]);
    let all: Vec<&str> =
        words.iter().copied().chain([url.as_str()]).chain(arguments.iter().copied()).collect();
    let run = home.run(&all);
    assert_eq!(run.status, expected.0, "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains(expected.1), "{}", run.stderr);
    assert_eq!(home.sessions(), [] as [Value; 0]);
}

#[test]
fn when_all_devices_are_lost_the_recovery_key_brings_their_sessions_back() {
    over_each(|hub| {
        let [laptop, tower] = team(hub, ["laptop", "tower"]);
        laptop.ok(&["config", "set", "sync.bodies", "true"]);
        write(&laptop, 1, 10);
        let daemons = (daemon(&laptop), daemon(&tower));
        seen(&tower, 1, 10);
        // The key also opens data that was sealed before the key existed.
        let key = laptop.ok(&["key", "recovery", "--print"]);
        go_on(&laptop, 1, (10, 20));
        write(&tower, 2, 10);
        seen(&tower, 1, 20);
        seen(&laptop, 2, 10);
        let new = machine(&key);
        let told = look("both devices", || {
            let told = recover(&new, hub);
            (told["devices"] == json!({"laptop": 1, "tower": 1})).then_some(told)
        });
        drop((daemons, laptop, tower));
        assert_eq!(
            (&told["user"], &told["unread"], &told["refused"]),
            (&json!("ann@x.org"), &json!([]), &json!(0))
        );
        let session = known(&new, 1).unwrap();
        assert_eq!((&session["device"], said(&new, &session).len()), (&json!("laptop"), 20));
        assert_eq!(known(&new, 2).unwrap()["device"], "tower");
        let shown = new.ok(&["show", session["id"].as_str().unwrap()]);
        assert!(!shown.contains("(text stays on"), "{shown}");
        assert_eq!(recover(&new, hub)["lines"], 0, "twice is once");
    });
}

#[test]
fn only_the_last_key_of_the_same_team_opens_anything() {
    let hub = Hub::directory();
    let [laptop] = team(&hub, ["laptop"]);
    write(&laptop, 1, 10);
    let _daemon = daemon(&laptop);
    let before = laptop.ok(&["key", "recovery", "--print"]);
    laptop.write("words", "correct horse\n");
    laptop.ok(&["key", "recovery", "--passphrase-file", "words", "--out", "r.age"]);
    let plain = ["--key", "key"];
    refused(&machine(&before), &hub, &plain, (6, "nobody's any more"));
    refused(&machine("AGE-SECRET-KEY-1"), &hub, &plain, (6, "not a recovery key"));
    refused(&machine(&before), &Hub::directory(), &plain, (3, "nothing of this team"));
    let new = machine("");
    std::fs::copy(laptop.path("r.age"), new.path("key")).unwrap();
    refused(&new, &hub, &plain, (6, "not a recovery key"));
    new.write("words", "correct house\n");
    let behind = ["--key", "key", "--passphrase-file", "words"];
    refused(&new, &hub, &behind, (6, "does not open it"));
    new.write("words", "correct horse\n");
    let url = hub.url();
    let all: Vec<&str> = ["key", "recover", &url].into_iter().chain(behind).collect();
    look("the session", || {
        new.ok(&all);
        known(&new, 1)
    });
}

/// The key remembers the team; a hub with another history is refused.
#[test]
fn a_hub_that_shows_another_team_is_not_believed() {
    let hub = Hub::directory();
    let [laptop] = team(&hub, ["laptop"]);
    let key = laptop.ok(&["key", "recovery", "--print"]);
    let (first, pin) = key.split_once('\n').unwrap();
    let mut pin: Value = serde_json::from_str(pin).unwrap();
    let head = pin["head"].as_str().unwrap();
    let other = if head.starts_with('0') { "1" } else { "0" };
    pin["head"] = json!(format!("{other}{}", head.get(1..).unwrap()));
    refused(&machine(&format!("{first}\n{pin}\n")), &hub, &["--key", "key"], (6, "roster"));
}
