//! Rules: decisions about approvals that the user or a repository made in advance.
//!
//! Pure. A rule that allows accepts only commands that every shell parses alike, word by word; a
//! rule that denies or asks searches everything it can parse. Nothing is allowed without a rule.

mod condition;
mod control;
mod decide;
mod decision;
mod files;
mod input;
mod limit;
mod paths;
mod pattern;
mod permissive_parser;
mod request;
mod risk;
mod risk_table;
mod rule;
mod rules_file;
mod strict_parser;
mod suggest;
mod warn;

pub use condition::{Condition, Spending, in_force};
pub use control::controls;
pub use decide::{Verdict, decide};
pub use decision::Decision;
pub use files::FilePattern;
pub use input::{command_in, fields_beside};
pub use limit::COMMAND_BYTES;
pub use pattern::Pattern;
pub use permissive_parser::{CommandList, commands_in};
pub use request::Request;
pub use risk::{Risk, risk};
pub use risk_table::RiskLevel;
pub use rule::{ANY_TOOL, Origin, Rule};
pub use rules_file::{Fault, Typed};
pub use strict_parser::{NotPlain, plain_commands};
pub use suggest::{Decided, suggestions};
pub use warn::warnings;
