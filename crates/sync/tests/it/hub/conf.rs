//! The server configuration we write admits the members of the team, and limits each device to its
//! own data.

use crate::hub::engines::patiently;
use bytes::Bytes;
use std::path::Path;
use taffrail_model::{DeviceId, Timestamp};
use taffrail_sync::TeamId;
use taffrail_sync::hub::{
    AnyHub, Appended, BlobName, Content, Credentials, Hub, HubError, HubUrl, KeyName, Level,
    LogName, NatsKey, NatsPlan, Put, Removal, Swapped, Team, nats_conf,
};
use taffrail_sync::keys::{DeviceSecret, Identity};
use taffrail_sync::roster::{Device, InviteId, Op, Roster, Signer};
use taffrail_testkit::hubs::NatsServer;
use zeroize::Zeroizing;

const NAMES: [&str; 3] = ["laptop", "tower", "lost"];

fn secret(name: &str) -> DeviceSecret {
    let mut random = Zeroizing::new([0; 64]);
    blake3::Hasher::new().update(name.as_bytes()).finalize_xof().fill(random.as_mut_slice());
    DeviceSecret::from_random(&random)
}

fn device(name: &str) -> Device {
    let id = DeviceId::new(format!("dev-{name}"));
    Device { id, name: name.to_owned(), user: "ada".to_owned(), keys: secret(name).keys() }
}

/// The public key with which a device authenticates.
pub(crate) fn door(name: &str) -> String {
    let secret = if name == "recovery" { recovery() } else { secret(name) };
    secret.keys().nats_user().unwrap().to_string()
}

fn recovery() -> DeviceSecret {
    DeviceSecret::of_recovery(Identity::from_random(&Zeroizing::new([9; 32])))
}

/// Three devices joined, one was removed; one user has a recovery key.
pub(crate) fn roster() -> Roster {
    let now = Timestamp::UNIX_EPOCH;
    let first = device("laptop");
    let own = secret("laptop");
    let by = Signer { device: &first.id, secret: &own };
    let founded = Roster::found(TeamId::from_bytes([7; 16]), first.clone(), &own, now).unwrap();
    let added = |name: &str, n: u8| Op::Add {
        device: device(name),
        invite: InviteId::from_bytes([n; 32]),
        vouch: None,
    };
    let keys = recovery().keys();
    let (recipient, door) = (keys.recipient().clone(), keys.nats_user().cloned());
    let steps = [
        added("tower", 1),
        added("lost", 2),
        Op::Remove { device: device("lost").id },
        Op::Recovery { user: "ada".to_owned(), recipient, door },
    ];
    steps.into_iter().fold(founded, |roster, op| roster.with(op, &by, now).unwrap().0)
}

/// A team of one device, which is not in the other one.
pub(crate) fn strangers() -> Roster {
    let (first, own) = (device("strange"), secret("strange"));
    Roster::found(TeamId::from_bytes([8; 16]), first, &own, Timestamp::UNIX_EPOCH).unwrap()
}

pub(crate) fn plan(listen: String, monitor: u16, store: &Path) -> NatsPlan {
    NatsPlan {
        listen,
        monitor,
        store: store.to_owned(),
        tls: None,
        gigabytes: 1,
        retention: Removal::Nobody,
    }
}

pub(crate) async fn enter(
    server: &NatsServer,
    team: &Team,
    seed: Option<String>,
) -> Result<AnyHub, HubError> {
    enter_at(&server.url(), team, seed).await
}

pub(crate) async fn enter_at(
    url: &str,
    team: &Team,
    seed: Option<String>,
) -> Result<AnyHub, HubError> {
    let url = HubUrl::parse(url).unwrap();
    let nats = seed.map(NatsKey::Seed);
    AnyHub::open(&url, team, &Credentials { nats, ..Credentials::default() }).await
}

pub(crate) fn seed(name: &str) -> Option<String> {
    let secret = if name == "recovery" { recovery() } else { secret(name) };
    secret.nats_seed().map(|it| it.to_string())
}

#[tokio::test]
async fn the_server_we_configure_lets_in_who_is_in_the_team() {
    let team = Team::new("t-conf").unwrap();
    let roster = roster();
    let server = NatsServer::configured(|port, monitor, store| {
        nats_conf(&team, &roster, &plan(format!("127.0.0.1:{port}"), monitor, store))
    });
    let laptop = patiently("laptop", async || enter(&server, &team, seed("laptop")).await).await;
    let tower = patiently("tower", async || enter(&server, &team, seed("tower")).await).await;
    for (who, seed) in [("lost", seed("lost")), ("stranger", seed("x")), ("nobody", None)] {
        assert!(enter(&server, &team, seed).await.is_err(), "{who} came in");
    }
    works(&laptop, &tower).await;
    keeps_to_itself(&laptop, &tower).await;
}

/// Checks that a device may do everything it needs.
pub(crate) async fn works(laptop: &AnyHub, tower: &AnyHub) {
    let checks = laptop.doctor().await;
    let bad: Vec<_> = checks.iter().filter(|it| it.level == Level::Bad).collect();
    assert!(bad.is_empty(), "{bad:?}");
    let own = LogName::new("dev-laptop/own/1").unwrap();
    assert_eq!(laptop.append(&own, 1, Bytes::from_static(b"a")).await, Ok(Appended::New));
    let read = patiently("the entry", async || {
        let found = tower.read_since(&own, 0, 10).await?;
        if found.is_empty() { Err(HubError::Unreachable("yet".to_owned())) } else { Ok(found) }
    });
    assert_eq!(read.await.len(), 1);
    let name = BlobName::new("seg/one").unwrap();
    assert_eq!(laptop.put_blob(&name, &Content::Bytes("b".into())).await, Ok(Put::New));
    assert!(tower.get_blob(&name).await.unwrap().is_some());
    let key = KeyName::new("lease/x").unwrap();
    assert!(matches!(tower.cas(&key, None, "c".into()).await, Ok(Swapped::Done(_))));
}

/// Checks that a device cannot write to another device's log or change streams.
pub(crate) async fn keeps_to_itself(laptop: &AnyHub, tower: &AnyHub) {
    let others = LogName::new("dev-tower/own/1").unwrap();
    let answer = laptop.append(&others, 1, Bytes::from_static(b"forged")).await;
    assert!(answer.is_err(), "{answer:?}");
    assert_eq!(tower.last(&others).await, Ok(0));
}

#[test]
fn the_configuration_names_who_is_in_the_team_and_nothing_that_can_break_out() {
    let team = Team::new("t-conf").unwrap();
    let roster = roster();
    let odd = Path::new("/srv/a\" } authorization { token: x }\nb");
    let text = nats_conf(&team, &roster, &plan("0.0.0.0:4222".to_owned(), 8222, odd));
    for (name, is_in) in NAMES.into_iter().zip([true, true, false]) {
        let door = secret(name).keys().nats_user().unwrap().to_string();
        assert_eq!(text.contains(&door), is_in, "{name}");
        assert!(!text.contains(&seed(name).unwrap()));
        assert!(!text.contains(&format!("# {name}\n")), "{text}");
    }
    assert!(text.contains("sync_interval: always"));
    assert_eq!(text.lines().filter(|it| it.starts_with("authorization")).count(), 0, "{text}");
    assert!(text.contains(r#"store_dir: "/srv/a } authorization { token: x }b","#), "{text}");
}
