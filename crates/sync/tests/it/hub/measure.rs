//! The cost of fenced appends compared with bare publishes of the same bytes. Numbers are printed,
//! not asserted.

use crate::hub::engines::{open, team};
use async_nats::jetstream;
use bytes::Bytes;
use std::time::Instant;
use taffrail_sync::hub::{Appended, Hub, LogName};
use taffrail_testkit::hubs::{Flush, NatsServer};

const WRITERS: u64 = 64;
const EACH: u64 = 2_000;
const BYTES: usize = 1_024;

/// Prints messages per second of processor time, for this process and the server.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it measures, and needs a quiet machine"]
async fn appends_beside_bare_publishes() {
    let server = NatsServer::start(Flush::Lazily);
    let client = async_nats::connect(server.url()).await.unwrap();
    let context = jetstream::new(client);
    let config = jetstream::stream::Config {
        name: "bare".to_owned(),
        subjects: vec!["bare.>".to_owned()],
        ..Default::default()
    };
    context.create_stream(config).await.unwrap();
    let payload = Bytes::from(vec![b'x'; BYTES]);
    let hub = open(&server.url(), &team()).await;
    for round in 0..3 {
        let bare = Clock::start(&server);
        together(|writer| {
            let (context, payload) = (context.clone(), payload.clone());
            async move {
                for _ in 0..EACH {
                    let sent = context.publish(format!("bare.{writer}"), payload.clone()).await;
                    sent.unwrap().await.unwrap();
                }
            }
        })
        .await;
        bare.stop("bare publish", &server);
        let fenced = Clock::start(&server);
        together(|writer| {
            let (hub, payload) = (hub.clone(), payload.clone());
            async move {
                let name = LogName::new(format!("r{round}-w{writer}")).unwrap();
                for seq in 1..=EACH {
                    let answer = hub.append(&name, seq, payload.clone()).await;
                    assert_eq!(answer, Ok(Appended::New));
                }
            }
        })
        .await;
        fenced.stop("append", &server);
    }
}

async fn together<F: Future<Output = ()> + Send + 'static>(work: impl Fn(u64) -> F) {
    let tasks: Vec<_> = (0..WRITERS).map(|writer| tokio::spawn(work(writer))).collect();
    for task in tasks {
        task.await.unwrap();
    }
}

/// Time, and processor time of both sides.
struct Clock {
    started: Instant,
    ours: f64,
    server: f64,
}

impl Clock {
    fn start(server: &NatsServer) -> Self {
        Self { started: Instant::now(), ours: own_seconds(), server: server.cpu_seconds() }
    }

    fn stop(self, what: &str, server: &NatsServer) {
        let count = (WRITERS * EACH) as f64;
        let wall = count / self.started.elapsed().as_secs_f64();
        let ours = count / (own_seconds() - self.ours);
        let theirs = count / (server.cpu_seconds() - self.server);
        println!(
            "{what}: {wall:.0}/s; {ours:.0} for a second of our processor time, {theirs:.0} of the server's"
        );
    }
}

fn own_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<f64> = stat
        .rsplit_once(") ")
        .unwrap()
        .1
        .split(' ')
        .skip(11)
        .take(2)
        .map(|it| it.parse().unwrap())
        .collect();
    fields.iter().sum::<f64>() / 100.0
}
