//! One channel: a short queue, a sending thread, and counters.

use crate::channel::Channel;
use crate::channels::{Message, Route, Sending};
use crate::counts::Counts;
use crate::inbox::Notices;
use crate::phone::Phone;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::Duration;
use taffrail_context::Live;

/// The queue of messages; more are dropped and counted.
const QUEUE: usize = 32;
/// How often the wait checks whether the daemon ends.
const LOOK: Duration = Duration::from_millis(100);

/// The queue of a channel's thread.
pub(crate) struct Sender {
    queue: SyncSender<Message>,
    counts: Arc<Counts>,
}

impl Sender {
    /// Starts the thread; without it messages are dropped and counted.
    pub(crate) fn open(
        notices: &Notices,
        live: Live,
        (channel, route): (Channel, Route),
        phone: Option<Arc<Phone>>,
    ) -> (Self, Arc<Counts>) {
        let (queue, messages) = sync_channel(QUEUE);
        let counts = Arc::new(Counts::default());
        let (own, it) = (counts.clone(), notices.clone());
        let begun = notices.spawn("notices", move || {
            send_all((&it, &live, phone.as_deref()), (channel, route), (&messages, &own));
        });
        if let Err(error) = begun {
            tracing::warn!(%error, %channel, "cannot start the thread of a channel");
            counts.note(Some(error.to_string()));
        }
        (Self { queue, counts: counts.clone() }, counts)
    }

    /// Queues a message, if there is room. Never waits.
    pub(crate) fn send(&self, message: &Message) {
        let why = match self.queue.try_send(message.clone()) {
            Ok(()) => return,
            Err(TrySendError::Full(_)) => "too much waits to be sent",
            Err(TrySendError::Disconnected(_)) => "nobody sends any more",
        };
        self.counts.drop_one(why);
    }
}

fn send_all(
    (notices, live, phone): (&Notices, &Live, Option<&Phone>),
    (channel, mut route): (Channel, Route),
    (messages, counts): (&Receiver<Message>, &Counts),
) {
    let ending = || notices.is_ending();
    let executors = || live.executors();
    let settings = live.settings();
    let sending = Sending { settings, executors: &executors, ending: &ending, phone };
    while !ending() {
        match messages.recv_timeout(LOOK) {
            Ok(message) => {
                let came = route.send(&message, &sending).map(|_| ());
                if let Err(error) = &came {
                    tracing::warn!(%error, %channel, "cannot notify");
                }
                counts.count(came.map_err(|it| it.to_string()));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}
