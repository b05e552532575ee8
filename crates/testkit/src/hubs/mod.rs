//! Real servers for tests of hubs: NATS alone and in a cluster, an S3 server, and a bad network
//! between them and us.
//!
//! Everything listens on loopback only and ends with the test, also when the test is killed. A
//! server that cannot be installed fails the test; nothing is skipped.

mod certificate;
mod moto;
mod nats;
pub(crate) mod port;
mod proxy;
pub(crate) mod spawn;

pub use certificate::Certificate;
pub use moto::Moto;
pub use nats::{Flush, NatsCluster, NatsServer, nats_server};
pub use proxy::{Proxy, Weather};

/// The cache of installed servers.
const CACHE: &str = "taffrail-hubs";
