//! What cannot be shared, and the error for it.

use crate::share::world::{device, say, team};
use taffrail_testkit::Home;
use tempfile::TempDir;

fn refused(home: &Home, words: &[&str], code: i32, said: &str) {
    let answer = home.run(words);
    assert_eq!(answer.status, code, "{words:?}: {}", answer.stderr);
    assert!(answer.stderr.contains(said), "{words:?}: {}", answer.stderr);
    assert!(answer.stderr.contains("hint: "), "{words:?}: {}", answer.stderr);
}

#[test]
fn who_is_not_in_the_team_reads_nothing() {
    let hub = TempDir::new().unwrap();
    let [laptop, ..] = team(&hub);
    say(&laptop, 1, (0, 10));
    laptop.index();
    let share = |with| ["share", "@last", "--with", with];
    refused(&laptop, &share("eve@x.org"), 6, "no device and no user of the team");
    refused(&laptop, &share("tablet"), 6, "no device and no user of the team");
    refused(&laptop, &share("desk,eve@x.org"), 6, "eve@x.org");
    refused(&laptop, &share("laptop"), 6, "is this device");
    refused(&laptop, &share("ann@x.org"), 6, "is yours");
    refused(&laptop, &["share", "revoke", "3f2a"], 3, "nothing that is shared");
    assert_eq!(laptop.json(&["share", "ls", "--json"])["shared"], serde_json::json!([]));
}

#[test]
fn without_a_hub_nothing_is_shared() {
    let laptop = device("laptop", "ann@x.org");
    say(&laptop, 1, (0, 10));
    laptop.index();
    refused(&laptop, &["share", "@last", "--with", "bob@x.org"], 6, "no hub is in use");
}
