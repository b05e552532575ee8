//! Where the server listens, and where it does not.

use super::{CHANCE, Machine, PATIENCE};
use crate::http::app::{App, STREAMS};
use crate::http::{Listening, ServeError, serve};
use std::fs::{Permissions, create_dir_all, metadata, set_permissions, symlink_metadata};
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use taffrail_daemon::DaemonError;
use tokio::sync::watch;

fn refusal(machine: &Machine, socket: &Path, http: Option<&str>) -> String {
    let listening = Listening {
        otel: None,
        socket: socket.to_owned(),
        http: http.map(|it| it.parse().unwrap()),
        token: machine.path("token"),
        chance: CHANCE,
        opened: std::sync::Arc::new(|_| {}),
        state: machine.path("state"),
        program: "/usr/bin/taffrail".into(),
    };
    match serve(machine.handle.clone(), &listening) {
        Err(DaemonError::Serve(error)) => {
            error.to_string().replace(&machine.path("").display().to_string(), "")
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn socket_and_folder_are_for_their_user_alone() {
    let mut machine = Machine::new();
    let mode = |path: &Path| metadata(path).unwrap().permissions().mode() & 0o777;
    let socket = machine.server().socket().to_owned();
    assert_eq!((mode(socket.parent().unwrap()), mode(&socket)), (0o700, 0o600));
    machine.stop_server();
    assert!(symlink_metadata(&socket).is_err(), "the socket stays behind");
}

#[test]
fn places_that_are_not_safe_are_refused() {
    let machine = Machine::new();
    let real = machine.path("real");
    create_dir_all(&real).unwrap();
    symlink(&real, machine.path("link")).unwrap();
    std::fs::write(machine.path("real/file"), "").unwrap();
    let check = |below: &str, http: Option<&str>, expected: &str| {
        assert_eq!(refusal(&machine, &machine.path(below), http), expected);
    };
    check("link/a.sock", None, "link: is not a folder of its own");
    check("real/file", None, "real/file: is there and no socket");
    check("run/daemon.sock", None, "another daemon answers on run/daemon.sock");
    let others = "can be reached by others: only 127.0.0.1 and ::1 are listened on";
    for address in ["0.0.0.0:0", "127.0.0.2:80", "192.168.1.2:80", "[::]:0", "[fe80::1]:1"] {
        check("real/a.sock", Some(address), &format!("{address} {others}"));
    }
}

#[test]
fn a_folder_that_was_open_to_others_is_closed() {
    let machine = Machine::new();
    create_dir_all(machine.path("open")).unwrap();
    set_permissions(machine.path("open"), Permissions::from_mode(0o777)).unwrap();
    let listening = Listening { socket: machine.path("open/a.sock"), ..machine.listening(None) };
    let server = serve(machine.handle.clone(), &listening).unwrap();
    assert_eq!(metadata(machine.path("open")).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!((server.http(), server.http_url()), (None, None));
    server.stop();
}

#[test]
fn a_socket_nobody_answers_on_is_replaced() {
    let machine = Machine::new();
    create_dir_all(machine.path("old")).unwrap();
    let path = machine.path("old/a.sock");
    drop(UnixListener::bind(&path).unwrap());
    assert!(path.exists());
    let listening = Listening { socket: path.clone(), ..machine.listening(None) };
    let server = serve(machine.handle.clone(), &listening).unwrap();
    UnixStream::connect(&path).unwrap();
    server.stop();
}

/// Not a test: the next test runs this as another user.
#[test]
#[ignore = "run by a test, as another user"]
#[expect(clippy::disallowed_methods, reason = "the place is handed over so")]
fn asks_as_somebody_else() {
    let path = std::env::var("TAFFRAIL_TEST_SOCKET").unwrap();
    let mut stream = UnixStream::connect(path).unwrap();
    // The other side may have hung up already.
    stream.write_all(b"GET /api/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").ok();
    let mut answer = Vec::new();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.read_to_end(&mut answer).unwrap_or_default();
    assert_eq!(answer, b"");
}

#[test]
fn another_user_is_not_answered_even_where_the_file_lets_it_in() {
    let machine = Machine::new();
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let socket = machine.server().socket();
    for (path, mode) in [
        (machine.path(""), 0o755),
        (socket.parent().unwrap().to_owned(), 0o755),
        (socket.to_owned(), 0o666),
    ] {
        set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }
    // A copy that another user can run.
    let program = machine.path("as-other");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new(program);
    command.args(["--ignored", "--exact", "http::tests::sockets::asks_as_somebody_else"]);
    command.env("TAFFRAIL_TEST_SOCKET", socket).uid(65_534).current_dir("/");
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
fn beyond_the_most_streams_nobody_is_taken_in() {
    let machine = Machine::new();
    let (_stop, stops) = watch::channel(false);
    let web = crate::http::web_of(&machine.listening(None), None, &stops);
    let (app, _pump) = App::new(machine.handle.clone(), web, stops);
    let mut places: Vec<_> = (0..STREAMS).map(|_| app.follow().unwrap()).collect();
    assert_eq!(app.streams(), STREAMS as u64);
    assert!(app.follow().is_err());
    places.pop();
    assert!(app.follow().is_ok());
}

#[test]
fn a_refusal_says_what_is_wrong() {
    let error = ServeError::NotLoopback("10.0.0.1:80".parse().unwrap());
    let told = crate::http::error_body(&DaemonError::Serve(error));
    assert_eq!((told.code, told.retryable), (6, false));
}

/// A hostile repository kept all readers busy, and no agent got an answer.
#[test]
fn readers_that_are_all_busy_hold_up_no_approval() {
    let machine = Machine::new();
    let (_stop, stops) = watch::channel(false);
    let web = crate::http::web_of(&machine.listening(None), None, &stops);
    let (app, _pump) = App::new(machine.handle.clone(), web, stops);
    let runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = { runtime }.max_blocking_threads(2).enable_time().build().unwrap();
    let (release, held) = std::sync::mpsc::channel::<()>();
    let held = std::sync::Arc::new(std::sync::Mutex::new(held));
    for _ in 0..4 {
        let (app, held) = (app.clone(), held.clone());
        runtime.spawn(async move { app.ask(move |_| Ok(held.lock().unwrap().recv().ok())).await });
    }
    let patience = Duration::from_secs(60);
    let answered = runtime.block_on(app.ask_within(patience, |_| Ok(7)));
    assert_eq!(answered.ok().flatten(), Some(7));
    // A slow query is not waited for: the agent's own dialog appears.
    let late = app.ask_within(Duration::ZERO, move |_| Ok(held.lock().unwrap().recv().ok()));
    assert_eq!(runtime.block_on(late).ok().flatten(), None);
    drop(release);
}
