//! Servers that are killed and restarted, and servers that lost everything.

use crate::hub::conformance::log;
use crate::hub::engines::{BUCKET, open, patiently, team};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use taffrail_sync::hub::{
    AnyHub, Appended, Hint, Hub, HubError, KeyName, Prefix, Swapped, Team, Watched,
};
use taffrail_testkit::hubs::{Flush, Moto, NatsServer};

async fn append(hub: &AnyHub, seq: u64) -> Appended {
    let bytes = format!("entry {seq}");
    let name = log("dev");
    patiently("an append", async || hub.append(&name, seq, bytes.clone().into()).await).await
}

#[tokio::test]
async fn a_nats_server_is_killed_and_comes_back() {
    let mut server = NatsServer::start(Flush::Always);
    let hub = open(&server.url(), &team()).await;
    let mut hints = hub.watch(&Watched::below(Prefix::everything())).await.unwrap();
    assert_eq!(append(&hub, 1).await, Appended::New);
    server.kill();
    let away = hub.append(&log("dev"), 2, "entry 2".into()).await;
    assert!(matches!(away, Err(HubError::Unreachable(_))), "{away:?}");
    server.start_again();
    // The first attempt may have arrived after all.
    assert!(matches!(append(&hub, 2).await, Appended::New | Appended::Already));
    assert_eq!(append(&hub, 3).await, Appended::New);
    assert_eq!(hub.last(&log("dev")).await, Ok(3));
    let told = tokio::time::timeout(Duration::from_secs(30), async {
        while hints.next().await != Some(Hint::Anything) {}
    });
    told.await.expect("a watcher is told that it may have missed something");
}

#[tokio::test]
async fn a_nats_server_that_forgot_everything_is_noticed() {
    let mut server = NatsServer::start(Flush::Always);
    let (hub, reader) = {
        let team = team();
        (open(&server.url(), &team).await, open(&server.url(), &team).await)
    };
    for seq in 1..=20 {
        append(&hub, seq).await;
    }
    assert_eq!(reader.read_since(&log("dev"), 0, 100).await.unwrap().len(), 20);
    server.kill();
    server.wipe();
    server.start_again();
    forgotten(&hub, &reader, 20).await;
}

#[tokio::test]
async fn a_bucket_that_forgot_everything_is_noticed() {
    let mut moto = Moto::start(BUCKET);
    let hub = open(&format!("s3://{BUCKET}?endpoint={}", moto.endpoint()), &team()).await;
    for seq in 1..=20 {
        append(&hub, seq).await;
    }
    moto.kill();
    let away = hub.append(&log("dev"), 21, "entry 21".into()).await;
    assert!(matches!(away, Err(HubError::Unreachable(_))), "{away:?}");
    moto.start_again(BUCKET);
    forgotten(&hub, &hub, 20).await;
}

/// The writer learns where the log ends now and appends everything again, and the reader continues.
async fn forgotten(hub: &AnyHub, reader: &AnyHub, last: u64) {
    assert_eq!(append(hub, last + 1).await, Appended::Conflict { last: 0 });
    let name = log("dev");
    let lost = |end| Err(HubError::Lost { last: end });
    assert_eq!(reader.read_since(&name, last, 10).await, lost(0));
    for seq in 1..=last + 1 {
        assert_eq!(append(hub, seq).await, Appended::New, "{seq}");
        if seq == 5 {
            assert_eq!(reader.read_since(&name, last, 10).await, lost(5));
        }
    }
    let found = reader.read_since(&name, last, 10).await.unwrap();
    assert_eq!(found.iter().map(|it| it.seq).collect::<Vec<_>>(), [last + 1]);
}

/// A file that a power failure left empty is detected as torn, not taken as absent.
#[tokio::test]
async fn a_torn_entry_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let team = team();
    let hub = open(&format!("file://{}", folder.path().display()), &team).await;
    assert_eq!(append(&hub, 1).await, Appended::New);
    let entry = format!("taffrail-v1/{}/entries/dev/{:020}.entry", team.as_str(), 1);
    std::fs::write(folder.path().join(entry), "").unwrap();
    let answer = hub.read_since(&log("dev"), 0, 10).await;
    assert!(matches!(answer, Err(HubError::Corrupt(_))), "{answer:?}");
    let answer = hub.append(&log("dev"), 1, "entry 1".into()).await;
    assert!(matches!(answer, Err(HubError::Corrupt(_))), "{answer:?}");
}

/// States of a key that were replaced long ago are removed; a writer that still relies on one is
/// refused.
#[tokio::test]
async fn old_states_of_a_key_are_swept() {
    let folder = tempfile::tempdir().unwrap();
    let team = team();
    let hub = open(&format!("file://{}", folder.path().display()), &team).await;
    let key = KeyName::new("k").unwrap();
    let mut revisions = vec![None];
    for number in 1..=32 {
        if number == 20 {
            let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
            for file in states(folder.path(), &team) {
                File::options().write(true).open(file).unwrap().set_modified(old).unwrap();
            }
        }
        let expected = *revisions.last().unwrap();
        let answer = hub.cas(&key, expected, number.to_string().into()).await;
        let Ok(Swapped::Done(revision)) = answer else { panic!("{answer:?}") };
        revisions.push(Some(revision));
    }
    // The last of the old ones was replaced by one that is new.
    assert_eq!(states(folder.path(), &team).len(), 32 - 18);
    for stale in [None, revisions[1], revisions[10], revisions[31]] {
        assert_eq!(hub.cas(&key, stale, "x".into()).await, Ok(Swapped::Conflict), "{stale:?}");
    }
    let fresh = open(&format!("file://{}", folder.path().display()), &team).await;
    for hub in [&hub, &fresh] {
        let found = hub.get(&key).await.unwrap().unwrap();
        assert_eq!((Some(found.revision), found.bytes), (revisions[32], "32".into()));
    }
}

fn states(folder: &Path, team: &Team) -> Vec<PathBuf> {
    let folder = folder.join(format!("taffrail-v1/{}/keys/k", team.as_str()));
    std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect()
}

#[tokio::test]
async fn a_directory_that_vanished_is_made_again_empty() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hub");
    std::fs::create_dir(&path).unwrap();
    let hub = open(&format!("file://{}", path.display()), &team()).await;
    assert_eq!(append(&hub, 1).await, Appended::New);
    std::fs::rename(&path, folder.path().join("elsewhere")).unwrap();
    let key = KeyName::new("k").unwrap();
    let everything = Prefix::everything();
    let answers = [
        hub.append(&log("dev"), 2, "entry 2".into()).await.err(),
        hub.append(&log("other"), 1, "x".into()).await.err(),
        hub.last(&log("dev")).await.err(),
        hub.read_since(&log("dev"), 0, 1).await.err(),
        hub.logs(&everything).await.err(),
        hub.get(&key).await.err(),
        hub.cas(&key, None, "x".into()).await.err(),
        hub.mark().await.err(),
    ];
    for answer in answers {
        let text = answer.expect("it is an error").to_string();
        assert!(text.contains("is not a directory"), "{text}");
    }
    assert!(!path.exists(), "nothing is made in its place");
    std::fs::rename(folder.path().join("elsewhere"), &path).unwrap();
    assert_eq!(append(&hub, 2).await, Appended::New);
}
