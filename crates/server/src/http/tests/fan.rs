//! Deliveries per CPU second of the server, compared with the bare framework. Run by hand: see
//! `bench/fan`.

use super::{FIRST, Machine, id};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::extract::ws::{Message, Utf8Bytes, WebSocketUpgrade};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures_util::{SinkExt, stream};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};
use taffrail_api::EventLine;
use taffrail_context::{Update, UpdateKind};
use taffrail_model::Kind;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::broadcast;

const SUBSCRIBERS: usize = 1_000;
/// Occurs once in every event, and nowhere in the frames around it.
const MARK: u8 = b'|';
/// Events published at once without pacing.
const BURST: usize = 512;
const BURSTS: usize = 8;
/// Events published one by one, and the interval between them.
const PACED: usize = 100;
const PACE: Duration = Duration::from_millis(50);
const RUNS: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Websocket,
    EventStream,
}

/// An event with one mark that is counted.
fn event(machine: &Machine) -> EventLine {
    machine.made_up(Kind::ToolCall, "npm test and more |")
}

/// Reads and counts marks on its own threads.
struct Readers {
    runtime: Runtime,
    ready: Arc<AtomicUsize>,
    got: Arc<AtomicUsize>,
}

impl Readers {
    fn new() -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        Self { runtime, ready: Arc::default(), got: Arc::default() }
    }

    fn add(&self, address: SocketAddr, head: String, after: Option<Vec<u8>>) {
        let (ready, got) = (self.ready.clone(), self.got.clone());
        self.runtime.spawn(async move {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(head.as_bytes()).await.unwrap();
            let mut buffer = vec![0; 64 * 1024];
            let count = stream.read(&mut buffer).await.unwrap();
            assert!(buffer[..count].starts_with(b"HTTP/1.1 "), "no answer");
            if let Some(frame) = after {
                stream.write_all(&frame).await.unwrap();
                assert!(stream.read(&mut buffer).await.unwrap() > 0);
            }
            ready.fetch_add(1, SeqCst);
            loop {
                let count = stream.read(&mut buffer).await.unwrap_or(0);
                if count == 0 {
                    return;
                }
                let marks = buffer[..count].iter().filter(|it| **it == MARK).count();
                got.fetch_add(marks, SeqCst);
            }
        });
    }
}

fn wait(count: &AtomicUsize, wanted: usize) {
    let end = Instant::now() + Duration::from_secs(120);
    while count.load(SeqCst) < wanted {
        assert!(Instant::now() < end, "{} of {wanted}", count.load(SeqCst));
        std::thread::park_timeout(Duration::from_millis(1));
    }
}

/// CPU seconds of the threads with this name.
fn cpu(name: &str) -> f64 {
    let mut nanoseconds = 0;
    for task in std::fs::read_dir("/proc/self/task").unwrap().flatten() {
        let read = |file: &str| std::fs::read_to_string(task.path().join(file)).unwrap_or_default();
        if read("comm").trim() == name {
            let spent = read("schedstat");
            nanoseconds += spent.split(' ').next().unwrap().parse::<u64>().unwrap_or(0);
        }
    }
    nanoseconds as f64 / 1e9
}

/// Deliveries per CPU second: in bursts, and one by one.
fn measured(readers: &Readers, threads: &str, tell: &dyn Fn(usize)) -> (f64, f64) {
    let mut number = 0;
    let mut run = |events: usize, pace: Duration| {
        let had = readers.got.load(SeqCst);
        for _ in 0..events {
            number += 1;
            tell(number);
            if !pace.is_zero() {
                std::thread::park_timeout(pace);
            }
        }
        wait(&readers.got, had + events * SUBSCRIBERS);
    };
    run(BURST, Duration::ZERO);
    let before = cpu(threads);
    (0..BURSTS).for_each(|_| run(BURST, Duration::ZERO));
    let bursts = cpu(threads) - before;
    let before = cpu(threads);
    run(PACED, PACE);
    let paced = cpu(threads) - before;
    ((BURST * BURSTS * SUBSCRIBERS) as f64 / bursts, (PACED * SUBSCRIBERS) as f64 / paced)
}

const UPGRADE: &str = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

