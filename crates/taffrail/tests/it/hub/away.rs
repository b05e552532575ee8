//! Something was away: a daemon, the hub, or everything on the hub.

use crate::hub::world::{
    Hub, daemon, end, go_on, look, over_each, said, seen, team, trouble, word, write,
};
use std::collections::BTreeSet;
use taffrail_testkit::Home;

/// Every event of a session exists once.
fn is_once(home: &Home, number: u32, events: usize) {
    let all = said(home, &seen(home, number, events as u64));
    let ids: BTreeSet<_> = all.iter().map(|it| word(it, "id").to_owned()).collect();
    assert_eq!((all.len(), ids.len()), (events, events));
}

#[test]
fn a_daemon_that_was_off_catches_up() {
    over_each(|hub| {
        let [laptop, tower] = team(hub, ["laptop", "tower"]);
        write(&laptop, 1, 10);
        let _first = daemon(&laptop);
        let mut there = daemon(&tower);
        seen(&tower, 1, 10);
        there.kill();
        go_on(&laptop, 1, (10, 30));
        write(&laptop, 2, 20);
        seen(&laptop, 1, 30);
        seen(&laptop, 2, 20);
        look("all of it on the hub", || {
            (laptop.json(&["hub", "status", "--json"])["waiting"] == 0).then_some(())
        });
        let _again = daemon(&tower);
        is_once(&tower, 1, 30);
        is_once(&tower, 2, 20);
    });
}

#[test]
fn everything_arrives_when_a_hub_that_was_away_is_back() {
    let mut hub = Hub::server();
    let [laptop, tower] = team(&hub, ["laptop", "tower"]);
    write(&laptop, 1, 10);
    let _daemons = (daemon(&laptop), daemon(&tower));
    seen(&tower, 1, 10);
    let Hub::Server(server) = &mut hub else { unreachable!("it is a server") };
    server.kill();
    go_on(&laptop, 1, (10, 20));
    write(&laptop, 2, 10);
    write(&tower, 3, 10);
    look("the word of it", || trouble(&laptop).contains("hub: ").then_some(()));
    // None of this keeps a device from its own sessions.
    is_once(&laptop, 2, 10);
    is_once(&tower, 3, 10);
    server.start_again();
    is_once(&tower, 1, 20);
    is_once(&tower, 2, 10);
    is_once(&laptop, 3, 10);
    look("the end of the trouble", || (!trouble(&laptop).contains("hub: ")).then_some(()));
}

#[test]
fn a_server_that_lost_everything_is_given_it_again() {
    let mut hub = Hub::server();
    let [laptop, tower, desk] = team(&hub, ["laptop", "tower", "desk"]);
    write(&laptop, 1, 10);
    write(&tower, 2, 10);
    let _daemons = (daemon(&laptop), daemon(&tower));
    seen(&tower, 1, 10);
    seen(&laptop, 2, 10);
    let Hub::Server(server) = &mut hub else { unreachable!("it is a server") };
    server.kill();
    server.wipe();
    server.start_again();
    go_on(&laptop, 1, (10, 20));
    write(&tower, 3, 10);
    is_once(&tower, 1, 20);
    is_once(&laptop, 2, 10);
    is_once(&laptop, 3, 10);
    // A device that starts only now also gets what was there before.
    let late = daemon(&desk);
    is_once(&desk, 1, 20);
    is_once(&desk, 2, 10);
    is_once(&desk, 3, 10);
    end(&desk, late);
}
