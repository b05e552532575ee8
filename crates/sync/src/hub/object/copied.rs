//! Folders that another program copies between machines. On each machine they look like a
//! directory, and each machine can create a name that another machine has created, too.

use std::path::Path;

/// Marker files at the top of such folders.
const MARKS: [(&str, &str); 6] = [
    (".stfolder", "Syncthing"),
    (".dropbox", "Dropbox"),
    (".dropbox.cache", "Dropbox"),
    (".resilio-sync", "Resilio Sync"),
    (".owncloudsync.log", "ownCloud or Nextcloud"),
    (".nextcloudsync.log", "Nextcloud"),
];

/// The usual names of such folders.
const NAMES: [(&str, &str); 9] = [
    ("Dropbox", "Dropbox"),
    ("OneDrive", "OneDrive"),
    ("Google Drive", "Google Drive"),
    ("GoogleDrive", "Google Drive"),
    ("CloudStorage", "a cloud drive"),
    ("Mobile Documents", "iCloud"),
    ("Nextcloud", "Nextcloud"),
    ("pCloudDrive", "pCloud"),
    ("MEGAsync", "MEGA"),
];

/// The program that copies a directory between machines, as far as it can be recognized.
pub(super) fn copied_by(path: &Path) -> Option<&'static str> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    path.ancestors().find_map(|it| marked(it).or_else(|| named(it)))
}

fn marked(folder: &Path) -> Option<&'static str> {
    MARKS.iter().find(|(mark, _)| folder.join(mark).exists()).map(|(_, who)| *who)
}

fn named(folder: &Path) -> Option<&'static str> {
    let name = folder.file_name()?.to_str()?;
    let is = |text: &str| name == text || name.starts_with(&format!("{text} -"));
    NAMES.iter().find(|(text, _)| is(text)).map(|(_, who)| *who)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_copied_is_known_by_its_marks_or_its_name() {
        let top = tempfile::tempdir().unwrap();
        let check = |made: &[&str], hub: &str, expected: Option<&str>| {
            for folder in made {
                std::fs::create_dir_all(top.path().join(folder)).unwrap();
            }
            assert_eq!(copied_by(&top.path().join(hub)), expected, "{hub}");
        };
        check(&["plain/hub"], "plain/hub", None);
        check(&["st/.stfolder", "st/a/hub"], "st/a/hub", Some("Syncthing"));
        check(&["Dropbox/hub"], "Dropbox/hub", Some("Dropbox"));
        check(&["OneDrive - Example/hub"], "OneDrive - Example/hub", Some("OneDrive"));
        check(&["NotDropbox/hub"], "NotDropbox/hub", None);
    }
}
