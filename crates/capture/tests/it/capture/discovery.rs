//! Finds sources, and reports files that are not read.

use crate::capture::world::{World, prompt, transcript};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{chown, symlink};
use std::path::{Path, PathBuf};
use taffrail_adapters::by_id;
use taffrail_capture::{Home, Refusal, discover, homes};

fn roots(agent: &str, user: &Path, variables: &[(&str, &Path)], added: &[PathBuf]) -> Vec<PathBuf> {
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let variables: HashMap<String, String> =
        variables.iter().map(|(name, path)| ((*name).to_owned(), text(path))).collect();
    let found = homes(by_id(agent).unwrap(), user, &variables, added);
    found.into_iter().map(|home| home.root).collect()
}

#[test]
fn a_home_is_where_the_first_rule_says_and_where_the_user_adds() {
    let user = tempfile::tempdir().unwrap();
    let user = user.path().canonicalize().unwrap();
    let made = |path: &str| {
        std::fs::create_dir_all(user.join(path)).unwrap();
        user.join(path)
    };
    let check =
        |agent: &str, variables: &[(&str, &Path)], added: &[PathBuf], expected: &[&Path]| {
            assert_eq!(roots(agent, &user, variables, added), expected, "{agent} {variables:?}");
        };
    check("claude-code", &[], &[], &[]);
    let (claude, other) = (made(".claude"), made("other"));
    check("claude-code", &[], &[], &[&claude]);
    check("claude-code", &[("CLAUDE_CONFIG_DIR", &other)], &[], &[&other]);
    check("claude-code", &[("CLAUDE_CONFIG_DIR", Path::new(""))], &[], &[&claude]);
    check("claude-code", &[("CLAUDE_CONFIG_DIR", &user.join("no"))], &[], &[]);
    let again = [other.clone(), claude.clone(), user.join("no"), user.join("other/../other")];
    check("claude-code", &[], &again, &[&claude, &other]);
    let goose = made("data/goose");
    check("goose", &[("XDG_DATA_HOME", &user.join("data"))], &[], &[&goose]);
    let root = made("root/data");
    let both = [("GOOSE_PATH_ROOT", user.join("root")), ("XDG_DATA_HOME", user.join("data"))];
    check("goose", &both.each_ref().map(|(name, path)| (*name, path.as_path())), &[], &[&root]);
    symlink(&other, user.join("link")).unwrap();
    check("codex", &[("CODEX_HOME", &user.join("link"))], &[], &[&other]);
}

#[test]
fn only_regular_files_of_our_own_are_found_and_the_rest_is_named() {
    let world = World::new("claude-code");
    world.put(&transcript("good"), prompt(1, "hello"));
    world.put("projects/-w-app/notes.txt", "no history");
    world.put("elsewhere/x.jsonl", "");
    let at = |name: &str| world.path(&transcript(name));
    symlink(at("good"), at("linked")).unwrap();
    symlink(world.path("elsewhere"), world.path("projects/door")).unwrap();
    symlink("/nowhere/at/all.txt", world.path("projects/dangling.txt")).unwrap();
    let mut mkfifo = std::process::Command::new("mkfifo");
    assert!(mkfifo.arg(at("pipe")).status().unwrap().success());
    let bytes = OsStr::from_bytes(b"\xff.jsonl");
    std::fs::write(world.path("projects/-w-app").join(bytes), "").unwrap();
    world.put(&transcript("foreign"), "");
    // Only root can change a file's owner, so other users skip this check.
    let is_foreign = chown(at("foreign"), Some(65534), None).is_ok();
    let discovery = world.discover();
    let mut found: Vec<_> = discovery.found.iter().map(|it| it.path.clone()).collect();
    found.sort();
    let mut expected = vec![transcript("good")];
    let mut refused: Vec<_> = discovery.refused.iter().map(|it| it.why.as_str()).collect();
    refused.sort_unstable();
    let mut why = vec![Refusal::Link, Refusal::Link, Refusal::NotRegular, Refusal::PathNotText];
    if is_foreign {
        why.push(Refusal::ForeignOwner);
    } else {
        expected.insert(0, transcript("foreign"));
    }
    let mut why: Vec<_> = why.into_iter().map(Refusal::as_str).collect();
    why.sort_unstable();
    assert_eq!((found, refused), (expected, why));
    assert!(discovery.unseen.is_empty());
}

#[test]
fn a_folder_that_cannot_be_looked_into_is_named_and_nothing_in_it_is_gone() {
    let mut world = World::new("claude-code");
    world.put(&transcript("s1"), prompt(1, "hello"));
    world.run();
    // A file in place of the home: every stat below it fails, for root too.
    let aside = tempfile::tempdir().unwrap();
    let root = world.folder.path().canonicalize().unwrap();
    std::fs::rename(&root, aside.path().join("home")).unwrap();
    std::fs::write(&root, "").unwrap();
    let discovery =
        discover(&[Home { adapter: world.adapter(), root: root.clone(), journal: false }]);
    let unseen = ["projects", "history.jsonl"].map(|it| root.join(it).display().to_string());
    assert_eq!(discovery.unseen, unseen);
    let known: Vec<_> = world.known.values().cloned().collect();
    assert!(taffrail_capture::plan(discovery, &known).vanished.is_empty());
    std::fs::remove_file(&root).unwrap();
    std::fs::rename(aside.path().join("home"), &root).unwrap();
    assert!(world.run().is_quiet());
}

#[test]
fn a_locked_folder_hides_nothing_else() {
    use std::os::unix::fs::PermissionsExt;
    let mut world = World::new("claude-code");
    world.put(&transcript("s1"), prompt(1, "hello"));
    world.put("projects/locked/s2.jsonl", prompt(2, "hello"));
    world.run();
    let locked = world.path("projects/locked");
    let mode = |bits| std::fs::set_permissions(&locked, PermissionsExt::from_mode(bits)).unwrap();
    mode(0);
    let discovery = world.discover();
    let run = world.run();
    mode(0o700);
    // Permissions do not stop root.
    if rustix::process::geteuid().is_root() {
        assert_eq!((discovery.found.len(), discovery.unseen.len()), (2, 0));
    } else {
        assert_eq!((discovery.found.len(), discovery.unseen.len()), (1, 1));
    }
    assert!(run.is_quiet());
}

#[test]
fn a_missing_home_or_root_is_nothing_special() {
    let world = World::new("codex");
    let discovery = world.discover();
    assert!(discovery.found.is_empty() && discovery.unseen.is_empty());
}
