//! The contract of the command line over one small handwritten history: complete output, as
//! snapshots. `INSTA_UPDATE=always` rewrites them; read the diff before you keep it.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

mod asked;
pub(crate) mod history;
mod ids;
mod remote;
pub(crate) mod steady;
mod surface;

use history::{CHAT, FORK, SESSION, THREAD, WORKER, home};
use ids::steady_ids;
use serde_json::Value;
use steady::{check_json, check_text};
use taffrail_testkit::Home;
use taffrail_testkit::corpus::Corpus;

#[test]
fn documents() {
    let home = home();
    check_json("index", home.json(&["index", "--json"]));
    check_json("ls", home.json(&["ls", "--json", "--all"]));
    check_json("stats", home.json(&["stats", "--json"]));
    check_json("doctor", home.json(&["doctor", "--json"]));
    check_json("agents", home.json(&["agents", "--json"]));
    check_json("show", home.json(&["show", SESSION, "--json"]));
    check_json("summary", home.json(&["summary", SESSION, "--json"]));
    check_json("config", home.json(&["config", "--json"]));
}

#[test]
fn hooks_of_every_agent() {
    let home = home();
    check_json("hooks", home.json(&["hooks", "--json"]));
}

#[test]
fn events_of_every_agent() {
    let home = home();
    for (name, id) in [
        ("claude", SESSION),
        ("claude_worker", WORKER),
        ("claude_fork", FORK),
        ("codex", THREAD),
        ("gemini", CHAT),
        ("goose", "20261001_1"),
    ] {
        let events = Value::Array(home.events(id));
        let events = if name == "goose" { steady_ids(events) } else { events };
        check_json(&format!("events_{name}"), events);
    }
}

#[test]
fn screens() {
    let home = home();
    for (name, arguments) in [
        ("index", &["index"][..]),
        ("ls", &["ls"]),
        ("ls_all", &["ls", "--all"]),
        ("ls_one_agent", &["ls", "--agent", "codex"]),
        ("ls_nothing_since", &["ls", "--since", "2026-11-01"]),
        ("ls_limit", &["ls", "-n", "1"]),
        ("ls_category", &["ls", "--category", "fix"]),
        ("ls_no_topic", &["ls", "--topic", "nothing"]),
        ("summary", &["summary", SESSION]),
        ("stats", &["stats"]),
        ("stats_one_row", &["stats", "-n", "1", "--agent", "claude"]),
        ("stats_since", &["stats", "--since", "2026-11-01"]),
        ("agents", &["agents"]),
        ("hooks", &["hooks"]),
        ("doctor", &["doctor"]),
        ("config", &["config"]),
        ("show_claude", &["show", SESSION]),
        ("show_codex", &["show", THREAD]),
        ("show_gemini", &["show", CHAT]),
        ("show_goose", &["show", "20261001_1"]),
        ("events_claude", &["events", SESSION]),
        ("tail_claude", &["tail", SESSION, "-n", "3"]),
        ("export_md", &["export", SESSION, "--format", "md"]),
        ("export_html", &["export", SESSION, "--format", "html"]),
        ("export_many", &["export", "--since", "2026-01-01", "--agent", "claude", "-f", "md"]),
        ("export_none", &["export", "--since", "2026-12-01", "--format", "jsonl"]),
    ] {
        check_text(&home, &format!("screen_{name}"), arguments);
    }
}

#[test]
fn sessions_of_another_device() {
    let home = home();
    let id = remote::lay(&home);
    check_json("remote_ls_json", home.json(&["ls", "--json", "--device", "laptop"]));
    for (name, arguments) in [
        ("ls", &["ls"][..]),
        ("ls_here", &["ls", "--device", "here"]),
        ("ls_nobody", &["ls", "--device", "phone"]),
        ("show", &["show", &id]),
        ("resume", &["resume", &id]),
        ("search", &["search", "lexer device:laptop"]),
    ] {
        check_text(&home, &format!("remote_{name}"), arguments);
    }
}

