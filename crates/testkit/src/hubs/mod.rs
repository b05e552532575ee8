//! Real servers for tests of hubs: NATS alone and in a cluster, something that speaks like S3, and
//! a bad network between them and us.
//!
//! Everything listens on loopback only and ends with the test, also when the test is killed. What
//! cannot be had fails the test; nothing is skipped.

mod certificate;
mod install;
mod moto;
mod nats;
mod port;
mod proxy;
mod spawn;

pub use certificate::Certificate;
pub use moto::Moto;
pub use nats::{Flush, NatsCluster, NatsServer};
pub use proxy::{Proxy, Weather};
