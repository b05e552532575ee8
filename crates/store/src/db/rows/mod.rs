//! Rows of the index as both the writer and the readers see them.

mod event;
mod session;
pub(crate) mod source;

pub use event::EventRow;
pub(crate) use event::{EVENT, read_event};
pub use session::SessionRow;
pub(crate) use session::{SESSION, read_session};
pub use source::SourceRow;
