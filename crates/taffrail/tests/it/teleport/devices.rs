//! A team is formed, changes, and refuses.

use crate::teleport::{device, pair, take_in, word};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use taffrail_testkit::Home;

/// The team without its random values, once those were checked.
fn steady(mut told: Value) -> Value {
    fn check_words(of: &mut Value) {
        assert_eq!(word(of, "words").split('-').count(), 6, "{of}");
        assert!(word(of, "id").starts_with("dev-"), "{of}");
        of["words"] = json!("six-words");
        of["id"] = json!("dev");
    }
    assert_eq!(word(&told, "team").len(), 32);
    told["team"] = json!("team");
    check_words(&mut told["this"]);
    told["devices"].as_array_mut().unwrap().iter_mut().for_each(check_words);
    told
}

fn listed(home: &Home) -> Value {
    steady(home.json(&["device", "ls", "--json"]))
}

fn row(name: &str, role: &str, this: bool, joined: u64) -> Value {
    json!({"id": "dev", "name": name, "user": "ann@x.org", "words": "six-words", "role": role,
        "this": this, "joined": joined, "removed": null})
}

fn own(name: &str, state: &str) -> Value {
    json!({"id": "dev", "name": name, "user": "ann@x.org", "words": "six-words", "state": state})
}

#[test]
fn a_device_is_a_team_of_its_own_until_it_joins_another() {
    let laptop = device("laptop", "ann@x.org");
    let alone = json!({"schema_version": 1, "team": "team", "epoch": 0, "this": own("laptop", "in"),
        "recovery": null, "devices": [row("laptop", "admin", true, 0)]});
    assert_eq!(listed(&laptop), alone);
    let tower = device("tower", "bob@x.org");
    take_in(&laptop, &tower, "ann@x.org");
    let rows = |this: &str| {
        json!([
            row("laptop", "admin", this == "laptop", 0),
            row("tower", "member", this == "tower", 1)
        ])
    };
    let expected = |this: &str, state: &str, rows: Value| {
        json!({"schema_version": 1, "team": "team", "epoch": 0, "this": own(this, state),
            "recovery": null, "devices": rows})
    };
    assert_eq!(listed(&laptop), expected("laptop", "in", rows("laptop")));
    // Nothing has come back to it yet: it learns of the team from what it will receive.
    assert_eq!(listed(&tower), expected("tower", "waiting", json!([])));
}

#[test]
fn both_sides_see_the_same_words() {
    let (laptop, tower) = (device("laptop", "a"), device("tower", "a"));
    let words = |home: &Home| {
        let told = home.json(&["device", "ls", "--json"]);
        word(&told["this"], "words").to_owned()
    };
    let invite = laptop.json(&["device", "invite", "--json"]);
    let asked = tower.json(&["device", "join", word(&invite, "invite"), "--json"]);
    assert_eq!((word(&asked, "inviter"), word(&asked, "user")), ("laptop", "a"));
    assert_eq!(word(&asked, "inviter_words"), words(&laptop));
    assert_eq!(word(&asked, "words"), words(&tower));
    assert_eq!(asked["left_own_team"], true);
    let approved = laptop.run(&["device", "approve", word(&asked, "request"), "--yes"]);
    assert_eq!(approved.status, 0);
    assert!(approved.stderr.contains(&words(&tower)), "{}", approved.stderr);
}

#[test]
fn who_sits_at_the_terminal_is_asked_whether_the_words_are_the_same() {
    let (laptop, tower) = (device("laptop", "a"), device("tower", "a"));
    let invite = laptop.json(&["device", "invite", "--json"]);
    let asked = tower.json(&["device", "join", word(&invite, "invite"), "--json"]);
    let approve = ["device", "approve", word(&asked, "request")];
    let names = |home: &Home| home.json(&["device", "ls", "--json"])["devices"].clone();
    let no = laptop.at_terminal(&approve, "n\n");
    assert!(no.stdout.contains("the device was not added"), "{}", no.stdout);
    assert_eq!(names(&laptop).as_array().unwrap().len(), 1);
    let yes = laptop.at_terminal(&approve, "y\n");
    assert_eq!((yes.status, names(&laptop).as_array().unwrap().len()), (0, 2), "{}", yes.stdout);
}

#[test]
fn keys_are_for_their_user_alone() {
    let laptop = device("laptop", "a");
    let mode = |below: &str| {
        let path = laptop.path(&format!(".local/share/taffrail/device{below}"));
        path.metadata().unwrap().permissions().mode() & 0o777
    };
    laptop.ok(&["device", "invite"]);
    assert_eq!(
        [mode(""), mode("/keys"), mode("/roster"), mode("/invites")],
        [0o700, 0o600, 0o600, 0o600]
    );
    let keys = laptop.path(".local/share/taffrail/device/keys");
    std::fs::set_permissions(&keys, std::fs::Permissions::from_mode(0o644)).unwrap();
    let output = laptop.run(&["device", "ls"]);
    assert_eq!(output.status, 6, "{}", output.stderr);
    assert!(output.stderr.contains("can be read by others"), "{}", output.stderr);
}

