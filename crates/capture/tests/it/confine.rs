//! What a confined thread can still do.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use taffrail_capture::{Confined, confine};

/// Whether a thread can write outside its folder, write in it, read, start a program, connect.
fn can(home: &Path, own: &Path, port: u16) -> [bool; 5] {
    [
        std::fs::write(home.join("settings.json"), "{}").is_ok(),
        std::fs::write(own.join("journal"), "x").is_ok(),
        std::fs::read(home.join("transcript")).is_ok(),
        Command::new("/bin/true").status().is_ok_and(|it| it.success()),
        TcpStream::connect(("127.0.0.1", port)).is_ok(),
    ]
}

#[test]
fn a_reader_writes_nowhere_else_starts_nothing_and_reaches_nobody() {
    // Not below the temporary folder, which stays writable.
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let (home, own) = (home.path().to_owned(), home.path().join("own"));
    std::fs::create_dir(&own).unwrap();
    std::fs::write(home.join("transcript"), "x").unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let before = can(&home, &own, port);
    assert_eq!(before, [true; 5]);
    let reader = std::thread::spawn(move || (confine(&[&own]), can(&home, &own, port)));
    let expected = match reader.join().unwrap() {
        (Confined::Wholly, can) => (can, [false, true, true, false, false]),
        (Confined::Partly, can) => ([can[0]; 5], [false; 5]),
        (Confined::No(_), can) => (can, [true; 5]),
    };
    assert_eq!(expected.0, expected.1);
}
