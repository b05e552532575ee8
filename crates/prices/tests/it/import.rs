//! Files that a person may import.

use taffrail_prices::{Changes, ImportError, ImportedTable, Listed, read_import};

const LITELLM: &str = r#"{
  "sample_spec": {"input_cost_per_token": 0.0, "output_cost_per_token": 0.0},
  "claude-x": {
    "litellm_provider": "anthropic", "mode": "chat",
    "input_cost_per_token": 3e-06, "output_cost_per_token": 1.5e-05,
    "cache_read_input_token_cost": 3e-07, "cache_creation_input_token_cost": 3.75e-06,
    "cache_creation_input_token_cost_above_1hr": 6e-06,
    "input_cost_per_token_above_200k_tokens": 6e-06, "output_cost_per_token_above_200k_tokens": 2.25e-05,
    "cache_creation_input_token_cost_above_1hr_above_200k_tokens": 1.2e-05
  },
  "CLAUDE-X": {"input_cost_per_token": 1e-06, "output_cost_per_token": 1e-06},
  "ollama/llama3": {"input_cost_per_token": 0.0, "output_cost_per_token": 0.0},
  "an-image": {"output_cost_per_image": 0.04},
  "broken": {"input_cost_per_token": -1, "output_cost_per_token": 1},
  "text": "x"
}"#;

/// A price as TOML, with its provider.
#[expect(clippy::unwrap_used, reason = "helpers of tests fail the test they help")]
fn written(it: &Listed) -> String {
    format!("{:?}\n{}", it.provider, toml::to_string(&it.price).unwrap())
}

#[test]
fn litellms_table_is_read_in_its_own_units() {
    let incoming = read_import(LITELLM).unwrap();
    assert_eq!(incoming.skipped, 5);
    let prices: Vec<_> = incoming.prices.iter().map(written).collect();
    assert_eq!(
        prices.concat(),
        r#"Some("anthropic")
model = "claude-x"
input = 3
output = 15
cache_read = 0.3
cache_write_5m = 3.75
cache_write_1h = 6

[[tiers]]
above = 200000
input = 6
output = 22.5
cache_write_1h = 12
"#
    );
}

#[test]
fn a_file_that_is_neither_form_is_refused_with_its_fault() {
    let check = |text: &str, expected: &str| {
        let error = read_import(text).unwrap_err();
        assert!(error.to_string().contains(expected), "{text}: {error}");
    };
    check("{", "EOF while parsing");
    check("{}", "the file has no prices");
    check("", "the file has no prices");
    check("[[price]]\nmodel = \"m\"", "unknown field `price`");
    check("[[prices]]\nmodel = \"m\"\ninput = 1", "`prices` of `m`: `output` is missing");
    let twice = "[[prices]]\nmodel = \"m\"\ninput = 1\noutput = 1\n".repeat(2);
    check(&twice, "two prices of `m`");
    assert_eq!(read_import("").unwrap_err(), ImportError::Empty);
}

#[test]
fn an_import_is_kept_and_counted_against_the_one_before() {
    let of = |text: &str| read_import(text).unwrap().prices;
    let before = of("[[prices]]\nmodel = \"a\"\ninput = 1\noutput = 1\n\
                     [[prices]]\nmodel = \"b\"\ninput = 1\noutput = 1\n\
                     [[prices]]\nmodel = \"c\"\nfrom = 2026-01-01\ninput = 1\noutput = 1\n");
    let after = of("[[prices]]\nmodel = \"a\"\ninput = 1.0\noutput = 1\n\
                    [[prices]]\nmodel = \"b\"\ninput = 2\noutput = 1\n\
                    [[prices]]\nmodel = \"c\"\ninput = 1\noutput = 1\n");
    let expected = Changes { added: 1, changed: 1, removed: 1, same: 1 };
    assert_eq!(Changes::between(&before, &after), expected);
    let text = ImportedTable::write(jiff::civil::date(2026, 11, 18), before.clone()).unwrap();
    let kept = ImportedTable::new(text);
    assert!(kept.is_whole());
    assert_eq!(kept.prices(), before);
}
