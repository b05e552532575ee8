//! The archive as other users of the machine see it.

use crate::archive::bench::{Bench, label, walk};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use taffrail_model::hash;
use taffrail_store::archive::{Keeper, Permission};

fn two_sources() -> Bench {
    let mut bench = Bench::new();
    bench.keep(b"first");
    bench.keep(b"second");
    let mut keeper = Keeper::begin(&bench.archive, label("b"), 0, &mut bench.packer).unwrap();
    keeper.bytes(0, b"other").unwrap();
    keeper.end(Permission::Keep).unwrap();
    bench
}

#[test]
fn it_is_for_nobody_else() {
    let bench = two_sources();
    let mut modes = BTreeMap::new();
    walk(bench.data.path(), &mut |path| {
        let mode = path.metadata().unwrap().permissions().mode() & 0o777;
        *modes.entry((path.is_dir(), mode)).or_insert(0) += 1;
    });
    assert_eq!(modes, BTreeMap::from([((true, 0o700), 3), ((false, 0o600), 3)]));
}

#[test]
fn a_file_is_named_after_its_source_and_edition() {
    let mut bench = Bench::new();
    bench.keep(b"first");
    let hex = hash::to_hex(&hash::digest("archive", &[b"toy", b"/home/of/toy", b"a", b""]));
    let expected = bench.data.path().join(format!("archive/{}/{hex}.1.tfa", hex.get(..2).unwrap()));
    assert_eq!(bench.file(), expected);
}

#[test]
fn everything_is_listed_and_the_foreign_is_counted() {
    let bench = two_sources();
    let folder = bench.newest().parent().unwrap().to_owned();
    std::fs::write(bench.data.path().join("archive/notes.txt"), "mine").unwrap();
    std::fs::write(folder.join("notes.txt"), "mine").unwrap();
    std::fs::write(bench.newest().with_extension("tfa.part"), "half").unwrap();
    let broken = bench.newest().to_str().unwrap().replace(".2.", ".9.");
    std::fs::write(broken, "no label").unwrap();
    let listing = bench.archive.all().unwrap();
    let mut rows: Vec<_> = listing
        .entries
        .iter()
        .map(|it| (it.label.path.as_str(), it.edition, it.kept_bytes))
        .collect();
    rows.sort_unstable();
    assert_eq!(rows, [("a", 1, 5), ("a", 2, 6), ("b", 1, 5)]);
    assert_eq!(listing.skipped, 4);
    let total: usize = bench.files().values().map(Vec::len).sum();
    assert_eq!(bench.archive.total_bytes().unwrap(), total as u64);
    let ours: u64 = listing.entries.iter().map(|it| it.disk_bytes).sum();
    assert_eq!(total as u64, ours + 4 + 4 + 4 + 8);
}

#[test]
fn what_is_removed_is_gone_and_counted() {
    let bench = two_sources();
    std::fs::write(bench.newest().with_extension("tfa.part"), "left by a crash").unwrap();
    let (a, total) = (label("a"), || bench.archive.total_bytes().unwrap());
    let before = total();
    let freed = bench.archive.remove_edition(a.address(), 2).unwrap();
    assert_eq!((before - total(), bench.editions()), (freed, vec![b"first".to_vec()]));
    assert_eq!(bench.archive.remove_edition(a.address(), 2).unwrap(), 0);
    let before = total();
    let freed = bench.archive.remove(a.address()).unwrap();
    assert_eq!((before - total(), bench.editions()), (freed, Vec::new()));
    assert!(freed > 0 && bench.files().len() == 1);
}

#[test]
fn an_archive_that_was_never_begun_is_empty() {
    let bench = Bench::new();
    assert_eq!(bench.archive.all().unwrap(), Default::default());
    assert_eq!(bench.archive.total_bytes().unwrap(), 0);
    assert_eq!(bench.archive.remove(label("a").address()).unwrap(), 0);
    assert!(bench.archive.find(label("a").address()).unwrap().is_none());
    bench.archive.sync().unwrap();
    assert!(bench.data.path().read_dir().unwrap().next().is_none());
    two_sources().archive.sync().unwrap();
}
