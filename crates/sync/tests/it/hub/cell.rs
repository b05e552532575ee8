//! Several teams on one server: they share a fixed number of streams, and the permissions that we write
//! let no device read what is another team's.

use crate::hub::attacks::{Attack, Attacker, ask};
use crate::hub::conf::{enter_at, keeps_to_itself, plan, roster, seed, strangers, works};
use crate::hub::engines::{open, patiently};
use bytes::Bytes;
use taffrail_sync::hub::{
    AnyHub, Appended, BlobName, Content, Hub, HubError, KeyName, LogName, Megabytes, Prefix, Put,
    Swapped, Team, TeamUsers, account_conf, cell_conf,
};
use taffrail_testkit::hubs::{Flush, NatsServer};

const SECRET: &str = "zqstrange";

fn teams() -> [(Team, taffrail_sync::Roster); 2] {
    [(Team::new("t-conf").unwrap(), roster()), (Team::new("t-strange").unwrap(), strangers())]
}

/// A server with both teams in the same three streams, and a device of each.
async fn cell() -> (NatsServer, AnyHub, AnyHub) {
    let teams = teams();
    let server = NatsServer::configured(|port, monitor, store| {
        let users = teams.each_ref().map(|(team, roster)| TeamUsers::of(team, roster));
        cell_conf(&users, 1, &plan(format!("127.0.0.1:{port}"), monitor, store))
    });
    let url = format!("{}?streams=1", server.url());
    let [(ours, _), (theirs, _)] = &teams;
    // An admin of the first team makes the streams.
    let laptop = patiently("laptop", async || enter_at(&url, ours, seed("laptop")).await).await;
    let strange =
        patiently("strange", async || enter_at(&url, theirs, seed("strange")).await).await;
    (server, laptop, strange)
}

/// Writes an entry, a key and a blob, whose names and bytes all have the secret word.
async fn furnish(strange: &AnyHub) {
    let log = LogName::new(format!("dev-strange/{SECRET}/1")).unwrap();
    assert_eq!(strange.append(&log, 1, SECRET.into()).await, Ok(Appended::New));
    let key = KeyName::new(format!("lease/{SECRET}")).unwrap();
    assert!(matches!(strange.cas(&key, None, SECRET.into()).await, Ok(Swapped::Done(_))));
    let blob = BlobName::new(format!("seg/{SECRET}")).unwrap();
    assert_eq!(strange.put_blob(&blob, &Content::Bytes(SECRET.into())).await, Ok(Put::New));
}

#[tokio::test]
async fn teams_work_side_by_side_in_the_same_streams() {
    let (server, laptop, strange) = cell().await;
    let url = format!("{}?streams=1", server.url());
    let [(ours, _), _] = &teams();
    let tower = patiently("tower", async || enter_at(&url, ours, seed("tower")).await).await;
    works(&laptop, &tower).await;
    keeps_to_itself(&laptop, &tower).await;
    furnish(&strange).await;
    let everything = Prefix::everything();
    assert_eq!(strange.logs(&everything).await.unwrap().len(), 1);
    let seen = laptop.logs(&everything).await.unwrap();
    assert!(seen.iter().all(|it| !it.as_str().contains(SECRET)), "{seen:?}");
    let reader = patiently("recovery", async || enter_at(&url, ours, seed("recovery")).await).await;
    assert_eq!(reader.logs(&everything).await.unwrap(), seen);
}

