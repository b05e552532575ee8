//! Single situations, by name.

use std::collections::BTreeSet;
use taffrail_blame::{
    Added, Author, Base, Change, Edit, Hunk, Line, Place, Reach, Root, attribute,
};

const FILE: &str = "src/lamp.py";

fn edit(at: i64, author: usize, change: Change) -> Edit {
    let place = Place { root: Root(0), path: FILE.to_owned() };
    Edit { at: at * 10_000, author: Author(author), place, base: Base::Unknown, change }
}

fn write(at: i64, author: usize, lines: &[&str]) -> Edit {
    edit(at, author, Change::Write(lines.join("\n")))
}

fn replace(at: i64, author: usize, old: &[&str], new: &[&str]) -> Edit {
    let hunk = Hunk { old: old.join("\n"), new: new.join("\n") };
    edit(at, author, Change::Replace(vec![hunk], Reach::Once))
}

fn over(text: &[&str], edit: Edit) -> Edit {
    Edit { base: Base::Text(text.join("\n")), ..edit }
}

/// Lines with the time of their commit; `0` for none.
fn lines(all: &[(i64, &str)]) -> Vec<Line> {
    let added = |at: i64| if at == 0 { Added::Uncommitted } else { Added::At(at * 10_000) };
    let line = |(at, text): &(i64, &str)| Line {
        text: (*text).to_owned(),
        added: added(*at),
        path: FILE.to_owned(),
    };
    all.iter().map(line).collect()
}

fn check(edits: &[Edit], file: &[(i64, &str)], expected: &[usize]) {
    let names = BTreeSet::from([FILE.to_owned()]);
    let found = attribute(&lines(file), &names, edits);
    let found: Vec<usize> = found.iter().map(|it| it.map_or(0, |author| author.0)).collect();
    assert_eq!(found, expected, "{file:?}");
}

const ONE: &str = "def lamp(wick, oil):";
const TWO: &str = "    return wick.height";
const TRIMMED: &str = "    return wick.height or trimmed(wick)";
const THREE: &str = "LAMPS = [lamp(w) for w in wicks()]";
const HAND: &str = "SPARE = lamp(None)";

#[test]
fn a_later_turn_has_the_line_that_it_changed() {
    let edits = [write(1, 1, &[ONE, TWO, THREE]), replace(2, 2, &[TWO], &[TRIMMED])];
    check(&edits, &[(3, ONE), (3, TRIMMED), (3, THREE), (4, HAND)], &[1, 2, 1, 0]);
    let part = replace(2, 2, &["height"], &["height or trimmed(wick)"]);
    let edits = [write(1, 1, &[ONE, TWO, THREE]), part];
    check(&edits, &[(3, ONE), (3, TRIMMED), (3, THREE)], &[1, 2, 1]);
    check(&edits, &[(0, ONE), (0, TRIMMED), (0, HAND), (0, THREE)], &[1, 2, 0, 1]);
}

#[test]
fn a_short_line_above_a_change_stays_with_its_turn() {
    let short = "def lamp(wick):";
    let edits = [write(1, 1, &[short, TWO, THREE]), replace(2, 2, &[TWO], &[TRIMMED])];
    check(&edits, &[(3, short), (3, TRIMMED), (3, THREE), (4, HAND)], &[1, 2, 1, 0]);
}

#[test]
fn a_commit_before_the_edit_cannot_hold_its_lines() {
    let edits = [write(5, 1, &[ONE, TWO, THREE])];
    check(&edits, &[(3, ONE), (7, TWO), (3, THREE)], &[0, 1, 0]);
}

#[test]
fn a_common_line_needs_its_neighbours() {
    let edits = [write(1, 1, &["fn lamp(wick: Wick) {", "    light(wick, 1234)", "}"])];
    let own = [(2, "fn lamp(wick: Wick) {"), (2, "    light(wick, 1234)"), (2, "}")];
    let by_hand = [(2, "fn buoy() {"), (2, "    ring(5678)"), (2, "}")];
    check(&edits, &[own, by_hand].concat(), &[1, 1, 1, 0, 0, 0]);
    check(&edits, &[by_hand, own].concat(), &[0, 0, 0, 1, 1, 1]);
    check(&edits, &by_hand, &[0, 0, 0]);
    let apart = [own[0], own[1], (2, "    more()"), own[2]];
    check(&edits, &apart, &[1, 1, 0, 0]);
}

#[test]
fn a_line_that_says_little_is_not_enough() {
    let edits = [write(1, 1, &["import os", "x = 1"])];
    check(&edits, &[(2, "import os"), (2, "def other():")], &[0, 0]);
}

