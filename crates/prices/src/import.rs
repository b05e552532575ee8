//! Prices from a file of the user: LiteLLM's JSON, or TOML with `[[prices]]`.

use crate::imported::{Incoming, Listed};
use crate::litellm;
use crate::own::{OwnPrice, check_distinct};
use jiff::civil::Date;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Why a file cannot be imported.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// It is neither of the two forms.
    #[error("{0}")]
    Invalid(String),
    /// It has none.
    #[error("the file has no prices")]
    Empty,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    prices: Vec<OwnPrice>,
}

/// Reads the text of a file, whichever of the two forms it has.
///
/// # Errors
/// When the text has neither form, a price is not valid, or none is there.
pub fn read_import(text: &str) -> Result<Incoming, ImportError> {
    let incoming = if text.trim_start().starts_with('{') {
        let table = serde_json::from_str(text);
        litellm::read(&table.map_err(|it| ImportError::Invalid(it.to_string()))?)
    } else {
        from_toml(text).map_err(ImportError::Invalid)?
    };
    match incoming.prices.is_empty() {
        true => Err(ImportError::Empty),
        false => Ok(incoming),
    }
}

fn from_toml(text: &str) -> Result<Incoming, String> {
    let file: File = toml::from_str(text).map_err(|it| it.message().to_owned())?;
    check_distinct(&file.prices)?;
    let prices = file.prices.into_iter().map(|price| Listed { provider: None, price });
    Ok(Incoming { prices: prices.collect(), skipped: 0 })
}

/// What an import changes, in numbers of prices.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Changes {
    /// Prices that were not there.
    pub added: usize,
    /// Prices that differ.
    pub changed: usize,
    /// Prices that are not there any more.
    pub removed: usize,
    /// Prices that are the same.
    pub same: usize,
}

impl Changes {
    /// The difference between two tables.
    #[must_use]
    pub fn between(before: &[Listed], after: &[Listed]) -> Self {
        let (before, after) = (by_key(before), by_key(after));
        let mut out = Self::default();
        for (key, price) in &after {
            match before.get(key) {
                None => out.added += 1,
                Some(old) if old == price => out.same += 1,
                Some(_) => out.changed += 1,
            }
        }
        out.removed = before.keys().filter(|key| !after.contains_key(*key)).count();
        out
    }
}

fn by_key(prices: &[Listed]) -> BTreeMap<(String, Option<Date>), &OwnPrice> {
    prices.iter().map(|it| (it.price.key(), &it.price)).collect()
}