#[test]
fn an_empty_machine() {
    let home = Home::new(history::PROGRAM);
    for (name, arguments) in [
        ("empty_ls", &["ls"][..]),
        ("empty_alone", &[]),
        ("empty_index", &["index"]),
        ("empty_stats", &["stats"]),
        ("empty_agents", &["agents"]),
        ("empty_doctor", &["doctor"]),
    ] {
        check_text(&home, name, arguments);
    }
}

#[test]
fn help_of_every_command() {
    let home = Home::new(history::PROGRAM);
    check_text(&home, "help", &["--help"]);
    for command in [
        "index",
        "ls",
        "search",
        "summary",
        "show",
        "events",
        "tail",
        "stats",
        "prices",
        "export",
        "document",
        "tag",
        "note",
        "link",
        "notifications",
        "telemetry",
        "status-bar",
        "work",
        "agents",
        "hooks",
        "rebuild",
        "doctor",
        "config",
        "completions",
        "man",
        "device",
        "key",
        "teleport",
        "share",
    ] {
        check_text(&home, &format!("help_{command}"), &[command, "--help"]);
    }
    for command in ["export", "import", "validate", "schema", "snapshot"] {
        let name = format!("help_document_{command}");
        check_text(&home, &name, &["document", command, "--help"]);
    }
}

/// Errors as JSON on stderr with `--json`, and as text without.
#[test]
fn failures() {
    let home = home();
    home.index();
    let first = |id: &Value| id["id"].as_str().unwrap()[..1].to_owned();
    let ids: Vec<_> = home.sessions().iter().map(first).collect();
    let twice = ids.iter().find(|id| ids.iter().filter(|it| it == id).count() > 1);
    let twice = twice.expect("two ids that begin the same");
    for (name, arguments, code) in [
        ("not_found", &["show", "ffffffff"][..], 3),
        ("waiting", &["events", "@waiting"], 3),
        ("bad_time", &["ls", "--since", "soon"], 2),
        ("rebuild_unasked", &["rebuild"], 2),
        ("hooks_unasked", &["hooks", "install"], 2),
        ("hooks_none", &["hooks", "install", "--agent", "portable-state"], 6),
        ("bad_category", &["ls", "--category", "poem"], 2),
        ("bad_key", &["config", "set", "colour", "red"], 2),
        ("no_key", &["config", "get", "colour"], 3),
    ] {
        check_failure(&home, name, arguments, code);
    }
    check_code(&home, &["export", "-f", "md"], 2, "hint: taffrail export @last --format md");
    check_code(&home, &["export", "@last"], 2, "--format <FORMAT>");
    check_code(&home, &["export", "@last", "-f", "md", "--since", "1d"], 2, "cannot be used with");
    check_code(&home, &["show", twice], 2, "matches several sessions");
    check_code(&home, &["show"], 2, "required arguments were not provided");
    check_code(&home, &["dance"], 2, "unrecognized subcommand");
    check_code(&home, &["ls", "-n", "many"], 2, "invalid value");
}

fn check_failure(home: &Home, name: &str, arguments: &[&str], code: i32) {
    let output = home.run(arguments);
    assert_eq!((output.status, output.stdout.as_str()), (code, ""), "{arguments:?}");
    check_text(home, &format!("failure_{name}"), arguments);
    let mut json = arguments.to_vec();
    json.insert(1, "--json");
    let output = home.run(&json);
    assert_eq!((output.status, output.stdout.as_str()), (code, ""), "{json:?}");
    let envelope: Value = serde_json::from_str(&output.stderr).expect("one object on stderr");
    assert_eq!(envelope["error"]["code"], code);
    check_json(&format!("failure_{name}_json"), envelope);
}

