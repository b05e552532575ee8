//! Each kind of finding: what causes it, and what ends it.

use crate::findings::kit::{Stands, Tale, at, id, kinds, session};
use taffrail_model::evidence::Life;
use taffrail_model::findings::{
    Blocked, Context, FindingKind, Role, Thresholds, together, together_until,
};
use taffrail_model::status::{Failure, Status, WaitingKind};
use taffrail_model::{Confidence, Origin, Signal};

fn check(tale: &Tale, stands: &Stands, expected: &[&str]) {
    let found = tale.found(stands);
    assert_eq!(kinds(&found), expected, "{found:#?}");
}

fn times(mut tale: Tale, count: usize, step: impl Fn(Tale) -> Tale) -> Tale {
    for _ in 0..count {
        tale = step(tale);
    }
    tale
}

#[test]
fn an_open_turn_in_which_nothing_runs_or_moves_is_stuck() {
    let (tale, running) = (Tale::new().run("ls", 0, "a"), Stands::running());
    check(&tale, &running.clone().after(899), &[]);
    check(&tale, &running.clone().after(900), &["stuck"]);
    check(&tale.clone().call("Bash", "x".into()), &running.clone().after(9000), &[]);
    let heartbeat = tale.clone().later(890).live(Origin::Registry, Signal::Alive, "");
    check(&heartbeat, &running.clone().after(10), &["stuck"]);
    check(&tale.clone().later(890).speak("on"), &running.clone().after(10), &[]);
    let gone = Stands { life: Life::Unknown, ..running.clone() };
    check(&tale, &gone.after(9000), &[]);
    check(&tale.done("ok"), &running.after(9000), &[]);
}

/// Two minutes of silence made the status a guess, and a guess was never stuck.
#[test]
fn a_turn_that_only_hooks_report_was_never_stuck() {
    let mut guess = Stands::running();
    guess.reading.confidence = Confidence::Low;
    let hooked = Tale::default().live(Origin::Hook, Signal::Prompted, "").run("ls", 0, "a");
    check(&hooked, &guess.clone().after(899), &[]);
    check(&hooked, &guess.clone().after(900), &["stuck"]);
    // The transcript has the prompt, too.
    let both = Tale::new().live(Origin::Hook, Signal::Prompted, "").run("ls", 0, "a");
    check(&both, &guess.clone().after(900), &["stuck"]);
    // A hook that cannot report the end, or none at all, leaves the silence unexplained.
    let unsure = Tale::default().live_unsure(Signal::Prompted).run("ls", 0, "a");
    check(&unsure, &guess.clone().after(9000), &[]);
    check(&Tale::new().run("ls", 0, "a"), &guess.clone().after(9000), &[]);
    let over = hooked.clone().live(Origin::Hook, Signal::TurnOver, "");
    check(&over.clone().speak("late"), &guess.clone().after(9000), &[]);
    check(&over.prompt("on"), &guess.clone().after(9000), &[]);
    check(&hooked.call("Bash", "x".into()), &guess.after(9000), &[]);
}

#[test]
fn the_same_failing_command_is_a_loop_until_something_else_is_done() {
    let running = Stands::running();
    let fail = |tale: Tale| tale.run("./deploy --now", 1, "refused");
    let tale = times(Tale::new(), 4, fail);
    let found = tale.found(&running);
    assert_eq!(kinds(&found), ["loop"]);
    assert_eq!(found[0].evidence, [3, 5, 7, 9].map(id));
    assert_eq!(found[0].since, at(9));
    assert_eq!(
        found[0].says,
        "`./deploy --now` failed the same way 4 times with nothing changed in between."
    );
    check(&times(Tale::new(), 3, fail), &running, &[]);
    check(&times(Tale::new(), 4, |it| fail(it).run("cat log", 0, "x")), &running, &["loop"]);
    check(&times(Tale::new(), 4, |it| fail(it).edit("a", "x", "y")), &running, &[]);
    check(&tale.clone().run("make clean", 0, ""), &running, &[]);
    check(&tale.clone().prompt("try again"), &running, &[]);
    check(&tale.done("I give up"), &Stands::waiting(9), &[]);
}