fn ours(form: Form) -> (f64, f64) {
    let machine = Machine::new();
    let (address, token) = (machine.address(), machine.token());
    let readers = Readers::new();
    let head = format!("Host: {address}\r\nAuthorization: Bearer {token}\r\n");
    let ask = format!(r#"{{"type":"subscribe-stream","sessionId":"{FIRST}"}}"#);
    for _ in 0..SUBSCRIBERS {
        match form {
            Form::Websocket => {
                // A masked frame; a mask of zeros is valid.
                let mut frame = vec![0x81, 0x80 | u8::try_from(ask.len()).unwrap(), 0, 0, 0, 0];
                frame.extend_from_slice(ask.as_bytes());
                readers.add(
                    address,
                    format!("GET /ws HTTP/1.1\r\n{head}{UPGRADE}\r\n"),
                    Some(frame),
                );
            }
            Form::EventStream => {
                let path = format!("/api/sessions/{FIRST}/stream");
                let accept = "Accept: text/event-stream\r\n";
                readers.add(address, format!("GET {path} HTTP/1.1\r\n{head}{accept}\r\n"), None);
            }
        }
    }
    wait(&readers.ready, SUBSCRIBERS);
    let (cursor, line) = (machine.cursor(FIRST), event(&machine));
    measured(&readers, "taffrail-api", &|number| {
        let sequence = cursor.sequence + number as u64;
        let cursor = format!("{}.{sequence}", cursor.generation);
        let what = UpdateKind::Event { line: line.clone(), cursor };
        machine.handle.live().publish(Update { session: id(FIRST), is_remote: false, what });
    })
}

#[derive(Clone)]
struct Bare {
    feed: broadcast::Sender<Bytes>,
    on: Arc<AtomicUsize>,
}

async fn bare_websocket(State(bare): State<Bare>, upgrade: WebSocketUpgrade) -> Response {
    upgrade.on_upgrade(move |mut socket| async move {
        let mut feed = bare.feed.subscribe();
        bare.on.fetch_add(1, SeqCst);
        while let Ok(first) = feed.recv().await {
            let text = |it| Message::Text(Utf8Bytes::try_from(it).unwrap());
            if socket.feed(text(first)).await.is_err() {
                return;
            }
            for _ in 1..64 {
                let Ok(next) = feed.try_recv() else { break };
                if socket.feed(text(next)).await.is_err() {
                    return;
                }
            }
            if socket.flush().await.is_err() {
                return;
            }
        }
    })
}

async fn bare_stream(State(bare): State<Bare>) -> Response {
    let feed = bare.feed.subscribe();
    bare.on.fetch_add(1, SeqCst);
    let pieces = stream::unfold(feed, |mut feed| async move {
        let line = feed.recv().await.ok()?;
        Some((Ok::<_, Infallible>(line), feed))
    });
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(pieces)).into_response()
}

fn bare(form: Form, line: &str) -> (f64, f64) {
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("bare-axum")
        .enable_all()
        .build()
        .unwrap();
    let bare = Bare { feed: broadcast::channel(1024).0, on: Arc::default() };
    let router = Router::new().route("/ws", get(bare_websocket)).route("/sse", get(bare_stream));
    let router = router.with_state(bare.clone());
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    runtime.spawn(async move { axum::serve(listener, router).await });
    let readers = Readers::new();
    for _ in 0..SUBSCRIBERS {
        let head = match form {
            Form::Websocket => format!("GET /ws HTTP/1.1\r\nHost: {address}\r\n{UPGRADE}\r\n"),
            Form::EventStream => format!("GET /sse HTTP/1.1\r\nHost: {address}\r\n\r\n"),
        };
        readers.add(address, head, None);
    }
    wait(&bare.on, SUBSCRIBERS);
    wait(&readers.ready, SUBSCRIBERS);
    // As many bytes as ours sends.
    let message = |number| match form {
        Form::Websocket => format!(
            r#"{{"type":"stream-event","sessionId":"{}","cursor":"0123456789.{number:08}","event":{line}}}"#,
            id(FIRST)
        ),
        Form::EventStream => format!("id: 0123456789.{number:08}\ndata: {line}\n\n"),
    };
    let figures = measured(&readers, "bare-axum", &|number| {
        bare.feed.send(message(number).into()).unwrap();
    });
    runtime.shutdown_background();
    figures
}

#[test]
#[ignore = "a measurement, run by hand"]
fn deliveries_beside_the_bare_framework() {
    let line = serde_json::to_string(&event(&Machine::new())).unwrap();
    for form in [Form::Websocket, Form::EventStream] {
        for run in 1..=RUNS {
            let (theirs, own) = (bare(form, &line), ours(form));
            println!(
                "{form:?} {run}: bursts {:.0} of {:.0} a CPU second ({:.2}), paced {:.0} of {:.0} ({:.2})",
                own.0,
                theirs.0,
                own.0 / theirs.0,
                own.1,
                theirs.1,
                own.1 / theirs.1
            );
        }
    }
}
