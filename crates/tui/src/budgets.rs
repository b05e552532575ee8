//! Budgets as lines of text.

use crate::numbers::{counted, dollars};
use crate::terminal::line;
use taffrail_api::{BudgetList, BudgetRow};

/// One line for each budget.
#[must_use]
pub fn lines(list: &BudgetList) -> Vec<String> {
    list.budgets.iter().map(one).collect()
}

/// A budget in a sentence; a shape for each state, so that colour never speaks alone.
#[must_use]
pub fn one(it: &BudgetRow) -> String {
    let mark = match it.state.as_str() {
        "over" => '✕',
        "near" => '!',
        _ => '✓',
    };
    let share = i128::from(it.spent_microdollars) * 100 / i128::from(it.limit_microdollars.max(1));
    let unknown = match it.unknown_answers {
        0 => String::new(),
        some => format!(", and {} of unknown cost", counted(some, "answer")),
    };
    format!(
        "{mark} {} of {} this {} ({share} %) for {}{unknown}",
        dollars(Some(it.spent_microdollars)),
        dollars(Some(it.limit_microdollars)),
        it.per,
        line(&it.of),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_says_what_is_spent_of_how_much() {
        let row = BudgetRow {
            of: "project:/w/buoy".to_owned(),
            per: "month".to_owned(),
            began_at: "2026-11-01T00:00:00Z".parse().unwrap(),
            spent_microdollars: 212_000,
            limit_microdollars: 250_000,
            unknown_answers: 2,
            state: "near".to_owned(),
        };
        let expected = "! $0.21 of $0.25 this month (84 %) for project:/w/buoy, \
                        and 2 answers of unknown cost";
        assert_eq!(one(&row), expected);
    }
}