fn check_code(home: &Home, arguments: &[&str], code: i32, said: &str) {
    let output = home.run(arguments);
    assert_eq!((output.status, output.stdout.as_str()), (code, ""), "{arguments:?}");
    assert!(output.stderr.contains(said), "{arguments:?}: {}", output.stderr);
}

#[test]
fn a_session_is_named_in_many_ways() {
    let home = home();
    home.index();
    let id = |arguments: &[&str]| home.json(arguments)["session"]["id"].clone();
    let whole = home.session(SESSION)["id"].clone();
    let text = whole.as_str().unwrap();
    for name in [text, &text[..8], &text[..13], &text.to_uppercase(), SESSION] {
        assert_eq!(id(&["show", name, "--json"]), whole, "{name}");
    }
    let latest = &home.json(&["ls", "--json"])["sessions"][0]["id"];
    assert_eq!(&id(&["show", "@last", "--json"]), latest);
    home.write("w/app/deep/file", "");
    let below = home.path("w/app/deep");
    let here = home.run_in(&below, &["show", ".", "--json"]);
    let here: Value = serde_json::from_str(&here.stdout).expect("a session of this folder");
    assert_eq!(here["session"]["runtime_session_id"], "20261001_1");
}

#[test]
fn here_is_this_folder_or_one_above_and_never_one_beside() {
    let home = home();
    home.index();
    home.write("w/other/file", "");
    home.write("w/app/deep/file", "");
    for (folder, code) in [("w/app", 0), ("w/app/deep", 0), ("w/other", 3)] {
        let output = home.run_in(&home.path(folder), &["show", "."]);
        assert_eq!(output.status, code, "{folder}: {}{}", output.stdout, output.stderr);
    }
}

#[test]
fn a_follower_goes_on_from_its_cursor() {
    let home = home();
    home.index();
    let all = home.events(CHAT);
    let generation = all[0]["generation"].as_str().unwrap();
    let last = all.iter().filter_map(|it| it["sequence"].as_u64()).max().unwrap();
    let after = |cursor: &str| {
        let lines = home.lines(&["events", CHAT, "--json", "--after", cursor]);
        lines.iter().map(|it| it["kind"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(after(&format!("{generation}.{last}")), [""; 0], "nothing new");
    assert_eq!(after(&format!("{generation}.{}", last - 1)).len(), 1, "the last change");
    for unknown in ["0000000000.1", "nonsense", "", &format!("{generation}.{}", last + 1)] {
        assert_eq!(after(unknown).len(), all.len(), "{unknown:?} gives everything");
    }
    home.append(history::CHAT_FILE, "{\"$rewindTo\":\"m1\"}\n");
    let removed = vec!["event.removed"; all.len()];
    assert_eq!(after(&format!("{generation}.{last}")), removed);
    assert_eq!(home.events(CHAT).len(), 0);
}

/// Over a history of all agents with forks and sub-agents, however it is split.
#[test]
fn counts_agree_with_the_list_and_with_each_other() {
    let home = Home::new(history::PROGRAM);
    Corpus { seed: 7, bytes: 2_000_000 }.write(&home);
    let stats = home.json(&["stats", "--json"]);
    let sessions = home.sessions();
    let totals = &stats["totals"];
    assert_eq!(totals["sessions"], sessions.len());
    for field in
        ["/prompts", "/turns", "/tool_calls", "/usage/output_tokens", "/usage/input_tokens"]
    {
        let sum = |rows: &[Value]| rows.iter().filter_map(|row| row.pointer(field)?.as_u64()).sum();
        let total: u64 = sum(&sessions);
        assert_eq!(totals.pointer(field).and_then(Value::as_u64), Some(total), "{field}");
        for by in ["by_agent", "by_project", "by_model", "by_day"] {
            let is_unknown = by == "by_model" && !field.starts_with("/usage");
            let expected = if is_unknown { 0 } else { total };
            assert_eq!(sum(stats[by].as_array().unwrap()), expected, "{field} {by}");
        }
    }
}
