//! The webhook against a real listener on loopback.

use super::super::document::json;
use super::super::document::tests::notice;
use super::*;
use crate::trial::tests::settings;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::thread::JoinHandle;

/// A listener that answers requests with these codes, and returns what it received.
struct Listener {
    url: String,
    thread: JoinHandle<Vec<(String, String)>>,
}

impl Listener {
    fn open(answers: &'static [&'static str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hook?key=s3cret", listener.local_addr().unwrap());
        let thread = std::thread::spawn(move || {
            answers
                .iter()
                .map(|answer| {
                    let (mut stream, _) = listener.accept().unwrap();
                    let request = request(&mut stream);
                    write!(stream, "HTTP/1.1 {answer}\r\nContent-Length: 0\r\n\r\n").unwrap();
                    request
                })
                .collect()
        });
        Self { url, thread }
    }
}

/// The head and the body of a request.
fn request(stream: &mut impl Read) -> (String, String) {
    let mut head = Vec::new();
    let mut byte = [0; 1];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let length: usize = header(&head, "Content-Length").unwrap().parse().unwrap();
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    (head, String::from_utf8(body).unwrap())
}

fn header(head: &str, name: &str) -> Option<String> {
    let lines = head.lines().filter_map(|it| it.split_once(": "));
    let mut found = lines.filter(|(it, _)| it.eq_ignore_ascii_case(name));
    found.next().map(|(_, value)| value.to_owned())
}

fn webhook(url: &str, secret: Option<PathBuf>) -> Webhook {
    let url = WebhookUrl::try_from(url.to_owned()).unwrap();
    let pauses = vec![Duration::from_millis(1), Duration::from_millis(1)];
    Webhook { url, format: WebhookFormat::Json, secret, pauses }
}

fn sent(webhook: &Webhook, message: &Message) -> Result<String, String> {
    sent_within(webhook, message, Duration::from_secs(10), &|| false)
}

fn sent_within(
    webhook: &Webhook,
    message: &Message,
    limit: Duration,
    ending: &dyn Fn() -> bool,
) -> Result<String, String> {
    let mut settings = settings();
    settings.notices.limit = limit;
    let sending = Sending { settings: &settings, executors: &Vec::new, ending, phone: None };
    webhook.send(message, &sending).map_err(|it| it.to_string())
}

#[test]
fn a_message_is_posted_and_its_signature_holds() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secret");
    std::fs::write(&file, "a secret of mine\n").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let listener = Listener::open(&["204 No Content", "200 OK"]);
    let webhook = webhook(&listener.url, Some(file));
    let told = Message::Told(notice("api waits", "it \"asks\" for \\ and @/etc/passwd; ünï"));
    let withdrawn = Message::Withdrawn(notice("api waits", "over"));
    assert_eq!(sent(&webhook, &told), Ok("it was answered with 204".to_owned()));
    assert_eq!(sent(&webhook, &withdrawn), Ok("it was answered with 200".to_owned()));
    let got = listener.thread.join().unwrap();
    for ((head, body), message) in got.iter().zip([&told, &withdrawn]) {
        assert!(head.starts_with("POST /hook?key=s3cret HTTP/1.1\r\n"), "{head}");
        assert_eq!(header(head, "Content-Type").as_deref(), Some("application/json"));
        assert_eq!(header(head, "X-Taffrail-Event").as_deref(), Some(event(message)));
        assert_eq!(*body, json(message));
        let second: i64 = header(head, "X-Taffrail-Timestamp").unwrap().parse().unwrap();
        let expected = format!("sha256={}", signature(b"a secret of mine", second, body));
        assert_eq!(header(head, "X-Taffrail-Signature"), Some(expected));
    }
    assert_eq!(got.len(), 2);
}

#[test]
fn a_cloud_event_is_posted_and_its_signature_holds() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secret");
    std::fs::write(&file, "a secret of mine\n").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let listener = Listener::open(&["204 No Content"]);
    let webhook =
        Webhook { format: WebhookFormat::CloudEvents, ..webhook(&listener.url, Some(file)) };
    let message = Message::Told(notice("api waits", "Asks for: ls"));
    assert_eq!(sent(&webhook, &message), Ok("it was answered with 204".to_owned()));
    let got = listener.thread.join().unwrap();
    let (head, posted) = &got[0];
    assert_eq!(header(head, "Content-Type").as_deref(), Some("application/cloudevents+json"));
    assert_eq!(header(head, "X-Taffrail-Event").as_deref(), Some("told"));
    assert_eq!(*posted, body(&message, WebhookFormat::CloudEvents));
    let second: i64 = header(head, "X-Taffrail-Timestamp").unwrap().parse().unwrap();
    let expected = format!("sha256={}", signature(b"a secret of mine", second, posted));
    assert_eq!(header(head, "X-Taffrail-Signature"), Some(expected));
}

