//! Prices against the outside: the table's own crate, another table, files to import, properties.

mod cross_check;
mod import;
mod properties;
mod same_as_the_crate;
