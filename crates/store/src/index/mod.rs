//! The writer's side of the index: pieces in, numbered changes out.

mod acts;
mod answer_prices;
mod append;
mod batch;
mod binding_sync;
mod checkpoint;
mod failures;
mod file;
mod finals;
mod forget;
mod fork_families;
mod hook_events;
mod index_meta;
mod passes;
mod prompt_history;
mod quality;
mod queries;
mod quotas;
mod remote;
mod session_facts;
mod slots;
mod source_moves;
mod sources;
mod spent;
mod takeovers;
mod tools;
mod uncaptured;
mod usage;
mod writer;
mod writer_io;

pub(crate) use answer_prices::PRICES;
pub(crate) use quality::read as read_quality;
pub(crate) use spent::QUARTER;
pub(crate) use usage::read_usage;

pub use answer_prices::Pricing;
pub use file::make_durable;
pub use finals::FinalRow;
pub(crate) use quotas::LAST_WRITTEN as LAST_QUOTAS;
pub use writer::Writer;
pub use writer_io::{Applied, Boot, Touched};
