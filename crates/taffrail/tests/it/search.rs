//! Search, tested through the program: it finds everything that matches, and nothing else.
//!
//! The expected hits are computed here from the texts that `events` prints, by other code than
//! search itself. `TAFFRAIL_FULL=1` tries many more histories and queries, `TAFFRAIL_SEED` chooses
//! them.
#![expect(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

mod asked;
mod oracle;
mod single;
mod steps;

use serde_json::Value;
use std::collections::BTreeSet;
use taffrail_testkit::Home;

const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");

/// The whole reply to a query.
fn ask(home: &Home, query: &str) -> Value {
    home.json(&["search", query, "--json", "--limit", "10000"])
}

fn total(home: &Home, query: &str) -> u64 {
    ask(home, query)["total"].as_u64().unwrap()
}

/// The events of a reply, by session and id; their number must be the total.
fn found(reply: &Value) -> BTreeSet<(String, String)> {
    let hits = reply["hits"].as_array().unwrap();
    let ids = hits.iter().map(|hit| (word(hit, "session_id"), word(hit, "event_id")));
    let ids: BTreeSet<_> = ids.collect();
    assert_eq!(ids.len(), hits.len(), "an event is found twice: {reply}");
    assert_eq!(reply["total"], hits.len(), "{reply}");
    assert_eq!(reply["partial"], false, "{reply}");
    ids
}

fn word(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_default().to_owned()
}
