//! The base of both databases: files, locks, tables, columns and rows.

pub(crate) mod codec;
mod columns;
mod error;
mod idle;
mod lock;
pub(crate) mod meta;
pub(crate) mod open;
pub(crate) mod rows;
pub(crate) mod schema;

pub(crate) use columns::{Columns, TOKEN_SUMS};
pub use error::StoreError;
pub(crate) use idle::Used;
pub use lock::{LockError, WriterLock};
pub(crate) use schema::{LISTED, SHOWN};
