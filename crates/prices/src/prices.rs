//! All prices: which rule applies to a model on a day, and what an answer costs.

use crate::built_in::{TEXT, Table};
use crate::name::{candidates, folded};
use crate::{ImportedTable, OwnPrice, Rule, Source, Spent};
use jiff::civil::Date;
use jiff::tz::Offset;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use taffrail_model::Timestamp;
use twox_hash::XxHash3_128;

/// The meaning of names and prices in this code; raised when it changes, because costs change then too.
const MEANING: u32 = 1;
/// How many names are remembered. Whoever writes more than this many is not asking for prices.
const MOST_NAMES: usize = 4096;

/// The user's own prices, then the imported table, then the built-in one.
#[derive(Debug, Default)]
pub struct Prices {
    own: Vec<OwnPrice>,
    imported: Option<ImportedTable>,
    by_name: OnceLock<ByName>,
    known: RwLock<HashMap<String, Arc<RulesBySource>>>,
}

/// Every place's rules by the name in lower case, and the built-in table, once they are needed.
#[derive(Debug)]
struct ByName {
    own: HashMap<String, Vec<Rule>>,
    imported: HashMap<String, Vec<Rule>>,
    built_in: Table,
}

/// The rules of a model by place, the place that wins first; the rules of a place by date.
type RulesBySource = [Vec<Rule>; 3];

impl Prices {
    /// Prices from these places. Nothing is decoded before the first lookup.
    #[must_use]
    pub fn new(own: Vec<OwnPrice>, imported: Option<ImportedTable>) -> Self {
        Self { own, imported, ..Self::default() }
    }

    /// Microdollars of one answer; `None` if the model's price is unknown.
    #[must_use]
    pub fn cost(&self, spent: &Spent<'_>) -> Option<i64> {
        let found = self.find(spent.model);
        applies(&found, utc_date(spent.at))?.cost(spent)
    }

    /// The rule that applies to a model at a time.
    #[must_use]
    pub fn rule(&self, model: &str, at: Timestamp) -> Option<Rule> {
        applies(&self.find(model), utc_date(at)).cloned()
    }

    /// The imported table.
    #[must_use]
    pub fn imported(&self) -> Option<&ImportedTable> {
        self.imported.as_ref()
    }

    /// A short digest of everything that makes a price. Costs computed under an equal one are still valid.
    #[must_use]
    pub fn stamp(&self) -> String {
        let mut own: Vec<_> = self.own.iter().map(|it| (it.key(), it)).collect();
        own.sort_by(|one, other| one.0.cmp(&other.0));
        let own: Vec<_> = own.into_iter().map(|(key, it)| (key, it.prices, &it.tiers)).collect();
        let imported = self.imported.as_ref().map_or("", |it| it.text());
        let digest = |part: &str| XxHash3_128::oneshot(part.as_bytes());
        let parts = [&format!("{MEANING} {own:?}"), imported, TEXT].map(digest);
        format!("{:032x}", digest(&format!("{parts:x?}"))).chars().take(16).collect()
    }

    fn find(&self, model: &str) -> Arc<RulesBySource> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(model) {
            return Arc::clone(found);
        }
        drop(known);
        let found = Arc::new(self.look_up(model));
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_NAMES {
            known.clear();
        }
        known.insert(model.to_owned(), Arc::clone(&found));
        found
    }

    fn look_up(&self, model: &str) -> RulesBySource {
        let all = self.by_name.get_or_init(|| self.index());
        let names = candidates(model);
        let listed = |rules: &HashMap<String, Vec<Rule>>| {
            names.iter().find_map(|name| rules.get(name)).cloned().unwrap_or_default()
        };
        [listed(&all.own), listed(&all.imported), all.built_in.rules(model)]
    }

    fn index(&self) -> ByName {
        ByName {
            own: by_name(self.own.iter().map(|it| it.rule(Source::Config))),
            imported: by_name(self.imported.iter().flat_map(ImportedTable::rules)),
            built_in: Table::decode(),
        }
    }
}

fn by_name(rules: impl Iterator<Item = Rule>) -> HashMap<String, Vec<Rule>> {
    let mut out: HashMap<String, Vec<Rule>> = HashMap::new();
    for rule in rules {
        out.entry(folded(&rule.model)).or_default().push(rule);
    }
    for rules in out.values_mut() {
        rules.sort_by_key(|it| it.from);
    }
    out
}

/// The latest rule of the first place that has one for this day.
fn applies(found: &RulesBySource, day: Date) -> Option<&Rule> {
    let has_begun = |rule: &&Rule| rule.from.is_none_or(|from| from <= day);
    found.iter().find_map(|rules| rules.iter().rev().find(has_begun))
}

fn utc_date(at: Timestamp) -> Date {
    Offset::UTC.to_datetime(at).date()
}

#[cfg(test)]
mod tests;
