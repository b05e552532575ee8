//! What people type and read: times in their own zone, projects by name, filters, tags.

use crate::cli::history::{FORK, SESSION, WORKER, home};
use serde_json::Value;
use taffrail_model::Timestamp;
use taffrail_testkit::Home;

fn shown(home: &Home, zone: &[(&str, &str)], arguments: &[&str]) -> String {
    let mut command = home.command(arguments);
    let output = command.envs(zone.iter().copied()).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// The first prompt was at 10:00:01 in UTC.
#[test]
fn times_are_those_of_the_readers_clock() {
    let home = home();
    home.index();
    for (zone, expected) in [
        ("UTC0", "2026-10-01 10:00"),
        ("XST-5:30", "2026-10-01 15:30"),
        ("XWT8", "2026-10-01 02:00"),
        ("EST5EDT,M3.2.0,M11.1.0", "2026-10-01 06:00"),
        ("XFT-14", "2026-10-02 00:00"),
    ] {
        let zone = [("TZ", zone), ("TZDIR", "/nowhere")];
        let text = shown(&home, &zone, &["show", SESSION]);
        assert!(text.contains(&format!("▸ {expected}\n")), "{zone:?}: {text}");
        for arguments in [&["events", SESSION][..], &["tail", SESSION], &["feed"]] {
            let text = shown(&home, &zone, arguments);
            assert!(text.contains(expected), "{zone:?}: {text}");
        }
    }
    let unknown = [("TZ", "Nowhere/At_All"), ("TZDIR", "/nowhere")];
    assert!(shown(&home, &unknown, &["show", SESSION]).contains("▸ 2026-10-01 10:00\n"));
}

/// Statistics had tokens and calls, and no time.
#[test]
fn time_is_counted_from_the_first_to_the_last_event_of_main_sessions() {
    let home = home();
    home.index();
    let all = home.json(&["stats", "--agent", "claude", "--json"]);
    let span = |session: &str| -> i64 {
        let at = |it: &Value| it["createdAt"].as_str().unwrap().parse::<Timestamp>().unwrap();
        let times: Vec<Timestamp> = home.events(session).iter().map(at).collect();
        let (first, last) = (times.iter().min().unwrap(), times.iter().max().unwrap());
        last.as_millisecond() - first.as_millisecond()
    };
    // The sub-agent works in the time of its session.
    let expected = span(SESSION) + span(FORK);
    assert!(span(WORKER) > 0 && expected > 0);
    assert_eq!(all["totals"]["duration_ms"], expected);
    assert_eq!(all["by_agent"][0]["duration_ms"], expected);
    assert_eq!(all["by_model"][0]["duration_ms"], Value::Null);
    assert!(home.ok(&["stats", "--agent", "claude"]).contains(&format!(" {}s ", expected / 1000)));
}

#[test]
fn an_export_says_its_zone_and_json_stays_in_utc() {
    let home = home();
    home.index();
    let zone = [("TZ", "XST-5:30")];
    let text = shown(&home, &zone, &["export", SESSION, "--format", "md"]);
    assert!(text.contains("## 1 · 2026-10-01 15:30 UTC+05:30\n"), "{text}");
    let text = shown(&home, &zone, &["show", SESSION, "--json"]);
    assert!(text.contains("\"started_at\": \"2026-10-01T10:00:01Z\""), "{text}");
}

#[test]
fn days_are_those_of_the_readers_clock() {
    let home = home();
    home.index();
    let days = |zone: &str| shown(&home, &[("TZ", zone)], &["stats", "--agent", "claude"]);
    assert!(days("UTC0").contains("\n2026-10-01 "), "{}", days("UTC0"));
    assert!(days("XFT-14").contains("\n2026-10-02 "), "{}", days("XFT-14"));
    assert!(!days("XFT-14").contains("\n2026-10-01 "), "{}", days("XFT-14"));
}

#[test]
fn a_project_is_named_by_its_folder_or_by_its_path() {
    let home = home();
    let count = |project: &str| {
        let list = home.json(&["ls", "--json", "--agent", "claude", "--project", project]);
        list["sessions"].as_array().unwrap().len()
    };
    assert_eq!((count("app"), count("/w/app"), count("/w"), count("ap")), (2, 2, 2, 0));
    let text = home.ok(&["ls", "--project", "shop-web", "--agent", "claude"]);
    assert!(text.starts_with("No session matches --agent claude --project shop-web.\n"), "{text}");
    assert!(text.contains("--project shop-web alone matches 0 of"), "{text}");
    assert!(text.contains("--agent claude alone matches 2 of"), "{text}");
    assert!(text.contains("\nProjects: "), "{text}");
}

#[test]
fn every_filter_alone_is_a_search() {
    let home = home();
    home.ok(&["tag", SESSION, "+flaky"]);
    for filter in ["agent:claude-code", "device:here", "tag:flaky", "file:cargo", "kind:error"] {
        let found = home.json(&["search", filter, "--json"]);
        let expected = filter != "kind:error";
        assert_eq!(found["total"].as_u64() > Some(0), expected, "{filter}: {found}");
    }
    let unknown = home.run(&["search", "author:ada"]);
    assert_eq!(unknown.status, 2);
    assert!(unknown.stderr.contains("unknown filter `author:`"), "{}", unknown.stderr);
    assert!(unknown.stderr.contains("known: agent: branch:"), "{}", unknown.stderr);
    let nothing = home.run(&["search", ""]);
    assert_eq!(nothing.status, 2);
    assert!(nothing.stderr.contains("nothing to search for"), "{}", nothing.stderr);
}

#[test]
fn sessions_are_listed_by_their_tags() {
    let home = home();
    home.ok(&["tag", SESSION, "+flaky", "+release"]);
    let list = home.json(&["ls", "--json", "--tag", "flaky"]);
    assert_eq!(list["sessions"].as_array().unwrap().len(), 1, "{list}");
    assert_eq!(list["sessions"][0]["runtime_session_id"], SESSION);
    assert_eq!(list["sessions"][0]["tags"], serde_json::json!(["flaky", "release"]));
    let none = home.json(&["ls", "--json", "--tag", "flak"]);
    assert_eq!(none["sessions"], serde_json::json!([]));
}
