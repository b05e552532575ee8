//! Conditions: rules that apply only at times.

use super::decision::Decision;
use super::rule::Rule;

/// When a rule applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// While a budget that the session belongs to is spent.
    OverBudget,
}

impl Condition {
    /// Every condition.
    pub const ALL: [Self; 1] = [Self::OverBudget];

    /// The word used in files and commands.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OverBudget => "over-budget",
        }
    }

    /// The condition of a rule with this decision.
    ///
    /// # Errors
    /// Returns the reason, for people.
    pub(super) fn parse(text: &str, decision: Decision) -> Result<Self, String> {
        let Some(it) = Self::ALL.into_iter().find(|it| it.as_str() == text) else {
            return Err(format!("`{}` is not a condition: over-budget is", text.escape_debug()));
        };
        match decision {
            Decision::Allow => Err("a condition is for rules that ask or deny".to_owned()),
            Decision::Ask | Decision::Deny => Ok(it),
        }
    }
}

/// What is known of the budgets that a session belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spending {
    /// None of them is spent.
    Within,
    /// One of them is spent.
    Over,
    /// The state of one is not known, and none is known to be spent.
    Unknown,
}

/// The rules that apply in this state. A rule whose condition is not known keeps it, and `decide`
/// then asks.
#[must_use]
pub fn in_force(rules: Vec<Rule>, spending: Spending) -> Vec<Rule> {
    let resolved = |rule: Rule| match (rule.when, spending) {
        (None, _) | (Some(Condition::OverBudget), Spending::Unknown) => Some(rule),
        (Some(Condition::OverBudget), Spending::Over) => Some(Rule { when: None, ..rule }),
        (Some(Condition::OverBudget), Spending::Within) => None,
    };
    rules.into_iter().filter_map(resolved).collect()
}
