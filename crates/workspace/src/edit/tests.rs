//! Edits change only their target.

use super::*;
use proptest::prelude::*;
use serde_json::json;

fn set(path: &str, value: Value) -> Edit {
    Edit::Set(path.to_owned(), value)
}

fn push(path: &str, value: Value) -> Edit {
    Edit::Push(path.to_owned(), value)
}

fn remove(path: &str, index: usize) -> Edit {
    Edit::Remove(path.to_owned(), index)
}

fn check(text: &str, edit: Edit, expected: &str) {
    assert_eq!(edited(text, &[edit]).as_deref(), Ok(expected), "{text}");
}

#[test]
fn a_value_is_set_in_its_place() {
    check("# top\na: 1 # one\nb: 2\n", set("/a", json!(9)), "# top\na: 9 # one\nb: 2\n");
    check("a:\n  b: 'x'   # why\n", set("/a/b", json!("y")), "a:\n  b: \"y\"   # why\n");
    check("a: {b: x, c: y}\n", set("/a/c", json!(null)), "a: {b: x, c: null}\n");
    check("a:\nb: 1\n", set("/a", json!("x")), "a: \"x\"\nb: 1\n");
    check("a:\n- b: 1\n- b: 2\n", set("/a/1/b", json!(3)), "a:\n- b: 1\n- b: 3\n");
    check("a: [x,\n  y]\n", set("/a", json!([])), "a: []\n");
}

#[test]
fn a_key_is_added_to_its_map() {
    check("a: 1\n", set("/b", json!("x")), "a: 1\nb: \"x\"\n");
    check("a: 1", set("/b", json!("x")), "a: 1\nb: \"x\"");
    check(
        "m:\n  a: 1 # c\n\n# end\nn: 2\n",
        set("/m/b", json!(2)),
        "m:\n  a: 1 # c\n  b: 2\n\n# end\nn: 2\n",
    );
    check("m: {}\n", set("/m/b", json!(2)), "m: {\"b\": 2}\n");
    check("m: {a: 1}\n", set("/m/b", json!(2)), "m: {a: 1, \"b\": 2}\n");
    check(
        "m:\n  t: |\n    one\n    two\nn: 2\n",
        set("/m/b", json!(2)),
        "m:\n  t: |\n    one\n    two\n  b: 2\nn: 2\n",
    );
}

#[test]
fn an_element_is_added_at_the_end() {
    check(
        "l:\n  - a\n  - b # two\n# end\n",
        push("/l", json!("c")),
        "l:\n  - a\n  - b # two\n  - \"c\"\n# end\n",
    );
    check("l:\n- x: 1\n  y: 2\n", push("/l", json!({"x": 3})), "l:\n- x: 1\n  y: 2\n- x: 3\n");
    check(
        "l: []\nm: 1\n",
        push("/l", json!({"id": "a", "n": [1]})),
        "l:\n  - id: \"a\"\n    \"n\": [1]\nm: 1\n",
    );
    check("l: [] # none yet\n", push("/l", json!("a")), "l: # none yet\n  - \"a\"\n");
    check("l:\nm: 1\n", push("/l", json!("a")), "l:\n  - \"a\"\nm: 1\n");
    check("l: [a, b]\n", push("/l", json!("c")), "l: [a, b, \"c\"]\n");
    check("{\"l\": []}\n", push("/l", json!({"a": 1})), "{\"l\":  [{\"a\": 1}]}\n");
    check(
        "p:\n  - id: a\n    t: []\n",
        push("/p/0/t", json!({"k": 1})),
        "p:\n  - id: a\n    t:\n      - k: 1\n",
    );
}

#[test]
fn an_element_is_taken_out() {
    check(
        "l:\n  - a: 1\n    b: 2\n  # two\n  - a: 3\n",
        remove("/l", 0),
        "l:\n  # two\n  - a: 3\n",
    );
    check("l:\n- a\n- b # x\n- c\n", remove("/l", 1), "l:\n- a\n- c\n");
    check("l:\n  # all\n  - a: 1\n    b: 2\nm: 1\n", remove("/l", 0), "l:\n  # all\n  []\nm: 1\n");
    check("l: [a, b, c]\n", remove("/l", 2), "l: [a, b]\n");
    check("l: [a, b, c]\n", remove("/l", 0), "l: [b, c]\n");
    check("l: [a]\n", remove("/l", 0), "l: []\n");
}