#[test]
fn the_same_call_with_the_same_answer_is_a_loop_unless_it_waits() {
    let running = Stands::running();
    let read = |tale: Tale| tale.call("Read", serde_json::json!({"file_path": "a"})).answer(0, "x");
    check(&times(Tale::new(), 6, read), &running, &["loop"]);
    check(&times(Tale::new(), 5, read), &running, &[]);
    let poll = |tale: Tale| tale.run("sleep 30; gh run view 7", 0, "in progress");
    check(&times(Tale::new(), 20, poll), &running, &[]);
    let press = |tale: Tale| tale.call("browser_press", "down".into()).answer(0, "ok");
    check(&times(Tale::new(), 20, press), &running, &[]);
}

#[test]
fn a_change_made_and_undone_over_and_over_is_a_loop() {
    let running = Stands::running();
    let there = |tale: Tale| tale.edit("a.rs", "x", "y");
    let back = |tale: Tale| tale.edit("a.rs", "y", "x");
    let tale = back(there(back(there(Tale::new()))));
    check(&tale, &running, &["loop"]);
    assert_eq!(tale.found(&running)[0].evidence.len(), 4);
    check(&there(back(there(Tale::new()))), &running, &[]);
    check(&tale.prompt("undo it"), &running, &[]);
    let on = |tale: Tale| tale.edit("a.rs", "y", "z").edit("a.rs", "z", "w");
    check(&on(there(Tale::new())), &running, &[]);
}

#[test]
fn a_test_that_fails_the_same_way_whatever_is_changed() {
    let running = Stands::running();
    let fail = |tale: Tale| {
        tale.edit("a.rs", "x", "y").run("cargo test -p a 2>&1 | tail", 101, "test adds ... FAILED")
    };
    let tale = times(Tale::new(), 4, fail);
    check(&tale, &running, &["repeated_test_failure"]);
    check(&times(Tale::new(), 3, fail), &running, &[]);
    check(&tale.clone().run("cargo test -p a", 0, "ok"), &running, &[]);
    check(&tale.clone().run("cargo test", 0, "ok"), &running, &[]);
    check(&tale.clone().run("cargo test -p b", 0, "ok"), &running, &["repeated_test_failure"]);
    check(&tale.clone().run("cargo test -p a", 101, "test subs ... FAILED"), &running, &[]);
    check(&tale.clone().done("I give up."), &Stands::waiting(9), &["repeated_test_failure"]);
    check(&tale.clone().prompt("look at line 3"), &running, &[]);
    check(&tale.interrupted(), &Stands::waiting(9), &[]);
}

#[test]
fn types_that_do_not_fit() {
    let running = Stands::running();
    let text = "error[E0308]: mismatched types\n --> a.rs:3:4";
    let fail = |tale: Tale| tale.edit("a.rs", "x", "y").run("cargo check", 101, text);
    check(&times(Tale::new(), 3, fail), &running, &[]);
    let tale = times(Tale::new(), 4, fail);
    check(&tale, &running, &["type_error"]);
    check(&tale.run("cargo check", 0, ""), &running, &[]);
    let left = fail(Tale::new()).done("All done.");
    let found = left.found(&Stands::waiting(5));
    assert_eq!(kinds(&found), ["type_error"]);
    assert_eq!(found[0].confidence, Confidence::Medium);
    let mended = fail(Tale::new()).run("cargo check", 0, "").done("All done.");
    check(&mended, &Stands::waiting(5), &[]);
}

#[test]
fn something_is_not_installed() {
    let running = Stands::running();
    let text = "ModuleNotFoundError: No module named 'httpx'";
    let fail = |tale: Tale| tale.run("python main.py", 1, text);
    check(&fail(Tale::new()), &running, &[]);
    let tale = times(Tale::new(), 2, fail);
    check(&tale, &running, &["missing_dependency"]);
    check(&tale.clone().run("pip install httpx", 0, "ok"), &running, &[]);
    check(&tale.run("python main.py", 0, "ok"), &running, &[]);
    check(&fail(Tale::new()).done("It needs httpx."), &Stands::waiting(3), &["missing_dependency"]);
    let around = Tale::new().run("rg x", 127, "bash: rg: command not found").run("grep x", 0, "a");
    check(&around.done("Found it."), &Stands::waiting(3), &[]);
}

