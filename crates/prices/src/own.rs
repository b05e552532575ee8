//! A price that a person wrote: `[[prices]]` of the configuration or of a file to import.

use crate::name::folded;
use crate::{Price, Rates, Rule, Source, Tier};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use toml::Value;

/// One entry of `[[prices]]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written")]
pub struct OwnPrice {
    /// The model.
    pub model: String,
    /// The first UTC day; `None` for always.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Date>,
    /// The prices.
    #[serde(flatten)]
    pub prices: Rates,
    /// The prices of longer prompts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tiers: Vec<Tier>,
}

impl OwnPrice {
    /// The same as a rule.
    pub(crate) fn rule(&self, source: Source) -> Rule {
        Rule {
            model: self.model.clone(),
            provider: None,
            from: self.from,
            source,
            table_date: None,
            prices: self.prices,
            tiers: self.tiers.clone(),
        }
    }

    /// Two entries with the same key would contradict each other.
    pub(crate) fn key(&self) -> (String, Option<Date>) {
        (folded(&self.model), self.from)
    }
}

/// Refuses two prices of one model from the same day.
///
/// # Errors
/// Names the model and the day.
pub fn check_distinct(prices: &[OwnPrice]) -> Result<(), String> {
    let mut known = HashSet::new();
    match prices.iter().find(|it| !known.insert(it.key())) {
        None => Ok(()),
        Some(OwnPrice { model, from: Some(from), .. }) => {
            Err(format!("`prices` has two prices of `{model}` from {from}; keep one"))
        }
        Some(OwnPrice { model, from: None, .. }) => Err(format!(
            "`prices` has two prices of `{model}` without `from`; keep one, or say from when the other applies"
        )),
    }
}

/// An entry as written. Values are checked by hand, so that an error names the model and the key.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    model: Option<String>,
    from: Option<Value>,
    input: Option<Value>,
    output: Option<Value>,
    cache_read: Option<Value>,
    cache_write_5m: Option<Value>,
    cache_write_1h: Option<Value>,
    #[serde(default)]
    tiers: Vec<WrittenTier>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenTier {
    above: Option<Value>,
    input: Option<Value>,
    output: Option<Value>,
    cache_read: Option<Value>,
    cache_write_5m: Option<Value>,
    cache_write_1h: Option<Value>,
}

impl TryFrom<Written> for OwnPrice {
    type Error = String;

    fn try_from(it: Written) -> Result<Self, String> {
        let named = it.model.as_deref().map(str::trim).filter(|it| !it.is_empty());
        let model =
            named.ok_or("an entry of `prices` has no `model`; add model = \"NAME\"")?.to_owned();
        it.checked(&model).map_err(|fault| format!("`prices` of `{model}`: {fault}"))
    }
}

impl Written {
    fn checked(self, model: &str) -> Result<OwnPrice, String> {
        let prices = Rates {
            input: required("input", self.input.as_ref())?,
            output: required("output", self.output.as_ref())?,
            cache_read: price("cache_read", self.cache_read.as_ref())?,
            cache_write_5m: price("cache_write_5m", self.cache_write_5m.as_ref())?,
            cache_write_1h: price("cache_write_1h", self.cache_write_1h.as_ref())?,
        };
        let mut tiers =
            self.tiers.iter().map(WrittenTier::checked).collect::<Result<Vec<_>, _>>()?;
        tiers.sort_by_key(|it| it.above);
        if tiers.windows(2).any(|it| matches!(it, [one, other] if one.above == other.above)) {
            return Err("two `tiers` have the same `above`; keep one".to_owned());
        }
        Ok(OwnPrice { model: model.to_owned(), from: date(self.from.as_ref())?, prices, tiers })
    }
}

impl WrittenTier {
    fn checked(&self) -> Result<Tier, String> {
        Ok(Tier {
            above: above(self.above.as_ref())?,
            input: price("tiers.input", self.input.as_ref())?,
            output: price("tiers.output", self.output.as_ref())?,
            cache_read: price("tiers.cache_read", self.cache_read.as_ref())?,
            cache_write_5m: price("tiers.cache_write_5m", self.cache_write_5m.as_ref())?,
            cache_write_1h: price("tiers.cache_write_1h", self.cache_write_1h.as_ref())?,
        })
    }
}

fn required(key: &str, value: Option<&Value>) -> Result<Price, String> {
    let missing = || format!("`{key}` is missing; add {key} = DOLLARS for a million tokens");
    price(key, value)?.ok_or_else(missing)
}

