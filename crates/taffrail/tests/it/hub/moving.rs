//! A team moves to another hub while its devices run.

use crate::hub::world::{
    Hub, comes_in, daemon, device, end, go_on, look, over_each, seen, take_in, team, trouble, word,
    write,
};
use serde_json::{Value, json};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use taffrail_testkit::Home;

/// Moves the team; the plan was agreed to.
fn moved(admin: &Home, to: &Hub) -> Value {
    admin.json(&["hub", "move", &to.url(), "--yes", "--json"])
}

/// The address in the configuration of a device.
fn configured(home: &Home) -> String {
    word(&home.json(&["config", "get", "hub.url", "--json"]), "value").to_owned()
}

/// Waits until the daemon of a device uses a hub.
fn arrived(home: &Home, to: &Hub) {
    look("the device at the new hub", || {
        let told = home.json(&["hub", "--json"]);
        (told["hub"] == json!(to.url()) && told["state"] == "reached").then_some(())
    });
}

#[test]
fn devices_follow_their_team_while_they_run() {
    over_each(|old| {
        let new = match old {
            Hub::Directory(_) => Hub::directory(),
            Hub::Server(_) => Hub::server(),
        };
        let [laptop, tower] = team(old, ["laptop", "tower"]);
        write(&laptop, 1, 10);
        let (_first, second) = (daemon(&laptop), daemon(&tower));
        seen(&tower, 1, 10);
        let plan = laptop.json(&["hub", "move", &new.url(), "--dry-run", "--json"]);
        assert_eq!((word(&plan, "state"), &plan["by_hand"]), ("planned", &json!(null)));
        assert_eq!(plan["devices"], json!(["tower"]));
        assert_eq!(configured(&laptop), old.url(), "a plan changes nothing");
        assert_eq!(word(&moved(&laptop, &new), "state"), "moved");
        for home in [&laptop, &tower] {
            arrived(home, &new);
            assert_eq!(configured(home), new.url());
        }
        let doctor = tower.ok(&["doctor"]);
        assert!(doctor.contains("the team moved here from"), "{doctor}");
        // What is new goes over the new hub, and so does what a device that joins there needs.
        go_on(&laptop, 1, (10, 20));
        seen(&tower, 1, 20);
        let desk = comes_in(&new, &laptop, "desk");
        let _third = daemon(&desk);
        seen(&desk, 1, 20);
        // After a restart, too.
        end(&tower, second);
        let _again = daemon(&tower);
        go_on(&laptop, 1, (20, 30));
        seen(&tower, 1, 30);
        assert_eq!(trouble(&tower), "[]");
    });
}

#[test]
fn a_device_that_was_off_follows_when_it_comes_back() {
    let (old, new) = (Hub::directory(), Hub::directory());
    let [laptop, tower] = team(&old, ["laptop", "tower"]);
    moved(&laptop, &new);
    assert_eq!(configured(&tower), old.url());
    let said = tower.ok(&["hub"]);
    assert!(said.contains("the team goes to another hub: taffrail daemon start"), "{said}");
    write(&laptop, 1, 10);
    let _daemons = (daemon(&laptop), daemon(&tower));
    seen(&tower, 1, 10);
    assert_eq!(configured(&tower), new.url());
}

#[test]
fn a_move_that_broke_off_goes_on_or_is_given_up() {
    let (old, mut first, second) = (Hub::directory(), Hub::server(), Hub::directory());
    let [laptop, _tower] = team(&old, ["laptop", "tower"]);
    // The new hub is checked before anything is announced.
    let url = first.url();
    let Hub::Server(server) = &mut first else { unreachable!("it is a server") };
    server.kill();
    let refused = laptop.run(&["hub", "move", &url, "--yes"]);
    assert_ne!(refused.status, 0, "{}", refused.stderr);
    let kept = laptop.json(&["hub", "move", "--cancel", "--yes", "--json"]);
    assert_eq!(kept["given_up"], json!(null), "nothing was announced");
    assert_eq!(configured(&laptop), old.url());
    moved(&laptop, &second);
    assert_eq!(configured(&laptop), second.url());
    let refused = laptop.run(&["hub", "move", &second.url(), "--yes"]);
    assert_eq!(refused.status, 6, "{}", refused.stderr);
    assert!(refused.stderr.contains("uses"), "{}", refused.stderr);
    // And back: an older announcement leads nobody away.
    moved(&laptop, &old);
    assert_eq!(configured(&laptop), old.url());
}

#[test]
fn only_an_admin_moves_the_team() {
    let (old, new) = (Hub::directory(), Hub::directory());
    let [_laptop, tower] = team(&old, ["laptop", "tower"]);
    let refused = tower.run(&["hub", "move", &new.url(), "--yes"]);
    assert_eq!(refused.status, 6, "{}", refused.stderr);
    assert!(
        refused.stderr.contains("only an admin device can move the team"),
        "{}",
        refused.stderr
    );
    assert_eq!(configured(&tower), old.url());
}

/// A hub that an admin names must not get credentials that were meant for another one.
#[test]
fn credentials_for_the_old_hub_are_not_shown_to_the_new_one() {
    let (old, new) = (Hub::server(), Hub::server());
    let (laptop, tower) = (device("laptop"), device("tower"));
    take_in(&laptop, &tower);
    laptop.ok(&["hub", "use", &old.url()]);
    tower.write("token", "a-token");
    std::fs::set_permissions(tower.path("token"), Permissions::from_mode(0o600)).unwrap();
    tower.ok(&["hub", "use", &old.url(), "--credentials", "token", "--force"]);
    let _daemon = daemon(&tower);
    let reached = || Some(tower.json(&["hub", "--json"])).filter(|it| it["state"] == "reached");
    look("the old hub", reached);
    moved(&laptop, &new);
    let fix = format!("taffrail hub use '{}'", new.url());
    look("what to do", || trouble(&tower).contains(&fix).then_some(()));
    assert_eq!(configured(&tower), old.url());
}
