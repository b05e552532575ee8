//! What is said once, at the first run.

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

taffrail config set archive.enabled false    stops keeping copies
taffrail forget ID                           forgets a session everywhere
";

/// Whether the user must be told that copies are kept: once for a data folder that keeps any. The
/// answer is remembered by a file that says the same.
#[must_use]
pub fn must_tell_of_archive(settings: &Settings) -> bool {
    if !settings.archive.enabled || !settings.data.join("archive").exists() {
        return false;
    }
    let file = settings.data.join("README.txt");
    let made = OpenOptions::new().create_new(true).write(true).mode(0o600).open(file);
    // Where the file cannot be made, it is better to say it twice than never.
    made.map_or_else(
        |error| error.kind() != std::io::ErrorKind::AlreadyExists,
        |mut file| file.write_all(README.as_bytes()).is_ok(),
    )
}
