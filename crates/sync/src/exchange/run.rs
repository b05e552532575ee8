//! The loop of a device: publishes the outbox, reads what changed, scans everything at intervals,
//! and backs off while the hub is unreachable.

use super::engine::{Exchange, ItemSink};
use super::hint_queue::{HintQueue, QueuedHint};
use super::{BEAT, ExchangeError, Health, Inbox, Outbox, ReadSummary, names};
use crate::hub::{Hint, Hints, Hub, HubError, KeyName, LogName, Prefix, Watched};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use taffrail_model::Timestamp;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

/// How often everything is scanned without a hint.
pub const LOOK: Duration = Duration::from_secs(30);
/// How often what the hub need not keep is removed.
const RETAIN: Duration = Duration::from_hours(6);
/// When that happens first: after the device has caught up.
const FIRST_RETAIN: Duration = Duration::from_mins(2);
/// How long the history behind a checkpoint waits: what the checkpoint says is shown first.
const HISTORY_WAIT: Duration = Duration::from_secs(5);
/// The wait after the first failure, in milliseconds.
const FIRST_WAIT: u64 = 500;
/// The longest wait, in milliseconds.
const LONGEST_WAIT: u64 = 60_000;

/// The loop's channels to the rest of the program.
#[derive(Debug)]
pub struct Signals {
    /// Items were added to the outbox.
    pub pushed: Arc<Notify>,
    /// This device has live sessions, so it should send beats.
    pub lives: Arc<AtomicBool>,
    /// The health of the exchange.
    pub health: watch::Sender<Health>,
    /// True when the loop should end.
    pub stop: watch::Receiver<bool>,
}

/// Why the loop woke up.
enum Wake {
    Pushed,
    Hint(Hint),
    /// The watch ended: no more hints will come.
    WatchEnded,
    Time,
    Stop,
}

/// The result of following a hint.
struct HintResult {
    /// When this device's next batch is due.
    due: Option<Timestamp>,
    /// The entry could not be read so far.
    is_early: bool,
}

/// Runs the exchange until `stop` is set, and returns it.
pub async fn run<H, S, A>(
    mut exchange: Exchange<H, S, A>,
    clock: impl Fn() -> Timestamp + Send + Sync,
    mut signals: Signals,
) -> Exchange<H, S, A>
where
    H: Hub,
    S: Outbox + Inbox + Send,
    A: ItemSink + Send,
{
    let mut failures = 0;
    while !*signals.stop.borrow() {
        let answer = serve(&mut exchange, &clock, &mut signals, &mut failures).await;
        let Err(error) = answer else { break };
        exchange.note_outcome(Some(&error), clock());
        signals.health.send_replace(exchange.health.clone());
        let wait = backoff(failures, exchange.random.number());
        failures += 1;
        let is_over = tokio::select! {
            () = tokio::time::sleep(wait) => false,
            changed = signals.stop.changed() => changed.is_err(),
        };
        if is_over {
            break;
        }
    }
    exchange
}

/// Runs the exchange until something fails or `stop` is set.
async fn serve<H, S, A>(
    exchange: &mut Exchange<H, S, A>,
    clock: &(impl Fn() -> Timestamp + Send + Sync),
    signals: &mut Signals,
    failures: &mut u32,
) -> Result<(), ExchangeError>
where
    H: Hub,
    S: Outbox + Inbox + Send,
    A: ItemSink + Send,
{
    // Before the first scan, so that no change in between is missed.
    let mut hint_watch = HintWatch::open(exchange).await?;
    let mut cause = Wake::Time;
    let now = Instant::now();
    let mut times = Times { look: now, beat: now, retain: now + FIRST_RETAIN, history: None };
    let (mut hint_queue, mut due) = (HintQueue::default(), None);
    loop {
        due = match cause {
            Wake::Stop => return Ok(()),
            Wake::WatchEnded => {
                return Err(HubError::Unreachable("the watch ended".to_owned()).into());
            }
            Wake::Time if times.look <= Instant::now() => {
                times.look = Instant::now() + LOOK;
                exchange.look_at_newest(clock()).await?
            }
            Wake::Time | Wake::Pushed => exchange.publish(clock()).await?.due,
            Wake::Hint(Hint::Beat(device, bytes)) => {
                exchange.receive_beat(&device, &bytes, clock())?;
                due
            }
            Wake::Hint(hint) if hint_queue.defer(&hint, Instant::now()) => due,
            Wake::Hint(hint) => {
                hint_queue.keep(QueuedHint { at: Instant::now(), hint, tries: 0 });
                due
            }
        };
        for QueuedHint { hint, tries, .. } in hint_queue.due(Instant::now()) {
            let followed = exchange.follow(&hint, clock()).await?;
            due = followed.due;
            if followed.is_early {
                hint_queue.again(hint, tries, Instant::now());
            }
        }
        if hint_watch.follow(exchange).await? {
            times.look = Instant::now();
        }
        times.beat(exchange, clock(), signals).await?;
        times.retain(exchange, clock()).await;
        *failures = 0;
        exchange.note_outcome(None, clock());
        send_health(&signals.health, &exchange.health);
        let history = times.history(exchange).await?;
        let published = due.map(|due| instant_of(due, clock()));
        let wake = [published, hint_queue.until(), history].into_iter().flatten().min();
        let wake = wake.map_or(times.next(signals), |it| it.min(times.next(signals)));
        cause = wait(&mut hint_watch.hints, signals, wake).await;
    }
}

