//! A repository that sessions, hands and a bot change, with the true author of every line.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must stop"
)]

use crate::blame_transcripts::{Call, Kind, Transcript};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use taffrail_api::{BlameQuery, LineAuthor};
use taffrail_context::Settings;
use taffrail_model::Timestamp;
use taffrail_query::blame::blame;
use taffrail_testkit::Chance;
use tempfile::TempDir;

/// Lines that everybody writes.
const COMMON: [&str; 4] = ["}", "", "    return None", "    else {"];
const FIRST: i64 = 1_790_848_800;

fn now() -> Timestamp {
    "2026-11-18T12:00:00Z".parse().unwrap()
}

/// The session and its turn; `None` for a hand or a bot.
type Truth = Option<(String, usize)>;

pub(crate) struct World {
    folder: TempDir,
    chance: Chance,
    second: i64,
    made: usize,
    files: BTreeMap<String, Vec<(String, Truth)>>,
    sessions: Vec<Transcript>,
    /// The commits that were made, also those that a squash took away.
    commits: usize,
}

/// What came of a world.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Lines that sessions wrote.
    pub(crate) lines: usize,
    /// Those that are attributed to their session and turn.
    pub(crate) right: usize,
    /// Lines that are attributed to a session or turn that did not write them.
    pub(crate) wrong: Vec<String>,
    /// Lines by hands and bots.
    pub(crate) others: usize,
}

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("home/app/src")).unwrap();
        let chance = Chance::new(seed);
        let (files, sessions) = (BTreeMap::new(), Vec::new());
        let world = Self { folder, chance, second: FIRST, made: 0, files, sessions, commits: 0 };
        world.git(&["init", "-q", "-b", "main"], "Ana");
        world
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("home/app")
    }

    pub(crate) fn settings(&self) -> Settings {
        let folder = self.folder.path();
        Settings { user_home: folder.join("home"), ..Settings::in_folder(folder, now) }
    }

    pub(crate) fn git(&self, words: &[&str], who: &str) {
        let date = format!("{} +0000", self.second);
        let mut git = Command::new("git");
        git.current_dir(self.root()).args(["-c", &format!("user.name={who}")]);
        git.args(["-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]).args(words);
        git.env("GIT_COMMITTER_DATE", &date).env("GIT_AUTHOR_DATE", &date);
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        let output = git.output().unwrap();
        assert!(output.status.success(), "{words:?}: {output:?}");
    }

    /// Moves the clock of commits on.
    pub(crate) fn wait(&mut self, seconds: i64) {
        self.second += seconds;
    }

    /// Makes commits until there are so many.
    pub(crate) fn commit(&mut self, commits: usize) {
        while self.commits < commits {
            match self.chance.below(100) {
                0..=49 => self.session(),
                50..=74 => self.hand("Ana"),
                75..=86 => self.hand("dependabot[bot]"),
                87..=91 => self.rename(),
                92..=95 => self.squash(),
                _ => self.rebase(),
            }
        }
    }

    fn time(&mut self) -> String {
        self.second += 30;
        Timestamp::from_second(self.second).unwrap().to_string()
    }

    fn save(&mut self, who: &str) {
        for (path, lines) in &self.files {
            let text: String = lines.iter().flat_map(|(text, _)| [text.as_str(), "\n"]).collect();
            fs::write(self.root().join(path), text).unwrap();
        }
        self.second += 30;
        self.git(&["add", "-A"], who);
        self.git(&["commit", "-q", "--allow-empty", "-m", "work"], who);
        self.commits += 1;
    }

    fn path(&mut self) -> String {
        let is_new = self.files.len() < 3 || self.chance.below(12) == 0;
        if is_new {
            self.made += 1;
            return format!("src/part_{}.rs", self.made);
        }
        let at = self.chance.below(self.files.len());
        self.files.keys().nth(at).unwrap().clone()
    }

    fn line(&mut self, is_edge: bool) -> String {
        self.made += 1;
        if !is_edge && self.chance.below(4) == 0 {
            return COMMON[self.chance.below(COMMON.len())].to_owned();
        }
        format!("    let value_{} = compute_it({});", self.made, self.chance.below(1000))
    }

    /// Replaces a few lines of a file; returns the range before and the number of lines after.
    fn change(&mut self, path: &str, truth: &Truth) -> (usize, usize, usize) {
        let length = self.files.get(path).map_or(0, Vec::len);
        let given = if length == 0 { 6 + self.chance.below(20) } else { 1 + self.chance.below(6) };
        let from = self.chance.below(length + 1);
        let to = (from + self.chance.below(4)).min(length);
        let new = (0..given).map(|at| self.line(at == 0 || at + 1 == given));
        let new: Vec<(String, Truth)> =
            new.collect::<Vec<_>>().into_iter().map(|it| (it, truth.clone())).collect();
        let file = self.files.entry(path.to_owned()).or_default();
        // A line that is replaced by an equal one is the same line.
        let mut removed: Vec<(String, Truth)> = file[from..to].to_vec();
        let keep = |line: (String, Truth)| match removed.iter().position(|it| it.0 == line.0) {
            Some(at) => removed.drain(..=at).next_back().unwrap(),
            None => line,
        };
        let new: Vec<(String, Truth)> = new.into_iter().map(keep).collect();
        file.splice(from..to, new);
        (from, to, from + given)
    }

    fn hand(&mut self, who: &str) {
        let path = self.path();
        self.change(&path, &None);
        self.save(who);
    }

    fn session(&mut self) {
        let is_new = self.sessions.len() < 3 || self.chance.below(6) == 0;
        let root = self.root();
        if is_new {
            let kind = [Kind::Recording, Kind::Plain, Kind::Patching][self.sessions.len() % 3];
            let home = self.folder.path().join("home");
            let number = self.sessions.len() + 1;
            self.sessions.push(Transcript::new(&home, root.to_str().unwrap(), kind, number));
        }
        let at =
            if is_new { self.sessions.len() - 1 } else { self.chance.below(self.sessions.len()) };
        let time = self.time();
        let number = self.made;
        let session = &mut self.sessions[at];
        session.prompt(&time, &format!("do the task {number}"));
        let truth = Some((session.id.clone(), session.turn));
        for _ in 0..=self.chance.below(3) {
            self.edit(at, &truth);
        }
        self.save("Ana");
    }

    fn edit(&mut self, at: usize, truth: &Truth) {
        let path = self.path();
        let joined = |lines: &[(String, Truth)]| {
            lines.iter().map(|it| it.0.clone()).collect::<Vec<_>>().join("\n")
        };
        let before = self.files.get(&path).cloned();
        let (from, to, end) = self.change(&path, truth);
        let file = &self.files[&path];
        let old_text = before.as_ref().map(|it| joined(it) + "\n");
        let after = joined(file) + "\n";
        // One more line on each side makes the place certain.
        let part = before.as_ref().map(|old| {
            let (low, more) = (from.saturating_sub(1), usize::from(to < old.len()));
            (joined(&old[low..to + more]), joined(&file[low..end + more]))
        });
        let is_certain = |(old, _): &(String, String)| {
            !old.trim().is_empty()
                && old_text.as_ref().is_some_and(|it| it.matches(old.as_str()).count() == 1)
        };
        let part = part.filter(is_certain);
        let kind = self.sessions[at].kind;
        if let (None, Some(before), true) = (&part, &before, kind != Kind::Recording) {
            // Such a change has no certain place: the agent leaves it.
            self.files.insert(path, before.clone());
            return;
        }
        let is_whole = kind == Kind::Recording && self.chance.below(4) == 0;
        let part = part.as_ref().filter(|_| !is_whole).map(|it| (it.0.as_str(), it.1.as_str()));
        let call = Call { path: &path, before: old_text.as_deref(), after: &after, part };
        let time = self.time();
        self.sessions[at].call(&time, &call);
    }

    fn rename(&mut self) {
        let Some(path) = self.files.keys().next().cloned() else { return };
        self.made += 1;
        let to = format!("src/moved_{}.rs", self.made);
        self.git(&["mv", &path, &to], "Ana");
        let lines = self.files.remove(&path).unwrap();
        self.files.insert(to, lines);
        self.save("Ana");
    }

    fn squash(&mut self) {
        let last = 2 + self.chance.below(4);
        if self.count() > last + 1 {
            self.second += 30;
            self.git(&["reset", "-q", "--soft", &format!("HEAD~{last}")], "Ana");
            self.save("Ana");
        }
    }

    fn count(&self) -> usize {
        let mut git = Command::new("git");
        let output =
            git.current_dir(self.root()).args(["rev-list", "--count", "HEAD"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().parse().unwrap_or(0)
    }

    fn rebase(&mut self) {
        if self.count() > 8 {
            self.second += 30;
            self.git(&["rebase", "-q", "--force-rebase", "HEAD~5"], "Ana");
        }
    }

    /// Asks about every line of every file.
    pub(crate) fn outcome(&self) -> Outcome {
        let mut out = Outcome::default();
        let here = self.root().to_string_lossy().into_owned();
        for (path, lines) in &self.files {
            let query =
                BlameQuery { path: path.clone(), line: None, here: here.clone(), text: None };
            let reply = blame(&self.settings(), &query).unwrap();
            assert_eq!(reply.lines.len(), lines.len(), "{path}");
            for (found, (text, truth)) in reply.lines.iter().zip(lines) {
                let session = found.runtime_session_id.clone().zip(found.turn);
                out.lines += usize::from(truth.is_some());
                out.others += usize::from(truth.is_none());
                match (found.by, session == *truth) {
                    (LineAuthor::Unknown, _) => {}
                    (LineAuthor::Session, true) => out.right += 1,
                    (LineAuthor::Session, false) => {
                        out.wrong.push(format!("{path}: {text:?} of {truth:?} as {session:?}"));
                    }
                }
            }
        }
        out
    }

    pub(crate) fn write(&self, path: &Path, text: &str) {
        fs::write(self.root().join(path), text).unwrap();
    }
}
