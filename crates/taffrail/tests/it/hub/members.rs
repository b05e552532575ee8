//! The team changes while its devices exchange data.

use crate::hub::world::{
    comes_in, daemon, end, go_on, known, look, over_each, said, seen, team, trouble, write,
};
use serde_json::json;

#[test]
fn a_removed_device_reads_nothing_new_and_one_that_stays_does() {
    over_each(|hub| {
        let [laptop, tower, desk] = team(hub, ["laptop", "tower", "desk"]);
        write(&laptop, 1, 10);
        let _laptop = daemon(&laptop);
        let (there, _desk) = (daemon(&tower), daemon(&desk));
        seen(&tower, 1, 10);
        seen(&desk, 1, 10);
        laptop.ok(&["device", "remove", "tower"]);
        write(&laptop, 2, 10);
        go_on(&laptop, 1, (10, 20));
        seen(&desk, 2, 10);
        seen(&desk, 1, 20);
        // Neither while running nor after a full scan.
        assert_eq!(known(&tower, 2), None);
        end(&tower, there);
        let _again = daemon(&tower);
        look("the word of it", || trouble(&tower).contains("removed").then_some(()));
        assert_eq!(known(&tower, 2), None);
        assert_eq!(said(&tower, &seen(&tower, 1, 10)).len(), 10);
    });
}

#[test]
fn after_new_keys_were_drawn_it_goes_on() {
    over_each(|hub| {
        let [laptop, tower] = team(hub, ["laptop", "tower"]);
        write(&laptop, 1, 10);
        write(&tower, 2, 10);
        let _daemons = (daemon(&laptop), daemon(&tower));
        seen(&tower, 1, 10);
        seen(&laptop, 2, 10);
        let before = laptop.json(&["key", "rotate", "--json"]);
        assert_eq!((&before["entry"], &before["epoch"]), (&json!(2), &json!(1)));
        go_on(&laptop, 1, (10, 20));
        go_on(&tower, 2, (10, 20));
        seen(&tower, 1, 20);
        seen(&laptop, 2, 20);
    });
}

#[test]
fn a_device_that_comes_later_is_told_everything() {
    over_each(|hub| {
        let [laptop, tower] = team(hub, ["laptop", "tower"]);
        write(&laptop, 1, 10);
        let _daemons = (daemon(&laptop), daemon(&tower));
        seen(&tower, 1, 10);
        let desk = comes_in(hub, &laptop, "desk");
        let _desk = daemon(&desk);
        seen(&desk, 1, 10);
        write(&desk, 2, 10);
        seen(&tower, 2, 10);
        seen(&laptop, 2, 10);
    });
}
