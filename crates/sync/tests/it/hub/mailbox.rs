//! The place of a meeting, on every engine.

use crate::hub::conf;
use crate::hub::engines::{BUCKET, keys};
use bytes::Bytes;
use taffrail_sync::hub::{
    Credentials, HubError, HubUrl, Mail, Mailbox, MemoryMailbox, NatsKey, Put, Side, Slot, Team,
    nats_conf,
};
use taffrail_sync::roster::Door;
use taffrail_testkit::hubs::{Flush, Moto, NatsServer};

async fn open(url: &str, place: &str, side: Side) -> Result<Mailbox, HubError> {
    Mailbox::open(&HubUrl::parse(url).unwrap(), (place, side), &keys()).await
}

/// What holds everywhere: each slot holds one message, and another place is another meeting.
async fn meets(host: &Mailbox, guest: &Mailbox, elsewhere: &Mailbox) {
    offers(host, guest, elsewhere).await;
    requests(host, guest).await;
    ends(host, guest).await;
}

async fn offers(host: &Mailbox, guest: &Mailbox, elsewhere: &Mailbox) {
    let (one, other): (Bytes, Bytes) = ("one".into(), "other".into());
    assert_eq!(host.put(Slot::Offer, one.clone()).await, Ok(Put::New));
    assert_eq!(host.put(Slot::Offer, one.clone()).await, Ok(Put::Already));
    assert_eq!(host.put(Slot::Offer, other.clone()).await, Ok(Put::Conflict));
    assert_eq!(guest.get(Slot::Offer).await, Ok(Mail::Message(one)));
    assert_eq!(elsewhere.get(Slot::Offer).await, Ok(Mail::Nobody));
}

async fn requests(host: &Mailbox, guest: &Mailbox) {
    let (one, other): (Bytes, Bytes) = ("one".into(), "other".into());
    assert_eq!(host.get(Slot::Request).await, Ok(Mail::NotYet));
    assert_eq!(guest.get(Slot::Answer).await, Ok(Mail::NotYet));
    assert_eq!(guest.put(Slot::Request, one.clone()).await, Ok(Put::New));
    assert_eq!(guest.put(Slot::Request, other).await, Ok(Put::Conflict));
    assert_eq!(host.get(Slot::Request).await, Ok(Mail::Message(one)));
}

async fn ends(host: &Mailbox, guest: &Mailbox) {
    host.sweep().await.unwrap();
    assert_eq!(guest.get(Slot::Answer).await, Ok(Mail::NotYet), "a sweep leaves what is new");
    host.clear().await.unwrap();
    for slot in Slot::ALL {
        assert_eq!(guest.get(slot).await, Ok(Mail::Nobody), "{slot:?}");
    }
}

async fn over(url: &str) {
    let host = open(url, "one", Side::Host).await.unwrap();
    let guest = open(url, "one", Side::Guest).await.unwrap();
    let elsewhere = open(url, "two", Side::Guest).await.unwrap();
    assert_eq!(elsewhere.get(Slot::Offer).await, Ok(Mail::Nobody));
    meets(&host, &guest, &elsewhere).await;
}

#[tokio::test]
async fn two_devices_meet_in_memory() {
    let held = MemoryMailbox::default();
    let (host, guest) = (Mailbox::Memory(held.clone()), Mailbox::Memory(held));
    meets(&host, &guest, &Mailbox::Memory(MemoryMailbox::default())).await;
}

#[tokio::test]
async fn two_devices_meet_in_a_directory() {
    let folder = tempfile::tempdir().unwrap();
    over(&format!("file://{}", folder.path().display())).await;
    let left = std::fs::read_dir(folder.path().join("taffrail-v1/link")).unwrap();
    assert_eq!(left.count(), 0, "nothing stays");
}

#[tokio::test]
async fn two_devices_meet_in_a_bucket() {
    let moto = Moto::start(BUCKET);
    over(&format!("s3://{BUCKET}/some/prefix?endpoint={}", moto.endpoint())).await;
}

#[tokio::test]
async fn two_devices_meet_on_a_nats_server_that_stores_nothing() {
    let server = NatsServer::start(Flush::Lazily);
    over(&server.url()).await;
    let streams = server.store().join("jetstream/$G/streams");
    assert!(!streams.exists(), "a meeting makes no stream");
}

