//! Folders in the user's cache that tests fill once: published programs, at one version each.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// A folder of the cache; fills it with `install` if it is missing.
pub(crate) fn folder(cache: &str, name: &str, install: impl FnOnce(&Path)) -> PathBuf {
    filled(root().join(cache).join(name), install)
}

/// Tests run in parallel, so the first one installs and the others wait for a lock. The folder is
/// renamed to its final name only when it is complete.
fn filled(folder: PathBuf, install: impl FnOnce(&Path)) -> PathBuf {
    if folder.exists() {
        return folder;
    }
    let parent = folder.parent().unwrap();
    fs::create_dir_all(parent).unwrap();
    let lock = File::create(folder.with_added_extension("lock")).unwrap();
    lock.lock().unwrap();
    if !folder.exists() {
        let making = tempfile::Builder::new().prefix(".making-").tempdir_in(parent).unwrap();
        install(making.path());
        fs::rename(making.keep(), &folder).unwrap();
    }
    folder
}

fn root() -> PathBuf {
    let named = std::env::var_os("XDG_CACHE_HOME").filter(|it| !it.is_empty()).map(PathBuf::from);
    let home = || PathBuf::from(std::env::var_os("HOME").expect("HOME is set")).join(".cache");
    named.unwrap_or_else(home)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn a_folder_is_filled_once_and_only_as_a_whole() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("@scope/agent@1.0.0");
        let write = |words: &'static str| {
            move |making: &Path| fs::write(making.join("program"), words).unwrap()
        };
        let broken = catch_unwind(AssertUnwindSafe(|| {
            filled(folder.clone(), |making| {
                write("torn")(making);
                panic!("the network is down");
            })
        }));
        assert!(broken.is_err() && !folder.exists(), "a torn folder is kept");
        for words in ["first", "second"] {
            let program = filled(folder.clone(), write(words)).join("program");
            assert_eq!(fs::read_to_string(program).unwrap(), "first");
        }
    }
}
