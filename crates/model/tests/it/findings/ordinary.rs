//! Hours of ordinary work without any finding.

use crate::findings::kit::{Stands, Tale, kinds};
use proptest::prelude::*;
use serde_json::json;
use taffrail_model::findings::{Fold, Thresholds};

/// One step of an agent. Every choice is common in real sessions.
pub(crate) fn step(tale: Tale, choice: u8, number: usize) -> Tale {
    let file = format!("src/m{}.rs", number % 7);
    let (old, new) = (format!("old {number}"), format!("new {number}"));
    match choice {
        // A test is written, fails, and is made to pass.
        0 => tale
            .edit(&file, &old, &new)
            .run("cargo test -p a", 101, &format!("test t{number} ... FAILED"))
            .edit(&file, &new, &format!("{new}!"))
            .run("cargo test -p a", 101, &format!("test t{number} ... FAILED\nassertion failed"))
            .edit(&file, &format!("{new}!"), &format!("{new}?"))
            .run("cargo test -p a", 0, "test result: ok"),
        // Type errors are fixed one by one.
        1 => {
            let error = |it: usize| format!("error[E0308]: mismatched types in f{it}");
            tale.edit(&file, &old, &new)
                .run("cargo check", 101, &error(number))
                .edit(&file, "a", "b")
                .run("cargo check", 101, &error(number + 1))
                .edit(&file, "c", "d")
                .run("cargo check", 0, "")
        }
        // A change is tried and undone once.
        2 => tale.edit(&file, &old, &new).edit(&file, &new, &old),
        // A program is missing; another does the job.
        3 => tale.run("rg todo", 127, "bash: rg: command not found").run("grep -rn todo", 0, "a"),
        // A package is missing and is installed.
        4 => tale
            .run("python m.py", 1, "ModuleNotFoundError: No module named 'yaml'")
            .run("pip install pyyaml", 0, "ok")
            .run("python m.py", 0, "ok"),
        // The agent waits for a remote build.
        5 => (0..12)
            .fold(tale, |it, _| it.later(30).run("sleep 30; gh run view 9", 0, "in progress")),
        // Files are read and searched; some do not exist.
        6 => tale
            .call("Read", json!({"file_path": file}))
            .answer(0, "text")
            .run("grep -n fn src/x.rs", 1, "")
            .run("git status", 0, "nothing to commit"),
        // The provider is busy for a moment.
        7 => tale
            .fails("overloaded_error", "529", Some(true))
            .fails("overloaded_error", "529", Some(true))
            .speak("On it."),
        // A long command runs.
        8 => tale
            .call("Bash", json!({"command": "cargo build --release"}))
            .later(1500)
            .answer(0, "ok"),
        // A person takes part.
        9 => tale.speak("I have done the first part.").prompt("go on"),
        // A flaky test runs again, and passes.
        10 => tale
            .run("npm test", 1, "1 failed")
            .run("npm test", 1, "1 failed")
            .run("npm test", 0, "ok"),
        // The agent thinks for a while.
        _ => tale.later(600).speak("Now I see."),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn two_hours_of_ordinary_work_bring_no_finding(choices in prop::collection::vec(0u8..12, 60..160)) {
        let (stands, thresholds) = (Stands::running(), Thresholds::default());
        let tale = choices.iter().enumerate().fold(Tale::new(), |it, (number, choice)| step(it, *choice, number));
        let mut fold = Fold::default();
        // No finding appears at any instant, including right before the next event.
        for (place, said) in tale.said.iter().enumerate() {
            fold.take(&said.heard());
            let next = tale.said.get(place + 1).map_or(said.at, |it| it.at);
            let found = fold.findings(&stands.standing(), next, &thresholds);
            prop_assert_eq!(kinds(&found), Vec::<&str>::new(), "{:#?}", found);
        }
        prop_assert!(tale.second >= 60);
    }
}

#[test]
fn the_replay_is_two_hours_long() {
    let tale = (0..200).fold(Tale::new(), |tale, it| step(tale, (it % 12) as u8, it));
    assert!(tale.second > 7200, "{}", tale.second);
    assert_eq!(kinds(&tale.found(&Stands::running())), Vec::<&str>::new());
}
