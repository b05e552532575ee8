//! What a model costs.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The price of a model that applies on a day, in US dollars for a million tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ModelPrice {
    /// Version of this reply's form.
    pub schema_version: u32,
    /// The model, by its name in the table.
    pub model: String,
    /// Who sells it; `null` where the table does not say so.
    pub provider: Option<String>,
    /// Input that was not cached.
    pub input: f64,
    /// Output, including reasoning.
    pub output: f64,
    /// Read from the cache; the input price where none is listed.
    pub cache_read: f64,
    /// Written to the cache for five minutes; the input price where none is listed.
    pub cache_write_5m: f64,
    /// Written to the cache for an hour; the price of five minutes where none is listed.
    pub cache_write_1h: f64,
    /// What changes for longer prompts.
    pub tiers: Vec<PriceTier>,
    /// The first UTC day of this price; `null` for always.
    pub from: Option<String>,
    /// Where it comes from: `config`, `import`, or the name of the built-in table.
    pub source: String,
    /// The date of the table; `null` for the configuration.
    pub table_date: Option<String>,
}

/// Prices of a whole answer whose prompt is longer than `above` tokens; what is absent does not change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PriceTier {
    /// Tokens of the prompt, cached ones included.
    pub above: u64,
    /// Input that was not cached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<f64>,
    /// Output, including reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<f64>,
    /// Read from the cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<f64>,
    /// Written to the cache for five minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_5m: Option<f64>,
    /// Written to the cache for an hour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_1h: Option<f64>,
}

/// What an import of prices changed, in numbers of prices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PriceImport {
    /// Version of this reply's form.
    pub schema_version: u32,
    /// Prices that were not there.
    pub added: usize,
    /// Prices that differ.
    pub changed: usize,
    /// Prices that are not there any more.
    pub removed: usize,
    /// Prices that are the same.
    pub same: usize,
    /// Entries of the file without a price for tokens.
    pub skipped: usize,
}