/// Checks that a command is refused with this code and these words.
fn check(home: &Home, arguments: &[&str], code: i32, words: &str) {
    let output = home.run(arguments);
    assert_eq!(output.status, code, "{arguments:?}: {}{}", output.stdout, output.stderr);
    assert!(output.stderr.contains(words), "{arguments:?}: {}", output.stderr);
}

#[test]
fn what_must_not_be_is_refused() {
    let fresh = Home::new(crate::teleport::PROGRAM);
    check(&fresh, &["device", "ls"], 6, "no keys yet");
    check(&fresh, &["device", "invite"], 6, "taffrail device init");
    check(&fresh, &["device", "init"], 2, "--name");
    check(&fresh, &["device", "init", "--name", "a\u{1b}[2J"], 6, "letters, digits");
    let (laptop, tower) = pair();
    check(&laptop, &["device", "init", "--name", "other"], 6, "is `laptop` already");
    check(&laptop, &["device", "remove", "nobody"], 3, "no device of the team");
    check(&laptop, &["device", "remove", "laptop"], 6, "without an admin");
    check(&laptop, &["device", "join", "taffrail-invite-AAAA"], 6, "cut off");
    check(&laptop, &["device", "approve", "nonsense"], 6, "something else");
    check(&tower, &["device", "invite"], 6, "not in the team yet");
    check(&tower, &["key", "rotate"], 6, "not in the team yet");
    // An invite admits one device, and only the one it was made for.
    let invite = laptop.json(&["device", "invite", "--json"]);
    let third = device("desk", "ann@x.org");
    let asked = third.json(&["device", "join", word(&invite, "invite"), "--json"]);
    check(
        &tower,
        &["device", "approve", word(&asked, "request"), "--yes"],
        6,
        "not in the team yet",
    );
    laptop.ok(&["device", "approve", word(&asked, "request"), "--yes"]);
    check(&laptop, &["device", "approve", word(&asked, "request"), "--yes"], 6, "no open invite");
    // A device cannot leave a team with other members.
    let other = device("other", "bob@x.org");
    let elsewhere = other.json(&["device", "invite", "--json"]);
    check(&laptop, &["device", "join", word(&elsewhere, "invite")], 6, "team with others");
    let mine = laptop.json(&["device", "invite", "--json"]);
    check(&laptop, &["device", "join", word(&mine, "invite")], 6, "in that team already");
}

#[test]
fn a_name_is_taken_once() {
    let laptop = device("laptop", "a");
    let other = device("laptop", "a");
    let invite = laptop.json(&["device", "invite", "--json"]);
    let asked = other.json(&["device", "join", word(&invite, "invite"), "--json"]);
    check(
        &laptop,
        &["device", "approve", word(&asked, "request"), "--yes"],
        6,
        "a device named laptop",
    );
}

#[test]
fn a_fresh_device_may_join_at_once() {
    let laptop = device("laptop", "a");
    let fresh = Home::new(crate::teleport::PROGRAM);
    let invite = laptop.json(&["device", "invite", "--json"]);
    check(&fresh, &["device", "join", word(&invite, "invite")], 6, "no keys yet");
    let asked = fresh.json(&["device", "join", word(&invite, "invite"), "--name", "new", "--json"]);
    assert_eq!(asked["left_own_team"], false);
    laptop.ok(&["device", "approve", word(&asked, "request"), "--yes"]);
}

#[test]
fn a_removal_and_a_rotation_begin_an_epoch() {
    let (laptop, _tower) = pair();
    let changed = |arguments: &[&str]| laptop.json(&[arguments, &["--json"]].concat());
    let told =
        |entry: u64, epoch: u64| json!({"schema_version": 1, "entry": entry, "epoch": epoch});
    assert_eq!(changed(&["device", "admin", "tower"]), told(2, 0));
    assert_eq!(changed(&["key", "rotate"]), told(3, 1));
    assert_eq!(changed(&["device", "remove", "tower"]), told(4, 2));
    let list = laptop.json(&["device", "ls", "--json"]);
    assert_eq!((&list["devices"][1]["removed"], &list["epoch"]), (&json!(4), &json!(2)));
    let shown = laptop.ok(&["device", "ls"]);
    assert!(shown.contains("laptop (this one)") && shown.contains("removed"), "{shown}");
}

#[test]
fn a_recovery_key_is_shown_once_or_put_behind_a_passphrase() {
    let laptop = device("laptop", "ann@x.org");
    let printed = laptop.ok(&["key", "recovery", "--print"]);
    assert!(printed.starts_with("AGE-SECRET-KEY-1"), "{printed}");
    let recipient = |home: &Home| home.json(&["device", "ls", "--json"])["recovery"].clone();
    let first = recipient(&laptop);
    assert!(first.as_str().unwrap().starts_with("age1"), "{first}");
    laptop.write("words", "correct horse\n");
    let arguments = ["key", "recovery", "--passphrase-file", "words", "--out", "r.age"];
    laptop.ok(&arguments);
    let file = std::fs::read(laptop.path("r.age")).unwrap();
    assert!(file.starts_with(b"age-encryption.org/v1\n-> scrypt "), "{:?}", &file[..40]);
    assert_ne!(recipient(&laptop), first);
    check(&laptop, &arguments, 6, "already exists");
    check(&laptop, &["key", "recovery"], 2, "--print");
}
