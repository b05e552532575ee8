//! Every screen, complete, at two sizes, from a daemon's data about recorded sessions.

use super::Desk;
use crate::samples;
use crate::state::message::{Answer, Message, News};
use crate::state::transcript_view;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use taffrail_api::{Session, StreamReply};
use taffrail_model::Timestamp;

/// A daemon's data about sessions that real agents recorded.
const RECORDED: &str = include_str!("recorded.json");

fn of<T: DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap()
}

/// A board that received everything.
fn desk(size: (u16, u16)) -> Desk {
    let told: Value = serde_json::from_str(RECORDED).unwrap();
    let mut desk = Desk::new(size);
    desk.state.now = told["now"].as_str().unwrap().parse().unwrap();
    let sessions: Vec<Session> = of(&told["sessions"]);
    desk.tell(Message::News(News::All(sessions, None)));
    desk.tell(Message::Answer(Answer::Approvals(of(&told["approvals"]))));
    for (id, summary) in told["summaries"].as_object().unwrap() {
        let id = of(&json!(id));
        desk.tell(Message::Answer(Answer::Summary(id, of(summary))));
    }
    desk.tell(Message::Answer(Answer::Today(of(&told["stats"]))));
    desk.tell(Message::Answer(Answer::Findings(of(&told["findings"]))));
    desk.tell(Message::Answer(Answer::Health(of(&told["health"]))));
    desk.tell(Message::Answer(Answer::Feed(of(&told["feed"]))));
    desk.pass(10_000);
    tell_of_chosen(&mut desk, &told);
    desk
}

/// The recorded data about the chosen session.
fn tell_of_chosen(desk: &mut Desk, told: &Value) {
    let Some(id) = desk.state.target() else { return };
    let name = id.to_string();
    if let Some(it) = told["explanations"].get(&name) {
        desk.tell(Message::Answer(Answer::Explain(id, of(it))));
    }
    if let Some(it) = told["streams"].get(&name) {
        let reply: StreamReply = of(it);
        let limit = if desk.state.transcript_view.wants { transcript_view::EVENTS } else { 80 };
        desk.tell(Message::Answer(Answer::Events { id, limit, lines: reply.events }));
    }
}

#[test]
fn every_screen_at_two_sizes() {
    for (name, size) in [("small", (80, 24)), ("large", (200, 50))] {
        for (screen, keys) in [
            ("board", &[][..]),
            ("board-down", &["j", "j", "j", "j"]),
            ("help", &["?"]),
            ("palette", &[":", "f", "e"]),
            ("deny", &["d", "n", "o"]),
            ("session", &["l"]),
            ("session-tools", &["l", "t"]),
            ("explain", &["e"]),
            ("approvals", &["2"]),
            ("feed", &["3"]),
            ("timeline", &["4"]),
            ("findings", &["5"]),
            ("health", &["6"]),
            ("commands", &["2", "1", "@"]),
        ] {
            let told: Value = serde_json::from_str(RECORDED).unwrap();
            let mut desk = desk(size);
            desk.press(keys);
            tell_of_chosen(&mut desk, &told);
            insta::assert_snapshot!(format!("{screen}-{name}"), desk.screen());
        }
    }
}

#[test]
fn a_session_of_another_device_says_where_it_is() {
    for (name, size) in [("small", (80, 24)), ("large", (200, 50))] {
        let sessions = vec![samples::approval(), samples::remote(), samples::working()];
        let mut desk = Desk::with(size, sessions, Vec::new());
        desk.press(&["j"]);
        insta::assert_snapshot!(format!("remote-{name}"), desk.screen());
    }
}

#[test]
fn the_details_mark_a_list_price_and_not_what_the_agent_reported() {
    let check = |reported: Option<i64>, expected: &str| {
        let mut session = samples::working();
        session.cost_microdollars = Some(1_220_000);
        session.cost.reported_microdollars = reported;
        let desk = Desk::with((200, 50), vec![session], Vec::new());
        let screen = desk.screen();
        let shown = screen.contains(&format!("182k tok · {expected}"));
        assert!(shown, "{expected} is not in\n{screen}");
    };
    check(Some(1_220_000), "$1.22");
    check(None, "≈$1.22");
}

#[test]
fn search_shows_both_at_two_sizes() {
    let told: Value = serde_json::from_str(RECORDED).unwrap();
    for (name, size) in [("small", (80, 24)), ("large", (200, 50))] {
        let mut desk = desk(size);
        desk.press(&["/"]);
        insta::assert_snapshot!(format!("search-empty-{name}"), desk.screen());
        let query = told["query"].as_str().unwrap();
        desk.type_in(query);
        let first: String = query.chars().take(1).collect();
        for query in [first.as_str(), query] {
            let (query, reply) = (query.to_owned(), of(&told["search"]));
            desk.tell(Message::Answer(Answer::Search { query, reply }));
        }
        desk.press(&["down"]);
        insta::assert_snapshot!(format!("search-{name}"), desk.screen());
    }
}

