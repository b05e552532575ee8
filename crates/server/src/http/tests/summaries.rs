//! Summaries by a command: a real script, which may be slow, fail, print too much or ignore its
//! input.

use super::{FIRST, Machine, card, id};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};
use taffrail_api::{Health, Summary};
use taffrail_context::SummarySettings;
use taffrail_model::Timestamp;
use taffrail_model::status::Status;
use taffrail_query::summary::Wish;

/// Half past ten; the last event was ten minutes earlier.
const BEGIN: i64 = 1790850600;
const DRAWN: &str = "0123456789abcdef0123456789abcdef";

/// A machine whose command is this script, and a place where the script can leave something.
fn machine(script: &str, limit: Duration) -> Machine {
    Machine::with(|settings| {
        let notes = settings.data.parent().unwrap().join("notes");
        std::fs::create_dir_all(&notes).unwrap();
        let script = format!("cd {}\n{script}", notes.display());
        let command = ["sh", "-c", &script].map(str::to_owned).to_vec();
        settings.summary = SummarySettings { turns: 5, command, draw: || DRAWN.to_owned(), limit };
    })
}

fn usual(script: &str) -> Machine {
    machine(script, Duration::from_secs(20))
}

fn asked(machine: &Machine, session: &str, wait: bool) -> Summary {
    let path = format!("/api/sessions/{}/summary?wait={wait}", id(session));
    machine.client().get(&path).unwrap()
}

fn counted(machine: &Machine) -> (u64, u64) {
    let text = machine.get("/metrics").body;
    let of = |name: &str| {
        let line = text.lines().find_map(|it| it.strip_prefix(name)).unwrap();
        line.trim().parse().unwrap()
    };
    (of("taffrail_summary_runs_total"), of("taffrail_summary_failures_total"))
}

fn problems(machine: &Machine) -> Vec<String> {
    machine.client().get::<Health>("/api/health").unwrap().problems
}

#[test]
fn its_words_take_the_place_of_ours() {
    let machine = usual("cat > given; echo 'Current: paints the wall'; echo 'Recent: sanded it'");
    machine.stands(FIRST, Status::Waiting);
    let got = asked(&machine, FIRST, true);
    assert_eq!((got.current.as_str(), got.recent.as_str()), ("paints the wall", "sanded it"));
    assert_eq!(got.last_prompt, "Prompt number 0004.");
    assert_eq!(got.text.lines().next(), Some("Current: paints the wall"));
    assert!(got.by_command);
    let given = std::fs::read_to_string(machine.path("notes/given")).unwrap();
    assert_eq!(given.lines().filter(|it| *it == DRAWN).count(), 2, "{given}");
    assert!(given.contains("Prompt: Prompt number 0004."), "{given}");
    assert_eq!(counted(&machine), (1, 0));
    assert_eq!(problems(&machine), [""; 0]);
}

#[test]
fn without_a_command_nothing_runs() {
    let machine = Machine::new();
    assert!(!asked(&machine, FIRST, true).by_command);
    assert_eq!(counted(&machine), (0, 0));
    assert!(!machine.path("data/summary").exists());
}

#[test]
fn a_failure_leaves_our_words_and_is_counted() {
    let check = |script: &str, limit: u64, why: &str| {
        let machine = machine(script, Duration::from_millis(limit));
        machine.stands(FIRST, Status::Waiting);
        let began = Instant::now();
        let got = asked(&machine, FIRST, true);
        assert!(began.elapsed() < Duration::from_secs(15), "{script}");
        assert!(!got.by_command && got.current.starts_with("waiting"), "{script}: {got:?}");
        assert_eq!(counted(&machine), (1, 1), "{script}");
        assert_eq!(problems(&machine), [format!("summary.command: {why}")]);
    };
    check("echo 'Current: half'; sleep 300", 300, "it took longer than 0.3 s");
    check("echo 'Current: half'; exit 7", 20_000, "it ended with exit status: 7");
    check("echo 'Current: much'; yes", 20_000, "it said more than 65536 bytes");
    check("echo Sure thing", 20_000, "it said neither `Current:` nor `Recent:`");
}

#[test]
fn a_command_that_does_not_listen_is_heard() {
    let machine = usual("exec <&-; echo 'Recent: did not read'");
    machine.stands(FIRST, Status::Waiting);
    let got = asked(&machine, FIRST, true);
    assert_eq!((got.recent.as_str(), got.by_command), ("did not read", true));
    assert!(
        got.current.starts_with("waiting for a prompt"),
        "ours, where it says nothing: {got:?}"
    );
}

#[test]
fn secrets_neither_go_in_nor_come_out() {
    const KEY: &str = "API_KEY=q8Zt4nWc0RjX2mLp7Vb1";
    let machine = usual(&format!("cat > given; echo 'Recent: used {KEY} there'"));
    machine.write_line(FIRST, 6, &format!("Use {KEY} for it"));
    machine.read_all();
    machine.stands(FIRST, Status::Waiting);
    let got = asked(&machine, FIRST, true);
    let given = std::fs::read_to_string(machine.path("notes/given")).unwrap();
    assert!(given.contains("Use API_KEY=[redacted"), "{given}");
    assert!(!given.contains("q8Zt4") && !got.text.contains("q8Zt4"), "{got:?}");
    assert!(got.by_command);
}

