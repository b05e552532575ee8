//! The table that the user imported, as it is kept in a file of ours.

use crate::own::OwnPrice;
use crate::{Rule, Source};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// The form of the file. Another form is not read.
const VERSION: u32 = 1;

/// An imported table. Its text is decoded at the first lookup.
#[derive(Debug, Default)]
pub struct ImportedTable {
    text: String,
    kept: OnceLock<TableFile>,
}

/// A price, and who sells the model if the table says so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// The provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The price.
    pub price: OwnPrice,
}

/// The prices of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Incoming {
    /// The prices.
    pub prices: Vec<Listed>,
    /// Entries that have no price for tokens.
    pub skipped: usize,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct TableFile {
    version: u32,
    date: Option<Date>,
    prices: Vec<Listed>,
}

impl ImportedTable {
    /// The table of a file that [`Self::write`] made.
    #[must_use]
    pub fn new(text: String) -> Self {
        Self { text, kept: OnceLock::new() }
    }

    /// The text of a file that keeps these prices, with the day they were imported.
    ///
    /// # Errors
    /// When the prices cannot be written as JSON.
    pub fn write(date: Date, prices: Vec<Listed>) -> Result<String, serde_json::Error> {
        serde_json::to_string(&TableFile { version: VERSION, date: Some(date), prices })
    }

    /// Whether the file can be read. A file that cannot has no prices.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        read(&self.text).is_some()
    }

    /// All prices.
    #[must_use]
    pub fn prices(&self) -> &[Listed] {
        &self.kept().prices
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn rules(&self) -> impl Iterator<Item = Rule> {
        let date = self.kept().date;
        self.prices().iter().map(move |it| Rule {
            provider: it.provider.clone(),
            table_date: date,
            ..it.price.rule(Source::Import)
        })
    }

    fn kept(&self) -> &TableFile {
        self.kept.get_or_init(|| read(&self.text).unwrap_or_default())
    }
}

fn read(text: &str) -> Option<TableFile> {
    serde_json::from_str(text).ok().filter(|it: &TableFile| it.version == VERSION)
}
