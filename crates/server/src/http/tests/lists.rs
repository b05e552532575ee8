//! The list of sessions in pages, its counts, its file, and what people add to sessions.

use super::{FIRST, Machine, SECOND, id};
use serde_json::{Value, json};
use taffrail_model::status::Status;
use taffrail_store::IndexReader;
use taffrail_testkit::claude::Line;

const THIRD: &str = "33333333-3333-4333-8333-333333333333";

/// Three sessions: of twelve, four and two records, the last in another folder.
fn machine() -> Machine {
    let machine = Machine::new();
    machine.write_at("/w/other", THIRD);
    machine.write_call(FIRST, ("c1", "Edit"), &json!({"file_path": "/w/app/a.rs"}));
    let uuid = "00000000-0000-4000-8000-00000000ca12";
    let line = Line { session: FIRST, uuid, parent: None, second: 501 };
    machine.append(FIRST, &line.result("c1", "ok"));
    machine.read_all();
    machine
}

fn ids(page: &Value) -> Vec<String> {
    let sessions = page["sessions"].as_array().unwrap().iter();
    sessions
        .map(|it| it["runtime_session_id"].as_str().unwrap().chars().take(1).collect())
        .collect()
}

/// The ids of all pages of this size.
fn pages(machine: &Machine, query: &str, limit: usize) -> Vec<String> {
    let (mut out, mut after) = (Vec::new(), String::new());
    loop {
        let path = format!("/api/sessions?limit={limit}&{query}{after}");
        let page = machine.get(&path).json();
        assert_eq!(page["total"], 3, "{path}: {page}");
        out.extend(ids(&page));
        let Some(next) = page["next"].as_str() else { return out };
        after = format!("&after={next}");
    }
}

#[test]
fn pages_of_any_size_hold_every_session_once() {
    let machine = machine();
    let orders = ["last", "tokens", "cost", "duration", "failures"];
    for order in
        orders.iter().flat_map(|it| ["asc", "desc"].map(|way| format!("sort={it}&order={way}")))
    {
        let whole = pages(&machine, &order, 100);
        let mut sorted = whole.clone();
        sorted.sort();
        assert_eq!(sorted, ["1", "2", "3"], "{order}");
        for limit in 1..3 {
            assert_eq!(pages(&machine, &order, limit), whole, "{order} by {limit}");
        }
    }
    assert_eq!(pages(&machine, "sort=duration&order=desc", 100)[0], "1");
    assert_eq!(pages(&machine, "sort=last", 100), ids(&machine.get("/api/sessions").json()));
}

#[test]
fn facets_count_the_whole_list_with_its_filters() {
    let machine = machine();
    machine.stands(SECOND, Status::Running);
    let facets = |query: &str| {
        machine.get(&format!("/api/sessions?limit=1&facets=true{query}")).json()["facets"].clone()
    };
    let all = facets("");
    assert_eq!(
        all["project"],
        json!([{"key": "/w/app", "sessions": 2}, {"key": "/w/other", "sessions": 1}])
    );
    assert_eq!(all["agent"], json!([{"key": "claude-code", "sessions": 3}]));
    assert_eq!(all["device"], json!([{"key": "here", "sessions": 3}]));
    assert_eq!(
        all["status"],
        json!([{"key": "exited", "sessions": 2}, {"key": "running", "sessions": 1}])
    );
    assert_eq!(all["tag"], json!([]));
    assert_eq!(facets("&project=/w/other")["project"], json!([{"key": "/w/other", "sessions": 1}]));
    assert!(machine.get("/api/sessions").json().get("facets").is_none());
}

#[test]
fn marks_are_kept_shown_and_found_again() {
    let machine = machine();
    let path = format!("/api/sessions/{}/marks", id(SECOND));
    let post = |body: &Value| machine.post(&path, &body.to_string());
    let told =
        post(&json!({"add": ["b", "a"], "starred": true, "title": " By hand ", "note": "n"}))
            .json();
    assert_eq!(told["tags"], json!(["a", "b"]));
    assert_eq!(
        (&told["starred"], &told["title"], &told["renamed"]),
        (&json!(true), &json!("By hand"), &json!(true))
    );
    assert_eq!(told["notes"][0]["text"], "n");
    assert_eq!(machine.get(&path).json(), told);
    let row = machine.get(&format!("/api/sessions/{}", id(SECOND))).json();
    assert_eq!(
        (&row["starred"], &row["title"], &row["title_derived"]),
        (&json!(true), &json!("By hand"), &json!(false))
    );
    for (query, expected) in [
        ("starred=true", vec!["2"]),
        ("tag=a", vec!["2"]),
        ("tag=a&starred=true&branch=main", vec!["2"]),
        ("tag=c", vec![]),
        ("words=by%20HAND", vec!["2"]),
        ("branch=none", vec![]),
        ("model=none", vec![]),
    ] {
        assert_eq!(
            ids(&machine.get(&format!("/api/sessions?{query}")).json()),
            expected,
            "{query}"
        );
    }
    let told = post(&json!({"remove": ["a"], "starred": false, "title": ""})).json();
    assert_eq!(
        (&told["tags"], &told["starred"], &told["renamed"]),
        (&json!(["b"]), &json!(false), &json!(false))
    );
    for bad in [
        json!({"add": ["x", ""]}),
        json!({"title": "x".repeat(201)}),
        json!({"title": "a\nb"}),
        json!({"note": " "}),
        json!({"colour": "red"}),
    ] {
        assert_eq!(post(&bad).status, 400, "{bad}");
    }
    // Nothing of a refused body is kept.
    assert_eq!(post(&json!({})).json()["tags"], json!(["b"]));
}

#[test]
fn the_list_is_a_file_for_a_spreadsheet() {
    let machine = machine();
    let path = format!("/api/sessions/{}/marks", id(SECOND));
    machine.post(&path, &json!({"title": "=cmd()"}).to_string());
    let answer = machine.get("/api/sessions.csv?sort=last");
    assert!(answer.head.contains("content-type: text/csv; charset=utf-8"), "{answer:?}");
    assert!(answer.head.contains("attachment; filename=\"sessions.csv\""), "{answer:?}");
    let lines: Vec<_> = answer.body.lines().collect();
    assert_eq!(lines.len(), 4, "{answer:?}");
    assert!(lines[0].starts_with("id,device,agent,"), "{answer:?}");
    assert!(answer.body.contains(",\"'=cmd()\","), "{answer:?}");
}

#[test]
fn a_project_has_its_sums_and_its_files() {
    let machine = machine();
    let list = machine.get("/api/projects").json();
    let paths: Vec<_> =
        list["projects"].as_array().unwrap().iter().map(|it| it["path"].clone()).collect();
    assert_eq!(paths, ["/w/app", "/w/other"]);
    assert_eq!(list["projects"][0]["sessions"], 2);
    let files = machine.get("/api/projects/files?project=/w/app").json();
    assert_eq!(files["total"], 1);
    let file = &files["files"][0];
    assert_eq!(
        (&file["path"], &file["edits"], &file["sessions"]),
        (&json!("a.rs"), &json!(1), &json!(1))
    );
    assert_eq!(file["last_session_id"], id(FIRST).to_string());
    let reader = IndexReader::open(&machine.handle.settings().data).unwrap().unwrap();
    assert_eq!(reader.session_by_id(id(FIRST)).unwrap().unwrap().failures, 0);
}
