//! A hostile repository: git must not run what its settings name.

use crate::blame_world::World;
use std::path::Path;
use taffrail_api::{BlameQuery, CommitsQuery};
use taffrail_context::Error;
use taffrail_query::blame::{blame, commits};

#[test]
fn a_repository_cannot_make_git_run_its_programs() {
    let mut world = World::new(3);
    world.commit(4);
    let root = world.root();
    let mark = root.join("ran");
    let program = format!("touch {}; cat", mark.display());
    for (name, value) in [
        ("core.fsmonitor", program.as_str()),
        ("core.pager", &program),
        ("diff.external", &program),
        ("diff.evil.textconv", &program),
        ("diff.evil.command", &program),
        ("filter.evil.clean", &program),
        ("filter.evil=two.clean", &program),
        ("filter.evil.process", &program),
        ("gpg.program", &program),
        ("log.showSignature", "true"),
    ] {
        world.git(&["config", name, value], "Ana");
    }
    world.write(Path::new("plain.txt"), "a line by hand\n");
    world.git(&["add", "plain.txt"], "Ana");
    world.git(&["-c", "core.fsmonitor=false", "commit", "-q", "-m", "plain"], "Ana");
    std::fs::remove_file(&mark).ok();
    world.write(
        Path::new(".gitattributes"),
        "a* filter=evil diff=evil\np* filter=evil=two diff=evil\n",
    );
    world.write(Path::new("plain.txt"), "a line by hand\nanother line by hand\n");
    let here = root.to_string_lossy().into_owned();
    let query =
        BlameQuery { path: "plain.txt".to_owned(), line: None, here: here.clone(), text: None };
    let reply = blame(&world.settings(), &query).unwrap();
    let known: Vec<bool> = reply.lines.iter().map(|it| it.commit.is_some()).collect();
    assert_eq!(known, [true, false]);
    let query = CommitsQuery { here, ..CommitsQuery::default() };
    assert_eq!(commits(&world.settings(), &query).unwrap().commits.len(), 5);
    assert!(!mark.exists(), "git ran a program of the repository");
}

#[test]
fn a_file_or_a_line_that_is_not_there_is_named() {
    let mut world = World::new(4);
    world.commit(1);
    world.write(Path::new("two.txt"), "one\ntwo\n");
    let here = world.root().to_string_lossy().into_owned();
    let asked = |path: &str, line| {
        let query = BlameQuery { path: path.to_owned(), line, here: here.clone(), text: None };
        blame(&world.settings(), &query).map(|it| it.lines.len())
    };
    assert!(matches!(asked("gone.txt", None), Err(Error::NoFile(path)) if path == "gone.txt"));
    assert!(matches!(asked("two.txt", Some(3)), Err(Error::NoLine(_, 2))));
    assert!(matches!(asked("two.txt", Some(0)), Err(Error::NoLine(_, 2))));
    assert_eq!((asked("two.txt", None).unwrap(), asked("two.txt", Some(2)).unwrap()), (2, 1));
}
