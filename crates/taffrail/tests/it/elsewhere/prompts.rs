//! A prompt is sent to a session of another device, and its receipt reports the outcome.

use crate::elsewhere::{LOOK, PRIVATE, SESSION, World};
use serde_json::Value;
use taffrail_testkit::{Home, until_every};

fn session(home: &Home, runtime_id: &str) -> String {
    until_every(LOOK, "the session of the other device", || {
        let all = home.json(&["ls", "--all", "--json"]);
        let all: Vec<Value> = all["sessions"].as_array()?.clone();
        let found = all.into_iter().find(|it| it["runtime_session_id"] == runtime_id)?;
        found["id"].as_str().map(str::to_owned)
    })
}

/// These sessions are not running, so neither prompt can be delivered; their device reports why.
#[test]
fn what_became_of_a_prompt_is_told_by_the_device_it_went_to() {
    let world = World::new(&[("tower", "ann@x.org")]);
    let tower = &world.others[0];
    for (runtime_id, why) in [(SESSION, "no running process"), (PRIVATE, "`sync.remote`")] {
        let id = session(tower, runtime_id);
        let sent = tower.run(&["send", &id, "go on"]);
        assert_eq!(sent.status, 6, "{}{}", sent.stdout, sent.stderr);
        assert!(sent.stderr.contains("laptop: ") && sent.stderr.contains(why), "{}", sent.stderr);
    }
}