#[test]
fn a_merge_conflict_stands_until_it_is_settled() {
    let running = Stands::running();
    let text =
        "Auto-merging a.rs\nCONFLICT (content): Merge conflict in a.rs\nAutomatic merge failed";
    let tale = Tale::new().run("git merge main", 1, text);
    check(&tale, &running, &["merge_conflict"]);
    check(&tale.clone().prompt("go on").edit("a.rs", "<", ">"), &running, &["merge_conflict"]);
    check(&tale.clone().run("git commit -am merged", 0, ""), &running, &[]);
    check(&tale.run("git merge --abort", 0, ""), &running, &[]);
    check(&Tale::new().run("cat notes", 0, text), &running, &[]);
}

#[test]
fn what_stands_between_an_agent_and_its_provider() {
    let waiting = Stands::waiting(2);
    let ended = |code: &str, text: &str| Tale::new().fails(code, text, None);
    let check_ended = |code: &str, text: &str, expected: &str| {
        let tale = ended(code, text);
        check(&tale, &waiting, &[expected]);
        check(&tale.clone().prompt("again"), &Stands::running(), &[]);
        let over = Stands::new(Status::Exited, 2);
        let outlives = expected != "context_nearly_full";
        check(&tale, &over, if outlives { std::slice::from_ref(&expected) } else { &[] });
    };
    check_ended("", "Invalid API key · Please run /login", "auth_failure");
    check_ended("usage_limit_exceeded", "You have hit your usage limit.", "rate_limit");
    check_ended("rate_limit", "", "rate_limit");
    check_ended("", "stream disconnected before completion", "network_failure");
    check_ended("server_error", "", "provider_crash");
    check_ended("overloaded_error", "Overloaded", "provider_crash");
    check_ended("context_window_exceeded", "", "context_nearly_full");
}

#[test]
fn a_limit_names_the_ways_to_go_on_and_its_text_fits() {
    let found = Tale::new().fails("rate_limit", "", None).found(&Stands::waiting(2));
    let id: String = found[0].session_id.to_string().chars().take(8).collect();
    let steps = &format!(
        "; next: `taffrail queue add {id} \"go on\" --at-reset` or \
         `taffrail handoff {id} --to AGENT`"
    );
    let says = |code: &str, text: &str| {
        let found = Tale::new().fails(code, text, None).found(&Stands::waiting(2));
        found.into_iter().map(|it| it.says).collect::<Vec<_>>()
    };
    let expected = format!(
        "Its quota is used up, and the agent gave up: You have hit your usage limit{steps}"
    );
    assert_eq!(says("usage_limit_exceeded", "You have hit your usage limit."), [expected]);
    let long = says("rate_limit", &"Too many requests. ".repeat(20));
    assert!(long.iter().all(|it| it.ends_with(steps.as_str())), "{long:?}");
    let other = says("server_error", "Overloaded.");
    assert!(other.iter().all(|it| it.ends_with("Overloaded.")), "{other:?}");
    let tries = |tale: Tale| tale.fails("rate_limit", "429", Some(true));
    let tries = times(Tale::new(), 3, tries).found(&Stands::running());
    assert!(tries.iter().all(|it| it.says.ends_with("keeps trying: 429")), "{tries:?}");
}

#[test]
fn trying_again_is_ordinary_until_it_is_often() {
    let running = Stands::running();
    let again = |tale: Tale| tale.fails("rate_limit", "429", Some(true));
    check(&times(Tale::new(), 2, again), &running, &[]);
    let tale = times(Tale::new(), 3, again);
    check(&tale, &running, &["rate_limit"]);
    assert_eq!(tale.found(&running)[0].proposes, None);
    check(&tale.speak("There we are."), &running, &[]);
    check(&times(Tale::new(), 6, |it| again(it).speak("On it.")), &running, &[]);
}

