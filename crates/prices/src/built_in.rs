//! The built-in table: which provider sells a model, and at which prices.

use crate::clause::Clause;
use crate::name::{folded, without_window};
use crate::{Rates, Rule, Source, Tier};
use jiff::civil::Date;
use serde::Deserialize;

/// The table as it is shipped; `table/README.md` says where it comes from.
pub(crate) const TEXT: &str = include_str!("../table/prices.json");

/// Who makes models: a name without a provider is one of theirs or unknown. What others sell has the
/// same names at other prices, so they are asked only if the name begins with theirs.
const MAKERS: [&str; 12] = [
    "anthropic",
    "openai",
    "google",
    "x-ai",
    "mistral",
    "deepseek",
    "moonshotai",
    "zai",
    "zhipuai",
    "minimax",
    "meta",
    "cohere",
];
/// What agents call a provider that the table knows by another name.
const OTHER_NAMES: [(&str, &str); 10] = [
    ("models", "google"),
    ("vertex_ai", "google"),
    ("gemini", "google"),
    ("xai", "x-ai"),
    ("z-ai", "zai"),
    ("moonshot", "moonshotai"),
    ("mistralai", "mistral"),
    ("bedrock", "aws"),
    ("copilot", "github-copilot"),
    ("fireworks_ai", "fireworks"),
];
/// Models of AWS Bedrock may begin with the region, and then have their maker's name.
const REGIONS: [&str; 6] = ["us.", "eu.", "apac.", "jp.", "au.", "global."];
const BEDROCK: &str = "aws";

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Table {
    name: String,
    date: Option<Date>,
    providers: Vec<Provider>,
}

#[derive(Debug, Deserialize)]
struct Provider {
    id: String,
    /// Other names of the provider.
    alias: Option<Clause>,
    /// What a name has if it means this provider.
    names: Option<Clause>,
    /// Whose models it sells at their prices.
    #[serde(default)]
    fallbacks: Vec<String>,
    models: Vec<Model>,
}

#[derive(Debug, Deserialize)]
struct Model {
    id: String,
    #[serde(rename = "match")]
    clause: Clause,
    /// Empty for a model that is not priced by tokens.
    rules: Vec<Dated>,
}

#[derive(Debug, Deserialize)]
struct Dated {
    from: Option<Date>,
    #[serde(flatten)]
    prices: Rates,
    #[serde(default)]
    tiers: Vec<Tier>,
}

impl Table {
    /// Decodes the table. A test makes sure that it can be decoded.
    pub(crate) fn decode() -> Self {
        serde_json::from_str(TEXT).unwrap_or_default()
    }

    /// The rules of a model, the earliest first; none if the table does not know it.
    pub(crate) fn rules(&self, model: &str) -> Vec<Rule> {
        let name = folded(model);
        let name = without_window(&name);
        let Some((provider, model)) = self.find(name) else { return Vec::new() };
        model.rules.iter().map(|it| self.rule(provider, model, it)).collect()
    }

    fn rule(&self, provider: &Provider, model: &Model, dated: &Dated) -> Rule {
        Rule {
            model: model.id.clone(),
            provider: Some(provider.id.clone()),
            from: dated.from,
            source: Source::BuiltIn(self.name.clone()),
            table_date: self.date,
            prices: dated.prices,
            tiers: dated.tiers.clone(),
        }
    }

    fn find(&self, name: &str) -> Option<(&Provider, &Model)> {
        if let Some((prefix, rest)) = name.split_once('/') {
            return self.provider(prefix).and_then(|it| self.sold_by(it, rest));
        }
        if is_of_bedrock(name) {
            return self.by_id(BEDROCK).and_then(|it| it.model(name));
        }
        // Local models have a tag after a colon, and often the name of a maker's model.
        if name.contains(':') {
            return None;
        }
        let makers = MAKERS.iter().filter_map(|id| self.by_id(id));
        makers.filter(|it| it.means(name)).find_map(|it| it.model(name))
    }

    /// A model of a provider, or of one whose models it sells.
    fn sold_by<'a>(
        &'a self,
        provider: &'a Provider,
        name: &str,
    ) -> Option<(&'a Provider, &'a Model)> {
        let others = provider.fallbacks.iter().filter_map(|id| self.by_id(id));
        std::iter::once(provider).chain(others).find_map(|it| it.model(name))
    }

    fn provider(&self, prefix: &str) -> Option<&Provider> {
        let other = OTHER_NAMES.iter().find(|(name, _)| *name == prefix).map(|(_, id)| *id);
        let known = self.by_id(other.unwrap_or(prefix));
        let is_alias = |it: &&Provider| it.alias.as_ref().is_some_and(|it| it.holds(prefix));
        known.or_else(|| self.providers.iter().find(is_alias))
    }

    fn by_id(&self, id: &str) -> Option<&Provider> {
        self.providers.iter().find(|it| it.id == id)
    }
}

