//! An archive in its own folder, and a source to archive in it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use taffrail_model::AgentId;
use taffrail_store::archive::{Archive, Keeper, Label, Packer, Permission, Shape, Volume};

/// The most bytes of a source in one frame.
pub(crate) const FRAME: usize = 1 << 20;

pub(crate) struct Bench {
    pub(crate) data: tempfile::TempDir,
    pub(crate) archive: Archive,
    pub(crate) packer: Packer,
}

pub(crate) fn label(path: &str) -> Label {
    Label {
        agent: AgentId::new("toy"),
        home: "/home/of/toy".into(),
        path: path.into(),
        key: String::new(),
        locator: format!("toy://{path}"),
        shape: Shape::Lines,
        beside: Vec::new(),
    }
}

/// Incompressible bytes, the same for each seed.
pub(crate) fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..length).map(|_| next()).collect()
}

impl Bench {
    pub(crate) fn new() -> Self {
        let data = tempfile::tempdir().unwrap();
        let archive = Archive::new(data.path());
        Self { data, archive, packer: Packer::new().unwrap() }
    }

    pub(crate) fn keeper(&mut self, cursor: u64) -> Keeper<'_> {
        Keeper::begin(&self.archive, label("a"), cursor, &mut self.packer).unwrap()
    }

    /// One pass from the cursor to the end of the source, in slices of this many bytes.
    pub(crate) fn pass(&mut self, cursor: usize, source: &[u8], slice: usize) {
        let mut keeper = self.keeper(cursor as u64);
        assert!(keeper.wants_from() <= cursor as u64);
        feed(&mut keeper, source, slice);
        keeper.end(Permission::Keep).unwrap();
    }

    /// Archives the source from its start.
    pub(crate) fn keep(&mut self, source: &[u8]) {
        self.pass(0, source, 1000);
    }

    pub(crate) fn volume(&self) -> Volume {
        self.archive.find(label("a").address()).unwrap().unwrap()
    }

    /// All editions, the newest first.
    pub(crate) fn editions(&self) -> Vec<Vec<u8>> {
        let editions = self.archive.editions(label("a").address()).unwrap();
        editions.into_iter().map(|mut volume| volume.whole().unwrap()).collect()
    }

    /// Every file below the data folder with its bytes.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut out = BTreeMap::new();
        walk(self.data.path(), &mut |path| {
            if path.is_file() {
                out.insert(path.to_owned(), std::fs::read(path).unwrap());
            }
        });
        out
    }

    /// The only file.
    pub(crate) fn file(&self) -> PathBuf {
        let files = self.files();
        assert_eq!(files.len(), 1, "{:?}", files.keys());
        files.into_keys().next().unwrap()
    }

    /// The file of the newest edition, with one source archived.
    pub(crate) fn newest(&self) -> PathBuf {
        let end = format!(".{}.tfa", self.volume().edition());
        let mut files = self.files().into_keys();
        files.find(|path| path.to_str().unwrap().ends_with(&end)).unwrap()
    }
}

/// Supplies everything that the keeper wants of a source.
pub(crate) fn feed(keeper: &mut Keeper<'_>, source: &[u8], slice: usize) {
    let mut offset = keeper.wants_from();
    for part in source[offset as usize..].chunks(slice) {
        keeper.bytes(offset, part).unwrap();
        offset += part.len() as u64;
    }
}

pub(crate) fn walk(folder: &Path, see: &mut dyn FnMut(&Path)) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        see(&path);
        if path.is_dir() {
            walk(&path, see);
        }
    }
}
