//! The requirements for every hub. Each test gets two clients of the same hub, which must see each
//! other's changes.

use crate::hub::engines::patiently;
use bytes::Bytes;
use std::collections::BTreeSet;
use std::time::Duration;
use taffrail_model::DeviceId;
use taffrail_sync::hub::{
    AnyHub, Appended, BlobName, Content, ENTRY_LIMIT, Entry, Hint, Hints, Hub, HubError, KeyName,
    LogName, PAGE_BYTES, PAGE_LIMIT, Prefix, Put, Revision, Swapped, VALUE_LIMIT, Value, Watched,
};
use taffrail_testkit::Scale;

pub(crate) fn log(name: &str) -> LogName {
    LogName::new(name).unwrap()
}

fn key(name: &str) -> KeyName {
    KeyName::new(name).unwrap()
}

fn blob(name: &str) -> BlobName {
    BlobName::new(name).unwrap()
}

fn below(prefix: &str) -> Prefix {
    Prefix::new(prefix).unwrap()
}

pub(crate) async fn all(one: &AnyHub, two: &AnyHub) {
    appends_are_fenced(one, two).await;
    entries_are_read_in_pages(one, two).await;
    a_reader_can_begin_anywhere(one, two).await;
    a_page_is_bounded(one).await;
    of_many_writers_one_succeeds(one, two).await;
    names_are_listed_below_a_prefix(one, two).await;
    keys_are_compared_and_set(one, two).await;
    no_increment_is_lost(one, two).await;
    blobs_are_created_once(one, two).await;
    a_large_blob_comes_back_whole(one, two).await;
    of_many_blobs_one_is_kept(one, two).await;
    limits_are_kept(one).await;
    hints_come(one, two).await;
}

async fn appends_are_fenced(one: &AnyHub, two: &AnyHub) {
    let name = log("fenced");
    let conflict = |last| Appended::Conflict { last };
    let cases = [
        (one, 2, "b", conflict(0)),
        (one, 0, "b", conflict(0)),
        (one, 1, "a", Appended::New),
        (one, 1, "a", Appended::Already),
        (two, 1, "a", Appended::Already),
        (two, 1, "b", conflict(1)),
        (two, 2, "b", Appended::New),
        // The first client does not know what the second did.
        (one, 2, "x", conflict(2)),
        (one, 2, "b", Appended::Already),
        (one, 3, "", Appended::New),
        (two, 3, "", Appended::Already),
        (two, 5, "e", conflict(3)),
        (one, 1, "a", Appended::Already),
        (one, 1, "z", conflict(3)),
        (one, 0, "a", conflict(3)),
    ];
    assert_eq!(one.last(&name).await, Ok(0));
    for (hub, seq, bytes, expected) in cases {
        let got = hub.append(&name, seq, bytes.into()).await;
        assert_eq!(got, Ok(expected), "{seq} {bytes:?}");
    }
    assert_eq!(two.last(&name).await, Ok(3));
}

/// Appends, and retries while there is no answer.
async fn put(hub: &AnyHub, name: &LogName, seq: u64, bytes: Bytes) {
    let ask = async || hub.append(name, seq, bytes.clone()).await;
    let appended = patiently("an entry", ask).await;
    assert!(matches!(appended, Appended::New | Appended::Already), "{appended:?}");
}

fn entry(seq: u64) -> Entry {
    Entry { seq, bytes: format!("entry {seq}").into() }
}

/// Reads once everything is there: a replica may be behind for a moment.
async fn read(hub: &AnyHub, name: &LogName, after: u64, limit: usize) -> Vec<Entry> {
    let last = patiently("the last", async || hub.last(name).await).await;
    let wanted = usize::try_from(last - after).unwrap();
    let ask = async || match hub.read_since(name, after, limit).await {
        Ok(found) if found.len() < limit.min(wanted) => {
            Err(HubError::Unreachable(format!("only {} entries", found.len())))
        }
        other => other,
    };
    patiently("entries", ask).await
}