/// When the next scan and the next beat are due.
struct Times {
    look: Instant,
    beat: Instant,
    retain: Instant,
    /// When the next page of history is read, if there is any.
    history: Option<Instant>,
}

impl Times {
    fn next(&self, signals: &Signals) -> Instant {
        match signals.lives.load(Ordering::Relaxed) {
            true => self.look.min(self.beat),
            false => self.look,
        }
    }

    /// Reads a page of history, if it is time. Whatever else happens comes before the next one.
    async fn history<H: Hub, S: Outbox + Inbox, A: ItemSink>(
        &mut self,
        exchange: &mut Exchange<H, S, A>,
    ) -> Result<Option<Instant>, ExchangeError> {
        let has_history = exchange.has_history()?;
        let at = self.history.unwrap_or_else(|| Instant::now() + HISTORY_WAIT);
        self.history = has_history.then_some(at);
        if has_history && at <= Instant::now() {
            exchange.read_history(&mut ReadSummary::default()).await?;
        }
        Ok(self.history)
    }

    /// Removes what the hub need not keep, if it is time. A failure is shown and stops nothing else.
    async fn retain<H: Hub, S: Outbox + Inbox, A: ItemSink>(
        &mut self,
        exchange: &mut Exchange<H, S, A>,
        now: Timestamp,
    ) {
        if self.retain > Instant::now() {
            return;
        }
        self.retain = Instant::now() + RETAIN;
        exchange.health.retention = match exchange.retain(exchange.keep, now).await {
            Ok(removed) if removed.entries > 0 || removed.blobs > 0 => {
                tracing::info!(?removed, "removed old data from the hub");
                None
            }
            Ok(_) => None,
            Err(error) => {
                tracing::warn!(%error, "cannot remove old data from the hub");
                Some(error.to_string())
            }
        };
    }

    /// Sends a beat, if sessions are live and it is time.
    async fn beat<H: Hub, S: Outbox + Inbox, A: ItemSink>(
        &mut self,
        exchange: &mut Exchange<H, S, A>,
        now: Timestamp,
        signals: &Signals,
    ) -> Result<(), ExchangeError> {
        if signals.lives.load(Ordering::Relaxed) && self.beat <= Instant::now() {
            self.beat = Instant::now() + BEAT;
            exchange.beat(now).await?;
        }
        Ok(())
    }
}

/// The open watch on the hub.
struct HintWatch {
    watched: Watched,
    hints: Hints,
}

impl HintWatch {
    async fn open<H: Hub, S: Outbox + Inbox, A: ItemSink>(
        exchange: &mut Exchange<H, S, A>,
    ) -> Result<Self, ExchangeError> {
        let watched = exchange.watched()?;
        let hints = exchange.hub.watch(&watched).await?;
        Ok(Self { watched, hints })
    }

    /// Watches the streams that are read now; `true` if they changed.
    async fn follow<H: Hub, S: Outbox + Inbox, A: ItemSink>(
        &mut self,
        exchange: &mut Exchange<H, S, A>,
    ) -> Result<bool, ExchangeError> {
        if exchange.watched()? == self.watched {
            return Ok(false);
        }
        *self = Self::open(exchange).await?;
        Ok(true)
    }
}

async fn wait(hints: &mut Hints, signals: &mut Signals, until: Instant) -> Wake {
    tokio::select! {
        biased;
        _ = signals.stop.changed() => Wake::Stop,
        () = signals.pushed.notified() => Wake::Pushed,
        hint = hints.next() => hint.map_or(Wake::WatchEnded, Wake::Hint),
        () = tokio::time::sleep_until(until) => Wake::Time,
    }
}

