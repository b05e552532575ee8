//! Attacks by an authenticated device against the others. With the configuration we write, none of
//! them removes existing data or blocks the other devices.

use crate::hub::conf::{door, enter, plan, roster, seed};
use crate::hub::engines::patiently;
use async_nats::{Client, ConnectOptions, Event, HeaderMap, Message};
use bytes::Bytes;
use futures_util::StreamExt;
use std::sync::atomic::{AtomicU64, Ordering};
use taffrail_sync::hub::{
    AnyHub, Appended, BlobName, Content, Hub, KeyName, LogName, Put, Swapped, Team, nats_conf,
};
use taffrail_testkit::hubs::NatsServer;
use tokio::sync::mpsc;

const TEAM: &str = "t-conf";
const STREAMS: [&str; 3] =
    ["TAFFRAIL_HUB_1_0_LOG", "TAFFRAIL_HUB_1_0_KEY", "TAFFRAIL_HUB_1_0_BLOB"];

/// One attack.
pub(crate) struct Attack {
    pub(crate) subject: String,
    header: Option<(&'static str, &'static str)>,
    pub(crate) body: String,
}

fn publish(subject: &str, header: Option<(&'static str, &'static str)>) -> Attack {
    Attack { subject: subject.to_owned(), header, body: "x".to_owned() }
}

pub(crate) fn ask(what: &str, body: &str) -> Attack {
    Attack { subject: format!("$JS.API.{what}"), header: None, body: body.to_owned() }
}

