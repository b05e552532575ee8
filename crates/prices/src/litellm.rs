//! LiteLLM's table of prices: JSON by name of the model, in dollars a token.

use crate::name::folded;
use crate::own::OwnPrice;
use crate::{Incoming, Listed, Price, Rates, Tier};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashSet};

/// An entry that only explains the others.
const EXAMPLE: &str = "sample_spec";

/// The prices of a table; an entry without prices for tokens is counted and left out.
pub(crate) fn read(table: &Map<String, Value>) -> Incoming {
    let mut names = HashSet::new();
    let mut out = Incoming::default();
    for (model, entry) in table.iter().filter(|(name, _)| *name != EXAMPLE) {
        // Of names that differ in case only, the one in lower case counts.
        let name = folded(model);
        let is_other = name != *model && table.contains_key(&name);
        let read = entry.as_object().filter(|_| !is_other).and_then(|it| listed(model, it));
        match read.filter(|_| names.insert(name)) {
            Some(it) => out.prices.push(it),
            None => out.skipped += 1,
        }
    }
    out
}

fn listed(model: &str, entry: &Map<String, Value>) -> Option<Listed> {
    let prices = rates(entry)?;
    // Local models and subscriptions are listed at nothing: that is not a price.
    if prices.input.steps() == 0 && prices.output.steps() == 0 {
        return None;
    }
    let provider = entry.get("litellm_provider").and_then(Value::as_str).map(str::to_owned);
    let price = OwnPrice { model: model.to_owned(), from: None, prices, tiers: tiers(entry)? };
    Some(Listed { provider, price })
}

/// A key of the table by the kind of token.
const INPUT: &str = "input_cost_per_token";
const OUTPUT: &str = "output_cost_per_token";
const CACHE_READ: &str = "cache_read_input_token_cost";
const CACHE_WRITE_5M: &str = "cache_creation_input_token_cost";
const CACHE_WRITE_1H: &str = "cache_creation_input_token_cost_above_1hr";

fn rates(entry: &Map<String, Value>) -> Option<Rates> {
    Some(Rates {
        input: price(entry, INPUT, "")??,
        output: price(entry, OUTPUT, "")??,
        cache_read: price(entry, CACHE_READ, "")?,
        cache_write_5m: price(entry, CACHE_WRITE_5M, "")?,
        cache_write_1h: price(entry, CACHE_WRITE_1H, "")?,
    })
}

/// The tiers that the keys name: `..._above_200k_tokens`.
fn tiers(entry: &Map<String, Value>) -> Option<Vec<Tier>> {
    let named = entry.keys().filter_map(|key| {
        let (_, after) = key.rsplit_once("_above_")?;
        let thousands: u64 = after.strip_suffix("k_tokens")?.parse().ok()?;
        Some((thousands.checked_mul(1000)?, format!("_above_{after}")))
    });
    let named: BTreeMap<u64, String> = named.collect();
    named.into_iter().map(|(above, suffix)| tier(entry, above, &suffix)).collect()
}

fn tier(entry: &Map<String, Value>, above: u64, suffix: &str) -> Option<Tier> {
    Some(Tier {
        above,
        input: price(entry, INPUT, suffix)?,
        output: price(entry, OUTPUT, suffix)?,
        cache_read: price(entry, CACHE_READ, suffix)?,
        cache_write_5m: price(entry, CACHE_WRITE_5M, suffix)?,
        cache_write_1h: price(entry, CACHE_WRITE_1H, suffix)?,
    })
}

/// `None` if the value is there and not a price: then nothing of the entry can be trusted.
fn price(entry: &Map<String, Value>, key: &str, suffix: &str) -> Option<Option<Price>> {
    match entry.get(&format!("{key}{suffix}")) {
        None | Some(Value::Null) => Some(None),
        Some(value) => value.as_f64().and_then(Price::from_dollars_a_token).map(Some),
    }
}