fn instant_of(due: Timestamp, now: Timestamp) -> Instant {
    let rest = due.as_millisecond().saturating_sub(now.as_millisecond());
    let rest = Duration::from_millis(u64::try_from(rest).unwrap_or(0).max(1));
    Instant::now() + rest
}

/// Publishes the health, unless only the time of the last success changed.
fn send_health(health: &watch::Sender<Health>, now: &Health) {
    health.send_if_modified(|before| {
        let is_same = Health { last_sync: None, ..before.clone() }
            == Health { last_sync: None, ..now.clone() };
        before.clone_from(now);
        !is_same
    });
}

/// Doubles after every failure, with a random part between half and all of it.
fn backoff(failures: u32, chance: u64) -> Duration {
    let longest = FIRST_WAIT.saturating_mul(1 << failures.min(16)).min(LONGEST_WAIT);
    Duration::from_millis(longest / 2 + chance % (longest / 2 + 1))
}

impl<H: Hub, S: Outbox + Inbox, A: ItemSink> Exchange<H, S, A> {
    /// Scans everything once. Returns when the next batch is due.
    ///
    /// # Errors
    /// Returns an error of the hub or the store.
    pub async fn look(&mut self, now: Timestamp) -> Result<Option<Timestamp>, ExchangeError> {
        let due = self.look_at_newest(now).await?;
        while self.read_history(&mut ReadSummary::default()).await? {}
        Ok(due)
    }

    /// The same without the history behind checkpoints.
    async fn look_at_newest(&mut self, now: Timestamp) -> Result<Option<Timestamp>, ExchangeError> {
        self.retry_histories()?;
        let (is_moved, mark) = self.keys_moved().await?;
        if is_moved {
            self.follow_roster().await?;
            self.learn_policy().await?;
            self.learn_relocation().await?;
            self.note_mark(mark);
        } else {
            self.refresh_keys().await?;
        }
        let lengths = self.hub.lengths(&Prefix::everything()).await?;
        self.audit_by(&lengths, now).await?;
        let due = self.publish(now).await?.due;
        self.read_by(&lengths).await?;
        self.catch_up_roster().await?;
        self.follow_policy(now).await?;
        Ok(due)
    }

    /// Follows a hint.
    async fn follow(&mut self, hint: &Hint, now: Timestamp) -> Result<HintResult, ExchangeError> {
        let mut is_early = false;
        match hint {
            Hint::Anything => {
                self.attention.forget();
                let due = self.look_at_newest(now).await?;
                return Ok(HintResult { due, is_early });
            }
            Hint::Log(log) => {
                let read = self.read_log(log).await?;
                is_early = read.batches == 0 && self.is_open(log);
                self.catch_up_roster().await?;
            }
            Hint::Key(key) => self.follow_key(key).await?,
            // A beat is read at once and never queued.
            Hint::Beat(..) => {}
        }
        Ok(HintResult { due: self.publish(now).await?.due, is_early })
    }

    /// Whether the log is another device's and its stream is not stalled.
    fn is_open(&self, log: &LogName) -> bool {
        let origin = names::origin(log).filter(|it| it.device != self.us.device);
        origin.is_some_and(|it| !self.health.standing.contains_key(&it))
    }

    async fn follow_key(&mut self, key: &KeyName) -> Result<(), ExchangeError> {
        if *key == names::roster()? {
            self.follow_roster().await?;
            self.read_newest().await?;
            return Ok(());
        }
        if Self::is_relocation(key)? {
            return self.learn_relocation().await;
        }
        let Some((device, stream)) = names::key_of(key) else {
            return Ok(self.applied.key_moved(key)?);
        };
        if device == self.us.device {
            self.attention.written.clear();
            return Ok(());
        }
        self.attention.forget_key(&device, &stream);
        self.keys.forget(&device);
        let waits = self.health.standing.keys().any(|origin| origin.device == device);
        if waits || self.is_share_for_us((&device, &stream)).await? {
            self.read_newest().await?;
        }
        Ok(())
    }

    /// Fetches the roster and reads again, if something was of an unknown epoch.
    async fn catch_up_roster(&mut self) -> Result<(), ExchangeError> {
        if self.needs_roster {
            self.follow_roster().await?;
            self.read_newest().await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_end() {
        let check = |failures: u32, chance: u64, expected: u64| {
            assert_eq!(backoff(failures, chance), Duration::from_millis(expected));
        };
        check(0, 0, 250);
        check(0, 250, 500);
        check(3, 0, 2_000);
        check(3, 2_000, 4_000);
        check(60, u64::MAX, 30_000 + u64::MAX % 30_001);
        check(60, 30_000, 60_000);
    }
}
