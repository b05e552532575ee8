//! The board in the terminal, and the words, tables and times it shares with the commands.
//!
//! The board talks to the daemon through `taffrail-api` only. Everything it needs from the process
//! around it comes in [`Options`]: time, environment, paths, and how to start a program.
//!
//! A message changes the state in `update`; `view` draws the state and cannot change it;
//! `io` holds the terminal and the threads that send messages.

pub mod agents;
pub mod blame;
pub mod budgets;
pub mod changes;
pub mod digest;
pub mod excerpt;
pub mod explanation;
pub mod feed_line;
pub mod gauge;
pub mod hooks;
pub mod hyperlinks;
mod io;
pub mod letters;
pub mod numbers;
pub mod pager;
mod paint;
pub mod phrases;
pub mod pretty;
pub mod prices;
pub mod printer;
pub mod quota;
pub mod requests;
pub mod rules;
mod run;
#[cfg(test)]
mod samples;
pub mod session_text;
mod state;
pub mod stats;
pub mod status_bar;
pub mod table;
pub mod terminal;
#[cfg(test)]
mod tests;
pub mod transcript;
mod update;
pub mod usage;
mod view;
pub mod waterfall;
pub mod when;

pub use paint::theme::{Styles, ThemeChoice};
pub use run::{Options, run};
pub use state::host::{Access, Host};
pub use state::welcome::Service;
