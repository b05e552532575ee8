//! Bundles that a malicious device of the team made: each is refused, and nothing is written.

use crate::teleport::{SESSION, pair, project, transcript, unpack};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use taffrail_model::{AgentId, DeviceId, RuntimeIdentity, RuntimeSessionId, Timestamp};
use taffrail_sync::Roster;
use taffrail_sync::bundle::{About, Kind, Piece, write};
use taffrail_sync::keys::DeviceSecret;
use taffrail_sync::roster::{Entry, Signer};
use taffrail_testkit::Home;

/// A malicious device of the team.
struct Bad<'a> {
    home: &'a Home,
    to: DeviceId,
}

/// The contents of a bundle, valid unless a case changes them.
struct Said {
    agent: String,
    runtime: String,
    session: String,
    files: Vec<(Kind, Value)>,
    plan: Value,
    version: u32,
}

impl Said {
    fn new(tower: &Home) -> Self {
        let path = transcript(tower).strip_prefix(".claude/").unwrap().to_owned();
        let session = session_of("claude-code", SESSION);
        let file = json!({"entry": "f/0", "path": path, "session": session});
        let (agent, runtime) = ("claude-code".to_owned(), SESSION.to_owned());
        Self {
            agent,
            runtime,
            session,
            files: vec![(Kind::Source, file)],
            plan: json!([]),
            version: 1,
        }
    }

    /// Adds one more file.
    fn and(mut self, kind: Kind, path: &str) -> Self {
        let entry = format!("f/{}", self.files.len());
        self.files.push((kind, json!({"entry": entry, "path": path, "session": self.session})));
        self
    }
}

fn session_of(agent: &str, id: &str) -> String {
    RuntimeIdentity::new(AgentId::new(agent), "", id).session().to_string()
}

impl Bad<'_> {
    fn own(&self) -> (DeviceSecret, Roster, DeviceId) {
        let read = |name: &str| {
            fs::read_to_string(self.home.path(&format!(".local/share/taffrail/device/{name}")))
                .unwrap()
        };
        let kept: Value = serde_json::from_str(&read("roster")).unwrap();
        let entries: Vec<Entry> = serde_json::from_value(kept["entries"].clone()).unwrap();
        let told = self.home.json(&["device", "ls", "--json"]);
        let id = DeviceId::new(told["this"]["id"].as_str().unwrap());
        (DeviceSecret::parse(&read("keys")).unwrap(), Roster::of(entries).unwrap(), id)
    }

    fn bundle(&self, said: &Said) -> PathBuf {
        let files: Vec<_> = said.files.iter().map(|(_, file)| file.clone()).collect();
        let version = said.version;
        let papers = [
            (
                "places.json",
                Kind::Places,
                json!({"version": version, "project": "/w", "files": files, "plan": said.plan}),
            ),
            ("events.json", Kind::Events, json!({"version": 1, "sessions": []})),
            ("lineage.json", Kind::Lineage, json!({"version": 1, "lineage": null, "devices": []})),
            (
                "ledger.json",
                Kind::Ledger,
                json!({"version": 1, "tags": [], "notes": [], "snapshots": [], "approvals": []}),
            ),
        ];
        let papers = papers.map(|(path, kind, paper)| (path, kind, paper.to_string().into_bytes()));
        let body = crate::teleport::lines(self.home, 0, 2).into_bytes();
        let mut pieces: Vec<_> = papers
            .iter()
            .map(|(path, kind, bytes)| Piece::of_bytes(path, kind.clone(), bytes))
            .collect();
        for (number, (kind, _)) in said.files.iter().enumerate() {
            pieces.push(Piece::of_bytes(&format!("f/{number}"), kind.clone(), &body));
        }
        let (secret, roster, id) = self.own();
        let about = About {
            session: serde_json::from_value(json!(said.session)).unwrap(),
            runtime_session: RuntimeSessionId::new(said.runtime.clone()),
            agent: AgentId::new(said.agent.clone()),
            project: "app".to_owned(),
            redacted: false,
            git: None,
            made_at: Timestamp::UNIX_EPOCH,
            to: vec![self.to.clone()],
        };
        let file = self.home.path("bad.bundle");
        let signer = Signer { device: &id, secret: &secret };
        write(fs::File::create(&file).unwrap(), &about, &pieces, &roster, &signer).unwrap();
        file
    }
}

