//! Rules that apply only while a budget is spent.

use super::asked;
use std::path::Path;
use taffrail_rules::{Decision, Fault, Origin, Rule, Spending, Typed, decide, in_force};

fn typed(decision: &str, when: &str) -> Typed {
    Typed {
        decision: decision.to_owned(),
        tool: "*".to_owned(),
        when: Some(when.to_owned()),
        ..Typed::default()
    }
}

fn meant(typed: &Typed) -> Result<Rule, Fault> {
    typed.meant(Origin::User, 1, Path::new("/home/me"))
}

#[test]
fn a_spent_budget_asks_or_denies_and_an_unknown_one_asks() {
    let check = |decision: &str, spending: Spending, expected: (Decision, &str)| {
        let allow = super::rule("allow", "Bash", Some("make *"));
        let rules = vec![meant(&typed(decision, "over-budget")).unwrap(), allow];
        let verdict = decide(&asked("make x"), &in_force(rules, spending));
        assert_eq!((verdict.decision, verdict.why.as_str()), expected, "{decision} {spending:?}");
    };
    let allowed = (Decision::Allow, "your rule 1, allow Bash: make *");
    let deny = "your rule 1, deny every tool when over-budget";
    check("deny", Spending::Over, (Decision::Deny, deny));
    check("deny", Spending::Within, allowed);
    let unknown = format!("{deny}, and it is not known whether a budget is spent");
    check("deny", Spending::Unknown, (Decision::Ask, &unknown));
    let ask = "your rule 1, ask every tool when over-budget";
    check("ask", Spending::Over, (Decision::Ask, ask));
    check("ask", Spending::Within, allowed);
}

#[test]
fn a_condition_that_nobody_looked_up_asks() {
    let rules = [meant(&typed("deny", "over-budget")).unwrap()];
    assert_eq!(decide(&asked("make x"), &rules).decision, Decision::Ask);
}

#[test]
fn an_unknown_condition_and_an_allow_with_one_are_faults() {
    let check = |decision: &str, when: &str, expected: Fault| {
        assert_eq!(meant(&typed(decision, when)), Err(expected));
    };
    let unknown = "`over budget` is not a condition: over-budget is".to_owned();
    check("deny", "over budget", Fault::Other(unknown));
    let allow = "a condition is for rules that ask or deny".to_owned();
    check("allow", "over-budget", Fault::Allow(allow));
}