#[test]
fn it_is_tried_again_a_few_times_and_only_where_that_may_help() {
    let check = |answers: &'static [&'static str], expected: Result<&str, &str>| {
        let listener = Listener::open(answers);
        let came = sent(&webhook(&listener.url, None), &Message::Told(notice("a", "b")));
        assert_eq!(came.as_deref().map_err(String::as_str), expected, "{answers:?}");
        // The number of requests equals the number of answers.
        let got = listener.thread.join().unwrap();
        assert_eq!(got.len(), answers.len());
        assert!(got.iter().all(|(head, _)| header(head, "X-Taffrail-Signature").is_none()));
    };
    check(&["503 Busy", "500 Broken", "200 OK"], Ok("it was answered with 200"));
    check(&["500 A", "500 B", "500 C"], Err("it was answered with 500"));
    check(&["404 Not Found"], Err("it was answered with 404"));
}

#[test]
fn an_answer_that_leads_elsewhere_is_not_followed() {
    let elsewhere = TcpListener::bind("127.0.0.1:0").unwrap();
    elsewhere.set_nonblocking(true).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let to = elsewhere.local_addr().unwrap();
    let thread = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        request(&mut stream);
        let answer = format!("HTTP/1.1 307 There\r\nLocation: http://{to}/\r\n");
        write!(stream, "{answer}Content-Length: 0\r\n\r\n").unwrap();
    });
    let came = sent(&webhook(&url, None), &Message::Told(notice("a", "b")));
    thread.join().unwrap();
    assert_eq!(came, Err("it was answered with 307".to_owned()));
    assert!(elsewhere.accept().is_err(), "it went elsewhere");
}

#[test]
fn where_nobody_listens_it_says_so() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    let came = sent(&webhook(&url, None), &Message::Told(notice("a", "b")));
    assert_eq!(came, Err("nobody listens there".to_owned()));
}

#[test]
fn an_address_that_does_not_answer_is_left_in_time() {
    let check = |limit: Duration, is_ending: bool, expected: &str| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let message = Message::Told(notice("a", "b"));
        let came = sent_within(&webhook(&url, None), &message, limit, &|| is_ending);
        assert_eq!(came, Err(expected.to_owned()));
    };
    check(Duration::from_millis(20), false, "it took too long");
    check(Duration::from_secs(60), true, "the daemon is ending");
}

#[test]
fn an_address_that_does_not_speak_tls_is_not_trusted() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/hook?key=s3cret", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            stream.read_exact(&mut [0; 5]).unwrap();
            stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
            // Closing before the rest is read would reset the connection.
            std::io::copy(&mut stream, &mut std::io::sink()).ok();
        }
    });
    let came = sent(&webhook(&url, None), &Message::Told(notice("a", "b")));
    assert_eq!(came, Err("the connection could not be made safe".to_owned()));
}

#[test]
fn a_secret_that_others_could_read_is_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secret");
    std::fs::write(&file, "x").unwrap();
    let check = |mode: u32, is_used: bool| {
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(secret_in(&file).is_ok(), is_used, "{mode:o}");
    };
    check(0o600, true);
    check(0o400, true);
    check(0o640, false);
    check(0o604, false);
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    assert!(secret_in(&link).is_err());
    std::fs::write(&file, " \n").unwrap();
    assert!(secret_in(&file).is_err());
    let came = sent(&webhook("http://127.0.0.1:9/", Some(link)), &Message::Told(notice("a", "b")));
    assert!(came.is_err());
}

#[test]
fn only_addresses_are_addresses_and_what_is_secret_in_them_is_not_shown() {
    let check = |text: &str, expected: Option<&str>| {
        let url = WebhookUrl::try_from(text.to_owned()).ok();
        assert_eq!(url.as_ref().map(WebhookUrl::host), expected, "{text}");
    };
    check("https://hooks.example.com/T0/secret", Some("https://hooks.example.com"));
    check("http://127.0.0.1:8080?key=secret", Some("http://127.0.0.1:8080"));
    check("https://me:secret@example.com/x", Some("example.com"));
    for text in ["", "ftp://x", "https://", "https:///x", "file:///etc/passwd", "http://a b"] {
        check(text, None);
    }
    check("http://a\"\nheader = \"X: y", None);
}