async fn entries_are_read_in_pages(one: &AnyHub, two: &AnyHub) {
    let (name, other) = (log("pages"), log("pages/other"));
    assert_eq!(one.read_since(&name, 0, 10).await, Ok(vec![]));
    for seq in 1..=25 {
        put(one, &name, seq, entry(seq).bytes).await;
        put(one, &other, seq, "other".into()).await;
    }
    let cases =
        [(0, 10, 1..=10), (10, 10, 11..=20), (20, 10, 21..=25), (0, 100, 1..=25), (24, 1, 25..=25)];
    for (after, limit, expected) in cases {
        let expected: Vec<_> = expected.map(entry).collect();
        assert_eq!(read(two, &name, after, limit).await, expected, "{after} {limit}");
    }
    let lost = |last| Err(HubError::Lost { last });
    let never = log("never");
    let cases = [
        (&name, 25, Ok(vec![])),
        (&name, 26, lost(25)),
        (&never, 0, Ok(vec![])),
        (&never, 1, lost(0)),
    ];
    for (name, after, expected) in cases {
        assert_eq!(two.read_since(name, after, 10).await, expected, "{name} {after}");
    }
    assert_eq!(two.read_since(&name, 3, 0).await, Ok(vec![]));
}

/// Starts without having read earlier entries, in a stream with much else.
async fn a_reader_can_begin_anywhere(one: &AnyHub, two: &AnyHub) {
    let logs = ["any/a", "any/b", "any/c"].map(log);
    for seq in 1..=40 {
        for (number, name) in logs.iter().enumerate() {
            if seq <= 40 - 10 * number as u64 {
                put(one, name, seq, entry(seq).bytes).await;
            }
        }
    }
    for (number, name) in logs.iter().enumerate() {
        let last = 40 - 10 * number as u64;
        for after in [17, 3, last - 1, 9, 0] {
            let expected: Vec<_> = (after + 1..=last).map(entry).collect();
            assert_eq!(read(two, name, after, 100).await, expected, "{name} after {after}");
        }
    }
}

async fn a_page_is_bounded(hub: &AnyHub) {
    let name = log("bounded");
    let big = Bytes::from(vec![7; ENTRY_LIMIT]);
    let fitting = PAGE_BYTES / ENTRY_LIMIT;
    for seq in 1..=fitting as u64 + 2 {
        assert_eq!(hub.append(&name, seq, big.clone()).await, Ok(Appended::New));
    }
    let found = patiently("a page", async || hub.read_since(&name, 0, PAGE_LIMIT).await).await;
    assert!((1..=fitting).contains(&found.len()), "{} entries", found.len());
    let mut after = 0;
    while after < fitting as u64 + 2 {
        let page = read(hub, &name, after, 1).await;
        assert_eq!(page, [Entry { seq: after + 1, bytes: big.clone() }]);
        after += 1;
    }
}

