//! The notice that is shown once, at the first run.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use taffrail_context::Settings;

const README: &str = "\
The files that Taffrail keeps. Nothing here leaves this machine.

ledger.db   what only Taffrail knows: bindings, and what was forgotten. `taffrail backup` copies it.
index.db    derived from the agents' own files; `taffrail rebuild` rebuilds it.
search/     the words of every event; rebuilt from the index.
archive/    compressed copies of the agents' files, which outlive their clean-up. `zstd -dc` reads them.
terminals/  the latest output of agents under `taffrail run`, until they exit normally.

taffrail config set archive.enabled false    stops keeping copies
taffrail forget ID                           forgets a session everywhere
";

/// Whether the user must be told about the archive: once for each data folder with an archive. A
/// file with the same text records that it was shown.
#[must_use]
pub fn must_tell_of_archive(settings: &Settings) -> bool {
    if !settings.archive.enabled || !settings.data.join("archive").exists() {
        return false;
    }
    let file = settings.data.join("README.txt");
    let made = OpenOptions::new().create_new(true).write(true).mode(0o600).open(file);
    // If the file cannot be created, showing the notice twice is better than never.
    made.map_or_else(
        |error| error.kind() != std::io::ErrorKind::AlreadyExists,
        |mut file| file.write_all(README.as_bytes()).is_ok(),
    )
}
