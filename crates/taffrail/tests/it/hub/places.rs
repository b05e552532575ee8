//! A place of its own for bundles, several teams on one server, and what `hub doctor` says in figures.

use crate::hub::PROGRAM;
use crate::hub::world::{Hub, daemon, device, files, look, seen, take_in, word, write_in};
use serde_json::json;
use std::fs;
use taffrail_testkit::Home;
use taffrail_testkit::hubs::NatsServer;
use tempfile::TempDir;

fn project(home: &Home) -> String {
    let folder = home.path("proj");
    fs::create_dir_all(&folder).unwrap();
    folder.to_str().unwrap().to_owned()
}

#[test]
fn bundles_go_to_the_place_of_blobs_and_items_over_the_server() {
    let (hub, place) = (Hub::server(), TempDir::new().unwrap());
    let blobs = format!("file://{}", place.path().display());
    let (laptop, tower) = (device("laptop"), device("tower"));
    take_in(&laptop, &tower);
    for home in [&laptop, &tower] {
        home.ok(&["hub", "use", &hub.url(), "--blobs", &blobs]);
    }
    let (here, there) = (project(&laptop), project(&tower));
    write_in(&laptop, &here, 1, 10);
    let daemons = (daemon(&laptop), daemon(&tower));
    let id = word(&seen(&tower, 1, 10), "id").to_owned();
    let before = files(place.path()).len();
    laptop.ok(&["teleport", "push", &id]);
    assert!(files(place.path()).len() > before, "the bundle is in the place of blobs");
    let pulled = tower.json(&["teleport", "pull", &id, "--project", &there, "--json"]);
    assert_eq!(word(&pulled, "state"), "unpacked");
    assert_eq!(laptop.json(&["hub", "--json"])["blobs"], json!(blobs));
    // Without the place, items still flow, and a push says why it fails.
    fs::remove_dir_all(place.path()).unwrap();
    write_in(&laptop, &here, 2, 10);
    seen(&tower, 2, 10);
    let refused = laptop.run(&["teleport", "push", &id]);
    assert!(
        refused.status != 0 && refused.stderr.contains("is not a directory"),
        "{}",
        refused.stderr
    );
    drop(daemons);
    let odd = laptop.run(&["hub", "use", &hub.url(), "--blobs", &hub.url()]);
    assert!(odd.status != 0 && odd.stdout.is_empty(), "{}", odd.stdout);
}

#[test]
fn teams_on_one_server_are_kept_apart_and_each_works() {
    let (laptop, tower, strange) = (device("laptop"), device("tower"), Home::new(PROGRAM));
    take_in(&laptop, &tower);
    strange.ok(&["device", "init", "--name", "strange", "--user", "eve@y.org"]);
    laptop.write("other.json", strange.ok(&["hub", "team"]));
    let without = laptop.run(&["hub", "config", "--team", "other.json"]);
    assert_eq!(without.status, 2, "{}", without.stderr);
    let server = NatsServer::configured(|port, monitor, store| {
        let (listen, monitor) = (format!("127.0.0.1:{port}"), monitor.to_string());
        let store = store.to_str().unwrap();
        let more = ["--streams", "2", "--team", "other.json"];
        let first = ["hub", "config", "--listen", &listen, "--monitor", &monitor, "--store", store];
        laptop.ok(&[&first[..], &more].concat())
    });
    let url = format!("{}?streams=2", server.url());
    for home in [&laptop, &tower, &strange] {
        home.ok(&["hub", "use", &url]);
    }
    let here = project(&laptop);
    write_in(&laptop, &here, 1, 10);
    let _daemons = (daemon(&laptop), daemon(&tower), daemon(&strange));
    seen(&tower, 1, 10);
    look("the other team", || {
        let said = strange.json(&["hub", "--json"]);
        (said["state"] == "reached" && said["waiting"] == 0).then_some(())
    });
}

#[test]
fn doctor_names_the_disk_and_who_is_behind() {
    let hub = Hub::server();
    let (laptop, tower) = (device("laptop"), device("tower"));
    take_in(&laptop, &tower);
    for home in [&laptop, &tower] {
        home.ok(&["hub", "use", &hub.url()]);
    }
    write_in(&laptop, &project(&laptop), 1, 10);
    let there = daemon(&tower);
    let here = daemon(&laptop);
    seen(&tower, 1, 10);
    drop(there);
    write_in(&laptop, &project(&laptop), 2, 10);
    look("all of it on the hub", || {
        let said = laptop.json(&["hub", "--json"]);
        (said["waiting"] == 0 && seen(&laptop, 2, 10).is_object()).then_some(())
    });
    let behind = look("a device that is behind", || {
        let said = tower.json(&["hub", "doctor", "--json"]);
        said["lag"][0]["entries_behind"].as_u64().filter(|it| *it > 0).map(|_| said)
    });
    drop(here);
    assert_eq!(behind["lag"][0]["name"], "laptop");
    assert_eq!(behind["lag"][0]["it_lacks"], json!(null), "it says that only with retention");
    assert!(behind["disk"]["bytes"].as_u64().unwrap() > 0, "{behind}");
    assert_eq!(behind["disk"]["growth_per_day"], json!(null), "unknown so far");
    let text = tower.ok(&["hub", "doctor"]);
    assert!(text.contains("disk:") && text.contains("laptop: last sent something"), "{text}");
}
