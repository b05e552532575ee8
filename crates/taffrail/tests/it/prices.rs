//! `taffrail prices`: which price applies, where it comes from, and the import of a table.

use serde_json::json;
use taffrail_testkit::Home;

const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
const OWN: &str = r#"
[[prices]]
model = "mine"
input = 3
output = 15

[[prices]]
model = "mine"
from = "2026-09-01"
input = 2.5
output = 0.1
cache_read = 0.25
cache_write_5m = 3.75
tiers = [{ above = 200000, input = 6 }]
"#;

fn home(config: &str) -> Home {
    let home = Home::new(PROGRAM);
    home.append(".config/taffrail/config.toml", config);
    home
}

#[test]
fn a_price_is_the_one_of_the_day_from_the_place_that_wins() {
    let home = home(OWN);
    let price = home.json(&["prices", "anthropic/mine-20260101", "--at", "2026-09-01", "--json"]);
    let expected = json!({
        "schema_version": 1, "model": "mine", "provider": null,
        "input": 2.5, "output": 0.1, "cache_read": 0.25, "cache_write_5m": 3.75, "cache_write_1h": 3.75,
        "tiers": [{"above": 200_000, "input": 6.0}],
        "from": "2026-09-01", "source": "config", "table_date": null,
    });
    assert_eq!(price, expected);
    let before = home.json(&["prices", "mine", "--at", "2026-08-31", "--json"]);
    assert_eq!(
        (&before["input"], &before["cache_read"], &before["from"]),
        (&json!(3.0), &json!(3.0), &json!(null))
    );
    let known = home.json(&["prices", "claude-sonnet-5-5", "--at", "2026-11-01", "--json"]);
    assert_eq!((&known["input"], &known["output"]), (&json!(2.0), &json!(10.0)));
    assert_eq!(
        (&known["provider"], &known["source"]),
        (&json!("anthropic"), &json!("genai-prices 0.2.1"))
    );
    let text = home.ok(&["prices", "claude-sonnet-5-5"]);
    assert!(text.contains("dollars for a million tokens"), "{text}");
    assert!(text.lines().all(|it| it.chars().count() <= 80), "{text}");
}

#[test]
fn an_unknown_model_says_what_to_add() {
    let output = home("").run(&["prices", "llama3:8b"]);
    assert_eq!(output.status, 3, "{}", output.stderr);
    assert!(output.stderr.contains("no price of `llama3:8b` is known on "), "{}", output.stderr);
    assert!(output.stderr.contains("[[prices]] with model = \"llama3:8b\""), "{}", output.stderr);
}

#[test]
fn a_wrong_price_in_the_configuration_is_named_with_its_fix() {
    let output = home("[[prices]]\nmodel = \"m\"\ninput = 1\n").run(&["prices", "m"]);
    assert_eq!(output.status, 2, "{}", output.stderr);
    let said = "`prices` of `m`: `output` is missing; add output = DOLLARS for a million tokens";
    assert!(output.stderr.contains(said), "{}", output.stderr);
}

#[test]
fn an_import_counts_what_changes_and_replaces_the_one_before() {
    let home = home("");
    let table = |input: &str| {
        format!(
            r#"{{"m": {{"input_cost_per_token": {input}, "output_cost_per_token": 1e-06}}, "i": {{}}}}"#
        )
    };
    home.write("table.json", table("3e-06"));
    let file = home.path("table.json").display().to_string();
    let counts = |added: u8, changed: u8, same: u8| json!({"schema_version": 1, "added": added, "changed": changed, "removed": 0, "same": same, "skipped": 1});
    let dry = home.json(&["prices", "import", &file, "--dry-run", "--json"]);
    assert_eq!(dry, counts(1, 0, 0));
    assert_eq!(home.run(&["prices", "m"]).status, 3, "a dry run keeps nothing");
    assert_eq!(home.json(&["prices", "import", &file, "--json"]), counts(1, 0, 0));
    assert_eq!(home.json(&["prices", "import", &file, "--json"]), counts(0, 0, 1));
    home.write("table.json", table("4e-06"));
    assert_eq!(home.json(&["prices", "import", &file, "--json"]), counts(0, 1, 0));
    let price = home.json(&["prices", "m", "--json"]);
    assert_eq!((&price["input"], &price["source"]), (&json!(4.0), &json!("import")));
    home.write("table.json", "[[prices]]\nmodel = \"m\"\n");
    let refused = home.run(&["prices", "import", &file]);
    assert_eq!(refused.status, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("`input` is missing"), "{}", refused.stderr);
    assert_eq!(home.json(&["prices", "m", "--json"]), price, "a refused file changes nothing");
}

#[test]
fn a_damaged_import_is_not_silently_empty() {
    let home = home("");
    home.write(".local/share/taffrail/prices.json", "{\"version\":1,\"pri");
    let shown = home.run(&["prices", "claude-sonnet-5-5"]);
    assert_eq!(shown.status, 0, "{}", shown.stderr);
    assert!(shown.stderr.contains("the imported table cannot be read"), "{}", shown.stderr);
    let doctor = home.json(&["doctor", "--json"]);
    let checks = doctor["checks"].as_array().unwrap().iter();
    let check = checks.filter(|it| it["id"] == "prices").collect::<Vec<_>>();
    let expected = json!({
        "id": "prices", "status": "failed",
        "evidence": "the imported table cannot be read and does not count",
        "fix": "run `taffrail prices import FILE` again",
    });
    assert_eq!(check, [&expected]);
}

#[test]
fn commands_that_the_help_names_beside_others_have_a_manual_page() {
    let home = home("");
    let folder = home.path("man").display().to_string();
    home.ok(&["man", "--out", &folder]);
    for name in ["taffrail-budgets.1", "taffrail-prices.1", "taffrail-quota.1"] {
        assert!(home.path("man").join(name).exists(), "{name}");
    }
    assert!(!home.path("man/taffrail-statusline.1").exists());
}