#[tokio::test]
async fn a_guest_on_nats_writes_nothing_in_the_place_of_the_host() {
    let server = NatsServer::start(Flush::Lazily);
    let host = open(&server.url(), "one", Side::Host).await.unwrap();
    let guest = open(&server.url(), "one", Side::Guest).await.unwrap();
    for slot in [Slot::Offer, Slot::Answer] {
        assert!(guest.put(slot, "x".into()).await.is_err(), "{slot:?}");
    }
    assert_eq!(host.get(Slot::Offer).await, Ok(Mail::Nobody));
}

/// A server with the configuration of a team, and what a device with a code shows it.
fn guarded() -> (NatsServer, Credentials) {
    let (team, roster) = (Team::new("t-door").unwrap(), conf::roster());
    let server = NatsServer::configured(|port, monitor, store| {
        nats_conf(&team, &roster, &conf::plan(format!("127.0.0.1:{port}"), monitor, store))
    });
    (server, shown(Door::of(&roster).seed().unwrap().to_string()))
}

fn shown(seed: String) -> Credentials {
    Credentials { nats: Some(NatsKey::Seed(seed)), ..Credentials::default() }
}

#[tokio::test]
async fn a_door_lets_a_device_with_a_code_meet_an_admin() {
    let (server, door) = guarded();
    let url = HubUrl::parse(&server.url()).unwrap();
    let admin = shown(conf::seed("laptop").unwrap());
    let host = Mailbox::open(&url, ("one", Side::Host), &admin).await.unwrap();
    assert!(host.is_guarded());
    let guest = Mailbox::open(&url, ("one", Side::Guest), &door).await.unwrap();
    let elsewhere = Mailbox::open(&url, ("two", Side::Guest), &door).await.unwrap();
    meets(&host, &guest, &elsewhere).await;
    // Neither a stranger nor a removed device finds the door; a member that is not an admin is told.
    for who in ["lost", "stranger"] {
        let stranger = shown(conf::seed(who).unwrap());
        assert!(Mailbox::open(&url, ("one", Side::Guest), &stranger).await.is_err(), "{who}");
    }
    let member = shown(conf::seed("tower").unwrap());
    let refused = Mailbox::open(&url, ("one", Side::Host), &member).await.unwrap_err();
    assert!(refused.to_string().contains("taffrail hub config --out FILE"), "{refused}");
}

/// The subjects that the server refuses to a client.
async fn refused(server: &NatsServer, shown: &Credentials, subjects: &[&str]) -> usize {
    let Some(NatsKey::Seed(seed)) = &shown.nats else { panic!("it is a seed") };
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let options =
        async_nats::ConnectOptions::with_nkey(seed.clone()).event_callback(move |event| {
            if let async_nats::Event::ServerError(error) = event {
                sender.send(error.to_string().to_lowercase()).ok();
            }
            std::future::ready(())
        });
    let client = options.connect(server.url()).await.unwrap();
    let mut kept = Vec::new();
    for subject in subjects {
        kept.push(client.subscribe((*subject).to_owned()).await.unwrap());
        if !subject.contains(['*', '>']) {
            client.publish((*subject).to_owned(), "x".into()).await.unwrap();
        }
    }
    client.flush().await.unwrap();
    // The server answers in order, so what it refused before is known after another answer.
    let mut refusals = 0;
    let patience = std::time::Duration::from_millis(500);
    while let Ok(Some(error)) = tokio::time::timeout(patience, receiver.recv()).await {
        refusals += usize::from(error.contains("permissions violation"));
    }
    refusals
}

#[tokio::test]
async fn a_door_opens_nothing_but_the_place_of_a_meeting() {
    let (server, door) = guarded();
    let heard = [
        "taffrail.t-door.>",
        "$KV.taffrail_t-door.>",
        "$O.>",
        "_INBOX.>",
        ">",
        "taffrail-link.*.get.*",
    ];
    assert_eq!(refused(&server, &door, &heard).await, heard.len(), "it hears nothing");
    let told =
        ["taffrail.t-door.log.dev-laptop.own.1", "$JS.API.STREAM.INFO.KV_taffrail_t-door", "x"];
    assert_eq!(refused(&server, &door, &told).await, 2 * told.len(), "nor says anything");
}