fn price(key: &str, value: Option<&Value>) -> Result<Option<Price>, String> {
    let Some(value) = value else { return Ok(None) };
    let number = match value {
        Value::Float(it) => Some(*it),
        // More digits than a float has are above the dearest price.
        Value::Integer(it) => it.to_string().parse().ok(),
        Value::String(_)
        | Value::Boolean(_)
        | Value::Datetime(_)
        | Value::Array(_)
        | Value::Table(_) => None,
    };
    let price = number.and_then(Price::from_number).ok_or_else(|| {
        format!("`{key}` is `{value}`; write dollars for a million tokens, from 0 to 1000000")
    })?;
    Ok(Some(price))
}

fn above(value: Option<&Value>) -> Result<u64, String> {
    let count = value.and_then(Value::as_integer).and_then(|it| u64::try_from(it).ok());
    count.ok_or_else(|| "`tiers.above` is not a number of tokens; add above = 200000".to_owned())
}

fn date(value: Option<&Value>) -> Result<Option<Date>, String> {
    let Some(value) = value else { return Ok(None) };
    let text = match value {
        Value::String(it) => it.clone(),
        other => other.to_string(),
    };
    let date = text.parse::<Date>().ok().filter(|it| it.to_string() == text);
    let fault = || format!("`from` is `{text}`; write a UTC date such as from = \"2026-09-01\"");
    date.map(Some).ok_or_else(fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<OwnPrice, String> {
        toml::from_str(text).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn an_entry_is_read_exactly_and_written_back() {
        let text = "model = \"m\"\nfrom = \"2026-09-01\"\ninput = 3\noutput = 0.1\ncache_read = 3.75\n\n\
                    [[tiers]]\nabove = 200000\ninput = 6\n";
        let got = read(text).unwrap();
        assert_eq!(toml::to_string(&got).unwrap(), text);
        let plain = read(
            "model = \"m\"\nfrom = 2026-09-01\ninput = 3.0\noutput = 0.1\ncache_read = 3.75\n\
                          tiers = [{above = 200_000, input = 6}]",
        )
        .unwrap();
        assert_eq!(plain, got);
    }

    #[test]
    fn an_error_names_the_model_the_key_and_the_fix() {
        let check = |text: &str, expected: &str| {
            assert_eq!(read(text).map(|_| ()), Err(expected.to_owned()), "{text}");
        };
        check("input = 1", "an entry of `prices` has no `model`; add model = \"NAME\"");
        check(
            "model = \"m\"\noutput = 1",
            "`prices` of `m`: `input` is missing; add input = DOLLARS for a million tokens",
        );
        check(
            "model = \"m\"\ninput = 1",
            "`prices` of `m`: `output` is missing; add output = DOLLARS for a million tokens",
        );
        for value in ["-1", "\"3\"", "1e9", "nan", "inf", "true"] {
            let text = format!("model = \"m\"\ninput = {value}\noutput = 1");
            let shown = toml::from_str::<toml::Table>(&text).unwrap()["input"].to_string();
            check(
                &text,
                &format!(
                    "`prices` of `m`: `input` is `{shown}`; write dollars for a million tokens, from 0 to 1000000"
                ),
            );
        }
        for from in ["\"soon\"", "\"2026-09-31\"", "\"2026-09-01T00:00:00\"", "2026"] {
            let text = format!("model = \"m\"\nfrom = {from}\ninput = 1\noutput = 1");
            let shown = from.trim_matches('"');
            check(
                &text,
                &format!(
                    "`prices` of `m`: `from` is `{shown}`; write a UTC date such as from = \"2026-09-01\""
                ),
            );
        }
        let both = "model = \"m\"\ninput = 1\noutput = 1\n";
        check(
            &format!("{both}tiers = [{{input = 1}}]"),
            "`prices` of `m`: `tiers.above` is not a number of tokens; add above = 200000",
        );
        check(
            &format!("{both}tiers = [{{above = 1}}, {{above = 1}}]"),
            "`prices` of `m`: two `tiers` have the same `above`; keep one",
        );
        assert!(read(&format!("{both}inputs = 1")).unwrap_err().contains("unknown field `inputs`"));
    }

    #[test]
    fn two_prices_of_a_model_differ_in_their_date() {
        let of = |model: &str, from: &str| {
            let from = if from.is_empty() { String::new() } else { format!("from = {from}\n") };
            read(&format!("model = \"{model}\"\n{from}input = 1\noutput = 1")).unwrap()
        };
        assert_eq!(check_distinct(&[of("m", ""), of("m", "2026-01-01"), of("n", "")]), Ok(()));
        let said = check_distinct(&[of("m", "2026-01-01"), of("M", "2026-01-01")]);
        assert_eq!(said.unwrap_err(), "`prices` has two prices of `M` from 2026-01-01; keep one");
        assert!(
            check_distinct(&[of("m", ""), of("m", "")]).unwrap_err().contains("without `from`")
        );
    }
}