/// Everything below a folder, except what the index may do to itself.
fn snapshot(root: &Path, out: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(root).unwrap().flatten() {
        let path = entry.path();
        if path.ends_with("taffrail") {
            continue;
        }
        if path.is_dir() {
            snapshot(&path, out);
        } else {
            out.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
}

#[test]
fn nothing_a_bundle_says_leads_elsewhere() {
    let (laptop, tower) = pair();
    let told = tower.json(&["device", "ls", "--json"]);
    let bad = Bad { home: &laptop, to: DeviceId::new(told["this"]["id"].as_str().unwrap()) };
    let check = |name: &str, said: Said, words: &str| {
        let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
        snapshot(tower.root(), &mut before);
        let output = unpack(&tower, &bad.bundle(&said), &[]);
        snapshot(tower.root(), &mut after);
        assert_eq!(output.status, 6, "{name}: {}{}", output.stdout, output.stderr);
        assert!(output.stderr.contains(words), "{name}: {}", output.stderr);
        assert_eq!(before, after, "{name}");
    };
    let new = || Said::new(&tower);
    let no = "is not a file of this session";
    for path in [
        "../../.bashrc",
        "/etc/passwd",
        "settings.json",
        "projects/-w/memory/MEMORY.md",
        &format!("projects/-w/{SESSION}/../memory/MEMORY.md"),
        "projects/-w/22222222-2222-4222-8222-222222222222.jsonl",
        &format!("projects/-w/{SESSION}/"),
        &format!("projects/-w/{SESSION}/a\u{1b}]0;x"),
    ] {
        check(path, new().and(Kind::Spill, path), no);
    }
    let worker = format!("projects/-w/{SESSION}/subagents/agent-a1.jsonl");
    let not = "is not what the bundle says it is";
    check("a worker under another name", new().and(Kind::Worker, &worker), not);
    check("a worker as text", new().and(Kind::Spill, &worker), not);
    let text = format!("projects/-w/{SESSION}/x.txt");
    check("text as history", new().and(Kind::Source, &text), not);
    check("an unknown kind", new().and(Kind::Unknown("x".into()), &text), not);
    check("twice", new().and(Kind::Spill, &text).and(Kind::Spill, &text), "two files are");
    let mut said = new();
    said.files[0].1["entry"] = json!("f/9");
    check("an entry that is not there", said, not);
    check("no history", Said { files: Vec::new(), ..new() }, "own history is missing");
    check("another version", Said { version: 2, ..new() }, "is not understood");
    let other = session_of("claude-code", "22222222-2222-4222-8222-222222222222");
    check("another session", Said { session: other, ..new() }, "is not the one");
    let memory = session_of("claude-code", "memory");
    check("a word for an id", Said { runtime: "memory".into(), session: memory, ..new() }, no);
    let goose = session_of("goose", SESSION);
    check("no way", Said { agent: "goose".into(), session: goose, ..new() }, "no way is known");
    let unknown = session_of("parrot", SESSION);
    check(
        "no agent",
        Said { agent: "parrot".into(), session: unknown, ..new() },
        "no way is known",
    );
    for path in ["../x", "/x", "a/../../x", ".git/hooks/pre-commit", ""] {
        let plan = json!([{"entry": "f/0", "path": path}]);
        check(path, Said { plan, ..new() }, "is not a file of a plan");
    }
    // The same without any of that is accepted.
    let good = bad.bundle(&new());
    let output = unpack(&tower, &good, &[]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(tower.path(&transcript(&tower)).exists());
    assert!(project(&tower).is_dir());
}
