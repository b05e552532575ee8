//! Many processes at once, and kills: no line is lost, no file is ever invalid, time never goes
//! back.

use crate::work::{id, project};
use serde_json::Value;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use taffrail_contracts::Strictness;
use taffrail_testkit::{Fate, Home, Scale};
use taffrail_workspace::{read_yaml, validate_path};

const WRITERS: usize = 8;
const MODELS: [&str; 3] = ["opus", "sonnet", "gemini"];

/// Runs commands one after the other in each of eight writers.
fn all_at_once(home: &Home, times: usize, command: impl Fn(usize, usize) -> Vec<String> + Sync) {
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let command = &command;
            scope.spawn(move || {
                for time in 0..times {
                    let words = command(writer, time);
                    home.ok(&words.iter().map(String::as_str).collect::<Vec<_>>());
                }
            });
        }
    });
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

fn lines(home: &Home) -> Vec<Value> {
    let text = std::fs::read_to_string(folder(home).join("history.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).expect("a whole line")).collect()
}

fn folder(home: &Home) -> PathBuf {
    home.path(".ai-session").join(id(home))
}

#[test]
fn no_line_is_lost() {
    let (home, times) = (project(), Scale::from_env().pick(15, 1000));
    let before = lines(&home).len();
    all_at_once(&home, times, |writer, time| {
        words(&format!(
            "work log --command c{writer} --arguments {time} --model opus --agent a{writer} --status success --duration-ms 1"
        ))
    });
    let after = lines(&home);
    assert_eq!(after.len(), before + WRITERS * times);
    for writer in 0..WRITERS {
        let own = after.iter().filter(|it| it["command"] == format!("c{writer}"));
        let told: Vec<_> = own.map(|it| it["arguments"].as_str().unwrap().to_owned()).collect();
        let expected: Vec<_> = (0..times).map(|time| time.to_string()).collect();
        assert_eq!(told, expected, "each line once, in its order");
    }
    check_sound(&home);
}

#[test]
fn updates_leave_the_state_valid_and_time_goes_on() {
    let (home, times) = (project(), Scale::from_env().pick(8, 200));
    let before = lines(&home).len();
    all_at_once(&home, times, |writer, time| {
        words(&format!("work use {}", MODELS[(writer + time) % MODELS.len()]))
    });
    let after = lines(&home);
    assert_eq!(after.len(), before + WRITERS * times);
    let instants: Vec<_> =
        after.iter().map(|it| it["timestamp"].as_str().unwrap().parse().unwrap()).collect();
    assert!(instants.is_sorted_by(|one: &taffrail_model::Timestamp, next| one < next));
    let state = home.json(&["work", "show", "--json"]);
    assert_eq!(state["current_state"]["last_updated"], after.last().unwrap()["timestamp"]);
    assert_eq!(state["current_state"]["model_in_use"], after.last().unwrap()["model"]);
    check_sound(&home);
}

/// Another tool writes the state by renaming, without our lock, while people read it.
#[test]
fn looking_never_takes_back_what_another_tool_wrote() {
    let home = project();
    let state = folder(&home).join("state.yaml");
    let beside = state.with_extension("theirs");
    let text = std::fs::read_to_string(&state).unwrap();
    let (mut last, mut reverted) = (text.clone(), 0);
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(std::sync::atomic::Ordering::SeqCst) {
                    home.ok(&["work", "show"]);
                }
            });
        }
        for number in 0..400 {
            reverted += usize::from(std::fs::read_to_string(&state).unwrap() != last);
            last = format!("{text}x-number: {number}\n");
            std::fs::write(&beside, &last).unwrap();
            std::fs::rename(&beside, &state).unwrap();
            home.ok(&["--version"]);
        }
        done.store(true, std::sync::atomic::Ordering::SeqCst);
    });
    reverted += usize::from(std::fs::read_to_string(&state).unwrap() != last);
    assert_eq!(reverted, 0);
}

#[test]
fn kills_never_leave_an_invalid_file() {
    let (home, scale) = (project(), Scale::from_env());
    let mut chance = scale.chance("work kills");
    let usual = (0..3).map(|_| timed(&home)).min().unwrap();
    let (mut struck, mut last) = (0, String::new());
    for round in 0..scale.pick(30, 1000) {
        let command = match round % 3 {
            0 => words(&format!("work task add k{round} --phase build --description d --agent a")),
            _ => words(&format!("work use {}", chance.pick(&MODELS))),
        };
        let run = home.spawn(&command.iter().map(String::as_str).collect::<Vec<_>>());
        let micros = usize::try_from(usual.as_micros()).unwrap() * 6 / 5;
        let delay = Duration::from_micros(chance.below(micros).try_into().unwrap());
        struck += usize::from(run.kill_after(delay) == Fate::Killed);
        last = check_files(&home, &last);
        if round % 10 == 9 {
            check_sound(&home);
        }
    }
    println!("{struck} were struck at work");
    assert!(struck > 5, "only {struck} were struck at work");
    check_sound(&home);
}

fn timed(home: &Home) -> Duration {
    let begun = Instant::now();
    home.ok(&["work", "use", "opus"]);
    begun.elapsed()
}

/// Checks the files themselves, before anything is rolled forward; returns the instant of the
/// state.
fn check_files(home: &Home, before: &str) -> String {
    let report = validate_path(home.root(), Strictness::Strict).unwrap();
    assert!(report.is_valid(), "{:?}", report.faults);
    let names =
        std::fs::read_dir(home.path(".ai-session")).unwrap().map(|it| it.unwrap().file_name());
    let names: Vec<_> = names.filter_map(|it| it.into_string().ok()).collect();
    let feature = names.iter().find(|it| it.starts_with("dark-mode")).expect("the feature");
    let state = home.path(".ai-session").join(feature).join("state.yaml");
    let state = read_yaml(&std::fs::read_to_string(state).unwrap()).unwrap();
    let instant = state["current_state"]["last_updated"].as_str().unwrap().to_owned();
    let at = |text: &str| text.parse::<taffrail_model::Timestamp>().ok();
    assert!(at(before) <= at(&instant), "{before} {instant}");
    instant
}

fn check_sound(home: &Home) {
    let output = home.run(&["work", "check"]);
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
}