#[test]
fn an_empty_machine_says_what_to_do() {
    let mut desk = Desk::new((80, 24));
    insta::assert_snapshot!("waiting", desk.screen());
    desk.tell(Message::News(News::All(Vec::new(), None)));
    insta::assert_snapshot!("empty", desk.screen());
}

#[test]
fn it_holds_together_at_any_size() {
    let places = ["1", "?", "l", "/", "2", "3", "4", "5", "6", "d", ":", "e"];
    for key in places {
        let mut desk = desk((80, 24));
        desk.press(&[key]);
        for width in [1, 10, 19, 20, 30, 45, 60, 79, 81, 119, 120, 300] {
            for height in [1, 5, 6, 7, 10, 13, 18, 30, 90] {
                desk.state.size = (width, height);
                desk.pass(0);
                assert_eq!(desk.screen().lines().count(), usize::from(height), "{key}");
            }
        }
    }
}

/// CPU time of this thread in nanoseconds.
fn worked() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|it| it.parse().ok()).unwrap_or_default()
}

#[test]
fn a_frame_is_cheap_with_thousands_of_sessions() {
    let sessions = (0..5_000_u32).map(|number| {
        let live = number < 50;
        let group = if live { "working" } else { "done" };
        let status = if live { "running" } else { "exited" };
        samples::session(
            number,
            &json!({"group": group, "status": status,
            "project_path": format!("/home/ada/src/p{number}")}),
        )
    });
    let mut desk = Desk::with((200, 50), sessions.collect(), Vec::new());
    let mut frames = Vec::new();
    for number in 0..300_u32 {
        let begun = worked();
        let live = samples::session(
            number % 50,
            &json!({"group": "working", "status": "running",
            "status_since": "2026-11-15T11:59:00Z"}),
        );
        desk.tell(Message::News(News::Status(Box::new(live))));
        desk.press(&[if number % 3 == 0 { "k" } else { "j" }]);
        desk.buffer();
        frames.push(worked() - begun);
    }
    frames.sort_unstable();
    let p99 = frames[frames.len() * 99 / 100];
    eprintln!("frame: median {} µs, p99 {} µs", frames[150] / 1_000, p99 / 1_000);
    assert!(p99 < 8_000_000, "p99 {} µs", p99 / 1_000);
}

/// The first line of a board that knows these limits.
#[expect(clippy::needless_pass_by_value, reason = "each call makes its own")]
fn first_line(width: u16, quotas: Value) -> String {
    let mut desk = desk((width, 24));
    let list = json!({"schema_version": 1, "quotas": quotas});
    desk.tell(Message::Answer(Answer::Quota(of(&list))));
    desk.screen().lines().next().unwrap().trim_end().to_owned()
}

#[test]
fn limits_fit_beside_the_counts_or_are_left_out() {
    let told: Value = serde_json::from_str(RECORDED).unwrap();
    let now: Timestamp = told["now"].as_str().unwrap().parse().unwrap();
    let later = |hours: i64| now + jiff::SignedDuration::from_hours(hours);
    let quota = |agent: &str, used: f64, age: u64| {
        json!({
            "agent": agent, "limit": "seed", "window_minutes": 300, "used_percent": used,
            "resets_at": later(3), "source": "file", "age_seconds": age, "stale": age > 3600,
            "full_at": null, "sessions": [],
        })
    };
    let counts = " taffrail   3 need you · 2 working · 1 your turn";
    let check = |width: u16, quotas: Value, expected: &str| {
        let line = first_line(width, quotas);
        let rest = line.strip_prefix(counts).unwrap_or_else(|| panic!("{line}")).trim_start();
        assert_eq!(rest, expected, "{width}");
    };
    check(80, json!([]), "");
    check(80, json!([quota("wren", 64.0, 60)]), "5h 64%");
    check(80, json!([quota("wren", 64.0, 7_200)]), "5h 64% (stale, 2h)");
    let both = json!([quota("wren", 64.0, 60), quota("parrot", 97.0, 60)]);
    check(120, both.clone(), "parrot 5h 97% · wren 5h 64%");
    check(80, both.clone(), "parrot 5h 97% · wren 5h 64%");
    check(70, both.clone(), "parrot 5h 97%");
    check(60, both, "");
}
