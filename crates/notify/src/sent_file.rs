//! The record of sent notices, kept across restarts: a small file that is replaced atomically.

use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use taffrail_model::notices::NoticeState;

/// The version of the file.
const VERSION: u32 = 1;
/// Its name in the state folder.
const FILE: &str = "told.json";

#[derive(Serialize, Deserialize)]
struct File {
    version: u32,
    #[serde(flatten)]
    kept: NoticeState,
}

/// The path of the file.
pub(crate) fn file(state: &Path) -> PathBuf {
    state.join(FILE)
}

/// The record of sent notices. A missing or foreign file counts as empty: at worst open notices are
/// sent again.
pub(crate) fn load(path: &Path) -> NoticeState {
    let text = std::fs::read(path).unwrap_or_default();
    let read: Option<File> = serde_json::from_slice(&text).ok();
    read.filter(|it| it.version == VERSION).map(|it| it.kept).unwrap_or_default()
}

/// Writes the file atomically, readable by this user only.
pub(crate) fn save(path: &Path, kept: &NoticeState) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    serde_json::to_writer(&mut file, &File { version: VERSION, kept: kept.clone() })?;
    file.write_all(b"\n")?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use taffrail_model::Timestamp;

    #[test]
    fn what_is_kept_comes_back_and_what_is_none_of_ours_is_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path());
        assert_eq!(load(&path), NoticeState::default());
        let told = [("wait:x:1".to_owned(), Timestamp::UNIX_EPOCH)].into();
        let kept = NoticeState { told, shown: Vec::new() };
        save(&path, &kept).unwrap();
        assert_eq!(load(&path), kept);
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        for text in ["", "{", r#"{"version":2,"told":{},"shown":[]}"#] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(load(&path), NoticeState::default(), "{text}");
        }
    }
}
