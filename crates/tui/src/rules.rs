//! Rules about approvals as a list.

use crate::terminal::line;
use taffrail_api::{RuleList, RuleRow};

/// The rules, under the file each is in.
#[must_use]
pub fn rows(list: &RuleList) -> Vec<String> {
    let mut out = Vec::new();
    let mut file = "";
    for rule in &list.rules {
        if rule.file != file {
            file = &rule.file;
            out.push(format!("{} ({})", line(file), rule.origin));
        }
        out.push(row(rule));
    }
    out
}

fn row(rule: &RuleRow) -> String {
    let number = rule.number.map_or_else(|| "-".to_owned(), |it| it.to_string());
    let text = match &rule.fault {
        Some(fault) => format!("✕ {}: {fault}", rule.text),
        None => rule.text.clone(),
    };
    format!("{number:>4}  {}", line(&text))
}
