//! Two devices with ledgers and the real loop, over a directory and a real server.

use crate::exchange::fleet::{Own, Shelf, exchange, line, team_of};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use taffrail_model::Timestamp;
use taffrail_model::exchange::Outbox;
use taffrail_store::Ledger;
use taffrail_sync::exchange::{Durable, Exchange, Health, Item, Signals, State, own_stream, run};
use taffrail_sync::hub::{AnyHub, Credentials, Hub, HubUrl, Prefix, Team};
use taffrail_testkit::Chance;
use taffrail_testkit::hubs::{Flush, NatsServer};
use tempfile::TempDir;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

const PATIENCE: Duration = Duration::from_secs(60);

#[expect(clippy::disallowed_methods, reason = "the rim of a test")]
pub(crate) fn now() -> Timestamp {
    Timestamp::now()
}

pub(crate) async fn open(url: &str) -> AnyHub {
    let (url, team) = (HubUrl::parse(url).unwrap(), Team::new("team").unwrap());
    let end = Instant::now() + PATIENCE;
    loop {
        match AnyHub::open(&url, &team, &Credentials::default()).await {
            Ok(hub) => return hub,
            Err(error) if error.is_retryable() && Instant::now() < end => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Err(error) => panic!("{url}: {error}"),
        }
    }
}

/// A device with a running loop.
pub(crate) struct Running {
    pub(crate) who: Own,
    pub(crate) shelf: Shelf,
    ledger: Ledger,
    pushed: Arc<Notify>,
    lives: Arc<AtomicBool>,
    pub(crate) health: watch::Receiver<Health>,
    stop: watch::Sender<bool>,
    task: JoinHandle<Exchange<AnyHub, Ledger, Shelf>>,
    _folder: TempDir,
}

impl Running {
    pub(crate) async fn start(team: &[Own], who: usize, url: &str, is_segmented: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let open_ledger = || Ledger::open(folder.path(), &team[who].id).unwrap();
        let (hub, shelf) = (open(url).await, Shelf::default());
        let durable = if is_segmented { Durable::Segments(hub.clone()) } else { Durable::Log };
        let memory = (open_ledger(), shelf.clone());
        let chance = Chance::new(u64::from(std::process::id())).fork(team[who].id.as_str());
        let carrier = exchange(&team[who], (hub, durable), memory, team_of(team), chance);
        let pushed = Arc::new(Notify::new());
        let (health_in, health) = watch::channel(Health::default());
        let (stop, stop_out) = watch::channel(false);
        let lives = Arc::new(AtomicBool::new(false));
        let signals = Signals {
            pushed: Arc::clone(&pushed),
            lives: Arc::clone(&lives),
            health: health_in,
            stop: stop_out,
        };
        let task = tokio::spawn(run(carrier, now, signals));
        let ledger = open_ledger();
        let who = team[who].clone();
        Self { who, shelf, ledger, pushed, lives, health, stop, task, _folder: folder }
    }

    /// Pushes as a daemon does: through its own connection.
    pub(crate) fn push(&mut self, items: &[Item]) {
        let bytes: Vec<_> = items.iter().map(Item::to_bytes).collect();
        self.ledger.push(&own_stream(), &bytes, now()).unwrap();
        self.pushed.notify_one();
    }

    /// Waits until it received this many items of a device.
    pub(crate) async fn heard(&self, of: &Own, count: usize) {
        let end = Instant::now() + PATIENCE;
        while self.shelf.said(&of.id, &own_stream()).len() < count {
            assert!(Instant::now() < end, "{:?}", *self.health.borrow());
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// Its sessions are live from now on.
    fn live(&self) {
        self.lives.store(true, Ordering::Relaxed);
        self.pushed.notify_one();
    }

    /// Waits until it received a beat of a device.
    async fn heard_life(&self, of: &Own) {
        let end = Instant::now() + PATIENCE;
        while !self.shelf.0.lock().unwrap().lives.iter().any(|(it, _)| *it == of.id) {
            assert!(Instant::now() < end, "{:?}", *self.health.borrow());
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    pub(crate) async fn stop(self) -> Exchange<AnyHub, Ledger, Shelf> {
        self.stop.send(true).unwrap();
        self.task.await.unwrap()
    }
}

async fn keeps_up(url: &str, is_segmented: bool) {
    let team = [Own::new("a"), Own::new("b")];
    let mut a = Running::start(&team, 0, url, is_segmented).await;
    let mut b = Running::start(&team, 1, url, is_segmented).await;
    let mut expected = Vec::new();
    for n in 0..10 {
        let items: Vec<Item> = (0..5).map(|m| line(format!("{n} {m}"))).collect();
        a.push(&items);
        b.push(&items);
        expected.extend(items);
        b.heard(&a.who, expected.len()).await;
        a.heard(&b.who, expected.len()).await;
    }
    for (reader, writer) in [(&a, &b), (&b, &a)] {
        assert_eq!(reader.shelf.said(&writer.who.id, &own_stream()), expected);
        let health = reader.health.borrow().clone();
        assert_eq!((health.state, health.refused), (State::UpToDate, 0), "{health:?}");
    }
    let mut stopped = a.stop().await;
    assert!(!stopped.store().streams().unwrap()[0].is_behind());
    b.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_devices_keep_up_over_a_directory() {
    let folder = tempfile::tempdir().unwrap();
    keeps_up(&format!("file://{}", folder.path().display()), false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_devices_keep_up_over_a_nats_server() {
    let server = NatsServer::start(Flush::Lazily);
    keeps_up(&server.url(), true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_emptied_is_given_everything_again() {
    let mut server = NatsServer::start(Flush::Lazily);
    let team = [Own::new("a"), Own::new("b")];
    let mut a = Running::start(&team, 0, &server.url(), true).await;
    let b = Running::start(&team, 1, &server.url(), true).await;
    a.push(&[line("1"), line("2")]);
    b.heard(&a.who, 2).await;
    server.kill();
    server.wipe();
    server.start_again();
    a.push(&[line("3")]);
    b.heard(&a.who, 3).await;
    let late = [Own::new("a"), Own::new("b")];
    b.stop().await;
    // A device without any items receives all of them.
    let new = Running::start(&late, 1, &server.url(), true).await;
    new.heard(&a.who, 3).await;
    assert_eq!(new.shelf.said(&a.who.id, &own_stream()), ["1", "2", "3"].map(line));
    a.stop().await;
    new.stop().await;
}

/// Others receive the beats of a device with live sessions, and the hub stores none.
async fn lives(url: &str, is_segmented: bool) {
    let team = [Own::new("a"), Own::new("b")];
    let mut a = Running::start(&team, 0, url, is_segmented).await;
    let b = Running::start(&team, 1, url, is_segmented).await;
    // Both are watching once each has received an item of the other.
    a.push(&[line("1")]);
    b.heard(&a.who, 1).await;
    a.live();
    b.heard_life(&a.who).await;
    let hub = open(url).await;
    let mut stopped = a.stop().await;
    let of_a = hub.lengths(&Prefix::new("id-a").unwrap()).await.unwrap();
    assert_eq!(of_a.len(), 1, "{of_a:?}");
    let own = stopped.store().streams().unwrap().remove(0);
    assert_eq!((own.batches, own.last), (1, 1), "a sign of life is in no stream");
    b.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sign_of_life_is_kept_for_ever_in_a_directory() {
    let folder = tempfile::tempdir().unwrap();
    lives(&format!("file://{}", folder.path().display()), false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sign_of_life_is_kept_for_ever_on_a_nats_server() {
    let server = NatsServer::start(Flush::Lazily);
    lives(&server.url(), true).await;
}
