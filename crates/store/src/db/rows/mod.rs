//! Rows of the index, shared by the writer and the readers.

mod event;
pub(crate) mod quota;
mod session;
pub(crate) mod source;

pub use event::EventRow;
pub(crate) use event::{EVENT, read_event};
pub use session::SessionRow;
pub(crate) use session::{SESSION, read_session};
pub use source::SourceRow;