impl Provider {
    fn means(&self, name: &str) -> bool {
        self.names.as_ref().is_none_or(|it| it.holds(name))
    }

    fn model(&self, name: &str) -> Option<(&Self, &Model)> {
        let found = self.models.iter().find(|it| it.clause.holds(name));
        let found = found.or_else(|| {
            let dashed = dashed_date(name)?;
            self.models.iter().find(|it| it.clause.holds(&dashed))
        });
        found.map(|it| (self, it))
    }
}

/// Whether a name is written as AWS Bedrock does: `us.anthropic.claude-...`.
fn is_of_bedrock(name: &str) -> bool {
    let name = REGIONS.iter().find_map(|it| name.strip_prefix(it)).unwrap_or(name);
    let makers = ["anthropic.", "amazon.", "meta.", "mistral.", "deepseek.", "cohere.", "openai."];
    makers.iter().any(|it| name.starts_with(it))
}

/// `x-20251211` as `x-2025-12-11`, the form in which the table has some dates.
fn dashed_date(name: &str) -> Option<String> {
    let (begin, date) = name.rsplit_once('-')?;
    if !crate::name::fits("20######", date) {
        return None;
    }
    Some(format!("{begin}-{}-{}-{}", date.get(..4)?, date.get(4..6)?, date.get(6..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_found_by_its_maker_or_by_the_provider_it_names() {
        let table: Table = serde_json::from_str(TEXT).unwrap();
        let check = |model: &str, expected: Option<(&str, &str)>| {
            let rules = table.rules(model);
            let got = rules.first().map(|it| (it.provider.as_deref().unwrap(), it.model.as_str()));
            assert_eq!(got, expected, "{model}");
        };
        check("claude-sonnet-5-5", Some(("anthropic", "claude-sonnet-5-5")));
        check("Claude-Sonnet-5-5", Some(("anthropic", "claude-sonnet-5-5")));
        check("claude-sonnet-5-5-20260901", Some(("anthropic", "claude-sonnet-5-5")));
        check("claude-sonnet-5-5[1m]", Some(("anthropic", "claude-sonnet-5-5")));
        check("anthropic/claude-sonnet-5-5", Some(("anthropic", "claude-sonnet-5-5")));
        check("models/gemini-2.5-pro", Some(("google", "gemini-2.5-pro")));
        check("gemini-2.5-pro", Some(("google", "gemini-2.5-pro")));
        check("gpt-5", Some(("openai", "gpt-5")));
        check("azure/gpt-6-sol", Some(("openai", "gpt-6-sol")));
        check("grok-4.5", Some(("x-ai", "grok-4.5")));
        check("openrouter/x-ai/grok-4.3", Some(("openrouter", "x-ai/grok-4.3")));
        check("github-copilot/gpt-5-mini", Some(("github-copilot", "gpt-5-mini")));
        check("deepseek-chat", Some(("deepseek", "deepseek-chat")));
        let bedrock = "regional.anthropic.claude-sonnet-4-5-20250929-v1:0";
        check("us.anthropic.claude-sonnet-4-5-20250929-v1:0", Some(("aws", bedrock)));
        // Names of local models, of aggregators without their prefix, and of nobody.
        for unknown in [
            "",
            "/",
            "model",
            "gpt",
            "claude",
            "my-model",
            "llama3.1:8b",
            "qwen2.5-coder:7b",
            "mistral:7b",
            "deepseek-r1:14b",
            "gpt-oss:20b",
            "ollama/llama3",
            "ollama/claude-sonnet-5-5",
            "lmstudio/gpt-5",
            "llama-3.3-70b",
            "<synthetic>",
            "claude-sonnet-99",
        ] {
            check(unknown, None);
        }
    }

    #[test]
    fn the_table_names_itself_and_knows_its_models() {
        let table = Table::decode();
        let models: usize = table.providers.iter().map(|it| it.models.len()).sum();
        assert_eq!((table.name.as_str(), models), ("genai-prices 0.2.1", 2267));
        assert_eq!(table.date.map(|it| it.to_string()).as_deref(), Some("2026-10-30"));
        for id in MAKERS.iter().chain(OTHER_NAMES.iter().map(|(_, id)| id)).chain([&BEDROCK]) {
            assert!(table.by_id(id).is_some(), "{id}");
        }
    }
}
