//! What is said where a host is not reached, or no Taffrail that fits is there.

use super::{World, output};

/// Runs it and checks the exit code, and that every word is said, as text only.
fn check(world: &World, what: &str, (status, words): (i32, &[&str])) {
    let told = world.link(&["--list"]);
    assert_eq!((told.status, told.stdout.as_str()), (status, ""), "{what}: {}", told.stderr);
    for word in words {
        assert!(told.stderr.contains(word), "{what}: no `{word}`: {}", told.stderr);
    }
    assert!(told.stderr.contains("hint: "), "{what}: {}", told.stderr);
    let is_bad = |it: char| it.is_control() && it != '\n' || it == '\u{202e}';
    assert!(!told.stderr.contains(is_bad), "{what}: {:?}", told.stderr);
}

#[test]
fn each_error_says_what_happened_and_what_to_do() {
    let mut world = World::new();
    world.server.uninstall();
    check(&world, "no Taffrail there", (3, &["does not find `taffrail`", "docs/install.md"]));
    world.server.install("echo \"error: unrecognized subcommand 'relay'\" >&2; exit 2");
    check(
        &world,
        "an old one there",
        (6, &["too old", "unrecognized subcommand", "the same version"]),
    );
    world.server.install("echo 'taffrail-relay 9 7.1.0 read'; cat");
    check(&world, "a newer one there", (6, &["version 7.1.0", "another protocol"]));
    world.server.install("echo 'taffrail: the ledger is damaged' >&2; exit 1");
    check(
        &world,
        "one that fails",
        (6, &["ended with 1", "the ledger is damaged", "taffrail doctor"]),
    );
    world.server.install("yes hello");
    check(&world, "one that talks without end", (1, &["not as Taffrail does"]));
    world.server.forget();
    check(&world, "an unknown key", (5, &["Host key verification failed", "ssh HOST"]));
    world.server.stop_listening();
    check(&world, "nobody there", (5, &["Connection refused"]));
}

#[test]
fn a_hostile_host_writes_nothing_that_a_terminal_obeys() {
    let world = World::new();
    let escape = r"printf '\033]0;pwned\007\033[2J\302\2331m\342\200\256x\n'";
    world.server.install(&format!("{escape}; {escape} >&2; exit 9"));
    check(&world, "before the greeting", (6, &["ended with 9"]));
    world.server.install(&format!("{escape} >&2; printf 'taffrail-relay 2 \\033[2J x\\n'"));
    check(&world, "in the greeting", (6, &["another protocol"]));
    world.server.install("printf 'taffrail-relay 1 0 read\\n'; head -c 100000 /dev/urandom");
    let told = world.link(&["--list"]);
    assert_eq!(told.status, 5, "{}", told.stderr);
    let refusal = r#"{"error":{"code":6,"kind":"refused","message":"\u001b[2Jno","hint":"\u001b]0;x\u0007do","retryable":false}}"#;
    let length = refusal.len();
    let head = format!("HTTP/1.1 403 X\\r\\ncontent-length: {length}\\r\\n\\r\\n");
    let count = length + format!("HTTP/1.1 403 X__content-length: {length}____").len();
    let count = format!("\\000\\000\\000\\001\\000\\000\\{:03o}\\{:03o}", count / 256, count % 256);
    world.server.install(&format!(
        "printf 'taffrail-relay 1 0 read\\n'; dd bs=1 count=1 >/dev/null 2>&1; printf '{count}{head}'; printf '%s' '{refusal}'; cat >/dev/null"
    ));
    check(&world, "in an answer", (6, &["no"]));
}

#[test]
fn no_host_is_an_option_and_ssh_is_not_even_started() {
    let world = World::new();
    for address in [
        "ssh://-oProxyCommand=touch /tmp/x",
        "ssh://-x",
        "ssh://a;id",
        "ssh://a@-b",
        "ssh://a:b@c",
        "ssh://",
    ] {
        let mut command = world.laptop.command(&["link", address, "--list"]);
        command.env("PATH", world.path());
        let told = output(command);
        assert_eq!(told.status, 2, "{address}: {}", told.stderr);
    }
    assert_eq!(world.server.runs(), 0);
    let wrong = world.link(&["--hub", "file:///srv/x", "--list"]);
    assert_eq!(wrong.status, 2, "{}", wrong.stderr);
    let wrong = world.link(&["--answer", "--json"]);
    assert_eq!(wrong.status, 2, "{}", wrong.stderr);
    assert_eq!(world.server.runs(), 0);
}

#[test]
fn without_the_program_ssh_the_package_is_named() {
    let world = World::new();
    let mut command = world.command(&["--list"]);
    command.env("PATH", world.laptop.root());
    let told = output(command);
    assert_eq!(told.status, 1, "{}", told.stderr);
    assert!(told.stderr.contains("openssh-client"), "{}", told.stderr);
}