#[test]
fn a_line_by_two_sessions_is_not_known() {
    let mut other = write(2, 2, &[TRIMMED, THREE]);
    other.place.path = "src/buoy.py".to_owned();
    let names = BTreeSet::from([FILE.to_owned(), "src/buoy.py".to_owned()]);
    let file = lines(&[(3, ONE), (3, TRIMMED), (3, THREE)]);
    let found = attribute(&file, &names, &[write(1, 1, &[ONE, TRIMMED, THREE]), other]);
    assert_eq!(found, [Some(Author(1)), None, None]);
}

#[test]
fn the_lines_of_others_stay_theirs_when_a_session_writes_the_whole_file() {
    let whole = write(2, 1, &[ONE, TRIMMED, THREE]);
    check(
        &[over(&[ONE, TWO, THREE], whole.clone())],
        &[(3, ONE), (3, TRIMMED), (3, THREE)],
        &[0, 1, 0],
    );
    let there = Edit { base: Base::There, ..whole.clone() };
    check(&[there], &[(3, ONE), (3, TRIMMED), (3, THREE)], &[0, 0, 0]);
    let edits = [write(1, 2, &[ONE, TWO, THREE]), whole];
    check(&edits, &[(3, ONE), (3, TRIMMED), (3, THREE)], &[2, 1, 2]);
}

#[test]
fn a_moved_line_keeps_its_author() {
    let base = [ONE, TWO, THREE];
    let edits = [over(&base, write(2, 1, &[THREE, HAND, ONE, TWO]))];
    check(&edits, &[(3, THREE), (3, HAND), (3, ONE), (3, TWO)], &[0, 1, 0, 0]);
}

#[test]
fn a_patch_of_an_unknown_file_claims_only_what_it_adds() {
    let edits = [replace(1, 1, &[ONE, TWO], &[ONE, TRIMMED, THREE])];
    check(&edits, &[(2, "# by hand"), (2, ONE), (2, TRIMMED), (2, THREE)], &[0, 0, 1, 1]);
}

#[test]
fn a_line_that_a_hand_brings_back_is_not_known() {
    let edits = [write(1, 1, &[ONE, TWO, THREE])];
    check(&edits, &[(2, ONE), (5, TWO), (2, THREE)], &[1, 0, 1]);
    let edits = [write(1, 1, &[ONE, TWO, THREE]), replace(3, 2, &[TWO, THREE], &[THREE])];
    check(&edits, &[(2, ONE), (5, TWO), (2, THREE)], &[1, 0, 1]);
}

#[test]
fn a_line_that_others_indent_is_not_known() {
    let edits = [write(1, 1, &[ONE, TWO, THREE])];
    check(&edits, &[(2, ONE), (4, "        return wick.height"), (2, THREE)], &[1, 0, 1]);
}

#[test]
fn white_space_at_the_end_does_not_count() {
    let edits = [write(1, 1, &[ONE, "    return wick.height  ", THREE])];
    check(&edits, &[(2, "def lamp(wick, oil):\r"), (2, TWO), (2, THREE)], &[1, 1, 1]);
}

#[test]
fn two_blank_lines_of_which_one_is_new_are_not_known() {
    let edits = [write(1, 1, &[ONE, "", THREE])];
    check(&edits, &[(2, ONE), (2, ""), (2, ""), (2, THREE)], &[1, 0, 0, 1]);
}

#[test]
fn a_moved_file_keeps_its_lines() {
    let mut first = write(1, 1, &[ONE, TWO]);
    first.place.path = "old.py".to_owned();
    let moved = Edit { at: 20_000, change: Change::Move(FILE.to_owned()), ..first.clone() };
    check(&[first, moved, replace(3, 2, &[TWO], &[TRIMMED])], &[(4, ONE), (4, TRIMMED)], &[1, 2]);
}

#[test]
fn another_working_tree_continues_from_this_one() {
    let mut other = write(2, 2, &[ONE, TWO, THREE]);
    other.place.root = Root(1);
    check(&[write(1, 1, &[ONE, TWO]), other], &[(3, ONE), (3, TWO), (3, THREE)], &[1, 1, 2]);
}

#[test]
fn context_is_never_attributed() {
    let mut file = lines(&[(2, ONE), (2, TWO)]);
    file[0].added = Added::Context;
    let names = BTreeSet::from([FILE.to_owned()]);
    let found = attribute(&file, &names, &[write(1, 1, &[ONE, TWO])]);
    assert_eq!(found, [None, Some(Author(1))]);
}

#[test]
fn a_line_of_another_file_is_not_claimed() {
    let mut file = lines(&[(2, ONE), (2, TWO)]);
    file[1].path = "elsewhere.py".to_owned();
    let edits = [write(1, 1, &[ONE, TWO])];
    assert_eq!(attribute(&file, &BTreeSet::new(), &edits), [Some(Author(1)), None]);
}
