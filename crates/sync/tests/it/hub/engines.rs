//! The hubs that the suite tests.

use crate::hub::conformance;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use taffrail_sync::hub::{
    AnyHub, Appended, Aspect, Credentials, Hub, HubError, HubUrl, KeyName, Level, LogName,
    MemoryHub, NatsKey, S3Keys, Team, pin_of,
};
use taffrail_testkit::hubs::{Certificate, Flush, Moto, NatsCluster, NatsServer};
use taffrail_testkit::until_every;

pub(crate) const BUCKET: &str = "taffrail-hub";

static TEAMS: AtomicU32 = AtomicU32::new(0);

/// A team of its own.
pub(crate) fn team() -> Team {
    Team::new(format!("team-{}", TEAMS.fetch_add(1, Ordering::Relaxed))).unwrap()
}

pub(crate) fn keys() -> Credentials {
    let s3 = S3Keys {
        access_key_id: "id".to_owned(),
        secret_access_key: "secret".to_owned(),
        session_token: None,
    };
    Credentials { s3: Some(s3), ..Credentials::default() }
}

pub(crate) async fn open(url: &str, team: &Team) -> AnyHub {
    let url = HubUrl::parse(url).unwrap();
    patiently("a hub", async || AnyHub::open(&url, team, &keys()).await).await
}

/// Retries while the hub cannot be reached.
pub(crate) async fn patiently<T>(what: &str, ask: impl AsyncFn() -> Result<T, HubError>) -> T {
    let end = tokio::time::Instant::now() + Duration::from_secs(120);
    loop {
        match ask().await {
            Ok(answer) => return answer,
            Err(error) if error.is_retryable() && tokio::time::Instant::now() < end => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Err(error) => panic!("{what}: {error}"),
        }
    }
}

#[tokio::test]
async fn memory() {
    let hub = AnyHub::Memory(MemoryHub::new());
    conformance::all(&hub, &hub.clone()).await;
}

#[tokio::test]
async fn directory() {
    let folder = tempfile::tempdir().unwrap();
    two_clients(&format!("file://{}", folder.path().display())).await;
}

#[tokio::test]
async fn bucket() {
    let moto = Moto::start(BUCKET);
    two_clients(&format!("s3://{BUCKET}/some/prefix?endpoint={}", moto.endpoint())).await;
}

#[tokio::test]
async fn nats() {
    let server = NatsServer::start(Flush::Lazily);
    two_clients(&server.url()).await;
}

/// Reads that are bound to the team answer as the cheaper ones do.
#[tokio::test]
async fn nats_with_shared_streams() {
    let server = NatsServer::start(Flush::Lazily);
    two_clients(&format!("{}?streams=2", server.url())).await;
}

#[tokio::test]
async fn nats_cluster() {
    let cluster = NatsCluster::start(Flush::Lazily);
    two_clients(&cluster.url()).await;
}

async fn two_clients(url: &str) {
    let team = team();
    conformance::all(&open(url, &team).await, &open(url, &team).await).await;
    teams_do_not_meet(url).await;
}

async fn teams_do_not_meet(url: &str) {
    let (ours, theirs) = (open(url, &team()).await, open(url, &team()).await);
    let name = conformance::log("x");
    ours.append(&name, 1, "a".into()).await.unwrap();
    assert_eq!(theirs.last(&name).await, Ok(0));
}

#[tokio::test]
async fn what_is_not_there_cannot_be_opened() {
    let check = async |url: &str, expected: &str| {
        let url = HubUrl::parse(url).unwrap();
        let error = AnyHub::open(&url, &team(), &Credentials::default()).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{url}: {error}");
    };
    check("file:///nowhere/at/all", "is not a directory").await;
    check("s3://hub", "AWS_ACCESS_KEY_ID").await;
    check("s3://hub", "hub.credentials").await;
    check("gs://hub", "needs the key of a service account").await;
    check("az://hub?account=a", "needs an access key").await;
    check("nats://127.0.0.1:1", "cannot be reached").await;
}

