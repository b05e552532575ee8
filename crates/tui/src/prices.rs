//! The price of a model, as lines for people.

use crate::terminal::{line, pad};
use taffrail_api::{ModelPrice, PriceImport, PriceTier};

/// The columns of the name of a price.
const NAME: usize = 16;

/// The price and where it comes from.
#[must_use]
pub fn lines(it: &ModelPrice) -> Vec<String> {
    let provider = it.provider.as_deref().map(|it| format!(" · {}", line(it))).unwrap_or_default();
    let mut out = vec![
        format!("{}{provider}", line(&it.model)),
        "dollars for a million tokens".to_owned(),
        row("input", it.input),
        row("output", it.output),
        row("cache read", it.cache_read),
        row("cache write 5m", it.cache_write_5m),
        row("cache write 1h", it.cache_write_1h),
    ];
    it.tiers.iter().for_each(|tier| out.extend(tier_lines(tier)));
    let from = it.from.as_deref().map_or("always".to_owned(), |it| format!("from {it}"));
    let date = it.table_date.as_deref().map(|it| format!(" of {it}")).unwrap_or_default();
    out.push(format!("{from}, by {}{date}", line(&it.source)));
    out
}

fn tier_lines(tier: &PriceTier) -> Vec<String> {
    let prices = [
        ("input", tier.input),
        ("output", tier.output),
        ("cache read", tier.cache_read),
        ("cache write 5m", tier.cache_write_5m),
        ("cache write 1h", tier.cache_write_1h),
    ];
    let head = format!("the whole answer, if its prompt is longer than {} tokens", tier.above);
    let rows = prices.into_iter().filter_map(|(name, price)| Some(row(name, price?)));
    std::iter::once(head).chain(rows).collect()
}

fn row(name: &str, price: f64) -> String {
    format!("  {}{price:>12}", pad(name, NAME))
}

/// What an import changed.
#[must_use]
pub fn import_line(it: &PriceImport) -> String {
    let PriceImport { added, changed, removed, same, skipped, .. } = it;
    format!(
        "{added} new, {changed} changed, {removed} removed, {same} the same; {skipped} without a price"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_fits_eighty_columns_and_names_its_source() {
        let tier = PriceTier {
            above: 200_000,
            input: Some(6.0),
            output: None,
            cache_read: None,
            cache_write_5m: None,
            cache_write_1h: Some(0.5),
        };
        let price = ModelPrice {
            schema_version: 1,
            model: "m\u{1b}[2J".to_owned(),
            provider: Some("maker".to_owned()),
            input: 3.0,
            output: 15.0,
            cache_read: 0.3,
            cache_write_5m: 3.75,
            cache_write_1h: 6.0,
            tiers: vec![tier],
            from: Some("2026-09-01".to_owned()),
            source: "import".to_owned(),
            table_date: Some("2026-11-18".to_owned()),
        };
        let expected = "\
dollars for a million tokens
  input                      3
  output                    15
  cache read               0.3
  cache write 5m          3.75
  cache write 1h             6
the whole answer, if its prompt is longer than 200000 tokens
  input                      6
  cache write 1h           0.5
from 2026-09-01, by import of 2026-11-18";
        let lines = lines(&price);
        assert_eq!(lines[1..].join("\n"), expected);
        assert!(!lines[0].contains('\u{1b}') && lines[0].ends_with(" · maker"), "{:?}", lines[0]);
        assert!(lines.iter().all(|it| it.chars().count() <= 80));
    }
}
