//! What must be stored and found, whatever was killed.

use std::collections::HashMap;
use std::path::PathBuf;
use taffrail_testkit::Home;
use taffrail_testkit::copies::{ArchivedCopy, kept, newest};
use taffrail_testkit::corpus::Written;
use taffrail_testkit::goose::DATABASE;

/// Rare enough to be counted exactly.
const PHRASES: [&str; 4] =
    ["größe cargo fix", "session read index", "build the parser", "end byte run"];

/// How many events contain each phrase; each must show it, and each once.
pub(crate) fn found(home: &Home) -> Vec<usize> {
    PHRASES.iter().map(|phrase| found_of(home, phrase)).collect()
}

fn found_of(home: &Home, phrase: &str) -> usize {
    let query = format!("\"{phrase}\"");
    let reply = home.json(&["search", &query, "--json", "--limit", "10000"]);
    assert_eq!((&reply["partial"], &reply["total_is_at_least"]), (&false.into(), &false.into()));
    let hits = reply["hits"].as_array().unwrap();
    assert_eq!(reply["total"], hits.len(), "{phrase}");
    for hit in hits {
        let shown = hit["snippet"].as_str().unwrap().to_lowercase();
        let words: Vec<_> = shown.split(|it: char| !it.is_alphanumeric()).collect();
        let words: Vec<_> = words.into_iter().filter(|it| !it.is_empty()).collect();
        assert!(words.join(" ").contains(phrase), "{phrase}: {hit}");
        assert_eq!(hit["stale"], false, "{hit}");
    }
    let mut ids: Vec<_> = hits.iter().map(|it| it["event_id"].as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), hits.len(), "{phrase} is found twice");
    hits.len()
}

/// The bytes of the sources: now, and when they were first read.
pub(crate) struct Sources {
    now: HashMap<PathBuf, Vec<u8>>,
    before: HashMap<PathBuf, Vec<u8>>,
}

impl Sources {
    pub(crate) fn of(home: &Home, written: &Written) -> Self {
        Self { now: lines(home, written), before: HashMap::new() }
    }

    /// Records a change of the files.
    pub(crate) fn change(&mut self, home: &Home, written: &Written) {
        self.before = std::mem::replace(&mut self.now, lines(home, written));
    }

    /// No copy contains what its source never contained.
    pub(crate) fn check_parts(&self, when: &str, home: &Home) {
        for copy in newest(home).iter().filter(|it| it.key.is_empty()) {
            let sources = [&self.now, &self.before].map(|it| it.get(&copy.source));
            let fits = |source: &Vec<u8>| source.starts_with(&copy.bytes);
            assert!(sources.into_iter().flatten().any(fits), "{when}: {}", told(copy));
        }
    }

    /// Every source has a complete copy.
    pub(crate) fn check_whole(&self, when: &str, home: &Home) {
        assert!(kept(home).iter().all(|it| it.whole), "{when}: a copy is torn");
        let copies = newest(home);
        let files = copies.iter().filter(|it| it.key.is_empty());
        assert_eq!(files.clone().count(), self.now.len(), "{when}: copies of files");
        for copy in files {
            let source = self.now.get(&copy.source);
            assert!(source == Some(&copy.bytes), "{when}: {}", told(copy));
        }
        for copy in copies.iter().filter(|it| !it.key.is_empty()) {
            let lines: Vec<_> = copy.bytes.split(|it| *it == b'\n').collect();
            let rows = lines.iter().filter(|it| it.starts_with(b"{\"table\":"));
            assert_eq!(rows.count() + 1, lines.len(), "{when}: {}", told(copy));
        }
    }
}

fn told(copy: &ArchivedCopy) -> String {
    format!("{} bytes of {} in {}", copy.bytes.len(), copy.source.display(), copy.file.display())
}

/// Every file as far as it is read: complete lines, decompressed.
fn lines(home: &Home, written: &Written) -> HashMap<PathBuf, Vec<u8>> {
    let is_source = |it: &&String| {
        *it != DATABASE && !it.ends_with(".meta.json") && !it.ends_with(".project_root")
    };
    let read = |below: &String| {
        let path = home.path(below);
        let mut bytes = std::fs::read(&path).unwrap();
        if below.ends_with(".zst") {
            bytes = zstd::decode_all(bytes.as_slice()).unwrap();
        }
        if !below.ends_with(".json") {
            let end = bytes.iter().rposition(|it| *it == b'\n').map_or(0, |at| at + 1);
            bytes.truncate(end);
        }
        (path, bytes)
    };
    written.files.iter().filter(is_source).map(read).collect()
}
