//! The loop of a device: publishes what is given, reads what moved, looks at everything now and
//! then, and waits longer and longer while the hub cannot be reached.

use super::engine::{Applied, Exchange};
use super::gathering::{Gathering, Later};
use super::{ExchangeError, Health, Inbox, Outbox, names};
use crate::hub::{Hint, Hints, Hub, HubError, KeyName, LogName, Prefix};
use std::sync::Arc;
use std::time::Duration;
use taffrail_model::Timestamp;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

/// How often everything is looked at when nothing moves.
pub const LOOK: Duration = Duration::from_secs(30);
/// How long is waited after the first failure, in milliseconds.
const FIRST_WAIT: u64 = 500;
/// How long is waited at most, in milliseconds.
const LONGEST_WAIT: u64 = 60_000;

/// What the loop hears and says beside the hub.
#[derive(Debug)]
pub struct Signals {
    /// Items were given to the outbox.
    pub pushed: Arc<Notify>,
    /// How well the device keeps up.
    pub health: watch::Sender<Health>,
    /// True when the loop should end.
    pub stop: watch::Receiver<bool>,
}

/// What the loop woke up for.
enum Woken {
    Pushed,
    Hint(Hint),
    /// There will be no more hints.
    Deaf,
    Time,
    Stop,
}

/// What came of following a hint.
struct Followed {
    /// When the next batch of ours is due.
    due: Option<Timestamp>,
    /// There was nothing to read yet.
    is_early: bool,
}

/// Carries until it is told to stop. The exchange is given back, to be taken apart.
pub async fn run<H, S, A>(
    mut exchange: Exchange<H, S, A>,
    clock: impl Fn() -> Timestamp + Send + Sync,
    mut signals: Signals,
) -> Exchange<H, S, A>
where
    H: Hub,
    S: Outbox + Inbox + Send,
    A: Applied + Send,
{
    let mut failures = 0;
    while !*signals.stop.borrow() {
        let answer = serve(&mut exchange, &clock, &mut signals, &mut failures).await;
        let Err(error) = answer else { break };
        exchange.note_outcome(Some(&error), clock());
        signals.health.send_replace(exchange.health.clone());
        let wait = backoff(failures, exchange.draw.number());
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

/// Carries until something fails or it is told to stop.
async fn serve<H, S, A>(
    exchange: &mut Exchange<H, S, A>,
    clock: &(impl Fn() -> Timestamp + Send + Sync),
    signals: &mut Signals,
    failures: &mut u32,
) -> Result<(), ExchangeError>
where
    H: Hub,
    S: Outbox + Inbox + Send,
    A: Applied + Send,
{
    // Before the first look, so that nothing moves unseen in between.
    let mut hints = exchange.hub.watch(&Prefix::everything()).await?;
    let mut woken = Woken::Time;
    let mut looked = Instant::now();
    let (mut gathering, mut due) = (Gathering::default(), None);
    loop {
        due = match woken {
            Woken::Stop => return Ok(()),
            Woken::Deaf => return Err(HubError::Unreachable("the watch ended".to_owned()).into()),
            Woken::Time if looked <= Instant::now() => {
                looked = Instant::now() + LOOK;
                exchange.look(clock()).await?
            }
            Woken::Time | Woken::Pushed => exchange.publish(clock()).await?.due,
            Woken::Hint(hint) if gathering.waits_with(&hint, Instant::now()) => due,
            Woken::Hint(hint) => {
                gathering.keep(Later { at: Instant::now(), hint, tries: 0 });
                due
            }
        };
        for Later { hint, tries, .. } in gathering.due(Instant::now()) {
            let followed = exchange.follow(&hint, clock()).await?;
            due = followed.due;
            if followed.is_early {
                gathering.again(hint, tries, Instant::now());
            }
        }
        *failures = 0;
        exchange.note_outcome(None, clock());
        say(&signals.health, &exchange.health);
        let published = due.map(|due| instant_of(due, clock()));
        let wake = [Some(looked), published, gathering.until()].into_iter().flatten().min();
        let wake = wake.unwrap_or(looked);
        woken = wait(&mut hints, signals, wake).await;
    }
}

async fn wait(hints: &mut Hints, signals: &mut Signals, until: Instant) -> Woken {
    tokio::select! {
        biased;
        _ = signals.stop.changed() => Woken::Stop,
        () = signals.pushed.notified() => Woken::Pushed,
        hint = hints.next() => hint.map_or(Woken::Deaf, Woken::Hint),
        () = tokio::time::sleep_until(until) => Woken::Time,
    }
}

fn instant_of(due: Timestamp, now: Timestamp) -> Instant {
    let rest = due.as_millisecond().saturating_sub(now.as_millisecond());
    let rest = Duration::from_millis(u64::try_from(rest).unwrap_or(0).max(1));
    Instant::now() + rest
}

/// Says how it stands, unless only the time of the last success changed within a look.
fn say(health: &watch::Sender<Health>, now: &Health) {
    health.send_if_modified(|before| {
        let is_same = Health { last_sync: None, ..before.clone() }
            == Health { last_sync: None, ..now.clone() };
        before.clone_from(now);
        !is_same
    });
}

/// Twice as long after every failure, and between half and all of that by chance.
fn backoff(failures: u32, chance: u64) -> Duration {
    let longest = FIRST_WAIT.saturating_mul(1 << failures.min(16)).min(LONGEST_WAIT);
    Duration::from_millis(longest / 2 + chance % (longest / 2 + 1))
}

impl<H: Hub, S: Outbox + Inbox, A: Applied> Exchange<H, S, A> {
    /// Looks at everything once. When the next batch is due is answered.
    ///
    /// # Errors
    /// Says what the hub or memory did not do.
    pub async fn look(&mut self, now: Timestamp) -> Result<Option<Timestamp>, ExchangeError> {
        self.follow_roster().await?;
        self.audit(now).await?;
        let due = self.publish(now).await?.due;
        self.read().await?;
        self.catch_up_roster().await?;
        Ok(due)
    }

    /// Follows a hint.
    async fn follow(&mut self, hint: &Hint, now: Timestamp) -> Result<Followed, ExchangeError> {
        let mut is_early = false;
        match hint {
            Hint::Anything => {
                let due = self.look(now).await?;
                return Ok(Followed { due, is_early });
            }
            Hint::Log(log) => {
                let read = self.read_log(log).await?;
                is_early = read.batches == 0 && self.is_open(log);
                self.catch_up_roster().await?;
            }
            Hint::Key(key) => self.follow_key(key).await?,
        }
        Ok(Followed { due: self.publish(now).await?.due, is_early })
    }

    /// The log is another device's, and nothing in it holds us up.
    fn is_open(&self, log: &LogName) -> bool {
        let origin = names::origin(log).filter(|it| it.device != self.us.device);
        origin.is_some_and(|it| !self.health.standing.contains_key(&it))
    }

    async fn follow_key(&mut self, key: &KeyName) -> Result<(), ExchangeError> {
        if *key == names::roster()? {
            self.follow_roster().await?;
            self.read().await?;
            return Ok(());
        }
        let Some(device) = names::key_of(key) else { return Ok(self.applied.key_moved(key)?) };
        let waits = self.health.standing.keys().any(|origin| origin.device == device);
        if device != self.us.device && waits {
            self.keys.forget(&device);
            self.read().await?;
        }
        Ok(())
    }

    /// Fetches the roster and reads again, if something was of an epoch not known here.
    async fn catch_up_roster(&mut self) -> Result<(), ExchangeError> {
        if self.needs_roster {
            self.follow_roster().await?;
            self.read().await?;
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