#[test]
fn a_program_that_is_not_let_in() {
    let running = Stands::running();
    let text = "fatal: Authentication failed for 'https://example.org/a.git/'";
    let tale = Tale::new().run("git push origin main", 128, text);
    check(&tale, &running, &["auth_failure"]);
    check(&tale.clone().run("ls", 0, "a"), &running, &["auth_failure"]);
    check(&tale.run("git push origin main", 0, ""), &running, &[]);
}

#[test]
fn a_process_that_ended_in_the_middle_of_a_turn() {
    let died = |tale: Tale| tale.live(Origin::Process, Signal::Died, "");
    let over = Stands { life: Life::Dead, ..Stands::new(Status::Exited, 3) };
    let mut crashed = over.clone();
    crashed.reading.failure = Some(Failure::Crashed);
    check(&died(Tale::new().run("ls", 0, "a")), &crashed, &["provider_crash"]);
    check(&died(Tale::new().run("ls", 0, "a")), &over, &[]);
    check(&died(Tale::new().done("ok")), &over, &[]);
    let ended = Tale::new().live(Origin::Hook, Signal::Ended, "");
    check(&died(ended), &over, &[]);
    check(&died(Tale::new()).prompt("go on"), &Stands::running(), &[]);
    check(&died(Tale::new()), &Stands::running(), &[]);
}

#[test]
fn a_status_line_tells_how_full_the_context_is() {
    let running = Stands::running();
    check(&Tale::new().uses(179_999, 200_000), &running, &[]);
    let full = Tale::new().uses(180_000, 200_000);
    check(&full, &running, &["context_nearly_full"]);
    let found = &full.found(&running)[0];
    assert_eq!(found.says, "180000 of 200000 tokens of its context are used.");
    // The latest report counts, whatever the order of arrival.
    check(&full.clone().uses(20_000, 200_000), &running, &[]);
    let mut turned = full.clone().uses(20_000, 200_000);
    turned.said.reverse();
    check(&turned, &running, &[]);
    // A later count is compared with the known window.
    let counted = |second| Stands {
        context: Some(Context { used: 190_000, at: at(second), window: None }),
        ..Stands::running()
    };
    let little = Tale::new().uses(20_000, 200_000);
    check(&little, &counted(9), &["context_nearly_full"]);
    check(&little, &counted(0), &[]);
    // A thousand repetitions displace nothing else.
    let tale = Tale::new().fails("rate_limit", "429", None);
    check(&times(tale, 300, |it| it.uses(1, 200_000)), &Stands::waiting(2), &["rate_limit"]);
    check(&full.folds(180_000), &running, &[]);
}

#[test]
fn a_context_that_is_nearly_full() {
    let used = |used: u64, window: Option<u64>| Stands {
        context: Some(Context { used, at: at(9), window }),
        ..Stands::running()
    };
    let tale = Tale::new();
    check(&tale, &used(180_000, Some(200_000)), &["context_nearly_full"]);
    check(&tale, &used(179_000, Some(200_000)), &[]);
    check(&tale, &used(180_000, None), &[]);
    let folded = tale.folds(160_000).speak("on");
    check(&folded, &used(150_000, None), &["context_nearly_full"]);
    check(&folded, &used(20_000, None), &[]);
    check(&folded.later(10).folds(150_000), &used(150_000, None), &[]);
}