#[tokio::test]
async fn a_nats_server_is_told_who_we_are() {
    let password = |password: &str| {
        Some(NatsKey::Password { user: "me".to_owned(), password: password.to_owned() })
    };
    let token = |token: &str| Some(NatsKey::Token(token.to_owned()));
    let cases = [
        ("authorization { user: me, password: right }", password("right"), true),
        ("authorization { user: me, password: right }", password("wrong"), false),
        ("authorization { user: me, password: right }", None, false),
        ("authorization { token: right }", token("right"), true),
        ("authorization { token: right }", token("wrong"), false),
    ];
    for (more, nats, is_fine) in cases {
        let server = NatsServer::start_with(Flush::Lazily, more);
        let url = HubUrl::parse(&server.url()).unwrap();
        let credentials = Credentials { nats, ..Credentials::default() };
        match AnyHub::open(&url, &team(), &credentials).await {
            Ok(_) => assert!(is_fine, "{more}"),
            Err(HubError::Refused(why)) => assert!(!is_fine, "{more}: {why}"),
            Err(error) => panic!("{more}: {error}"),
        }
    }
}

/// A client connects with TLS only to the server that its certificate names.
#[tokio::test]
async fn nats_is_reached_by_tls() {
    let certificate = Certificate::new();
    let (file, key) = (certificate.file(), certificate.key());
    let more = format!("tls {{ cert_file: {file:?}, key_file: {key:?} }}");
    let server = NatsServer::start_with(Flush::Lazily, &more);
    let place = format!("tls://127.0.0.1:{}", server.port());
    let stranger = AnyHub::open(&HubUrl::parse(&place).unwrap(), &team(), &keys()).await;
    assert!(stranger.is_err(), "a certificate nobody vouches for was trusted");
    let hub = open(&format!("{place}?ca={}", file.display()), &team()).await;
    assert_eq!(hub.append(&conformance::log("x"), 1, "a".into()).await, Ok(Appended::New));
    let checks = hub.doctor().await;
    let transport = checks.iter().find(|it| it.aspect == Aspect::Transport).map(|it| it.level);
    assert_eq!(transport, Some(Level::Good));
    // A client that requires encryption does not talk to a server without it.
    let plain = NatsServer::start(Flush::Lazily);
    let place = format!("tls://127.0.0.1:{}", plain.port());
    let answer = AnyHub::open(&HubUrl::parse(&place).unwrap(), &team(), &keys()).await;
    assert!(answer.is_err(), "tls:// was taken as nats://");
}

/// A certificate of `openssl req -x509` is accepted by its hash only.
#[tokio::test]
async fn a_plain_certificate_of_openssl_is_taken_by_its_pin() {
    let certificate = Certificate::plain();
    let (file, key) = (certificate.file(), certificate.key());
    let more = format!("tls {{ cert_file: {file:?}, key_file: {key:?} }}");
    let server = NatsServer::start_with(Flush::Lazily, &more);
    let place = format!("tls://127.0.0.1:{}", server.port());
    let pin = pin_of(&std::fs::read(&file).unwrap()).unwrap();
    let hub = open(&format!("{place}?pin={pin}"), &team()).await;
    assert_eq!(hub.append(&conformance::log("x"), 1, "a".into()).await, Ok(Appended::New));
    let check = async |settings: String, expected: &str| {
        let url = HubUrl::parse(&format!("{place}?{settings}")).unwrap();
        let error = AnyHub::open(&url, &team(), &keys()).await.map(drop).unwrap_err();
        assert!(matches!(error, HubError::Refused(_)), "{error}");
        assert!(error.to_string().contains(expected), "{error}");
    };
    check(format!("ca={}", file.display()), "?pin=SHA256").await;
    check(format!("ca={}", file.display()), "CA:FALSE").await;
    check(format!("pin={}", "ab".repeat(32)), "another certificate").await;
}

