//! An agent's home in a temporary folder, and the state that a store keeps of it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use taffrail_adapters::{Adapter, by_id};
use taffrail_capture::{Discovery, Flow, KnownSource, Plan, Reading, discover, homes, plan, read};
use taffrail_model::observed::{NewEvent, Observed, Pass};
use taffrail_model::prompt_history::is_shared;
use taffrail_model::{EventId, Facts, Tokens};

/// The place of a source: its path and its key.
pub(crate) type Place = (String, String);

/// One agent's history, and what is known of it.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) folder: tempfile::TempDir,
    agent: &'static str,
    pub(crate) known: BTreeMap<Place, KnownSource>,
    /// Live events by their source.
    pub(crate) events: BTreeMap<(Place, EventId), NewEvent>,
    usage: BTreeMap<(Place, [u8; 16]), Tokens>,
    facts: BTreeMap<(Place, String), Facts>,
    passes: HashMap<Place, BTreeSet<EventId>>,
}

/// Everything that must not depend on how a source was read.
#[derive(Debug, PartialEq)]
pub(crate) struct View {
    events: Vec<NewEvent>,
    usage: Vec<([u8; 16], Tokens)>,
    facts: Vec<(String, Facts)>,
}

/// The result of one run.
#[derive(Debug, Default)]
pub(crate) struct Run {
    pub(crate) pieces: Vec<Observed>,
    /// The pass each job was planned as, by path.
    pub(crate) planned: Vec<(String, Pass)>,
    pub(crate) moved: Vec<i64>,
    pub(crate) vanished: Vec<i64>,
    pub(crate) returned: Vec<i64>,
    pub(crate) problems: Vec<String>,
}

impl Run {
    /// Whether nothing had to be read.
    pub(crate) fn is_quiet(&self) -> bool {
        self.planned.is_empty() && self.vanished.is_empty() && self.returned.is_empty()
    }

    pub(crate) fn skipped(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.outcome.skipped_records).sum()
    }
}

impl World {
    pub(crate) fn new(agent: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self {
            folder,
            agent,
            known: BTreeMap::new(),
            events: BTreeMap::new(),
            usage: BTreeMap::new(),
            facts: BTreeMap::new(),
            passes: HashMap::new(),
        }
    }

    pub(crate) fn adapter(&self) -> &'static dyn Adapter {
        by_id(self.agent).unwrap()
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Writes one of the agent's files.
    pub(crate) fn put(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// Appends to one of the agent's files.
    pub(crate) fn add(&self, path: &str, bytes: impl AsRef<[u8]>) {
        use std::io::Write;
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut options = std::fs::OpenOptions::new();
        let mut file = options.create(true).append(true).open(path).unwrap();
        file.write_all(bytes.as_ref()).unwrap();
    }

    pub(crate) fn discover(&self) -> Discovery {
        let added = [self.folder.path().to_owned()];
        let nowhere = Path::new("/nowhere");
        discover(&homes(self.adapter(), nowhere, &HashMap::new(), &added))
    }

    pub(crate) fn plan(&self) -> Plan {
        let known: Vec<KnownSource> = self.known.values().cloned().collect();
        plan(self.discover(), &known)
    }

    /// Reads everything that changed.
    pub(crate) fn run(&mut self) -> Run {
        self.run_until(usize::MAX)
    }

    /// The same, but stops every source after this many pieces.
    pub(crate) fn run_until(&mut self, most: usize) -> Run {
        let plan = self.plan();
        let mut run = Run::default();
        self.settle(&plan);
        run.vanished = plan.vanished;
        run.returned = plan.returned;
        for job in &plan.jobs {
            run.planned.push((job.found.path.clone(), job.pass));
            run.moved.extend(job.moved);
            let how = Reading { scope: "scope", ..Reading::default() };
            let mut given = 0;
            let result = read(job, how, &mut |piece: Observed| {
                self.take(&piece);
                run.pieces.push(piece);
                given += 1;
                if given >= most { Flow::Stop } else { Flow::Continue }
            });
            run.problems.extend(result.err().map(|error| error.to_string()));
        }
        run
    }

    fn settle(&mut self, plan: &Plan) {
        for known in self.known.values_mut() {
            known.present &= !plan.vanished.contains(&known.id);
            known.present |= plan.returned.contains(&known.id);
        }
        for job in &plan.jobs {
            let Some(id) = job.moved else { continue };
            let from = self.known.iter().find(|(_, known)| known.id == id);
            let (from, _) = from.map(|(place, known)| (place.clone(), known)).unwrap();
            let mut known = self.known.remove(&from).unwrap();
            let to = (job.found.path.clone(), String::new());
            known.state.path.clone_from(&to.0);
            let events = std::mem::take(&mut self.events).into_iter();
            let moved = |place: Place| if place == from { to.clone() } else { place };
            self.events = events.map(|((place, id), it)| ((moved(place), id), it)).collect();
            self.known.insert(to, known);
        }
    }

    fn take(&mut self, piece: &Observed) {
        let place = (piece.source.path.clone(), piece.source.key.clone());
        let next = i64::try_from(self.known.len()).unwrap();
        let id = self.known.get(&place).map_or(next, |known| known.id);
        let half_read = piece.pass == Pass::Again && !piece.ends_pass;
        let known =
            KnownSource { id, state: piece.source.clone(), present: !piece.gone, half_read };
        self.known.insert(place.clone(), known);
        if piece.gone {
            return;
        }
        for (_, id) in &piece.removed {
            self.events.remove(&(place.clone(), *id));
        }
        for (_, turn) in &piece.removed_turns {
            self.events.retain(|_, event| event.turn != Some(*turn));
        }
        for event in &piece.events {
            self.events.insert((place.clone(), event.id), event.clone());
        }
        for (_, usage) in &piece.usage {
            let before = self.usage.entry((place.clone(), usage.key)).or_default();
            *before = before.later_of(usage.tokens);
        }
        for (who, facts) in &piece.sessions {
            let key = (place.clone(), who.session().to_string());
            // Readers of shared files keep no state: what they said of a session still counts.
            let adds = is_shared(&piece.source.locator) && piece.pass == Pass::Append;
            let known = adds.then(|| self.facts.remove(&key)).flatten().unwrap_or_default();
            self.facts.insert(key, known.joined(facts.clone()));
        }
        if piece.pass == Pass::Again {
            let seen = self.passes.entry(place.clone()).or_default();
            seen.extend(piece.events.iter().map(|event| event.id));
            if piece.ends_pass {
                let seen = self.passes.remove(&place).unwrap();
                self.events.retain(|(of, id), _| *of != place || seen.contains(id));
            }
        }
    }

    pub(crate) fn view(&self) -> View {
        // The index of a session is local to its piece.
        let event = |event: &NewEvent| NewEvent { session: 0, ..event.clone() };
        View {
            events: self.events.values().map(event).collect(),
            usage: self.usage.iter().map(|((_, key), it)| (*key, *it)).collect(),
            facts: self.facts.iter().map(|((_, who), it)| (who.clone(), self.placed(it))).collect(),
        }
    }

    /// Facts in which a project that is this world's folder has the same name in every world.
    fn placed(&self, facts: &Facts) -> Facts {
        let root = self.folder.path().canonicalize().unwrap();
        let is_here = facts.project_path.as_deref() == root.to_str();
        let project_path = if is_here { Some("/world".into()) } else { facts.project_path.clone() };
        Facts { project_path, ..facts.clone() }
    }

    /// Gives every file the same time, so that worlds can be compared.
    pub(crate) fn date(&self) {
        let at = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_800_000_000);
        for (path, _) in files(self.folder.path()) {
            let file = std::fs::File::options().write(true).open(self.path(&path)).unwrap();
            file.set_modified(at).unwrap();
        }
    }

