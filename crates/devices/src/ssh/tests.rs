//! Both ends of a connection without `ssh`: pipes between them, and a daemon that answers by rote.

use super::Access;
use super::line::Line;
use super::relay::relay;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;
use taffrail_api::client::{Client, ClientError};

/// What a daemon was asked, and how it answers.
#[derive(Clone, Default)]
struct Daemon {
    asked: Arc<Mutex<Vec<String>>>,
    is_off: bool,
}

impl Daemon {
    fn connect(&self) -> io::Result<UnixStream> {
        if self.is_off {
            return Err(io::ErrorKind::ConnectionRefused.into());
        }
        let (near, mut far) = UnixStream::pair()?;
        let daemon = self.clone();
        thread::spawn(move || daemon.answer(&mut far));
        Ok(near)
    }

    fn answer(&self, to: &mut UnixStream) {
        let mut bytes = vec![0; 64 * 1024];
        let count = to.read(&mut bytes).unwrap();
        let text = String::from_utf8_lossy(&bytes[..count]).into_owned();
        let path = text.split(' ').nth(1).unwrap().to_owned();
        self.asked.lock().unwrap().push(text);
        let body = match path.as_str() {
            "/api/long" => format!("\"{}\"", "x".repeat(3_000_000)),
            "/api/stream" => {
                to.write_all(b"HTTP/1.1 200 OK\r\n\r\nevent: a\ndata: 1\n\n").unwrap();
                // Until nobody listens.
                to.read_to_end(&mut bytes).unwrap();
                self.asked.lock().unwrap().push("the stream was left".to_owned());
                return;
            }
            path => format!("{path:?}"),
        };
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
        // The near end may be gone.
        to.write_all(&[head.as_bytes(), body.as_bytes()].concat()).ok();
    }
}

/// A client of a daemon behind a connection, and the connection's near end.
fn linked(daemon: &Daemon, access: Access) -> (Client, Line, UnixStream) {
    let (near, far) = UnixStream::pair().unwrap();
    let daemon = daemon.clone();
    let from = far.try_clone().unwrap();
    thread::spawn(move || relay(from, far, access, &|| daemon.connect()));
    let line = Line::new(near.try_clone().unwrap(), near.try_clone().unwrap());
    let opener = line.clone();
    let client = Client::local(move || opener.open()).with_timeout(Some(Duration::from_secs(30)));
    (client, line, near)
}

#[test]
fn many_requests_share_one_connection_and_none_gets_the_answer_of_another() {
    let (client, _line, _wire) = linked(&Daemon::default(), Access::Read);
    thread::scope(|scope| {
        for number in 0..8 {
            let client = client.clone();
            scope.spawn(move || {
                for round in 0..50 {
                    let path = format!("/api/{number}/{round}");
                    assert_eq!(client.get::<String>(&path).unwrap(), path);
                }
                assert_eq!(client.get::<String>("/api/long").unwrap().len(), 3_000_000);
            });
        }
    });
}

#[test]
fn what_a_reader_may_not_do_never_reaches_the_daemon() {
    let daemon = Daemon::default();
    let (client, _line, _wire) = linked(&daemon, Access::Read);
    let refused = client.post::<String>("/api/approvals/3f2a", &()).unwrap_err();
    let ClientError::Refused(body) = refused else { panic!("{refused}") };
    assert_eq!((body.code, body.message.as_str()), (6, "this connection only reads"));
    assert!(client.delete::<String>("/api/sessions/1").is_err());
    assert!(daemon.asked.lock().unwrap().is_empty());
    let (client, _line, _wire) = linked(&daemon, Access::Answer);
    assert!(client.post::<String>("/api/stop", &()).is_err());
    assert!(daemon.asked.lock().unwrap().is_empty());
    assert_eq!(client.post::<String>("/api/approvals/3f2a", &()).unwrap(), "/api/approvals/3f2a");
    let asked = daemon.asked.lock().unwrap().clone();
    assert!(asked.len() == 1 && asked[0].ends_with("\r\n\r\nnull"), "{asked:?}");
}

#[test]
fn a_stream_that_nobody_reads_any_more_ends_at_the_daemon() {
    let daemon = Daemon::default();
    let (client, _line, _wire) = linked(&daemon, Access::Read);
    let mut updates = client.follow("/api/stream").unwrap();
    assert_eq!(updates.next().unwrap().unwrap().data, "1");
    drop(updates);
    taffrail_testkit::until("the daemon to be left", || {
        daemon.asked.lock().unwrap().iter().any(|it| it == "the stream was left").then_some(())
    });
    assert_eq!(client.get::<String>("/api/next").unwrap(), "/api/next");
}

#[test]
fn a_host_without_a_daemon_says_so() {
    let (client, _line, _wire) =
        linked(&Daemon { is_off: true, ..Daemon::default() }, Access::Read);
    let said = client.get::<String>("/api/sessions").unwrap_err().to_string();
    assert_eq!(said, "no daemon answers on that host");
}

#[test]
fn a_broken_connection_ends_every_stream_and_opens_no_other() {
    let (client, line, wire) = linked(&Daemon::default(), Access::Read);
    let mut updates = client.follow("/api/stream").unwrap();
    assert!(updates.next().unwrap().is_ok());
    wire.shutdown(std::net::Shutdown::Both).unwrap();
    assert!(updates.next().is_none_or(|it| it.is_err()));
    taffrail_testkit::until("the end", || line.is_over().then_some(()));
    assert!(matches!(client.get::<String>("/api/next"), Err(ClientError::Unreachable(_))));
}

#[test]
fn a_far_end_that_talks_nonsense_is_left() {
    let (near, mut far) = UnixStream::pair().unwrap();
    let line = Line::new(near.try_clone().unwrap(), near);
    let stream = line.open().unwrap();
    // For a stream that nobody opened, and then no frame at all.
    far.write_all(&[0, 0, 0, 99, 0, 0, 0, 1, b'x']).unwrap();
    far.write_all(&[255; 64]).unwrap();
    let mut rest = Vec::new();
    assert_eq!((&stream).read_to_end(&mut rest).unwrap(), 0);
    assert!(line.is_over());
}
