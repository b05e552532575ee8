//! Output that does not fit on a terminal goes through the pager, and nothing else does.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test they help")]

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::{File, OpenOptions, Permissions, set_permissions};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use taffrail_testkit::Home;
use taffrail_testkit::claude::{path, talk};

const SESSION: &str = "11111111-1111-4111-8111-111111111111";

/// Sixty events, and a pager that saves its input.
fn home() -> Home {
    let home = Home::new(env!("CARGO_BIN_EXE_taffrail"));
    home.write(&path(SESSION), talk(SESSION, 0, 60));
    home.index();
    script(&home, "keeps", "#!/bin/sh\necho \"LESS=$LESS\" > kept\ncat >> kept\n");
    script(&home, "leaves", "#!/bin/sh\nhead -n 1 > kept\n");
    home
}

fn script(home: &Home, name: &str, text: &str) {
    home.write(name, text);
    set_permissions(home.path(name), Permissions::from_mode(0o755)).unwrap();
}

/// Runs a command whose stdout is a terminal of ten rows; returns what the terminal showed, what
/// the pager got, and the exit code.
pub(crate) fn on_terminal(
    home: &Home,
    arguments: &[&str],
    variables: &[(&str, &str)],
) -> (String, Option<String>, i32) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let theirs = ptsname(&ours, Vec::new()).unwrap();
    let theirs = OpenOptions::new().read(true).write(true).open(theirs.to_str().unwrap()).unwrap();
    let size = Winsize { ws_row: 10, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&theirs, size).unwrap();
    let mut command = home.command(arguments);
    command.env("TERM", "xterm").envs(variables.iter().copied()).stdout(theirs);
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut shown = Vec::new();
    // On this system, reading a terminal whose other side is closed is an error.
    File::from(ours).read_to_end(&mut shown).ok();
    let code = child.wait().unwrap().code().unwrap();
    let kept = std::fs::read_to_string(home.path("kept")).ok();
    std::fs::remove_file(home.path("kept")).ok();
    (String::from_utf8(shown).unwrap().replace('\r', ""), kept, code)
}

#[test]
fn long_output_goes_through_the_pager_of_a_person() {
    let home = home();
    let piped = home.ok(&["events", SESSION]);
    let kept = Some(format!("LESS=FRX\n{piped}"));
    let keeps = ("TAFFRAIL_PAGER", "./keeps");
    let check = |variables: &[(&str, &str)]| {
        let seen = on_terminal(&home, &["events", SESSION], variables);
        assert_eq!(seen, (String::new(), kept.clone(), 0), "{variables:?}");
    };
    check(&[keeps]);
    check(&[("PAGER", "./keeps")]);
    check(&[("PAGER", "./leaves"), keeps]);
    check(&[("TAFFRAIL_PAGER", "cat | ./keeps")]);
    let (_, kept, _) = on_terminal(&home, &["show", SESSION], &[keeps, ("LESS", "-i")]);
    assert!(kept.unwrap().starts_with("LESS=-i\nPrompt number 0000."));
}

#[test]
fn nothing_else_does() {
    let home = home();
    let keeps = ("TAFFRAIL_PAGER", "./keeps");
    let check = |arguments: &[&str], variables: &[(&str, &str)]| {
        let piped = home.ok(arguments);
        let (shown, kept, code) = on_terminal(&home, arguments, variables);
        assert_eq!((shown.as_str(), kept, code), (piped.as_str(), None, 0), "{arguments:?}");
    };
    check(&["ls"], &[keeps]);
    check(&["tail", SESSION, "-n", "9"], &[keeps]);
    check(&["events", SESSION, "--json"], &[keeps]);
    check(&["--no-pager", "events", SESSION], &[keeps]);
    check(&["events", SESSION, "--no-pager"], &[keeps]);
    check(&["events", SESSION], &[("TAFFRAIL_PAGER", ""), ("PAGER", "./keeps")]);
    check(&["events", SESSION], &[("TAFFRAIL_PAGER", "cat")]);
    check(&["events", SESSION], &[("TAFFRAIL_PAGER", "./gone")]);
    check(&["events", SESSION], &[keeps, ("TERM", "dumb")]);
}

#[test]
fn a_pager_may_be_left_early() {
    let home = home();
    for _ in 0..3 {
        home.append(&path(SESSION), talk(SESSION, 60, 3000));
    }
    home.index();
    let leaves = [("TAFFRAIL_PAGER", "./leaves")];
    let (shown, kept, code) = on_terminal(&home, &["events", SESSION], &leaves);
    assert_eq!((shown.as_str(), code), ("", 0));
    assert!(kept.unwrap().contains("Prompt number 0000."));
}

#[test]
fn colour_stays_in_the_pager() {
    let home = home();
    for number in 0..9 {
        let session = format!("{number}1111111-1111-4111-8111-111111111111");
        home.write(&path(&session), talk(&session, 0, 2));
    }
    let keeps = ("TAFFRAIL_PAGER", "./keeps");
    let head = |variables: &[(&str, &str)], arguments: &[&str]| {
        let (_, kept, _) = on_terminal(&home, arguments, variables);
        kept.unwrap().lines().nth(1).unwrap().contains("\u{1b}[1m")
    };
    assert!(!head(&[keeps], &["ls"]), "NO_COLOR counts");
    assert!(head(&[keeps, ("NO_COLOR", "")], &["ls"]));
    assert!(head(&[keeps], &["ls", "--color", "always"]));
    assert!(!head(&[keeps, ("NO_COLOR", "")], &["ls", "--color", "never"]));
}
