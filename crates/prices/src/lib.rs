//! What an answer of a model costs: dated list prices, and sums in whole microdollars.
//!
//! Prices come from three places. The user's own win, then an imported table, then the built-in one.
//! A model that none of them names has no price: unknown is never zero.

mod built_in;
mod clause;
mod import;
mod imported;
mod litellm;
mod name;
mod own;
mod price;
mod prices;
mod rates;
mod rule;
pub mod session;

pub use import::{Changes, ImportError, read_import};
pub use imported::{ImportedTable, Incoming, Listed};
pub use own::{OwnPrice, check_distinct};
pub use price::Price;
pub use prices::Prices;
pub use rates::{Rates, Tier};
pub use rule::{Rule, Source, Spent};