/// Attacks that would erase or close a stream.
fn against(stream: &str) -> Vec<Attack> {
    let subjects = match stream {
        "TAFFRAIL_HUB_1_0_LOG" => r#"["taffrail_hub.1-0.log.>"]"#,
        "TAFFRAIL_HUB_1_0_KEY" => r#"["taffrail_hub.1-0.key.>"]"#,
        _ => r#"["taffrail_hub.1-0.blob.>"]"#,
    };
    let with = |more: &str| format!(r#"{{"name":"{stream}","subjects":{subjects},{more}}}"#);
    let few = with(r#""retention":"limits","storage":"file","num_replicas":1,"max_msgs":1"#);
    let sealed = with(r#""retention":"limits","storage":"file","num_replicas":1,"sealed":true"#);
    let open = with(r#""storage":"file","allow_rollup_hdrs":true,"deny_delete":false"#);
    vec![
        ask(&format!("STREAM.UPDATE.{stream}"), &few),
        ask(&format!("STREAM.UPDATE.{stream}"), &sealed),
        ask(&format!("STREAM.UPDATE.{stream}"), &open),
        ask(&format!("STREAM.CREATE.{stream}"), &few),
        ask(&format!("STREAM.DELETE.{stream}"), ""),
        ask(&format!("STREAM.PURGE.{stream}"), ""),
        ask(&format!("STREAM.MSG.DELETE.{stream}"), r#"{"seq":1}"#),
    ]
}

/// The attacks that every device could try.
fn attacks() -> Vec<Attack> {
    let mut all: Vec<_> = STREAMS.into_iter().flat_map(against).collect();
    let rollup = Some(("Nats-Rollup", "all"));
    let own = |subject: &str| publish(subject, rollup);
    all.extend([
        own("taffrail_hub.1-0.key.t-conf.lease.mine"),
        own("taffrail_hub.1-0.key.t-conf.doctor.probe"),
        own("taffrail_hub.1-0.blob.t-conf.M.seg.mine"),
        own("taffrail_hub.1-0.blob.t-conf.C.mine"),
        own("taffrail_hub.1-0.log.t-conf.dev-tower.own.1"),
        publish("taffrail_hub.1-0.blob.t-conf.M.seg.one", Some(("Nats-Rollup", "sub"))),
        // Another pointer under a used name.
        publish("taffrail_hub.1-0.blob.t-conf.M.seg.one", None),
        // The key of another device's stream.
        publish("taffrail_hub.1-0.key.t-conf.key.dev-laptop.own.0", None),
        // An answer to another client's request.
        publish("_INBOX.somebody", None),
    ]);
    all
}

/// A client that notices when the server refuses.
pub(crate) struct Attacker {
    pub(crate) client: Client,
    violations: mpsc::UnboundedReceiver<()>,
}

impl Attacker {
    pub(crate) async fn enter(server: &NatsServer, name: &str) -> Self {
        let (sender, violations) = mpsc::unbounded_channel();
        let inbox = format!("_INBOX.{}", door(name));
        let options = ConnectOptions::with_nkey(seed(name).unwrap()).custom_inbox_prefix(inbox);
        let options = options.event_callback(move |event| {
            if matches!(event, Event::ServerError(_)) {
                sender.send(()).ok();
            }
            std::future::ready(())
        });
        let client = options.connect(server.url()).await.unwrap();
        Self { client, violations }
    }

    /// Whether the server refuses a subscription.
    pub(crate) async fn is_kept_from(&mut self, subject: &str) -> bool {
        let mut messages = self.client.subscribe(subject.to_owned()).await.unwrap();
        self.client.flush().await.unwrap();
        tokio::select! {
            _ = self.violations.recv() => true,
            message = messages.next() => panic!("{subject}: {message:?}"),
            () = tokio::time::sleep(std::time::Duration::from_secs(2)) => false,
        }
    }

    /// Tries the attack, and waits until the server answered or refused.
    pub(crate) async fn attempt(&mut self, attack: &Attack) -> Option<Message> {
        let mut headers = HeaderMap::new();
        attack.header.into_iter().for_each(|(name, value)| headers.insert(name, value));
        let body = Bytes::from(attack.body.clone());
        let asked = self.client.request_with_headers(attack.subject.clone(), headers, body);
        tokio::select! {
            answer = asked => answer.ok(),
            _ = self.violations.recv() => None,
        }
    }
}

/// Writes the data that must survive the attacks.
async fn furnish(laptop: &AnyHub) {
    for seq in 1..=3 {
        let entry = Bytes::from(seq.to_string());
        assert_eq!(laptop.append(&log(), seq, entry).await, Ok(Appended::New));
    }
    for key in ["roster", "key/dev-laptop/own/0", "lease/other"] {
        let set = laptop.cas(&KeyName::new(key).unwrap(), None, "kept".into()).await;
        assert!(matches!(set, Ok(Swapped::Done(_))), "{key}: {set:?}");
    }
    assert_eq!(laptop.put_blob(&blob(), &Content::Bytes("bytes".into())).await, Ok(Put::New));
}

fn log() -> LogName {
    LogName::new("dev-laptop/own/1").unwrap()
}

fn blob() -> BlobName {
    BlobName::new("seg/one").unwrap()
}

static GOING_ON: AtomicU64 = AtomicU64::new(0);

/// Checks that all data is there, and every device can continue.
async fn is_whole(laptop: &AnyHub, why: &str) {
    let entries = laptop.read_since(&log(), 0, 10).await.unwrap_or_else(|it| panic!("{why}: {it}"));
    assert_eq!(entries.len(), 3, "{why}");
    for key in ["roster", "key/dev-laptop/own/0", "lease/other"] {
        let found = laptop.get(&KeyName::new(key).unwrap()).await.unwrap();
        assert_eq!(found.map(|it| it.bytes), Some("kept".into()), "{why}: {key}");
    }
    let found = laptop.get_blob(&blob()).await.unwrap_or_else(|it| panic!("{why}: {it}"));
    assert_eq!(found.unwrap().bytes(10).await, Ok("bytes".into()), "{why}");
    let number = GOING_ON.fetch_add(1, Ordering::Relaxed);
    let more = LogName::new(format!("dev-laptop/own/on-{number}")).unwrap();
    assert_eq!(laptop.append(&more, 1, "on".into()).await, Ok(Appended::New), "{why}");
    let name = BlobName::new(format!("seg/on-{number}")).unwrap();
    assert_eq!(laptop.put_blob(&name, &Content::Bytes("on".into())).await, Ok(Put::New), "{why}");
}

async fn configured(team: &Team) -> (NatsServer, AnyHub) {
    let roster = roster();
    let server = NatsServer::configured(|port, monitor, store| {
        nats_conf(team, &roster, &plan(format!("127.0.0.1:{port}"), monitor, store))
    });
    let laptop = patiently("laptop", async || enter(&server, team, seed("laptop")).await).await;
    (server, laptop)
}

#[tokio::test]
async fn nobody_who_is_let_in_can_erase_or_close_what_is_there() {
    let team = Team::new(TEAM).unwrap();
    let (server, laptop) = configured(&team).await;
    furnish(&laptop).await;
    for who in ["tower", "laptop"] {
        let mut attacker = Attacker::enter(&server, who).await;
        for attack in attacks() {
            // The key belongs to this device.
            if who == "laptop" && attack.subject.contains("key.t-conf.key.dev-laptop") {
                continue;
            }
            attacker.attempt(&attack).await;
            let why = format!("{who}: {} {:?} {}", attack.subject, attack.header, attack.body);
            is_whole(&laptop, &why).await;
        }
    }
}

#[tokio::test]
async fn only_an_admin_writes_the_roster_and_makes_streams() {
    let team = Team::new(TEAM).unwrap();
    let roster = roster();
    let server = NatsServer::configured(|port, monitor, store| {
        nats_conf(&team, &roster, &plan(format!("127.0.0.1:{port}"), monitor, store))
    });
    let early = enter(&server, &team, seed("tower")).await;
    let said = early.map(drop).unwrap_err().to_string();
    assert!(said.contains("admin device"), "{said}");
    let laptop = patiently("laptop", async || enter(&server, &team, seed("laptop")).await).await;
    furnish(&laptop).await;
    let mut tower = Attacker::enter(&server, "tower").await;
    tower.attempt(&publish("taffrail_hub.1-0.key.t-conf.roster", None)).await;
    is_whole(&laptop, "tower wrote the roster").await;
}

/// The holder of a recovery key reads everything and writes nothing.
#[tokio::test]
async fn a_recovery_key_opens_the_server_to_read_only() {
    let team = Team::new(TEAM).unwrap();
    let (server, laptop) = configured(&team).await;
    furnish(&laptop).await;
    let reader =
        patiently("recovery", async || enter(&server, &team, seed("recovery")).await).await;
    is_read(&reader).await;
    let mut attacker = Attacker::enter(&server, "recovery").await;
    let more =
        ["taffrail_hub.1-0.key.t-conf.lease.other", "taffrail_hub.1-0.log.t-conf.dev-laptop.own.1"];
    let more = more.map(|it| publish(it, None));
    for attack in attacks().into_iter().chain(more) {
        attacker.attempt(&attack).await;
        is_whole(&laptop, &format!("recovery: {}", attack.subject)).await;
    }
}

async fn is_read(reader: &AnyHub) {
    assert_eq!(reader.read_since(&log(), 0, 10).await.unwrap().len(), 3);
    assert!(reader.get(&KeyName::new("roster").unwrap()).await.unwrap().is_some());
    let found = reader.get_blob(&blob()).await.unwrap().unwrap();
    assert_eq!(found.bytes(10).await, Ok("bytes".into()));
}
