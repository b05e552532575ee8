//! Every command of README.md and of each page in `docs/` runs, in order, in a clean home.
//!
//! `documents/extract.rs` reads the commands of a page, `documents/pages.rs` is the table of what
//! pages presuppose and of the few commands that are not run, each with its reason.
#![expect(clippy::disallowed_methods, reason = "a session of just now needs to know the time")]
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

mod extract;
mod page;
mod pages;
mod sessions;
mod shell;
mod started;
mod world;

use extract::{extract, named};
use page::{Page, Way};
use pages::PAGES;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use taffrail_testkit::Home;
use world::World;

const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
/// How many pages are read at a time. They mostly wait.
const READERS: usize = 4;

#[test]
fn commands_of_the_documents() {
    let names = Mutex::new(names().into_iter());
    let faults = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..READERS {
            scope.spawn(|| {
                while let Some(name) = { names.lock().unwrap().next() } {
                    let found = read(&name);
                    faults.lock().unwrap().extend(found);
                }
            });
        }
    });
    let faults = faults.into_inner().unwrap();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn the_table_of_the_documents_is_about_what_they_say() {
    let names = names();
    for page in PAGES {
        assert!(names.iter().any(|it| it == page.name), "there is no page {}", page.name);
        let commands = extract(&text(page.name)).commands;
        let has = |part: &str| commands.iter().any(|it| it.text.contains(part));
        for (place, _) in page.places {
            assert!(has(place), "{}: no command has `{place}`", page.name);
        }
        for line in page.lines {
            let is_there = commands.iter().any(|it| it.text == line.command);
            assert!(is_there, "{}: there is no command `{}`", page.name, line.command);
            // What is ours can be run.
            let is_ours = line.command.starts_with("taffrail");
            assert!(!is_ours || !matches!(line.way, Way::Excepted(_)), "{}", line.command);
        }
    }
}

/// Placeholders in prose for what the program checks at once, and values for them.
const WORDS: [(&str, &str); 6] = [
    ("COMMAND", "ls"),
    ("CONTRACT", "event"),
    ("C", "event"),
    ("SHELL", "bash"),
    ("N", "1"),
    ("TURN", "1"),
];
/// Commands in prose that are not asked for their help, and why.
const UNASKED: [(&str, &str); 5] = [
    ("taffrail help ls", "it is the help"),
    ("taffrail forget --project", "it stands for the option, whatever its value"),
    ("taffrail run -- ls", "the help would be that of the other program"),
    ("taffrail tag ID +a -b", "after `-b` everything is a tag"),
    ("taffrail share ID --with --json", "it leaves out who the readers are"),
];

#[test]
fn commands_in_the_prose_of_the_documents_are_there() {
    let home = Home::new(PROGRAM);
    let mut commands = BTreeMap::new();
    for name in names() {
        for command in named(&text(&name)) {
            commands.entry(valued(&command.text)).or_insert(format!("{name}:{}", command.line));
        }
    }
    for (command, _) in UNASKED {
        assert!(commands.remove(command).is_some(), "no page names `{command}`");
    }
    let asked = commands.iter().filter_map(|(command, at)| {
        let refusal = refusal(&home, command)?;
        Some(format!("{at}: `{command}`: {refusal}"))
    });
    let faults: Vec<_> = asked.collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

fn valued(command: &str) -> String {
    let value = |word| WORDS.iter().find(|it| it.0 == word).map_or(word, |it| it.1);
    command.split(' ').map(value).collect::<Vec<_>>().join(" ")
}

/// What the program says if it has no such command, or no such option.
fn refusal(home: &Home, command: &str) -> Option<String> {
    let mut shell = home.any_command(Path::new("sh"), home.root());
    let script = format!("\"$0\" {} --help", command.strip_prefix("taffrail")?);
    let output = shell.args(["-c", &script, PROGRAM]).output().unwrap();
    (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Runs the commands of a page; returns what is wrong with them.
fn read(name: &str) -> Vec<String> {
    let empty = Page { name: "", world: &[], places: &[], lines: &[] };
    let page = PAGES.iter().find(|it| it.name == name).unwrap_or(&empty);
    let extract = extract(&text(name));
    let faults = extract.faults.iter().map(|(line, fault)| format!("{name}:{line}: {fault}"));
    let mut faults: Vec<_> = faults.collect();
    if extract.commands.is_empty() {
        return faults;
    }
    let mut world = World::new(page.world);
    for command in &extract.commands {
        if let Err(fault) = shell::run(&mut world, page, command) {
            faults.push(format!("{name}:{}: `{}` {fault}", command.line, command.text));
        }
    }
    faults
}

/// README.md and every page of `docs/`.
fn names() -> Vec<String> {
    let pages = fs::read_dir(root().join("docs")).unwrap().flatten();
    let pages = pages.map(|it| it.file_name().into_string().unwrap());
    let mut names: Vec<_> =
        pages.filter(|it| it.ends_with(".md")).map(|it| format!("docs/{it}")).collect();
    names.push("README.md".to_owned());
    names.sort();
    names
}

fn text(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}