#[test]
fn line_ends_stay_as_they_are() {
    check(
        "a: 1\r\nl:\r\n  - x\r\n",
        push("/l", json!({"p": 1, "q": 2})),
        "a: 1\r\nl:\r\n  - x\r\n  - p: 1\r\n    q: 2\r\n",
    );
    check("l:\r\n- x\r\n- y\r\n", remove("/l", 0), "l:\r\n- y\r\n");
}

#[test]
fn what_would_change_more_is_left_alone() {
    let check = |text: &str, edit: Edit| {
        let path = edit.path().to_owned();
        assert_eq!(edited(text, &[edit]), Err(Unfit(path)), "{text}");
    };
    check("a: &x 1\nb: *x\n", set("/a", json!(2)));
    check("a: |\n  text\n  more\nb: 1\n", set("/a", json!("x")));
    check("a: [broken", set("/a", json!(2)));
    check("a: 1\n", set("/b/c", json!(2)));
    check("a: 1\n", push("/a", json!(2)));
    check("a: []\n", remove("/a", 0));
    check("- - x\n  - y\n- z\n", remove("/0", 0));
}

#[test]
fn an_alias_is_replaced_where_it_stands() {
    check("a: &x 1\nb: *x\n", set("/b", json!(2)), "a: &x 1\nb: 2\n");
}

/// A text as another tool might write it, with comments that must survive.
fn texts() -> impl Strategy<Value = String> {
    let comment = prop_oneof![Just(""), Just(" # kept"), Just("  # kept: [x")];
    let gap = prop_oneof![Just(""), Just("\n"), Just("# kept line\n"), Just("\n    # kept deep\n")];
    let scalar = prop_oneof![
        Just("plain text"),
        Just("'single'"),
        Just("\"double\""),
        Just("12"),
        Just("~"),
        Just(""),
        Just("|\n      block\n      text"),
        Just(">-\n      folded\n\n      text"),
        Just("[a, {b: c}]"),
    ];
    let task = (scalar, comment.clone(), gap.clone()).prop_map(|(value, comment, gap)| {
        // A comment cannot follow a block of text.
        let comment = if value.contains('\n') { "" } else { comment };
        format!("{gap}  - theirs: {value}{comment}\n    status: pending{comment}\n    more:\n      x: 1\n")
    });
    (proptest::collection::vec(task, 1..4), comment, gap).prop_map(|(tasks, comment, gap)| {
        format!(
            "first: 1{comment}\n{gap}tasks:{comment}\n{}{gap}last: end{comment}\n",
            tasks.concat()
        )
    })
}

proptest! {
    #[test]
    fn other_lines_stay_byte_for_byte(text in texts(), pick in 0_usize..3) {
        prop_assume!(read(&text).is_ok());
        let before = read(&text).unwrap();
        let count = before["tasks"].as_array().unwrap().len();
        let path = format!("/tasks/{}/status", pick % count);
        let after = edited(&text, &[set(&path, json!("completed"))]).unwrap();
        let changed = text.lines().zip(after.lines()).filter(|(old, new)| old != new).count();
        prop_assert_eq!((changed, text.lines().count()), (1, after.lines().count()), "{}", after);
        let pushed = edited(&text, &[push("/tasks", json!({"task_id": "t", "artifacts": []}))]).unwrap();
        let mut rest = pushed.lines();
        prop_assert!(text.lines().all(|old| rest.any(|new| new == old)), "{}", pushed);
        let added = edited(&text, &[set("/tasks/0/mine", json!(null)), set("/ours", json!("x"))]).unwrap();
        let mut rest = added.lines();
        prop_assert!(text.lines().all(|old| rest.any(|new| new == old)), "{}", added);
    }

    #[test]
    fn any_text_is_edited_or_left_alone(text in "[a-c:#\\-\\[\\]{}'\"|&*, \n]{0,60}", value in "[a-z: ]{0,5}") {
        for edit in [set("/a", json!(value)), push("/a", json!(value)), remove("/a", 0)] {
            if let Ok(after) = edited(&text, std::slice::from_ref(&edit)) {
                prop_assert_eq!(read(&after).ok(), meant(read(&text).unwrap(), &edit));
            }
        }
    }
}
