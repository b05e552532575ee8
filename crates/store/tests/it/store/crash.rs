//! A writer killed at any point loses nothing and duplicates nothing.

use crate::store::builder::{
    Piece, Said, View, all_said, at, boot, piece, reader, session, view, who,
};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use taffrail_store::{SourceRow, Writer};

/// Marks the child process, and names its folder.
const FOLDER: &str = "TAFFRAIL_TEST_CRASH_FOLDER";
const KILLS: usize = 20;
const RECORDS: u32 = 240;
const PIECE: usize = 3;
const BATCH: usize = 4;

/// The content of the rewritten source: at first, and in the end.
fn first() -> Vec<Said> {
    all_said(0..60)
}

fn last() -> Vec<Said> {
    let kept = all_said(0..60).into_iter().filter(|it| it.key % 3 > 0);
    kept.map(|it| Said { text: it.key % 2, ..it }).chain(all_said(60..90)).collect()
}

/// The rest of an append-only source, from the cursor in the index.
fn rest(name: &str, known: &[SourceRow]) -> Vec<Piece> {
    let offset = find(name, known).map_or(0, |row| row.state.offset);
    let done = usize::try_from(offset / 100).unwrap();
    let records = all_said(0..RECORDS);
    let left = records.chunks(PIECE).enumerate().skip(done / PIECE);
    left.map(|(nth, part)| piece(name, &who(name)).from((nth * PIECE) as u64 * 100).saying(part))
        .collect()
}

/// The passes the rewritten source still needs.
fn rewritten(writer: &Writer, known: &[SourceRow]) -> Vec<Piece> {
    let done = match find("rewritten", known) {
        None => String::new(),
        Some(row) => writer.memory(row.id).unwrap(),
    };
    // While a pass is under way the reader's state names it, with a dash before it.
    let pass = |records: &[Said], mark: &str| -> Vec<Piece> {
        let count = records.chunks(PIECE).count();
        let parts = records.chunks(PIECE).enumerate();
        parts
            .map(|(nth, part)| {
                let ends = nth + 1 == count;
                let made = piece("rewritten", &who("rewritten"))
                    .from((nth * PIECE) as u64 * 100)
                    .saying(part)
                    .again()
                    .source(|it| it.reader = format!("{}{mark}", if ends { "" } else { "-" }));
                if ends { made } else { made.unfinished() }
            })
            .collect()
    };
    match done.as_str() {
        "last" => Vec::new(),
        "first" | "-last" => pass(&last(), "last"),
        _ => [pass(&first(), "first"), pass(&last(), "last")].concat(),
    }
}

fn find<'a>(path: &str, known: &'a [SourceRow]) -> Option<&'a SourceRow> {
    known.iter().find(|row| row.state.path == path)
}

/// Brings the index up to date, and reports every step.
fn run(folder: &Path, tell: &mut dyn FnMut()) {
    let mut writer = Writer::open(folder, boot()).unwrap();
    tell();
    let known = writer.sources().unwrap();
    let mut all =
        [rest("one", &known), rest("two", &known), rewritten(&writer, &known)].map(Vec::into_iter);
    let mut pieces = Vec::new();
    while all.iter().any(|it| it.len() > 0) {
        pieces.extend(all.iter_mut().filter_map(Iterator::next));
    }
    for batch in pieces.chunks(BATCH) {
        writer.begin().unwrap();
        for piece in batch {
            writer.append(&piece.clone().made(), at(1)).unwrap();
            tell();
        }
        writer.commit(at(1)).unwrap();
        tell();
    }
    writer.finish(at(1)).unwrap();
    tell();
}

fn views(folder: &Path) -> Vec<(Vec<View>, u64, u64)> {
    let reader = reader(folder);
    let of = |name: &str| {
        let row = session(&reader, &who(name));
        (view(&reader, &who(name)), row.prompts, row.tool_calls)
    };
    ["one", "two", "rewritten"].map(of).to_vec()
}

/// Starts this program again and kills the child after it reported this many steps.
fn killed_after(folder: &Path, steps: usize) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "store::crash::a_killed_writer_leaves_a_whole_index", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let told = lines.filter(|line| line.ends_with("step")).take(steps).count();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(told > 0, "the child never began");
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the child is told by its environment that it is one"
)]
fn a_killed_writer_leaves_a_whole_index() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return run(Path::new(&folder), &mut || println!("step"));
    }
    let folder = tempfile::tempdir().unwrap();
    for kill in 0..KILLS {
        killed_after(folder.path(), 1 + kill * 7 % 19);
    }
    run(folder.path(), &mut || ());
    let clean = tempfile::tempdir().unwrap();
    run(clean.path(), &mut || ());
    assert_eq!(views(folder.path()), views(clean.path()));
    let reader = reader(folder.path());
    let appended = reader.events(session(&reader, &who("one")).row).unwrap();
    let numbers: Vec<u64> = appended.iter().map(|row| row.sequence).collect();
    assert_eq!(numbers, (1..=u64::from(RECORDS)).collect::<Vec<_>>());
}