    /// The excerpts of all live events, ordered by time and position.
    pub(crate) fn texts(&self) -> Vec<String> {
        let mut events: Vec<_> = self.events.values().collect();
        events.sort_by_key(|event| (event.at, event.cursor.position(), event.part));
        events.into_iter().map(|event| event.excerpt.clone()).collect()
    }

    /// The names of all files in a folder.
    pub(crate) fn names(&self, folder: &str) -> BTreeSet<String> {
        let entries = std::fs::read_dir(self.path(folder)).unwrap();
        entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect()
    }
}

/// The path of a Claude Code transcript.
pub(crate) fn transcript(session: &str) -> String {
    format!("projects/-w-app/{session}.jsonl")
}

/// A line with a prompt.
pub(crate) fn prompt(nth: u32, text: &str) -> String {
    let message = serde_json::json!({"role": "user", "content": text});
    line(nth, "user", &message)
}

/// A line with the output of a tool.
pub(crate) fn output(nth: u32, text: &str) -> String {
    let block = serde_json::json!({"type": "tool_result", "tool_use_id": "t1", "content": text});
    line(nth, "user", &serde_json::json!({"role": "user", "content": [block]}))
}

fn line(nth: u32, kind: &str, message: &serde_json::Value) -> String {
    let record = serde_json::json!({
        "type": kind, "uuid": format!("u{nth}"), "sessionId": "s1", "cwd": "/w/app",
        "timestamp": format!("2026-08-01T10:{:02}:{:02}.000Z", nth / 60 % 60, nth % 60),
        "version": "2.1.0", "message": message,
    });
    format!("{record}\n")
}

/// Every fixture home of every adapter.
pub(crate) fn fixtures() -> Vec<(&'static str, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut out = Vec::new();
    for adapter in taffrail_adapters::all() {
        let id = adapter.descriptor().id;
        let fixtures = folder.join(taffrail_adapters::folder_of(id).unwrap()).join("fixtures");
        for entry in fixtures.read_dir().unwrap() {
            let home = entry.unwrap().path().join("home");
            if home.is_dir() {
                out.push((id, home));
            }
        }
    }
    out.sort();
    out
}

/// All files below a folder, with their bytes.
pub(crate) fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut out = Vec::new();
    let mut left = vec![folder.to_owned()];
    while let Some(next) = left.pop() {
        for entry in next.read_dir().unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                left.push(path);
            } else {
                let below = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                out.push((below, std::fs::read(&path).unwrap()));
            }
        }
    }
    out.sort();
    out
}