#[test]
fn a_question_and_a_risky_approval() {
    let question = Stands::new(Status::Waiting, 2).on(WaitingKind::Question, "Which port?");
    let asked = Signal::Asked { call: String::new(), options: Vec::new() };
    let tale = Tale::new().live(Origin::Hook, asked, "Which port?");
    let found = tale.found(&question);
    assert_eq!(kinds(&found), ["question_asked"]);
    assert_eq!(
        (found[0].says.as_str(), &found[0].evidence[..]),
        ("It asks: Which port?", &[id(2)][..])
    );
    check(&tale, &Stands { role: Role::Worker, ..question }, &[]);
    check(&tale, &Stands::running(), &[]);

    let ask =
        |command: &str| Stands::new(Status::WaitingApproval, 2).on(WaitingKind::Approval, command);
    let tale = Tale::new().asks_approval("rm -rf /data");
    let found = tale.found(&ask("rm -rf /data"));
    assert_eq!(kinds(&found), ["risky_approval"]);
    assert_eq!(found[0].says, "It asks to run `rm -rf /data`: deletes whole folders.");
    check(&tale, &ask("ls"), &[]);
    check(&tale, &Stands::running(), &[]);
    let mut unsure = ask("rm -rf /data");
    unsure.reading.confidence = Confidence::Low;
    check(&tale, &unsure, &[]);
}

#[test]
fn an_approval_that_waits_for_long() {
    let tale = Tale::new().asks_approval("ls");
    let ask = Stands::new(Status::WaitingApproval, 2).on(WaitingKind::Approval, "ls");
    check(&tale, &ask.clone().after(299), &[]);
    check(&tale, &ask.clone().after(300), &["approval_backlog"]);
    let found = tale.found(&ask.after(300));
    assert_eq!(found[0].since, at(302));
    assert_eq!(found[0].says, "An approval has waited for 5 minutes: ls");
}

#[test]
fn several_sessions_that_wait_at_once() {
    let waits =
        |name: &str, since: i64| Blocked { session: session(name), since: at(since), asked: None };
    let all = [waits("a", 10), waits("b", 0), waits("c", 20)];
    let thresholds = Thresholds::default();
    let found = together(&all, at(80), &thresholds).unwrap();
    assert_eq!(
        (found.kind, found.session_id, found.since),
        (FindingKind::SeveralBlocked, session("b"), at(80))
    );
    assert_eq!(found.says, "3 sessions wait for you; this one waits longest.");
    assert_eq!(together(&all, at(79), &thresholds), None);
    assert_eq!(together_until(&all, at(79), &thresholds), Some(at(80)));
    assert_eq!(together(&all[..2], at(800), &thresholds), None);
    let twice = [all[0], all[0], all[1]];
    assert_eq!(together(&twice, at(800), &thresholds), None);
}

#[test]
fn a_long_job_that_is_done() {
    let long = Tale::new().run("cargo test", 0, "ok").later(200).done("Done.");
    let found = long.found(&Stands::waiting(203));
    assert_eq!(kinds(&found), ["finished"]);
    assert_eq!(found[0].says, "Done after 3 minutes; `cargo test` passed last.");
    assert_eq!(found[0].evidence, [id(3), id(4)]);
    check(&long, &Stands::new(Status::Exited, 204), &["finished"]);
    check(&long, &Stands::running(), &[]);
    check(&long.clone().prompt("more"), &Stands::running(), &[]);
    check(&long, &Stands { role: Role::Worker, ..Stands::waiting(203) }, &[]);
    check(&Tale::new().later(20).done("Yes."), &Stands::waiting(22), &[]);
    check(&Tale::new().later(200).interrupted(), &Stands::waiting(203), &[]);
    let asked = Tale::new().asks_approval("ls").later(200).run("ls", 0, "a").done("Done.");
    check(&asked, &Stands::waiting(205), &[]);
    let failed = Tale::new().run("cargo test", 1, "x").later(200).done("Done.");
    let found = failed.found(&Stands::waiting(203));
    assert_eq!(found[0].says, "Stopped after 3 minutes; `cargo test` failed last.");
    assert!(found[0].proposes.is_some());
}

#[test]
fn nothing_secret_or_unprintable_is_said() {
    let command = "curl -H 'Authorization: Bearer sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-AAAAAAAA' \u{1b}[31mx";
    let tale = times(Tale::new(), 4, |it| it.run(command, 1, "no"));
    let says = &tale.found(&Stands::running())[0].says;
    assert!(!says.contains("aaaaaa") && !says.contains('\u{1b}'), "{says}");
}