async fn of_many_writers_one_succeeds(one: &AnyHub, two: &AnyHub) {
    let name = log("race");
    for seq in 1..=5 {
        let tries = (0..8).map(|rival| {
            let hub = if rival % 2 == 0 { one.clone() } else { two.clone() };
            let name = name.clone();
            let append = async move { hub.append(&name, seq, rival.to_string().into()).await };
            tokio::spawn(append)
        });
        let mut new = 0;
        for rival in tries.collect::<Vec<_>>() {
            match rival.await.unwrap() {
                Ok(Appended::New) => new += 1,
                Ok(Appended::Conflict { .. }) | Err(HubError::Unreachable(_)) => {}
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(new, 1, "of the entries {seq}");
        assert_eq!(one.last(&name).await, Ok(seq));
    }
}

async fn names_are_listed_below_a_prefix(one: &AnyHub, two: &AnyHub) {
    for name in ["list", "list/a", "list/a/b", "list/ab", "listed/a", "list/B"] {
        one.append(&log(name), 1, "x".into()).await.unwrap();
        one.cas(&key(name), None, "x".into()).await.unwrap();
        one.put_blob(&blob(name), &Content::Bytes("x".into())).await.unwrap();
    }
    let check = async |prefix: &str, expected: &[&str]| {
        let prefix = below(prefix);
        let logs = two.logs(&prefix).await.unwrap();
        assert_eq!(logs.iter().map(LogName::as_str).collect::<Vec<_>>(), expected);
        let keys = two.keys(&prefix).await.unwrap();
        assert_eq!(keys.iter().map(KeyName::as_str).collect::<Vec<_>>(), expected);
        let blobs = two.blobs(&prefix).await.unwrap();
        assert_eq!(blobs.iter().map(BlobName::as_str).collect::<Vec<_>>(), expected);
    };
    check("list", &["list/B", "list/a", "list/a/b", "list/ab"]).await;
    check("list/a", &["list/a/b"]).await;
    check("list/nothing", &[]).await;
    let all: BTreeSet<_> = two.logs(&Prefix::everything()).await.unwrap().into_iter().collect();
    assert!(all.contains(&log("list")) && all.contains(&log("listed/a")), "{all:?}");
}

async fn keys_are_compared_and_set(one: &AnyHub, two: &AnyHub) {
    let name = key("set/x");
    assert_eq!(one.get(&name).await, Ok(None));
    let first = set(one, &name, None, "1").await.expect("it is new");
    let second = set(two, &name, Some(first), "2").await.expect("it is the newest");
    assert!(second > first, "revisions grow");
    for old in [None, Some(first)] {
        assert_eq!(set(one, &name, old, "3").await, None, "{old:?}");
        assert_eq!(set(two, &name, old, "3").await, None, "{old:?}");
    }
    let expected = Value { revision: second, bytes: "2".into() };
    assert_eq!(one.get(&name).await, Ok(Some(expected)));
    odd_values_and_revisions(one, second).await;
}

/// A value may be empty, and a revision of another key is not one of this key.
async fn odd_values_and_revisions(hub: &AnyHub, of_another: Revision) {
    let (empty, other) = (key("set/empty"), key("set/y"));
    let revision = set(hub, &empty, None, "").await.expect("it is new");
    assert_eq!(hub.get(&empty).await, Ok(Some(Value { revision, bytes: Bytes::new() })));
    assert_eq!(set(hub, &other, Some(of_another), "1").await, None);
    assert_eq!(hub.get(&other).await, Ok(None));
}

async fn set(
    hub: &AnyHub,
    name: &KeyName,
    expected: Option<Revision>,
    bytes: &'static str,
) -> Option<Revision> {
    match hub.cas(name, expected, bytes.into()).await.unwrap() {
        Swapped::Done(revision) => Some(revision),
        Swapped::Conflict => None,
    }
}

/// Eight tasks write their own words into the same key, each word once.
async fn no_increment_is_lost(one: &AnyHub, two: &AnyHub) {
    let name = key("count");
    one.cas(&name, None, Bytes::new()).await.unwrap();
    let times = Scale::from_env().pick(12, 50);
    let tasks = (0..8).map(|number| {
        let hub = if number % 2 == 0 { one.clone() } else { two.clone() };
        tokio::spawn(write_words(hub, name.clone(), (number, times)))
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
    let there = patiently("the words", async || one.get(&name).await).await.unwrap().bytes;
    let mut found: Vec<_> = words(&there);
    found.sort_unstable();
    let all = (0..8).flat_map(|task| (0..times).map(move |number| word(task, number)));
    let mut expected: Vec<_> = all.collect();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

fn word(task: u32, number: u32) -> String {
    format!("{task}.{number}")
}

fn words(bytes: &Bytes) -> Vec<String> {
    std::str::from_utf8(bytes).unwrap().split_whitespace().map(str::to_owned).collect()
}

/// Reading a key while others write it may fail, and a failed write may have happened: the next
/// read finds the word or does not.
async fn write_words(hub: AnyHub, name: KeyName, (task, times): (u32, u32)) {
    for number in 0..times {
        let mine = word(task, number);
        loop {
            let there = match hub.get(&name).await {
                Ok(there) => there.unwrap(),
                Err(error) if error.is_retryable() => continue,
                Err(error) => panic!("{error}"),
            };
            if words(&there.bytes).contains(&mine) {
                break;
            }
            let next = [&there.bytes[..], b" ", mine.as_bytes()].concat();
            match hub.cas(&name, Some(there.revision), next.into()).await {
                Ok(Swapped::Done(_) | Swapped::Conflict) | Err(HubError::Unreachable(_)) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
}

async fn blobs_are_created_once(one: &AnyHub, two: &AnyHub) {
    assert!(one.get_blob(&blob("once/x")).await.unwrap().is_none());
    let cases = [
        (one, "once/x", "a", Put::New),
        (two, "once/x", "a", Put::Already),
        (two, "once/x", "b", Put::Conflict),
        // The same bytes under another name, and an empty blob.
        (one, "once/y", "a", Put::New),
        (one, "once/z", "", Put::New),
    ];
    for (hub, name, text, expected) in cases {
        let got = hub.put_blob(&blob(name), &Content::Bytes(text.into())).await;
        assert_eq!(got, Ok(expected), "{name} {text}");
    }
    for (name, text) in [("once/x", "a"), ("once/y", "a"), ("once/z", "")] {
        let found = two.get_blob(&blob(name)).await.unwrap().unwrap();
        assert_eq!(found.size(), text.len() as u64);
        assert_eq!(found.bytes(10).await, Ok(text.into()), "{name}");
    }
    let gone = one.put_blob(&blob("once/w"), &Content::File("/nowhere".into())).await;
    assert!(matches!(gone, Err(HubError::Refused(_))), "{gone:?}");
}

async fn a_large_blob_comes_back_whole(one: &AnyHub, two: &AnyHub) {
    let bytes: Vec<u8> = (0..20_000_000_u32).map(|it| (it % 251) as u8).collect();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &bytes).unwrap();
    let content = Content::File(file.path().to_owned());
    let name = blob("large");
    assert_eq!(one.put_blob(&name, &content).await, Ok(Put::New));
    assert_eq!(two.put_blob(&name, &content).await, Ok(Put::Already));
    let found = two.get_blob(&name).await.unwrap().unwrap();
    let got = found.bytes(bytes.len() as u64).await.unwrap();
    assert!(got == bytes, "20 MB came back as something else");
    let found = two.get_blob(&name).await.unwrap().unwrap();
    let too_large = HubError::TooLarge { size: 20_000_000, limit: 1_000 };
    assert_eq!(found.bytes(1_000).await, Err(too_large));
}

async fn of_many_blobs_one_is_kept(one: &AnyHub, two: &AnyHub) {
    let name = blob("rivals");
    let tries = (0..8).map(|rival| {
        let hub = if rival % 2 == 0 { one.clone() } else { two.clone() };
        let (name, content) = (name.clone(), Content::Bytes(rival.to_string().into()));
        tokio::spawn(async move { (rival, hub.put_blob(&name, &content).await.unwrap()) })
    });
    let mut winners = Vec::new();
    for rival in tries.collect::<Vec<_>>() {
        let (rival, put) = rival.await.unwrap();
        if put == Put::New {
            winners.push(rival.to_string());
        }
    }
    let kept = two.get_blob(&name).await.unwrap().unwrap().bytes(10).await.unwrap();
    assert_eq!(winners, [String::from_utf8(kept.to_vec()).unwrap()]);
}

async fn limits_are_kept(hub: &AnyHub) {
    let many = |size: usize| Bytes::from(vec![1; size]);
    let too_large =
        |limit: usize| HubError::TooLarge { size: limit as u64 + 1, limit: limit as u64 };
    let name = log("limit");
    let answer = hub.append(&name, 1, many(ENTRY_LIMIT + 1)).await;
    assert_eq!(answer, Err(too_large(ENTRY_LIMIT)));
    assert_eq!(hub.append(&name, 1, many(ENTRY_LIMIT)).await, Ok(Appended::New));
    let answer = hub.cas(&key("limit"), None, many(VALUE_LIMIT + 1)).await;
    assert_eq!(answer, Err(too_large(VALUE_LIMIT)));
    let answer = hub.cas(&key("limit"), None, many(VALUE_LIMIT)).await;
    assert!(matches!(answer, Ok(Swapped::Done(_))), "{answer:?}");
}

const BEATS: Duration = Duration::from_millis(200);
const PATIENCE: Duration = Duration::from_secs(30);

async fn hints_come(one: &AnyHub, two: &AnyHub) {
    let (name, value, outside) = (log("hint/l"), key("hint/k"), log("outside"));
    let device = DeviceId::new("dev-1");
    let watched = Watched { beats: vec![device.clone()], ..Watched::below(below("hint")) };
    let mut hints = two.watch(&watched).await.unwrap();
    one.beat(&DeviceId::new("dev-2"), "elsewhere".into()).await.unwrap();
    one.beat(&device, "alive".into()).await.unwrap();
    one.append(&outside, 1, "x".into()).await.unwrap();
    one.append(&name, 1, "x".into()).await.unwrap();
    one.cas(&value, None, "x".into()).await.unwrap();
    let alive = Hint::Beat(device.clone(), "alive".into());
    let mut awaited = vec![Hint::Log(name), Hint::Key(value), alive];
    let heard = async {
        while !awaited.is_empty() {
            let hint = next(&mut hints).await;
            assert_ne!(hint, Hint::Log(outside.clone()), "it is not below");
            assert!(!matches!(&hint, Hint::Beat(it, _) if it.as_str() == "dev-2"), "nobody asked");
            awaited.retain(|it| *it != hint);
        }
    };
    tokio::select! {
        heard = tokio::time::timeout(PATIENCE, heard) => heard.expect("all hints come"),
        () = beat_on(one, &device) => {}
    }
}

/// The servers of a cluster drop a beat until all of them know the subscribers, so the test repeats
/// it.
async fn beat_on(hub: &AnyHub, device: &DeviceId) {
    loop {
        tokio::time::sleep(BEATS).await;
        hub.beat(device, "alive".into()).await.unwrap();
    }
}

async fn next(hints: &mut Hints) -> Hint {
    let hint = tokio::time::timeout(PATIENCE, hints.next()).await;
    hint.expect("a hint comes").expect("the watch goes on")
}
