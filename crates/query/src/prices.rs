//! What a model costs, in the form of the API.

use taffrail_api::{ModelPrice, PriceTier, SCHEMA_VERSION};
use taffrail_prices::{Price, Rule, Tier};

/// Converts a rule to the form of the API.
#[must_use]
pub fn described(rule: &Rule) -> ModelPrice {
    let it = rule.prices;
    ModelPrice {
        schema_version: SCHEMA_VERSION,
        model: rule.model.clone(),
        provider: rule.provider.clone(),
        input: it.input.dollars(),
        output: it.output.dollars(),
        cache_read: it.of_cache_read().dollars(),
        cache_write_5m: it.of_cache_write_5m().dollars(),
        cache_write_1h: it.of_cache_write_1h().dollars(),
        tiers: rule.tiers.iter().map(tier).collect(),
        from: rule.from.map(|it| it.to_string()),
        source: rule.source.as_str().to_owned(),
        table_date: rule.table_date.map(|it| it.to_string()),
    }
}

fn tier(it: &Tier) -> PriceTier {
    let dollars = |it: Option<Price>| it.map(Price::dollars);
    PriceTier {
        above: it.above,
        input: dollars(it.input),
        output: dollars(it.output),
        cache_read: dollars(it.cache_read),
        cache_write_5m: dollars(it.cache_write_5m),
        cache_write_1h: dollars(it.cache_write_1h),
    }
}
