//! Files that grow, shrink, are rewritten, moved, forked and deleted, with runs of the program in
//! between: search then finds what a first run over the same files finds.

use super::oracle::everything;
use super::{PROGRAM, ask, found, word};
use serde_json::json;
use std::collections::{BTreeSet, HashMap};
use taffrail_testkit::chats::{self, Piece};
use taffrail_testkit::goose::{GooseDb, text as said};
use taffrail_testkit::{Chance, Home, SavedData, Scale};

const WORDS: [&str; 7] = ["zebra", "yak", "wolf", "getName", "x_y", "漢字", "größe"];
const QUESTIONS: [&str; 10] = [
    "zebra",
    "yak",
    "wolf",
    "name",
    "\"x y\"",
    "漢",
    "grö*",
    "kind:prompt",
    "kind:message",
    "\"zebra yak\"",
];

#[test]
fn after_any_steps_the_same_is_found_as_by_a_first_look() {
    let scale = Scale::from_env();
    let (lives, steps) = scale.pick((3, 24), (60, 60));
    let mut done: HashMap<&str, usize> = HashMap::new();
    for life in 0..lives {
        let mut world = World::new(scale.chance(&format!("life {life}")));
        for step in 0..steps {
            let what = world.step();
            *done.entry(what).or_default() += 1;
            world.past.push(what);
            match world.chance.below(5) {
                0 => drop(world.home.index()),
                1 => drop(ask(&world.home, "zebra")),
                2 if world.chance.one_in(4) => drop(world.home.ok(&["rebuild", "--yes"])),
                _ => {}
            }
            if step % 6 == 5 {
                world.compare(&format!("life {life}, step {step}"));
            }
        }
    }
    println!("{lives} lives of {steps} steps: {done:?}");
}

/// A session and its file.
#[derive(Debug, Clone)]
struct Chat {
    id: String,
    agent: &'static str,
    path: String,
    pieces: Vec<Piece>,
    /// Records shared with another session: its name and the records.
    shared: Option<(String, Vec<Piece>)>,
    /// The hour of its own records, so that forks are later than what they repeat.
    hour: usize,
    rows: Vec<i64>,
}

struct World {
    home: Home,
    /// Our own files with a device name and nothing else, because ids depend on the name.
    blank: SavedData,
    database: GooseDb,
    chance: Chance,
    chats: Vec<Chat>,
    said: usize,
    past: Vec<&'static str>,
}

impl World {
    fn new(chance: Chance) -> Self {
        let home = Home::without_archive(PROGRAM);
        home.index();
        let blank = home.save_data();
        home.write(".gemini/tmp/app/.project_root", "/w/app");
        let database = GooseDb::open(&home);
        Self { home, blank, database, chance, chats: Vec::new(), said: 0, past: Vec::new() }
    }

    /// A unique text: its number, and common words.
    fn text(&mut self) -> String {
        self.said += 1;
        let words: Vec<_> =
            (0..self.chance.between(1, 4)).map(|_| *self.chance.pick(&WORDS)).collect();
        format!("n{} {}", self.said, words.join(" "))
    }

    fn piece(&mut self) -> Piece {
        let text = self.text();
        if self.chance.one_in(2) { Piece::Prompt(text) } else { Piece::Answer(text) }
    }

