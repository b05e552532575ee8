//! A file that hands and sessions change in any order, with the true author of every line.
#![expect(clippy::indexing_slicing, reason = "a test that cannot go on must stop")]

use proptest::prelude::*;
use std::collections::BTreeSet;
use taffrail_blame::{
    Added, Author, Base, Change, Edit, Hunk, Line, Place, Reach, Root, attribute,
};

const FILE: &str = "lamp.rs";
/// Lines that everybody writes.
const COMMON: [&str; 5] = ["}", "", "    return None", "else {", "#[test]"];

#[derive(Debug, Clone)]
struct Truth {
    text: String,
    author: Option<usize>,
    commit: Option<i64>,
}

/// One step: who, how, where, and how many lines.
#[derive(Debug, Clone)]
struct Step {
    who: usize,
    how: usize,
    at: usize,
    taken: usize,
    given: usize,
    common: usize,
}

struct World {
    file: Vec<Truth>,
    edits: Vec<Edit>,
    now: i64,
    made: usize,
}

impl World {
    fn new() -> Self {
        Self { file: Vec::new(), edits: Vec::new(), now: 0, made: 0 }
    }

    fn text(&self) -> String {
        self.file.iter().flat_map(|it| [it.text.as_str(), "\n"]).collect()
    }

    fn line(&mut self, step: &Step, number: usize) -> String {
        self.made += 1;
        // No common line at either end: then nobody could say which of two equal ones is new.
        let is_common =
            number > 0 && number + 1 < step.given && (number + step.common).is_multiple_of(3);
        match is_common {
            true => COMMON[(self.made + step.common) % COMMON.len()].to_owned(),
            false => format!("    let name_{} = compute({});", self.made, self.made * 7),
        }
    }

    fn take(&mut self, step: &Step) {
        self.now += 10_000;
        match step.how {
            0..=6 => self.change(step),
            7 => {
                let now = self.now;
                let new = self.file.iter_mut().filter(|it| it.commit.is_none());
                new.for_each(|it| it.commit = Some(now));
            }
            _ => {
                // A squash or a rebase.
                let now = self.now;
                self.file
                    .iter_mut()
                    .filter(|it| it.commit.is_some())
                    .for_each(|it| it.commit = Some(now));
            }
        }
    }

    fn change(&mut self, step: &Step) {
        let from = step.at % (self.file.len() + 1);
        let to = (from + step.taken).min(self.file.len());
        let author = Some(step.who).filter(|it| *it > 0);
        let texts: Vec<String> = (0..step.given).map(|it| self.line(step, it)).collect();
        // A line that is replaced by an equal one is the same line.
        let mut removed = self.file[from..to].iter();
        let new = texts.iter().map(|text| {
            let same = removed.clone().position(|it| it.text == *text);
            let same = same.and_then(|it| removed.nth(it)).cloned();
            same.unwrap_or_else(|| Truth { text: text.clone(), author, commit: None })
        });
        let new: Vec<Truth> = new.collect();
        let before = self.text();
        // One line around makes the place certain, as agents do it.
        let (low, high) = (from.saturating_sub(1), (to + 1).min(self.file.len()));
        let joined =
            |all: &[Truth]| all.iter().map(|it| it.text.clone()).collect::<Vec<_>>().join("\n");
        let old = joined(&self.file[low..high]);
        self.file.splice(from..to, new);
        let grown = high + texts.len() - (to - from);
        let hunk = Hunk { old: old.clone(), new: joined(&self.file[low..grown]) };
        if let Some(author) = author {
            let is_certain = !old.is_empty() && before.matches(&old).count() == 1;
            let (base, change) = match step.how {
                0 | 1 if is_certain => (Base::Unknown, Change::Replace(vec![hunk], Reach::Once)),
                2 | 3 if is_certain => {
                    (Base::Text(before), Change::Replace(vec![hunk], Reach::Once))
                }
                _ if before.is_empty() => (Base::Unknown, Change::Write(self.text())),
                4 => (Base::There, Change::Write(self.text())),
                _ => (Base::Text(before), Change::Write(self.text())),
            };
            let place = Place { root: Root(0), path: FILE.to_owned() };
            self.edits.push(Edit { at: self.now, author: Author(author), place, base, change });
        }
    }

    /// Lines of sessions, those that were found, and those that were attributed wrongly.
    fn outcome(&self) -> (usize, usize, Vec<String>) {
        let line = |it: &Truth| Line {
            text: it.text.clone(),
            added: it.commit.map_or(Added::Uncommitted, Added::At),
            path: FILE.to_owned(),
        };
        let lines: Vec<Line> = self.file.iter().map(line).collect();
        let found = attribute(&lines, &BTreeSet::from([FILE.to_owned()]), &self.edits);
        let found: Vec<_> = found.into_iter().map(|it| it.map(|author| author.0)).collect();
        let both = self.file.iter().zip(&found);
        let wrong =
            both.clone().filter(|(truth, found)| found.is_some() && truth.author != **found);
        let wrong = wrong.map(|(truth, found)| format!("{truth:?} as {found:?}")).collect();
        let right = both.filter(|(truth, found)| found.is_some() && truth.author == **found);
        (self.file.iter().filter(|it| it.author.is_some()).count(), right.count(), wrong)
    }
}

fn step() -> impl Strategy<Value = Step> {
    (0..4_usize, 0..9_usize, 0..60_usize, 0..4_usize, 0..7_usize, 0..30_usize).prop_map(
        |(who, how, at, taken, given, common)| Step { who, how, at, taken, given, common },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_line_is_attributed_to_a_session_that_did_not_write_it(
        steps in proptest::collection::vec(step(), 1..40),
    ) {
        let mut world = World::new();
        steps.iter().for_each(|it| world.take(it));
        let (_, _, wrong) = world.outcome();
        prop_assert_eq!(wrong, Vec::<String>::new());
    }
}

#[test]
fn most_lines_of_sessions_are_found() {
    let (mut all, mut found) = (0, 0);
    let mut seed = 7_u64;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    };
    for _ in 0..30 {
        let mut world = World::new();
        for _ in 0..40 {
            let (who, how, at) = (next(4), next(9), next(60));
            let how = if how == 4 { 5 } else { how };
            let (taken, given, common) = (next(4), next(7), next(30));
            world.take(&Step { who, how, at, taken, given, common });
        }
        let (lines, right, wrong) = world.outcome();
        assert_eq!(wrong, Vec::<String>::new());
        (all, found) = (all + lines, found + right);
    }
    assert!(found * 10 >= all * 9, "{found} of {all} lines");
}
