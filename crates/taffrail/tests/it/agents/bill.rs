//! What a real agent says that a session cost, and what Taffrail's prices make of its tokens.

use crate::agents::PROGRAM;
use serde_json::{Value, json};
use taffrail_testkit::agents::{Agent, Machine};
use taffrail_testkit::model::{Answer, Say, Spent};

const RUN: &str = "echo it-ran";

/// Answers whose prices are whole microdollars, so that the order of rounding cannot matter: one
/// that fills both caches, and one that reads them.
fn answers() -> Vec<Answer> {
    let fills = Spent {
        input: 1_240,
        output: 560,
        cache_read: 0,
        cache_write_5m: 4_000,
        cache_write_1h: 12_000,
    };
    let reads = Spent {
        input: 180,
        output: 2_360,
        cache_read: 16_000,
        cache_write_5m: 0,
        cache_write_1h: 2_000,
    };
    let run = vec![Say::Spend(fills), Say::Shell(RUN.to_owned())];
    vec![run, vec![Say::Spend(reads), Say::Text("It printed what it should.".to_owned())]]
}

/// Runs a turn to its end, and returns the result that the agent prints.
fn turn(machine: &Machine, model: &str, more: &[&str]) -> Value {
    let usual = ["-p", "Run it [[scenario:cached]]", "--output-format", "json", "--model", model];
    let ran = machine.run(Agent::Claude, &[&usual[..], more].concat());
    serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}{}", ran.stdout, ran.stderr))
}

fn microdollars(dollars: &Value) -> i64 {
    (dollars.as_f64().unwrap() * 1e6).round() as i64
}

#[test]
fn the_price_of_a_session_is_the_bill_of_its_agent_to_the_microdollar() {
    let machine = Machine::new(PROGRAM);
    machine.model().script("cached", answers());
    let first = turn(&machine, "claude-sonnet-5-5", &[]);
    let id = first["session_id"].as_str().unwrap();
    let second = turn(&machine, "claude-opus-5-5", &["--resume", id]);
    let billed = microdollars(&second["total_cost_usd"]);
    assert!(billed > microdollars(&first["total_cost_usd"]), "{first} {second}");
    let sessions = machine.home().sessions();
    let cost = &sessions[0]["cost"];
    let expected = json!({
        "reported_microdollars": billed, "estimated_microdollars": billed,
        "unknown_answers": 0, "with_workers_microdollars": billed,
    });
    assert_eq!((sessions.len(), cost), (1, &expected), "{first}\n{second}");
    let models = machine.home().json(&["usage", "--by", "model", "--json"]);
    let by_model = |name: &str| {
        let row = models["rows"].as_array().unwrap().iter().find(|it| it["key"] == name);
        row.unwrap()["cost"]["estimated_microdollars"].as_i64().unwrap()
    };
    for name in ["claude-sonnet-5-5", "claude-opus-5-5"] {
        let own = microdollars(&second["modelUsage"][name]["costUSD"]);
        assert_eq!(by_model(name), own, "{name}: {second}\n{models}");
    }
}
