//! Many appends through a bad network while leaders are killed: nothing is lost, nothing is
//! duplicated, and every log keeps its order.
//!
//! `TAFFRAIL_FULL=1` appends a million entries while two hundred leaders are killed.

use crate::hub::engines::{open, patiently, team};
use async_nats::jetstream;
use async_nats::jetstream::stream::ClusterInfo;
use bytes::Bytes;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use taffrail_sync::hub::{AnyHub, Appended, Hub, LogName, PAGE_LIMIT, Team};
use taffrail_testkit::hubs::{Flush, NatsCluster, NatsServer, Proxy, Weather};
use taffrail_testkit::{Chance, Scale};

const WEATHER: Weather = Weather { delay: 100, cut: 3_000, truncate: 6_000, stall: 60_000 };
/// A writer sends an entry twice at once, once in this many.
const DOUBLED: usize = 50;
/// How long a cluster may take to recover.
const PATIENCE: Duration = Duration::from_secs(120);

#[derive(Debug, Default)]
struct Tally {
    done: AtomicU64,
    retries: AtomicU64,
    already: AtomicU64,
    doubled: AtomicU64,
}

/// The amount of work.
#[derive(Debug, Clone, Copy)]
struct Size {
    writers: u64,
    entries: u64,
    kills: u64,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_or_doubled() {
    let scale = Scale::from_env();
    let slice = Size { writers: 4, entries: 1_000, kills: 3 };
    let full = Size { writers: 50, entries: 20_000, kills: 200 };
    let size = scale.pick(slice, full);
    let proxies = RefCell::new(Vec::new());
    let way = |port| {
        let proxy = Proxy::start(port, WEATHER, scale.chance(&format!("proxy {port}")));
        let lead = proxy.port();
        proxies.borrow_mut().push(proxy);
        lead
    };
    let mut cluster = NatsCluster::reached_by(Flush::Lazily, &way);
    let proxies = proxies.into_inner();
    let team = team();
    let hosts: Vec<_> = proxies.iter().map(|it| format!("127.0.0.1:{}", it.port())).collect();
    let url = format!("nats://{}", hosts.join(","));
    let started = Instant::now();
    let tally = Arc::new(Tally::default());
    let writers = writers(&url, &team, size, scale, &tally).await;
    let killed = kill_leaders(&mut cluster, size, &tally).await;
    for writer in writers {
        writer.await.unwrap();
    }
    let faults: u64 = proxies.iter().map(Proxy::faults).sum();
    eprintln!("{size:?} in {:?}: {tally:?}, {killed} killed, {faults} faults", started.elapsed());
    proxies.iter().for_each(Proxy::calm);
    check_logs(&open(&cluster.url(), &team).await, size).await;
    check_stream(&cluster, size).await;
    assert_eq!(killed, size.kills);
    assert!(faults > 0, "the weather was too good");
    assert!(tally.already.load(Ordering::Relaxed) > 0, "nothing was given twice");
}

type Writers = Vec<tokio::task::JoinHandle<()>>;

async fn writers(url: &str, team: &Team, size: Size, scale: Scale, tally: &Arc<Tally>) -> Writers {
    let mut writers = Vec::new();
    for number in 0..size.writers {
        let hub = open(url, team).await;
        let chance = scale.chance(&format!("writer {number}"));
        writers.push(tokio::spawn(write(hub, number, size, chance, Arc::clone(tally))));
    }
    writers
}

fn log(writer: u64) -> LogName {
    LogName::new(format!("device-{writer}")).unwrap()
}

fn bytes(writer: u64, seq: u64) -> Bytes {
    format!("entry {seq} of {writer}").into()
}

async fn write(hub: AnyHub, writer: u64, size: Size, mut chance: Chance, tally: Arc<Tally>) {
    let name = log(writer);
    for seq in 1..=size.entries {
        if chance.one_in(DOUBLED) {
            tally.doubled.fetch_add(1, Ordering::Relaxed);
            let once = || append(&hub, &name, seq, bytes(writer, seq), &tally);
            tokio::join!(once(), once());
        } else {
            append(&hub, &name, seq, bytes(writer, seq), &tally).await;
        }
        tally.done.fetch_add(1, Ordering::Relaxed);
    }
}

/// Appends an entry until it is there, as a writer of an outbox does.
async fn append(hub: &AnyHub, name: &LogName, seq: u64, bytes: Bytes, tally: &Tally) {
    loop {
        match hub.append(name, seq, bytes.clone()).await {
            Ok(Appended::New) => return,
            Ok(Appended::Already) => {
                tally.already.fetch_add(1, Ordering::Relaxed);
                return;
            }
            Ok(Appended::Conflict { last }) => panic!("{name} {seq}: the log ends at {last}"),
            Err(error) if error.is_retryable() => {
                tally.retries.fetch_add(1, Ordering::Relaxed);
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Err(error) => panic!("{name} {seq}: {error}"),
        }
    }
}

/// Kills the leader repeatedly, spread over the whole work, and restarts it.
async fn kill_leaders(cluster: &mut NatsCluster, size: Size, tally: &Tally) -> u64 {
    let all = size.writers * size.entries;
    for kill in 1..=size.kills {
        let due = all * kill / (size.kills + 1);
        reach(due, tally).await;
        let leader = leader(cluster, &whole).await;
        cluster.named(&leader).kill();
        let second = self::leader(cluster, &|_| true).await;
        assert_ne!(leader, second, "the dead do not lead");
        cluster.named(&leader).start_again();
    }
    size.kills
}

/// Waits until this many entries are there. Without any progress the test fails.
async fn reach(due: u64, tally: &Tally) {
    let (mut seen, mut since) = (0, Instant::now());
    loop {
        let done = tally.done.load(Ordering::Relaxed);
        if done >= due {
            return;
        }
        if done > seen {
            (seen, since) = (done, Instant::now());
        }
        assert!(since.elapsed() < PATIENCE, "nothing moves after {done} entries");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Whether every server has everything: three survive the loss of one, but not of one while another
/// catches up.
fn whole(info: &ClusterInfo) -> bool {
    info.replicas.len() == 2 && info.replicas.iter().all(|it| it.current && !it.offline)
}

/// The name of the server that leads the stream of logs, once the cluster has this state.
async fn leader(cluster: &NatsCluster, stands: &(dyn Fn(&ClusterInfo) -> bool + Sync)) -> String {
    let end = Instant::now() + PATIENCE;
    loop {
        let found = info(cluster).await.and_then(|info| info.cluster);
        let found = found.filter(stands).and_then(|it| it.leader);
        if let Some(leader) = found.filter(|it| !it.is_empty()) {
            return leader;
        }
        assert!(Instant::now() < end, "no leader in {PATIENCE:?}: {}", logs(cluster));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The last lines of the servers' logs.
fn logs(cluster: &NatsCluster) -> String {
    let tail = |server: &NatsServer| {
        let log = server.log();
        let lines: Vec<_> = log.lines().rev().take(40).collect();
        let lines: Vec<_> = lines.into_iter().rev().collect();
        format!("\n{}:\n{}", server.name(), lines.join("\n"))
    };
    cluster.servers.iter().map(tail).collect()
}

async fn info(cluster: &NatsCluster) -> Option<jetstream::stream::Info> {
    let options = async_nats::ConnectOptions::new().ignore_discovered_servers();
    let options = options.request_timeout(Some(Duration::from_secs(2)));
    let hosts: Vec<String> = cluster.servers.iter().map(NatsServer::url).collect();
    let client = options.connect(hosts).await.ok()?;
    let stream = jetstream::new(client).get_stream("TAFFRAIL_HUB_1_0_LOG").await;
    Some(stream.ok()?.cached_info().clone())
}

async fn check_logs(hub: &AnyHub, size: Size) {
    for writer in 0..size.writers {
        let name = log(writer);
        assert_eq!(patiently("the end", async || hub.last(&name).await).await, size.entries);
        let mut after = 0;
        while after < size.entries {
            let read = async || hub.read_since(&name, after, PAGE_LIMIT).await;
            for entry in patiently("entries", read).await {
                after += 1;
                assert_eq!((entry.seq, &entry.bytes), (after, &bytes(writer, after)), "{name}");
            }
        }
    }
}

/// Checks that the stream contains nothing but the logs.
async fn check_stream(cluster: &NatsCluster, size: Size) {
    let info = info(cluster).await.expect("the cluster answers");
    assert_eq!(info.state.messages, size.writers * size.entries);
}
