//! Findings about budgets that are nearly or wholly spent.

use super::{Finding, FindingDraft, FindingKind};
use crate::budget::{Budget, BudgetState};
use crate::{SessionId, Timestamp};

/// The finding about a budget, if it is nearly or wholly spent. It belongs to the session that
/// worked last.
#[must_use]
pub fn nearly_spent(
    budget: &Budget,
    (spent, unknown): (i64, u64),
    (session, now): (SessionId, Timestamp),
) -> Option<Finding> {
    let state = match budget.state(spent) {
        BudgetState::Within => return None,
        BudgetState::Near => "nearly spent",
        BudgetState::Over => "spent",
    };
    let dollars = |micros: i64| format!("${:.2}", micros as f64 / 1e6);
    let rest = match unknown {
        0 => String::new(),
        1 => ", and 1 answer has no known cost".to_owned(),
        many => format!(", and {many} answers have no known cost"),
    };
    let says = format!(
        "The budget for {} is {state}: {} of {} this {}{rest}.",
        budget.of,
        dollars(spent),
        dollars(budget.limit),
        budget.per.as_str(),
    );
    Some(FindingDraft::new(FindingKind::Budget, now, &[], says).of(session))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::{BudgetOf, Period};
    use crate::{AgentId, RuntimeIdentity};

    #[test]
    fn a_budget_is_a_finding_before_it_is_spent() {
        let session = RuntimeIdentity::new(AgentId::new("a"), "", "s").session();
        let of = BudgetOf::Project("/w/buoy".to_owned());
        let budget = Budget { of, per: Period::Month, limit: 250_000 };
        let check = |spent, expected: Option<&str>| {
            let found = nearly_spent(&budget, spent, (session, Timestamp::UNIX_EPOCH));
            assert_eq!(found.map(|it| it.says).as_deref(), expected);
        };
        check((199_999, 0), None);
        check(
            (200_000, 0),
            Some("The budget for project:/w/buoy is nearly spent: $0.20 of $0.25 this month."),
        );
        check(
            (260_000, 2),
            Some(
                "The budget for project:/w/buoy is spent: $0.26 of $0.25 this month, \
                 and 2 answers have no known cost.",
            ),
        );
    }
}
