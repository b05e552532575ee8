//! Real agents ask Taffrail: each calls each of the seven tools, gets its answer, and goes on with
//! what the answer names. `TAFFRAIL_FULL=1` runs all, otherwise `TAFFRAIL_SEED` chooses one.

mod world;

use crate::agents::PROGRAM;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use taffrail_testkit::Scale;
use taffrail_testkit::agents::Machine;
use taffrail_testkit::model::{Purpose, RECALLED, Say, text};
use world::{ASKERS, Asker, ERROR, FILE, SESSION, Way, past};

/// The scenario in which an agent asks.
const SCENARIO: &str = "asks";
const PLACE: &str = "claude-jsonl:-w-app/8f3a0000-0000-4000-8000-000000000001.jsonl:";

/// A call of a tool, and what only its answer says.
struct Call {
    tool: &'static str,
    given: Value,
    says: &'static [&'static str],
}

/// The calls, in the order in which the agent makes them. What a call is about, the answer before
/// it names.
fn calls() -> [Call; 7] {
    let about = || json!({"session": RECALLED});
    [
        Call { tool: "sessions", given: json!({}), says: &["Sessions, the latest first."] },
        Call {
            tool: "search",
            given: json!({"query": "lantern"}),
            says: &[PLACE, "the best first"],
        },
        Call { tool: "changed", given: json!({"path": FILE}), says: &["tool.call", PLACE] },
        Call {
            tool: "errors",
            given: json!({"text": ERROR}),
            says: &["Where it failed, and what followed.", "it went well"],
        },
        Call { tool: "show", given: about(), says: &["I trim the lantern's wick", "user.prompt"] },
        Call { tool: "why", given: about(), says: &["evidence, the latest first"] },
        Call {
            tool: "usage",
            given: json!({"since": "2026-01-01"}),
            says: &["by agent", "by model"],
        },
    ]
}

#[test]
fn agents_call_each_tool_and_use_the_answer() {
    let mut failed = Vec::new();
    for (asker, way) in chosen() {
        eprintln!("{} {way:?}", asker.id);
        if catch_unwind(AssertUnwindSafe(|| check(asker, way))).is_err() {
            failed.push((asker.id, way));
        }
    }
    assert!(failed.is_empty(), "did not ask: {failed:?}");
}

fn chosen() -> Vec<(&'static Asker, Way)> {
    let scale = Scale::from_env();
    let ways = [Way::Alone, Way::Daemon, Way::Http];
    let all: Vec<_> =
        ASKERS.iter().flat_map(|asker| ways.into_iter().map(move |way| (asker, way))).collect();
    let one = [*scale.chance("mcp").pick(&all)];
    scale.pick(one.to_vec(), all)
}

fn check(asker: &Asker, way: Way) {
    let machine = Machine::new(PROGRAM);
    past(&machine);
    script(&machine, asker);
    asker.prepare(&machine);
    let _daemon = way.begin(&machine);
    asker.register(&machine, way);
    let said = asker.asks(&machine, &format!("Ask about it [[scenario:{SCENARIO}]]"));

    let known = machine.home().session(SESSION)["id"].as_str().unwrap().to_owned();
    assert!(said.contains(&format!("Session {known} did it.")), "{}: {said}", asker.id);
    answers(&machine, asker);
    logged(&machine, asker);
    if way != Way::Http {
        machine.home().ok(&["mcp", "uninstall", "--agent", asker.id, "--yes"]);
        let settings = fs::read_to_string(machine.home().path(asker.settings)).unwrap_or_default();
        assert!(!settings.contains(PROGRAM), "{}: {settings}", asker.id);
    }
}

/// The first answers look for the tools where an agent hides them; the last one says which session
/// the agent learned of.
fn script(machine: &Machine, asker: &Asker) {
    let look = asker.looks_for_tools.map(|(tool, given)| {
        vec![Say::Tool(tool.to_owned(), serde_json::from_str(given).unwrap())]
    });
    let ask = calls().map(|it| vec![Say::Mcp("taffrail", it.tool, it.given)]);
    let end = text(&format!("Session {RECALLED} did it."));
    machine.model().script(SCENARIO, look.into_iter().chain(ask).chain([end]).collect());
}

/// Each answer came back to the model, between tags of its own.
fn answers(machine: &Machine, asker: &Asker) {
    let mut asked = machine.model().asked();
    asked.retain(|it| it.picked.scenario == SCENARIO && it.picked.purpose == Purpose::Turn);
    let ahead = usize::from(asker.looks_for_tools.is_some());
    for (number, call) in calls().iter().enumerate() {
        let step = ahead + number + 1;
        let next = asked.iter().find(|it| it.picked.step == step);
        let body = next
            .unwrap_or_else(|| panic!("{}: no answer of {}", asker.id, call.tool))
            .body
            .to_string();
        for words in call.says {
            assert!(body.contains(words), "{} {}: {words} is not in {body}", asker.id, call.tool);
        }
        assert_eq!(tags(&body).len(), number + 1, "{} {}: {body}", asker.id, call.tool);
    }
}

/// The digits of the tags in a text.
fn tags(text: &str) -> BTreeSet<&str> {
    let digits = text.split("</recalled-").skip(1).filter_map(|it| it.get(..16));
    digits.filter(|it| it.bytes().all(|byte| byte.is_ascii_hexdigit())).collect()
}

/// Every look-up is in the log, and the client said who it is.
fn logged(machine: &Machine, asker: &Asker) {
    let log = machine.home().json(&["mcp", "log", "--json"]);
    let all = log["lookups"].as_array().unwrap();
    let tools: Vec<_> = all.iter().filter_map(|it| it["tool"].as_str()).collect();
    assert_eq!(tools, calls().map(|it| it.tool), "{}", asker.id);
    assert!(all.iter().all(|it| it["client"].is_string()), "{}: {log}", asker.id);
}