/// Every way to ask that we know.
fn attacks() -> Vec<Attack> {
    let mut all = Vec::new();
    for (stream, kind) in [
        ("TAFFRAIL_HUB_1_0_LOG", "log"),
        ("TAFFRAIL_HUB_1_0_KEY", "key"),
        ("TAFFRAIL_HUB_1_0_BLOB", "blob"),
    ] {
        let theirs = format!("taffrail_hub.1-0.{kind}.t-strange.>");
        let ours = format!("taffrail_hub.1-0.{kind}.t-conf.>");
        let consumer = |more: &str| {
            format!(
                r#"{{"stream_name":"{stream}","config":{{"name":"x","deliver_policy":"all","ack_policy":"none",{more}}}}}"#
            )
        };
        let filter = |it: &str| consumer(&format!(r#""filter_subject":"{it}""#));
        let filters = consumer(&format!(r#""filter_subjects":["{ours}","{theirs}"]"#));
        all.extend([
            ask(&format!("STREAM.INFO.{stream}"), r#"{"subjects_filter":">"}"#),
            ask(&format!("STREAM.MSG.GET.{stream}"), r#"{"seq":1}"#),
            ask(&format!("STREAM.MSG.GET.{stream}"), &format!(r#"{{"last_by_subj":"{theirs}"}}"#)),
            ask(&format!("DIRECT.GET.{stream}"), r#"{"seq":1}"#),
            ask(&format!("DIRECT.GET.{stream}"), r#"{"multi_last":[">"]}"#),
            ask(&format!("DIRECT.GET.{stream}.{theirs}"), ""),
            ask(&format!("DIRECT.GET.{stream}.>"), ""),
            ask(&format!("STREAM.SNAPSHOT.{stream}"), r#"{"deliver_subject":"_INBOX.x"}"#),
            ask(&format!("CONSUMER.CREATE.{stream}"), &consumer(r#""max_deliver":1"#)),
            ask(&format!("CONSUMER.CREATE.{stream}.x"), &consumer(r#""max_deliver":1"#)),
            ask(&format!("CONSUMER.CREATE.{stream}.x.{theirs}"), &filter(&theirs)),
            ask(&format!("CONSUMER.CREATE.{stream}.x.{ours}"), &filter(&theirs)),
            ask(&format!("CONSUMER.CREATE.{stream}.x.{ours}"), &filters),
            ask(&format!("CONSUMER.DURABLE.CREATE.{stream}.x"), &filter(&theirs)),
            ask(&format!("CONSUMER.NAMES.{stream}"), ""),
            ask(&format!("CONSUMER.LIST.{stream}"), ""),
        ]);
        let copy = format!(
            r#"{{"name":"COPY","subjects":[],"storage":"memory","num_replicas":1,"sources":[{{"name":"{stream}"}}]}}"#
        );
        all.push(ask("STREAM.CREATE.COPY", &copy));
    }
    all.extend(["INFO", "STREAM.NAMES", "STREAM.LIST"].map(|it| ask(it, "")));
    all
}

#[tokio::test]
async fn a_device_of_one_team_reads_nothing_of_another() {
    let (server, _laptop, strange) = cell().await;
    furnish(&strange).await;
    for who in ["laptop", "tower", "recovery"] {
        let mut attacker = Attacker::enter(&server, who).await;
        for attack in attacks() {
            let Some(answer) = attacker.attempt(&attack).await else { continue };
            let text = format!("{answer:?} {}", String::from_utf8_lossy(&answer.payload));
            assert!(!text.contains(SECRET), "{who}: {} {}: {text}", attack.subject, attack.body);
            // A consumer that was made may have messages.
            let next = attack.subject.replace("CONSUMER.CREATE", "CONSUMER.MSG.NEXT");
            let next = next.split('.').take(7).collect::<Vec<_>>().join(".");
            let next = next.strip_prefix("$JS.API.").unwrap_or_default();
            if let Some(answer) =
                attacker.attempt(&ask(next, r#"{"batch":9,"no_wait":true}"#)).await
            {
                let text = String::from_utf8_lossy(&answer.payload);
                assert!(!text.contains(SECRET), "{who}: {next}: {text}");
            }
        }
        let theirs =
            ["log", "key", "blob", "beat"].map(|it| format!("taffrail_hub.1-0.{it}.t-strange.>"));
        let all = [">", "_INBOX.>", "taffrail_hub.>", "$JS.>", "$SYS.>"].map(str::to_owned);
        for subject in theirs.into_iter().chain(all) {
            assert!(attacker.is_kept_from(&subject).await, "{who}: {subject}");
        }
    }
}

/// Twelve teams on a plain server need no more streams than one.
#[tokio::test]
async fn every_team_brought_three_streams() {
    let server = NatsServer::start(Flush::Lazily);
    for number in 0..12 {
        let team = Team::new(format!("many-{number}")).unwrap();
        let hub = open(&server.url(), &team).await;
        let log = LogName::new("dev/own/1").unwrap();
        assert_eq!(hub.append(&log, 1, Bytes::from_static(b"a")).await, Ok(Appended::New));
    }
    let client = async_nats::connect(server.url()).await.unwrap();
    let answer = client.request("$JS.API.STREAM.NAMES", Bytes::new()).await.unwrap();
    let text = String::from_utf8_lossy(&answer.payload).into_owned();
    assert!(text.contains(r#""total":3,"#), "{text}");
}

/// A team whose streams an earlier version made stays there.
#[tokio::test]
async fn a_team_with_streams_of_its_own_keeps_them() {
    let server = NatsServer::start(Flush::Lazily);
    let client = async_nats::connect(server.url()).await.unwrap();
    let context = async_nats::jetstream::new(client);
    for (name, subject) in [
        ("TAFFRAIL_old", "taffrail.old.log.>"),
        ("KV_taffrail_old", "$KV.taffrail_old.>"),
        ("OBJ_taffrail_old", "$O.taffrail_old.>"),
    ] {
        let config = async_nats::jetstream::stream::Config {
            name: name.to_owned(),
            subjects: vec![subject.to_owned()],
            allow_direct: true,
            ..Default::default()
        };
        context.create_stream(config).await.unwrap();
    }
    let hub = open(&server.url(), &Team::new("old").unwrap()).await;
    let log = LogName::new("dev/own/1").unwrap();
    assert_eq!(hub.append(&log, 1, Bytes::from_static(b"a")).await, Ok(Appended::New));
    let there = context.get_stream("TAFFRAIL_old").await.unwrap();
    assert_eq!(there.cached_info().state.messages, 1);
    assert!(context.get_stream("TAFFRAIL_HUB_1_0_LOG").await.is_err());
}

/// Each team in an account of its own: none fills the disk for another, and none sees another.
#[tokio::test]
async fn a_team_that_fills_its_quota_is_in_nobodys_way() {
    let teams = teams();
    let server = NatsServer::configured(|port, monitor, store| {
        let users = teams.each_ref().map(|(team, roster)| TeamUsers::of(team, roster));
        account_conf(&users, Megabytes(4), &plan(format!("127.0.0.1:{port}"), monitor, store))
    });
    let [(ours, _), (theirs, _)] = &teams;
    let url = server.url();
    let laptop = patiently("laptop", async || enter_at(&url, ours, seed("laptop")).await).await;
    let tower = patiently("tower", async || enter_at(&url, ours, seed("tower")).await).await;
    let strange =
        patiently("strange", async || enter_at(&url, theirs, seed("strange")).await).await;
    let log = LogName::new("dev-strange/own/1").unwrap();
    let entry = Bytes::from(vec![b'x'; 256 * 1024]);
    let (mut stored, mut last) = (0, Ok(Appended::New));
    while last == Ok(Appended::New) && stored < 20 {
        last = strange.append(&log, stored + 1, entry.clone()).await;
        stored += u64::from(last == Ok(Appended::New));
    }
    assert!((8..=16).contains(&stored), "{stored} entries of 256 KiB in 4 MB");
    assert!(matches!(last, Err(HubError::Full(_))), "{last:?}");
    works(&laptop, &tower).await;
    keeps_to_itself(&laptop, &tower).await;
    assert_eq!(laptop.last(&log).await, Ok(0), "nothing of another team is seen");
    assert_eq!(strange.last(&log).await, Ok(stored), "what is stored stays");
}
