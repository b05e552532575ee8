//! A server with the output of `hub config`, from the first command to a recovery.

use crate::hub::PROGRAM;
use crate::hub::world::{
    daemon, device, known, look, path_in, recover_at, said, seen, take_in, word, write, write_in,
};
use serde_json::json;
use std::fs;
use taffrail_testkit::Home;
use taffrail_testkit::hubs::NatsServer;

/// A server with the configuration that a device writes.
fn server(home: &Home) -> NatsServer {
    NatsServer::configured(|port, monitor, store| {
        let (listen, monitor) = (format!("127.0.0.1:{port}"), monitor.to_string());
        let store = store.to_str().unwrap();
        home.ok(&["hub", "config", "--listen", &listen, "--monitor", &monitor, "--store", store])
    })
}

fn project(home: &Home) -> String {
    let folder = home.path("proj");
    fs::create_dir_all(&folder).unwrap();
    folder.to_str().unwrap().to_owned()
}

#[test]
fn the_server_that_hub_config_describes_carries_everything_and_opens_to_a_recovery_key() {
    let (laptop, tower) = (device("laptop"), device("tower"));
    take_in(&laptop, &tower);
    let key = laptop.ok(&["key", "recovery", "--print"]);
    let server = server(&laptop);
    for home in [&laptop, &tower] {
        home.ok(&["hub", "use", &server.url()]);
    }
    let (here, there) = (project(&laptop), project(&tower));
    write_in(&laptop, &here, 1, 10);
    write(&tower, 2, 10);
    let daemons = (daemon(&laptop), daemon(&tower));
    let id = word(&seen(&tower, 1, 10), "id").to_owned();
    seen(&laptop, 2, 10);
    laptop.ok(&["teleport", "push", &id]);
    let pulled = tower.json(&["teleport", "pull", &id, "--project", &there, "--json"]);
    assert_eq!(word(&pulled, "state"), "unpacked");
    assert!(tower.path(&path_in(&there, 1)).exists());
    laptop.ok(&["device", "admin", "tower"]);
    let new = Home::new(PROGRAM);
    new.write("key", &key);
    let told = look("what the laptop told", || {
        let told = recover_at(&new, &server.url());
        told["devices"].get("laptop").is_some().then_some(told)
    });
    drop(daemons);
    assert_eq!(told["refused"], 0, "{told}");
    assert_eq!(said(&new, &known(&new, 1).unwrap()).len(), 10);
}

#[test]
fn a_device_the_server_does_not_know_is_told_what_to_do() {
    let (laptop, desk) = (device("laptop"), device("desk"));
    let server = server(&laptop);
    laptop.ok(&["hub", "use", &server.url()]);
    take_in(&laptop, &desk);
    let refused = desk.run(&["hub", "use", &server.url()]);
    assert_eq!(refused.status, 6, "{}", refused.stderr);
    desk.ok(&["hub", "use", &server.url(), "--force"]);
    let doctor = desk.run(&["hub", "doctor"]);
    assert_eq!(doctor.status, 6, "{}", doctor.stderr);
    for said in [refused.stderr, doctor.stdout] {
        assert!(said.contains("this server does not know this device"), "{said}");
        assert!(said.contains("taffrail hub config --out FILE"), "{said}");
        assert!(!said.contains("hub doctor"), "{said}");
    }
}