/// The same for a bucket.
#[tokio::test]
async fn a_bucket_is_reached_by_tls() {
    let certificate = Certificate::new();
    let moto = Moto::start_encrypted(BUCKET, &certificate);
    let place = format!("s3://{BUCKET}?endpoint={}", moto.endpoint());
    let stranger = open(&place, &team()).await;
    let answer = stranger.last(&conformance::log("x")).await;
    assert!(answer.is_err(), "a certificate nobody vouches for was trusted");
    let hub = open(&format!("{place}&ca={}", certificate.file().display()), &team()).await;
    assert_eq!(hub.append(&conformance::log("x"), 1, "a".into()).await, Ok(Appended::New));
}

#[tokio::test]
async fn a_missing_bucket_is_refused() {
    let moto = Moto::start(BUCKET);
    let hub = open(&format!("s3://another?endpoint={}", moto.endpoint()), &team()).await;
    let answer = hub.append(&conformance::log("x"), 1, "a".into()).await;
    assert!(matches!(answer, Err(HubError::Refused(_))), "{answer:?}");
}

#[tokio::test]
async fn doctors_say_what_is_so() {
    let folder = tempfile::tempdir().unwrap();
    let moto = Moto::start(BUCKET);
    let (lazy, always) = (NatsServer::start(Flush::Lazily), NatsServer::start(Flush::Always));
    let check = async |url: String, expected: &[(Aspect, Level)]| {
        let mut found: Vec<_> = open(&url, &team()).await.doctor().await;
        found.sort_by_key(|it| it.aspect);
        let found: Vec<_> = found.iter().map(|it| (it.aspect, it.level)).collect();
        assert_eq!(found, expected, "{url}");
    };
    let rules = [(Aspect::CreateIfAbsent, Level::Good), (Aspect::CompareAndSet, Level::Good)];
    let [create, compare] = rules;
    let unknown = |aspect| (aspect, Level::Unknown);
    check(
        format!("file://{}", folder.path().display()),
        &[
            create,
            unknown(Aspect::CreateIfAbsent),
            compare,
            (Aspect::Durability, Level::Good),
            unknown(Aspect::Copies),
        ],
    )
    .await;
    check(
        format!("s3://{BUCKET}?endpoint={}", moto.endpoint()),
        &[create, compare, unknown(Aspect::Durability), (Aspect::Transport, Level::Weak)],
    )
    .await;
    let nats = |durability, readers| {
        [
            (Aspect::Version, Level::Good),
            create,
            compare,
            (Aspect::Durability, durability),
            (Aspect::Copies, Level::Weak),
            (Aspect::Transport, Level::Weak),
            (Aspect::Payload, Level::Good),
            (Aspect::SlowConsumers, readers),
        ]
    };
    let (unknown, good) = (Level::Unknown, Level::Good);
    check(lazy.url(), &nats(unknown, unknown)).await;
    check(format!("{}?monitor={}", lazy.url(), lazy.monitor()), &nats(Level::Bad, good)).await;
    check(format!("{}?monitor={}", always.url(), always.monitor()), &nats(good, good)).await;
}

/// No server outlives its owner; the free port shows it.
#[test]
fn servers_end_with_their_owner() {
    let server = NatsServer::start(Flush::Lazily);
    let port = server.port();
    drop(server);
    let is_free = || std::net::TcpListener::bind(("127.0.0.1", port)).ok();
    until_every(Duration::from_millis(5), "the port to be free", is_free);
}

#[tokio::test]
async fn a_folder_that_is_copied_decides_nothing() {
    let top = tempfile::tempdir().unwrap();
    let hub = top.path().join("Dropbox/hub");
    std::fs::create_dir_all(&hub).unwrap();
    let hub = open(&format!("file://{}", hub.display()), &team()).await;
    let key = KeyName::new("lease/x").unwrap();
    let refused = hub.cas(&key, None, "a".into()).await;
    assert!(matches!(refused, Err(HubError::Refused(_))), "{refused:?}");
    let log = LogName::new("dev/own/1").unwrap();
    assert_eq!(hub.append(&log, 1, "b".into()).await, Ok(Appended::New));
    let levels: Vec<_> = hub.doctor().await.iter().map(|it| (it.aspect, it.level)).collect();
    assert_eq!(
        levels,
        [(Aspect::CompareAndSet, Level::Weak), (Aspect::Durability, Level::Unknown)]
    );
}
