//! The built-in prices against the table of another author. Differences are listed in a file; the test fails
//! when the list is out of date. `BLESS=1` writes it.

use std::path::Path;
use taffrail_model::Timestamp;
use taffrail_prices::{Price, Prices};

/// One line a difference: model, kind, our price, theirs, and the day they checked it.
const LIST: &str = "tests/it/differences.txt";

#[test]
fn differences_to_another_table_are_known() {
    let prices = Prices::default();
    let (mut found, mut both) = (Vec::new(), 0);
    for theirs in llm_prices::all() {
        let at: Timestamp = format!("{}T12:00:00Z", theirs.checked).parse().unwrap();
        let Some(ours) = prices.rule(theirs.model, at) else { continue };
        both += 1;
        let kinds = [
            ("input", Some(ours.prices.input), theirs.input),
            ("output", Some(ours.prices.output), theirs.output),
            ("cache_read", ours.prices.cache_read, theirs.cache_read),
            ("cache_write_5m", ours.prices.cache_write_5m, theirs.cache_write("5m")),
            ("cache_write_1h", ours.prices.cache_write_1h, theirs.cache_write("1h")),
        ];
        let long = theirs.long_context.map(|it| it.threshold_tokens);
        let tier = ours.tiers.first().map(|it| it.above);
        if long.is_some() && long != tier {
            found.push(format!(
                "{} tiers: we {tier:?}, llm-prices {long:?} ({})",
                theirs.model, theirs.checked
            ));
        }
        for (kind, we, they) in kinds {
            let we = we.map(Price::dollars);
            // Where one table is silent, the tables do not contradict each other.
            if let (Some(we), Some(they)) = (we, they)
                && (we - they).abs() > 1e-9
            {
                found.push(format!(
                    "{} {kind}: we {we}, llm-prices {they} ({})",
                    theirs.model, theirs.checked
                ));
            }
        }
    }
    found.push(format!("models in both tables: {both}"));
    compare(&found);
}

#[expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test reads and writes its own list"
)]
fn compare(found: &[String]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(LIST);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, found.join("\n") + "\n").unwrap();
    }
    let listed = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found.join("\n"), listed.trim_end(), "BLESS=1 writes the list");
}