#[test]
fn nobody_waits_who_does_not_want_to() {
    let machine = usual("while [ ! -e go ]; do sleep 0.02; done; echo 'Current: slow words'");
    machine.stands(FIRST, Status::Waiting);
    assert!(!asked(&machine, FIRST, false).by_command, "it has only begun");
    std::fs::write(machine.path("notes/go"), "").unwrap();
    // The current run serves this caller, too.
    let got = asked(&machine, FIRST, true);
    assert_eq!((got.current.as_str(), counted(&machine)), ("slow words", (1, 0)));
}

#[test]
fn words_count_while_the_session_stands_the_same() {
    let machine = usual("echo 'Current: its words'");
    machine.stands(FIRST, Status::Waiting);
    assert!(asked(&machine, FIRST, true).by_command);
    machine.stands(FIRST, Status::Running);
    let got = asked(&machine, FIRST, true);
    assert!(!got.by_command, "they were about another moment: {got:?}");
    machine.stands(FIRST, Status::Waiting);
    assert_eq!(asked(&machine, FIRST, true).current, "its words");
}

/// The only test that changes the clock.
#[test]
fn it_runs_seldom_and_for_sessions_of_late_only() {
    static NOW: AtomicI64 = AtomicI64::new(BEGIN);
    let machine = Machine::with(|settings| {
        settings.now = || Timestamp::from_second(NOW.load(Ordering::Relaxed)).unwrap();
        let command = ["sh", "-c", "echo Current: words"].map(str::to_owned).to_vec();
        let limit = Duration::from_secs(20);
        settings.summary = SummarySettings { turns: 5, command, draw: || DRAWN.to_owned(), limit };
    });
    let runs = Cell::new(0);
    let check = |second: i64, status: Status, wish: Wish, runs_now: bool| {
        NOW.store(BEGIN + second, Ordering::Relaxed);
        machine.handle.live().put_status(id(FIRST), Some(Arc::new(card(status))));
        let run = machine.handle.summaries().wish(machine.handle.live(), id(FIRST), wish);
        let began = run.map(tokio::sync::oneshot::Receiver::blocking_recv).is_some();
        runs.set(runs.get() + u64::from(runs_now));
        assert_eq!(counted(&machine), (runs.get(), 0), "{second} {wish:?} {began}");
    };
    // Its latest evidence is from twenty past ten.
    check(1, Status::Waiting, Wish::TurnEnded, false);
    check(0, Status::Waiting, Wish::TurnEnded, true);
    check(29, Status::Running, Wish::Asked, false);
    check(30, Status::Running, Wish::Asked, true);
    check(60, Status::Running, Wish::Asked, false);
    // Requested within ten minutes.
    check(600, Status::Waiting, Wish::TurnEnded, true);
    check(661, Status::Idle, Wish::TurnEnded, false);
    check(661, Status::Idle, Wish::Asked, true);
    machine.handle.summaries().stop();
    check(900, Status::Waiting, Wish::Asked, false);
}

/// A turn that ended seconds after a run kept the words of the turn before.
#[test]
fn a_turn_that_ended_lifts_the_limit_of_thirty_seconds() {
    static NOW: AtomicI64 = AtomicI64::new(BEGIN);
    let machine = Machine::with(|settings| {
        settings.now = || Timestamp::from_second(NOW.load(Ordering::Relaxed)).unwrap();
        let command = ["sh", "-c", "echo Current: words"].map(str::to_owned).to_vec();
        let limit = Duration::from_secs(20);
        settings.summary = SummarySettings { turns: 5, command, draw: || DRAWN.to_owned(), limit };
    });
    let check = |second: i64, (ended, wish): (i64, Wish), runs: u64| {
        NOW.store(BEGIN + second, Ordering::Relaxed);
        let mut card = card(Status::Waiting);
        card.reading.since = Timestamp::from_second(BEGIN + ended).unwrap();
        card.reading.waiting_for = None;
        machine.handle.live().put_status(id(FIRST), Some(Arc::new(card)));
        // Another turn, so that the known words are out of date.
        machine.write_line(FIRST, u32::try_from(600 + second).unwrap(), "Go on");
        machine.read_all();
        let run = machine.handle.summaries().wish(machine.handle.live(), id(FIRST), wish);
        run.map(tokio::sync::oneshot::Receiver::blocking_recv);
        assert_eq!(counted(&machine), (runs, 0), "{second} {wish:?}");
    };
    check(0, (0, Wish::Asked), 1);
    check(5, (0, Wish::TurnEnded), 1);
    check(6, (6, Wish::Asked), 1);
    check(7, (6, Wish::TurnEnded), 2);
    check(8, (6, Wish::TurnEnded), 2);
}

#[test]
fn a_session_of_the_command_is_not_given_to_it() {
    let machine = usual("echo 'Current: words'");
    let own = machine.path("data/summary").display().to_string();
    machine.write_at(&own, "33333333-3333-4333-8333-333333333333");
    machine.read_all();
    let session = "33333333-3333-4333-8333-333333333333";
    assert!(!asked(&machine, session, true).by_command);
    assert_eq!(counted(&machine), (0, 0));
}

#[test]
fn the_daemons_end_ends_what_runs() {
    let machine = usual("echo $$ > pid; sleep 300");
    machine.stands(FIRST, Status::Waiting);
    asked(&machine, FIRST, false);
    let pid = super::until("the script", || {
        std::fs::read_to_string(machine.path("notes/pid")).ok().filter(|it| it.ends_with('\n'))
    });
    machine.handle.summaries().stop();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    assert!(stat.is_empty() || stat.contains(") Z "), "{stat}");
}
