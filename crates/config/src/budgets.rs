//! The user's budgets.

use serde::{Deserialize, Serialize};
use std::path::Path;
use taffrail_model::budget::{Budget, BudgetOf, Period};

/// `[[budgets]]`: how much some work may cost in a period.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, try_from = "Written", into = "Written")]
pub struct BudgetConfig(Budget);

/// The table as written.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tag: Option<String>,
    per: Period,
    usd: f64,
}

impl TryFrom<Written> for BudgetConfig {
    type Error = String;

    fn try_from(it: Written) -> Result<Self, String> {
        let named = [
            it.project.map(BudgetOf::Project),
            it.agent.map(BudgetOf::Agent),
            it.branch.map(BudgetOf::Branch),
            it.tag.map(BudgetOf::Tag),
        ];
        let mut named = named.into_iter().flatten();
        let of = named.next().unwrap_or(BudgetOf::All);
        if let Some(second) = named.next() {
            return Err(format!("a budget is for `{of}` or for `{second}`, not both; write two"));
        }
        let micros = (it.usd * 1e6).round();
        if !(1.0..=1e15).contains(&micros) {
            return Err(format!("`usd` of the budget for `{of}` is `{}`; write e.g. 20.0", it.usd));
        }
        Ok(Self(Budget { of, per: it.per, limit: micros as i64 }))
    }
}

impl From<BudgetConfig> for Written {
    fn from(BudgetConfig(it): BudgetConfig) -> Self {
        let usd = it.limit as f64 / 1e6;
        let none = Self { project: None, agent: None, branch: None, tag: None, per: it.per, usd };
        match it.of {
            BudgetOf::All => none,
            BudgetOf::Project(name) => Self { project: Some(name), ..none },
            BudgetOf::Agent(name) => Self { agent: Some(name), ..none },
            BudgetOf::Branch(name) => Self { branch: Some(name), ..none },
            BudgetOf::Tag(name) => Self { tag: Some(name), ..none },
        }
    }
}

impl BudgetConfig {
    /// The budget; `~` in a project is the user's home.
    pub(crate) fn settings(&self, user_home: &Path) -> Budget {
        let Budget { of, per, limit } = self.0.clone();
        let of = match of {
            BudgetOf::Project(it) => BudgetOf::Project(match it.strip_prefix("~/") {
                Some(below) => user_home.join(below).display().to_string(),
                None => it,
            }),
            of => of,
        };
        Budget { of, per, limit }
    }
}

#[cfg(test)]
mod tests {
    use crate::Config;
    use std::path::Path;

    #[test]
    fn budgets_are_read_and_a_fault_names_the_key() {
        let check = |text: &str, expected: &str| {
            let text = format!("[[budgets]]\n{text}");
            let got = match Config::parse(&text, Path::new("x")) {
                Ok(it) => format!("{:?}", it.budgets(Path::new("/home/dev"))),
                Err(error) => error.to_string(),
            };
            assert!(got.contains(expected), "{text}: {got}");
        };
        let whole = r#"[Budget { of: Project("/home/dev/shop"), per: Week, limit: 20500000 }]"#;
        check("project = \"~/shop\"\nper = \"week\"\nusd = 20.5", whole);
        check("per = \"day\"\nusd = 3", "[Budget { of: All, per: Day, limit: 3000000 }]");
        check("tag = \"a\"\nagent = \"codex\"\nper = \"day\"\nusd = 3", "not both; write two");
        check("per = \"day\"\nusd = -3", "`usd` of the budget for `all` is `-3`");
        check("per = \"year\"\nusd = 3", "unknown variant `year`");
        check("per = \"day\"", "missing field `usd`");
    }
}