    /// Makes one change to one session, and returns its name.
    fn step(&mut self) -> &'static str {
        if self.chats.len() < 3 || self.chance.one_in(8) {
            return self.begin();
        }
        let number = self.chance.below(self.chats.len());
        match (self.chance.below(8), self.chats[number].agent) {
            (0, "claude") => self.fork(number),
            (1, "claude") => self.relocate(number),
            (2, _) => self.delete(number),
            (3 | 4, _) => self.rewrite(number),
            (5, _) => self.rewind(number),
            _ => self.grow(number),
        }
    }

    fn begin(&mut self) -> &'static str {
        let id = self.chance.uuid();
        let (agent, path) = match self.chance.below(5) {
            0 | 1 => ("claude", chats::claude_path(&id)),
            2 => ("codex", chats::codex_path(&id)),
            3 => ("gemini", chats::gemini_path(&id, "jsonl")),
            _ => ("goose", String::new()),
        };
        let pieces: Vec<_> = (0..self.chance.between(1, 4)).map(|_| self.piece()).collect();
        let mut chat = Chat { id, agent, path, pieces, shared: None, hour: 10, rows: Vec::new() };
        if agent == "goose" {
            self.database.session(&chat.id, "Named", "/w/app", None);
            chat.rows = chats::goose(&self.database, &chat.id, 0, &chat.pieces);
        }
        self.put(&chat);
        self.chats.push(chat);
        "begin"
    }

    /// Writes the whole file of a session.
    fn put(&self, chat: &Chat) {
        let whole = match chat.agent {
            "claude" => whole_claude(chat),
            "codex" => chats::codex(&chat.id, "/w/app", &chat.pieces),
            "gemini" => chats::gemini_lines(&chat.id, &chat.pieces),
            _ => return,
        };
        // A file that grew and also changed before its last line may be missed, so this writes a
        // new file.
        self.home.write("new", whole);
        self.home.rename("new", &chat.path);
    }

    fn grow(&mut self, number: usize) -> &'static str {
        let piece = self.piece();
        let chat = &mut self.chats[number];
        let before = chat.pieces.len();
        chat.pieces.push(piece);
        let chat = chat.clone();
        match chat.agent {
            "claude" | "codex" => {
                let whole = match chat.agent {
                    "claude" => whole_claude(&chat),
                    _ => chats::codex(&chat.id, "/w/app", &chat.pieces),
                };
                let length = std::fs::metadata(self.home.path(&chat.path)).unwrap().len();
                self.home.append(&chat.path, &whole[usize::try_from(length).unwrap()..]);
            }
            "gemini" => {
                let message = chats::gemini_message(before, &chat.pieces[before]);
                self.home.append(&chat.path, format!("{message}\n"));
            }
            _ => {
                let rows = chats::goose(&self.database, &chat.id, before, &chat.pieces[before..]);
                self.chats[number].rows.extend(rows);
            }
        }
        "grow"
    }

    /// Replaces the text in one place.
    fn rewrite(&mut self, number: usize) -> &'static str {
        let id = &self.chats[number].id;
        let is_of = |it: &Chat| it.shared.as_ref().is_some_and(|shared| shared.0 == *id);
        if self.chats.iter().any(is_of) {
            // A fork's copy counts as the same event, so only one of the two texts would be found.
            return "rewrite nothing";
        }
        let text = self.text();
        let place = self.chance.below(self.chats[number].pieces.len());
        let chat = &mut self.chats[number];
        chat.pieces[place] = match &chat.pieces[place] {
            Piece::Prompt(_) => Piece::Prompt(text.clone()),
            _ => Piece::Answer(text.clone()),
        };
        let chat = chat.clone();
        match chat.agent {
            "goose" => self.database.edit(chat.rows[place], &json!([said(&text)])),
            "gemini" => {
                let message = chats::gemini_message(place, &chat.pieces[place]);
                self.home.append(&chat.path, format!("{message}\n"));
            }
            _ => self.put(&chat),
        }
        "rewrite"
    }

    /// Removes the last records.
    fn rewind(&mut self, number: usize) -> &'static str {
        let left = self.chance.between(1, self.chats[number].pieces.len());
        let chat = &mut self.chats[number];
        if chat.agent == "goose" || left == chat.pieces.len() {
            return "rewind nothing";
        }
        chat.pieces.truncate(left);
        let chat = chat.clone();
        match chat.agent {
            "gemini" => {
                let rewind = json!({"$rewindTo": format!("m{left}")});
                self.home.append(&chat.path, format!("{rewind}\n"));
            }
            _ => self.put(&chat),
        }
        "rewind"
    }

    fn delete(&mut self, number: usize) -> &'static str {
        let chat = self.chats.remove(number);
        match chat.agent {
            "goose" => self.database.delete(&chat.id),
            _ => self.home.remove(&chat.path),
        }
        "delete"
    }

    /// A session that repeats the beginning of another and continues by itself.
    fn fork(&mut self, number: usize) -> &'static str {
        let origin = self.chats[number].clone();
        if origin.shared.is_some() {
            return "fork nothing";
        }
        let id = self.chance.uuid();
        let shared = origin.pieces[..self.chance.between(1, origin.pieces.len())].to_vec();
        let pieces = vec![self.piece()];
        let (path, hour) = (chats::claude_path(&id), 11 + self.chats.len() % 12);
        let shared = Some((origin.id, shared));
        let fork = Chat { id, agent: "claude", path, pieces, shared, hour, rows: Vec::new() };
        self.put(&fork);
        self.chats.push(fork);
        "fork"
    }

    fn relocate(&mut self, number: usize) -> &'static str {
        // A file that is rewritten and moved at once counts as another file, and the old one as
        // deleted.
        self.home.index();
        let chat = &mut self.chats[number];
        let (from, to) = if chat.path.contains("-w-app") {
            ("-w-app", "-w-moved")
        } else {
            ("-w-moved", "-w-app")
        };
        let path = chat.path.replace(from, to);
        self.home.rename(&chat.path, &path);
        self.home.index();
        chat.path = path;
        "move"
    }

    /// Runs every query, repeats it in a new data folder, and compares. Only the first one
    /// remembers the texts of deleted files.
    fn compare(&self, when: &str) {
        let when = format!("{when}, after {:?}", self.past);
        let lost: BTreeSet<String> = self
            .home
            .sessions()
            .iter()
            .filter(|it| it["lifecycle"] == "lost")
            .map(|it| word(it, "id"))
            .collect();
        let known: Vec<_> = QUESTIONS.iter().map(|it| self.answers(it)).collect();
        let mut gone = everything(&self.home);
        gone.retain(|said| lost.contains(&said.session));
        let saved = self.home.save_data();
        self.home.restore_data(&self.blank);
        for (question, mut known) in QUESTIONS.iter().zip(known) {
            let first = self.answers(question);
            if lost.is_empty() {
                assert_eq!(known, first, "{question}, {when}");
                continue;
            }
            let texts = |of: &Answers| of.iter().map(|it| it.2.clone()).collect::<BTreeSet<_>>();
            assert_eq!(texts(&known).len(), known.len(), "{question} finds a copy, {when}");
            let missing: Vec<_> = texts(&first).difference(&texts(&known)).cloned().collect();
            assert!(missing.is_empty(), "{question} misses {missing:?}, {when}");
            known.retain(|it| !first.iter().any(|first| first.2 == it.2));
            let stray = known.iter().find(|it| !gone.iter().any(|gone| gone.text == it.2));
            assert!(stray.is_none(), "{question} finds {stray:?}, {when}");
        }
        self.home.restore_data(&saved);
    }

    /// The hits of a query: session, event and text. Texts are short, so that an excerpt is
    /// complete.
    fn answers(&self, question: &str) -> Answers {
        let reply = ask(&self.home, question);
        found(&reply);
        let hits = reply["hits"].as_array().unwrap().iter();
        hits.map(|hit| (word(hit, "session_id"), word(hit, "event_id"), word(hit, "snippet")))
            .collect()
    }
}

type Answers = BTreeSet<(String, String, String)>;

fn whole_claude(chat: &Chat) -> String {
    let shared = chat.shared.as_ref();
    let shared = shared.map(|(origin, pieces)| chats::claude(&chat.id, origin, "/w/app", pieces));
    let own = chats::claude(&chat.id, &chat.id, "/w/app", &chat.pieces);
    shared.unwrap_or_default() + &own.replace("T10:", &format!("T{:02}:", chat.hour))
}
