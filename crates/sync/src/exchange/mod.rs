//! Exchanges numbered items between devices over any hub.
//!
//! A device writes streams, one for each audience. Items wait in an outbox, are sealed into batches
//! and appended to a log on the hub under the number their writer gives them; other devices read from
//! cursors of their own. All storage is behind [`Outbox`] and [`Inbox`]; time and randomness come in as
//! arguments. Order of reading: `item`, `publish`, `read`, `run`.

mod beats;
mod checkpoint;
pub mod decision;
mod engine;
mod fault;
mod health;
mod hint_queue;
mod item;
mod keyring;
mod lag;
mod memory;
mod names;
mod publish;
mod read;
mod readers;
mod relocation;
mod retention;
mod run;
mod segments;
mod team;
mod wanted;

pub use beats::BEAT;
pub use checkpoint::CheckpointPace;
pub use engine::{Durable, Exchange, ItemSink, LocalDevice, Parts, Random};
pub use fault::ExchangeError;
pub use health::{Health, Stall, StallReason, State};
pub use item::Item;
pub use lag::{unread, unread_there};
pub use memory::MemoryStore;
pub use names::{approval_stream, own_stream, share_stream};
pub use publish::{BATCH_BYTES, BATCH_WAIT, ITEM_LIMIT, Published, Republish};
pub use read::ReadSummary;
pub use readers::Readers;
pub use relocation::{
    Carried, Relocation, RelocationFault, acquire_lease, arrive, carry, has_arrived, is_leaving,
    is_left, leave, may_follow, relocation_of,
};
pub use retention::{Keep, Removed};
pub use run::{LOOK, Signals, run};
pub use taffrail_model::exchange::{
    Inbox, Incarnation, OutBatch, OutRow, Outbox, ReadTo, Retention, StorageFault, StreamOrigin,
    Writing,
};
pub use team::{RosterFault, fetch_roster, publish_roster, recovered_roster};
