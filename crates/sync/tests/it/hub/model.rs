//! For any sequence of requests, every hub answers like the one in memory.

use crate::hub::engines::{BUCKET, open, team};
use bytes::Bytes;
use taffrail_sync::hub::{
    AnyHub, BlobName, Content, Hub, KeyName, LogName, MemoryHub, Prefix, Revision, Swapped,
};
use taffrail_testkit::hubs::{Flush, Moto, NatsServer};
use taffrail_testkit::{Chance, Scale};

const NAMES: [&str; 4] = ["a", "a/b", "b", "b/c"];
const BYTES: [&str; 3] = ["", "x", "y"];
/// The blob that may be removed.
const LONE: usize = 3;

/// A request; numbers are chosen so that answers differ.
#[derive(Debug, Clone, Copy)]
enum Question {
    Append {
        name: usize,
        seq: u64,
        bytes: usize,
    },
    Read {
        name: usize,
        after: u64,
        limit: usize,
    },
    Last(usize),
    Logs(usize),
    /// `of` is the index of the expected revision among those seen so far; beyond them, `None`.
    Cas {
        name: usize,
        of: usize,
        bytes: usize,
    },
    Get(usize),
    Keys(usize),
    Put {
        name: usize,
        bytes: usize,
    },
    GetBlob(usize),
    Blobs(usize),
    Trim {
        name: usize,
        first: u64,
    },
    /// Removes the one blob whose bytes no other has.
    Remove,
    /// Everything that is stored, without times and sizes.
    Inventory,
}

fn draw(chance: &mut Chance) -> Question {
    let (name, bytes) = (chance.below(NAMES.len()), chance.below(BYTES.len()));
    let small = chance.below(8);
    match chance.below(20) {
        0..=4 => Question::Append { name, seq: small as u64, bytes },
        5 => Question::Read { name, after: small as u64, limit: 1 + chance.below(5) },
        6 => Question::Last(name),
        7 => Question::Logs(name),
        8..=10 => Question::Cas { name, of: chance.below(6), bytes },
        11 => Question::Get(name),
        12 => Question::Keys(name),
        13 => Question::Put { name, bytes },
        14 => Question::GetBlob(name),
        15 => Question::Blobs(name),
        16..=17 => Question::Trim { name, first: small as u64 },
        18 => Question::Remove,
        _ => Question::Inventory,
    }
}

/// A hub and the revisions it returned, in order. Their numbers differ between hubs.
struct Asker {
    hub: AnyHub,
    revisions: Vec<(usize, Revision)>,
}

impl Asker {
    fn new(hub: AnyHub) -> Self {
        Self { hub, revisions: Vec::new() }
    }

    async fn answer(&mut self, question: Question) -> String {
        let hub = &self.hub;
        match question {
            Question::Append { name, seq, bytes } => {
                format!("{:?}", hub.append(&log(name), seq, bytes_of(bytes)).await)
            }
            Question::Read { name, after, limit } => {
                format!("{:?}", hub.read_since(&log(name), after, limit).await)
            }
            Question::Last(name) => format!("{:?}", hub.last(&log(name)).await),
            Question::Logs(name) => format!("{:?}", hub.logs(&prefix(name)).await),
            Question::Cas { name, of, bytes } => self.cas(name, of, bytes).await,
            Question::Get(name) => self.get(name).await,
            Question::Keys(name) => format!("{:?}", hub.keys(&prefix(name)).await),
            Question::Put { name, bytes } => {
                format!("{:?}", hub.put_blob(&blob(name), &content(name, bytes)).await)
            }
            Question::GetBlob(name) => self.get_blob(name).await,
            Question::Blobs(name) => format!("{:?}", hub.blobs(&prefix(name)).await),
            Question::Trim { name, first } => format!("{:?}", hub.trim(&log(name), first).await),
            Question::Remove => format!("{:?}", hub.remove_blob(&blob(LONE)).await),
            Question::Inventory => self.inventory().await,
        }
    }

    async fn get(&self, name: usize) -> String {
        let found = self.hub.get(&key(name)).await.unwrap();
        format!("{:?}", found.map(|it| (self.place(name, it.revision), it.bytes)))
    }

    async fn get_blob(&self, name: usize) -> String {
        match self.hub.get_blob(&blob(name)).await.unwrap() {
            Some(found) => format!("{:?}", found.bytes(10).await),
            None => "none".to_owned(),
        }
    }

    async fn inventory(&self) -> String {
        let all = self.hub.inventory().await.unwrap();
        let mut all: Vec<_> = all.into_iter().map(|it| it.item).collect();
        all.sort();
        format!("{all:?}")
    }

    async fn cas(&mut self, name: usize, of: usize, bytes: usize) -> String {
        let own = self.revisions.iter().rev().filter(|(it, _)| *it == name);
        let expected = own.map(|(_, revision)| *revision).nth(of);
        match self.hub.cas(&key(name), expected, bytes_of(bytes)).await {
            Ok(Swapped::Done(revision)) => {
                self.revisions.push((name, revision));
                "done".to_owned()
            }
            other => format!("{other:?}"),
        }
    }

    fn place(&self, name: usize, revision: Revision) -> Option<usize> {
        self.revisions.iter().position(|it| *it == (name, revision))
    }
}

fn log(name: usize) -> LogName {
    LogName::new(NAMES[name]).unwrap()
}

fn key(name: usize) -> KeyName {
    KeyName::new(NAMES[name]).unwrap()
}

fn blob(name: usize) -> BlobName {
    BlobName::new(NAMES[name]).unwrap()
}

/// One blob shares its bytes with no other.
fn content(name: usize, bytes: usize) -> Content {
    let lone = if name == LONE { "lone" } else { "" };
    Content::Bytes(format!("{lone}{}", BYTES[bytes]).into())
}

fn prefix(name: usize) -> Prefix {
    Prefix::new(["", "a", "b", "a/b"][name]).unwrap()
}

fn bytes_of(bytes: usize) -> Bytes {
    BYTES[bytes].into()
}

async fn same_as_memory(url: &str, rounds: usize, purpose: &str) {
    let scale = Scale::from_env();
    let mut chance = scale.chance(purpose);
    for round in 0..scale.pick(rounds, rounds * 10) {
        let mut model = Asker::new(AnyHub::Memory(MemoryHub::new()));
        let mut asked = Asker::new(open(url, &team()).await);
        for number in 0..120 {
            let question = draw(&mut chance);
            let expected = model.answer(question).await;
            let got = asked.answer(question).await;
            assert_eq!(got, expected, "round {round}, question {number}: {question:?}");
        }
    }
}

#[tokio::test]
async fn a_directory_answers_as_memory_does() {
    let folder = tempfile::tempdir().unwrap();
    same_as_memory(&format!("file://{}", folder.path().display()), 20, "directory").await;
}

#[tokio::test]
async fn a_bucket_answers_as_memory_does() {
    let moto = Moto::start(BUCKET);
    same_as_memory(&format!("s3://{BUCKET}?endpoint={}", moto.endpoint()), 4, "bucket").await;
}

#[tokio::test]
async fn nats_with_shared_streams_answers_as_memory_does() {
    let server = NatsServer::start(Flush::Lazily);
    same_as_memory(&format!("{}?streams=2", server.url()), 10, "shared nats").await;
}

#[tokio::test]
async fn nats_answers_as_memory_does() {
    let server = NatsServer::start(Flush::Lazily);
    same_as_memory(&server.url(), 20, "nats").await;
}
