//! Who wrote a line, over whole histories.

use crate::blame_world::{Outcome, World};

fn outcome(seed: u64, commits: usize) -> Outcome {
    let mut world = World::new(seed);
    world.commit(commits);
    world.outcome()
}

/// No line has a wrong author, and at least this share, in hundredths, has its own.
#[expect(clippy::print_stdout, reason = "the figures are for the documentation")]
fn check(found: &Outcome, share: usize) {
    println!("{} of {} lines, {} by others", found.right, found.lines, found.others);
    assert_eq!(found.wrong, Vec::<String>::new());
    assert!(found.right * 100 >= found.lines * share, "{} of {}", found.right, found.lines);
}

#[test]
fn a_history_of_sessions_hands_and_a_bot_has_no_wrong_author() {
    check(&outcome(15, 40), 90);
}

/// The measurement of docs/blame.md.
#[test]
#[ignore = "takes a minute; run it with --run-ignored all --no-capture"]
fn two_hundred_commits_have_no_wrong_author() {
    let mut sum = Outcome::default();
    for seed in 1..=5 {
        let found = outcome(seed, 200);
        sum.lines += found.lines;
        sum.right += found.right;
        sum.others += found.others;
        sum.wrong.extend(found.wrong);
    }
    check(&sum, 80);
}