#[test]
fn a_configuration_is_brought_up_to_date_with_the_options_it_had() {
    let (laptop, desk) = (device("laptop"), device("desk"));
    let write = ["hub", "config", "--out", "nats.conf"];
    let first = ["--listen", "127.0.0.1:5222", "--store", "/srv/x", "--gigabytes", "3"];
    laptop.ok(&[&write[..], &first].concat());
    let text = || fs::read_to_string(laptop.path("nats.conf")).unwrap();
    let before = text();
    assert!(laptop.ok(&write).contains("is up to date"));
    assert_eq!(text(), before);
    take_in(&laptop, &desk);
    assert!(laptop.ok(&write).contains("admits desk"));
    assert!(text().contains("127.0.0.1:5222") && text().contains("/srv/x"), "{}", text());
    laptop.ok(&["device", "remove", "desk"]);
    assert!(laptop.ok(&write).contains("removes desk"));
    laptop.write("other.conf", "port: 4222\n");
    let refused = laptop.run(&["hub", "config", "--out", "other.conf"]);
    assert_eq!(refused.status, 6, "{}", refused.stderr);
    assert!(refused.stderr.contains("other.conf exists"), "{}", refused.stderr);
    assert_eq!(fs::read_to_string(laptop.path("other.conf")).unwrap(), "port: 4222\n");
}

#[test]
fn a_server_that_others_reach_gets_a_certificate_and_is_known_by_it() {
    let laptop = device("laptop");
    let bare = laptop.run(&["hub", "config", "--listen", "0.0.0.0:4222"]);
    assert_eq!(bare.status, 6, "{}", bare.stderr);
    let mut said = String::new();
    let server = NatsServer::configured(|port, monitor, store| {
        let (listen, monitor) = (format!("0.0.0.0:{port}"), monitor.to_string());
        let store = store.to_str().unwrap();
        let place = ["--listen", &listen, "--host", "127.0.0.1", "--out", "nats.conf"];
        let rest = ["--monitor", &monitor, "--store", store];
        said = laptop.ok(&[&["hub", "config"][..], &place, &rest].concat());
        let text = fs::read_to_string(laptop.path("nats.conf")).unwrap();
        // The server runs in another folder here.
        let beside = |name: &str| laptop.path(name).to_str().unwrap().to_owned();
        text.replace("nats.cert.pem", &beside("nats.cert.pem"))
            .replace("nats.key.pem", &beside("nats.key.pem"))
    });
    let address = said.lines().find_map(|it| it.trim().strip_prefix("taffrail hub use "));
    let address = address.unwrap().trim_matches('\'').to_owned();
    assert!(address.starts_with(&format!("tls://127.0.0.1:{}?pin=", server.port())), "{said}");
    laptop.ok(&["hub", "use", &address]);
    let checks = laptop.json(&["hub", "doctor", "--json"]);
    let transport = checks["checks"].as_array().unwrap().iter();
    let transport = transport.filter(|it| it["aspect"] == "transport").map(|it| &it["level"]);
    assert_eq!(transport.collect::<Vec<_>>(), [&json!("good")]);
    let plain = address.split('?').next().unwrap();
    let other = format!("{plain}?pin={}", "ab".repeat(32));
    for (address, why) in [(plain, "?pin=SHA256"), (&other, "another certificate")] {
        let refused = laptop.run(&["hub", "use", address]);
        assert_eq!(refused.status, 6, "{}", refused.stderr);
        assert!(refused.stderr.contains(why), "{}", refused.stderr);
    }
}

#[test]
fn teams_with_a_quota_have_accounts_of_their_own() {
    let (laptop, other) = (device("laptop"), device("other"));
    laptop.write("other.json", other.ok(&["hub", "team"]));
    let both = laptop.run(&["hub", "config", "--quota", "100", "--streams", "4"]);
    assert_eq!(both.status, 2, "{}", both.stderr);
    assert!(both.stderr.contains("exclude each other"), "{}", both.stderr);
    let server = NatsServer::configured(|port, monitor, store| {
        let (listen, monitor) = (format!("127.0.0.1:{port}"), monitor.to_string());
        let store = store.to_str().unwrap();
        let teams = ["hub", "config", "--quota", "100", "--team", "other.json"];
        let place = ["--listen", &listen, "--monitor", &monitor, "--store", store];
        laptop.ok(&[&teams[..], &place].concat())
    });
    for home in [&laptop, &other] {
        home.ok(&["hub", "use", &server.url()]);
        let disk = &home.json(&["hub", "doctor", "--json"])["disk"];
        assert_eq!(disk["limit"], json!(100_000_000), "{disk}");
    }
}
