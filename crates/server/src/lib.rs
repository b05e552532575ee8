//! The daemon's API over a socket and loopback, the embedded dashboard, received telemetry, and the
//! daemon's log.

pub mod collector;
pub mod http;
pub mod logs;
mod otel;
pub mod process;
pub mod releases;

pub use otel::{OtelSettings, otel_settings};
