//! `taffrail rules`, tested through the program.

use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use taffrail_testkit::Home;

const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");

fn home() -> Home {
    let home = Home::new(PROGRAM);
    home.ok(&["rules", "add", "--allow", "--tool", "Bash", "--command", "cargo test *"]);
    home.ok(&["rules", "add", "--deny", "--tool", "Bash", "--command", "git push *"]);
    home
}

fn tested(home: &Home, command: &str) -> Value {
    home.json(&["rules", "test", "--tool", "Bash", "--command", command, "--json"])
}

#[test]
fn a_request_is_tested_against_the_rules() {
    let home = home();
    let check = |command: &str, decision: &str, rule: Value, why: &str| {
        let expected = json!({"schema_version": 1, "decision": decision, "rule": rule, "why": why});
        assert_eq!(tested(&home, command), expected, "{command}");
    };
    let (allow, deny) = ("allow Bash: cargo test *", "deny Bash: git push *");
    check("cargo test -p x", "allow", json!(allow), &format!("your rule 1, {allow}"));
    let why = format!("your rule 2, {deny}: it runs `git push origin`");
    check("cargo test; env git push origin", "deny", json!(deny), &why);
    let why = "only plain commands are allowed by rule: it has `$`";
    check("cargo test $X", "ask", Value::Null, why);
    check(
        "cargo test\nid",
        "ask",
        Value::Null,
        "only plain commands are allowed by rule: it has more than one line",
    );
    let told = home.ok(&["rules", "test", "--tool", "Bash", "--command", "sudo git push"]);
    assert_eq!(told, format!("deny: your rule 2, {deny}: it runs `git push`\n"));
    let told = home.ok(&["rules", "test", "--tool", "Write"]);
    assert_eq!(told, "ask: no rule speaks of it\n");
}

#[test]
fn rules_are_listed_and_removed_by_number() {
    let home = home();
    let listed = home.json(&["rules", "ls", "--json"]);
    let file = listed["file"].as_str().unwrap().to_owned();
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let expected =
        format!("{file} (user)\n   1  allow Bash: cargo test *\n   2  deny Bash: git push *\n");
    assert_eq!(home.ok(&["rules"]), expected);
    home.ok(&["rules", "rm", "1"]);
    let expected = format!("{file} (user)\n   1  deny Bash: git push *\n");
    assert_eq!(home.ok(&["rules", "ls"]), expected);
    assert_eq!(home.run(&["rules", "rm", "2"]).status, 3);
    assert_eq!(tested(&home, "cargo test")["decision"], "ask");
}

#[test]
fn who_allows_too_much_is_warned_and_who_says_nothing_is_told() {
    let home = home();
    let add = |words: &[&str]| home.run(&[&["rules", "add", "--tool", "Bash"], words].concat());
    let told = add(&["--allow", "--command", "python3 -c *"]);
    assert_eq!(told.status, 0);
    assert!(told.stderr.contains("warning: `python3` runs code"), "{}", told.stderr);
    let told = add(&["--allow", "--command", "npm test"]);
    assert_eq!(told.stderr, "rule 4: allow Bash: npm test\n");
    for words in [
        &["--command", "x"][..],
        &["--allow", "--deny", "--command", "x"],
        &["--allow", "--command", "a*"],
        &["--deny", "--agent", "nobody"],
    ] {
        assert_eq!(add(words).status, 2, "{words:?}");
    }
}

#[test]
fn a_broken_file_is_shown_and_allows_nothing() {
    let home = home();
    let file = home.json(&["rules", "--json"])["file"].as_str().unwrap().to_owned();
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("\"deny\"", "\"dney\"")).unwrap();
    assert_eq!(tested(&home, "cargo test")["decision"], "ask");
    let listed = home.run(&["rules"]);
    assert!(listed.stdout.contains("✕ does not count: `dney` is none of allow, ask, deny"));
    assert!(listed.stderr.contains("nothing is allowed by rule"));
    let doctor = home.json(&["doctor", "--json"]);
    let rules = |it: &&Value| it["id"] == "rules";
    let check = doctor["checks"].as_array().unwrap().iter().find(rules).unwrap().clone();
    assert_eq!(check["status"], "failed");
}

#[test]
fn a_repository_denies_where_it_is() {
    let home = home();
    home.write("repo/.git/HEAD", "");
    home.write(
        "repo/.taffrail/policy.toml",
        "[[rule]]\ndecision = \"deny\"\ntool = \"Bash\"\ncommand = \"cargo test *\"\n",
    );
    home.write("repo/src/lib.rs", "");
    let words = ["rules", "test", "--tool", "Bash", "--command", "cargo test", "--json"];
    let inside = home.run_in(&home.path("repo/src"), &words);
    let inside: Value = serde_json::from_str(&inside.stdout).unwrap();
    assert_eq!(inside["decision"], "deny");
    assert_eq!(home.json(&words)["decision"], "allow");
}
