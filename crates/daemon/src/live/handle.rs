//! A handle to the daemon's loop and its parts.

use super::loop_message::LoopMessage;
use crate::delivery::Delivery;
use crate::phone;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use taffrail_approvals::Broker;
use taffrail_context::{Live, Settings};
use taffrail_devices::ExchangeHandle;
use taffrail_notify::{Links, Notices};
use taffrail_query::board::{Board, IsHeld};
use taffrail_query::summary::CommandSummaries;

/// A handle to the daemon's loop and its parts. Clones share the same daemon.
#[derive(Clone)]
pub struct Handle(Arc<Parts>);

struct Parts {
    live: Live,
    summaries: CommandSummaries,
    broker: Broker,
    delivery: Delivery,
    notices: Notices,
    exchange: ExchangeHandle,
    links: Option<Links>,
}

impl std::fmt::Debug for Handle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Handle")
    }
}

impl Handle {
    /// Creates the parts of a daemon that has not started yet.
    #[must_use]
    pub fn new(settings: Settings, to_loop: &Sender<LoopMessage>) -> Self {
        let links = phone::links(&settings);
        let (summaries, notices) = (CommandSummaries::new(&settings), Notices::default());
        let live = live(settings, to_loop.clone());
        let changed = notices.clone();
        let broker = Broker::new(live.clone(), Box::new(move |it| changed.changed([it])));
        let delivery = delivery(live.clone(), to_loop.clone());
        let exchange = exchange((&live, &broker), delivery.clone(), notices.clone());
        Self(Arc::new(Parts { live, summaries, broker, delivery, notices, exchange, links }))
    }

    /// The state that the loop shares with every other part.
    #[must_use]
    pub fn live(&self) -> &Live {
        &self.0.live
    }

    /// The daemon's settings; queries with them expect an up-to-date index.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        self.0.live.settings()
    }

    /// Summaries made by the user's own command.
    #[must_use]
    pub fn summaries(&self) -> &CommandSummaries {
        &self.0.summaries
    }

    /// The approval broker.
    #[must_use]
    pub fn broker(&self) -> &Broker {
        &self.0.broker
    }

    /// The delivery of messages.
    #[must_use]
    pub fn delivery(&self) -> &Delivery {
        &self.0.delivery
    }

    /// Notifications.
    #[must_use]
    pub fn notices(&self) -> &Notices {
        &self.0.notices
    }

    /// The exchange with other devices.
    #[must_use]
    pub fn exchange(&self) -> &ExchangeHandle {
        &self.0.exchange
    }

    /// The one-time links of this daemon.
    #[must_use]
    pub fn links(&self) -> Option<&Links> {
        self.0.links.as_ref()
    }

    /// Creates an empty board.
    pub(super) fn board(&self) -> Board {
        Board::new(self.live().clone(), self.is_held())
    }

    /// Whether a hook of a session waits for an answer.
    pub(super) fn is_held(&self) -> IsHeld {
        let broker = self.broker().clone();
        Box::new(move |it| broker.holds(it))
    }

    /// Starts to notify the user.
    pub fn open_notices(&self, state: Option<PathBuf>) {
        let broker = self.broker().clone();
        let requests = Box::new(move || broker.open_requests());
        let parts = (self.live().clone(), self.broker().clone());
        let phone = self.links().map(|it| phone::phone(it.clone(), parts));
        taffrail_notify::open(self.notices(), self.live().clone(), (requests, phone), state);
    }
}

fn live(settings: Settings, to_loop: Sender<LoopMessage>) -> Live {
    // A loop that ended accepts no requests; the caller notices that its answer never comes.
    Live::new(settings, Box::new(move |it| drop(to_loop.send(LoopMessage::Request(it)))))
}

fn delivery(live: Live, to_loop: Sender<LoopMessage>) -> Delivery {
    let located = Box::new(move |pid, found| {
        // A loop that ended needs no executors.
        to_loop.send(LoopMessage::Executor(pid, found)).ok();
    });
    Delivery::new(live, located)
}

fn exchange(
    (live, broker): (&Live, &Broker),
    delivery: Delivery,
    notices: Notices,
) -> ExchangeHandle {
    let accept = Box::new(move |session, said| delivery.accept_reachable(session, said));
    let notify = Box::new(move |it| notices.tell(it));
    ExchangeHandle::new((live.clone(), broker.clone()), accept, notify)
}
