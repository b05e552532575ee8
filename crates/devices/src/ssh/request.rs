//! Requests at the far end: read strictly, judged, and written again for the daemon.

use super::Access;
use taffrail_api::{Envelope, ErrorBody, ErrorKind};

/// The most bytes before the body.
const HEAD: usize = 16 * 1024;
/// The most bytes of a body: an answer has a reason of at most a thousand characters.
const BODY: usize = 64 * 1024;
/// Requests for approval, each with its id behind it.
const APPROVALS: &str = "/api/approvals/";

/// What has come of a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Gathered {
    /// A part of it.
    Part,
    /// All of it, as the daemon gets it.
    Whole(Vec<u8>),
    /// The caller may not do this, or it makes no sense; the answer says so.
    Refused(Vec<u8>),
}

struct Head<'a> {
    method: &'a str,
    path: &'a str,
    accept: &'a str,
    length: usize,
}

/// Judges what has come so far. Nothing of it reaches the daemon but the method, the path, what is accepted, and the
/// body.
pub(super) fn gathered(bytes: &[u8], access: Access) -> Gathered {
    let Some(end) = bytes.windows(4).position(|it| it == b"\r\n\r\n") else {
        return if bytes.len() > HEAD { senseless() } else { Gathered::Part };
    };
    let (head, rest) = bytes.split_at_checked(end).unwrap_or_default();
    let body = rest.get(4..).unwrap_or_default();
    let Some(head) = str::from_utf8(head).ok().and_then(read) else { return senseless() };
    if !may(&head, access) {
        return refused(access);
    }
    match body.get(..head.length) {
        None if head.length > BODY => senseless(),
        None => Gathered::Part,
        Some(body) => Gathered::Whole(written(&head, body)),
    }
}

fn read(head: &str) -> Option<Head<'_>> {
    let is_plain = |it: &str| it.bytes().all(|it| matches!(it, b' '..=b'~'));
    let mut lines = head.split("\r\n");
    let first = lines.next().filter(|it| is_plain(it))?;
    let mut words = first.split(' ');
    let (method, path, version) = (words.next()?, words.next()?, words.next()?);
    let mut read = Head { method, path, accept: "application/json", length: 0 };
    for line in lines {
        let (name, value) = line.split_once(':').filter(|_| is_plain(line))?;
        match name.to_ascii_lowercase().as_str() {
            "accept" => read.accept = value.trim(),
            "content-length" => read.length = value.trim().parse().ok()?,
            _ => {}
        }
    }
    (version == "HTTP/1.1" && words.next().is_none() && path.starts_with("/api/")).then_some(read)
}

/// Everything may be read; with the right to answer, requests for approval may be decided.
fn may(head: &Head<'_>, access: Access) -> bool {
    let is_id =
        |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-');
    match (head.method, access) {
        ("GET", _) => head.length == 0,
        ("POST", Access::Answer) => head.path.strip_prefix(APPROVALS).is_some_and(is_id),
        _ => false,
    }
}

fn written(head: &Head<'_>, body: &[u8]) -> Vec<u8> {
    let Head { method, path, accept, length } = head;
    let mut text = format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\naccept: {accept}\r\nconnection: close\r\n"
    );
    if *length > 0 {
        text += &format!("content-type: application/json\r\ncontent-length: {length}\r\n");
    }
    [text.as_bytes(), b"\r\n", body].concat()
}

fn refused(access: Access) -> Gathered {
    let (message, hint) = match access {
        Access::Read => (
            "this connection only reads",
            "quit, and run `taffrail link ssh://HOST --answer` to answer requests for approval",
        ),
        Access::Answer => (
            "this connection only reads and answers requests for approval",
            "do it in a terminal on that host",
        ),
    };
    Gathered::Refused(answer(403, ErrorKind::Refused, (message, hint)))
}

fn senseless() -> Gathered {
    let why = ("the request could not be read", "run the same version of Taffrail on both hosts");
    Gathered::Refused(answer(400, ErrorKind::Usage, why))
}

/// An answer of the far end itself, in the daemon's form.
pub(super) fn answer(status: u16, kind: ErrorKind, (message, hint): (&str, &str)) -> Vec<u8> {
    let error = ErrorBody {
        code: kind.exit_code(),
        kind,
        message: message.to_owned(),
        hint: Some(hint.to_owned()),
        retryable: kind == ErrorKind::DaemonUnreachable,
        candidates: Vec::new(),
    };
    // A document of texts and numbers always becomes JSON.
    let body = serde_json::to_vec(&Envelope { error }).unwrap_or_default();
    let head = format!(
        "HTTP/1.1 {status} Refused\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), &body].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const READ: &str = "GET /api/sessions?all=true HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\nconnection: close\r\n\r\n";
    const DECIDE: &str = "POST /api/approvals/3f2a HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";

    fn is_whole(text: &str, access: Access) -> bool {
        matches!(gathered(text.as_bytes(), access), Gathered::Whole(_))
    }

    #[test]
    fn a_connection_that_reads_refuses_everything_else_before_the_daemon_sees_it() {
        for method in ["POST", "DELETE", "PUT", "PATCH", "OPTIONS", "CONNECT", "get", "HEAD", ""] {
            let text = READ.replace("GET", method);
            assert!(!is_whole(&text, Access::Read) && !is_whole(&text, Access::Answer), "{method}");
        }
        assert!(is_whole(READ, Access::Read) && is_whole(READ, Access::Answer));
        assert!(!is_whole(DECIDE, Access::Read));
        let Gathered::Refused(answer) = gathered(DECIDE.as_bytes(), Access::Read) else { panic!() };
        let answer = String::from_utf8(answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 403 ") && answer.contains("only reads"), "{answer}");
    }

    #[test]
    fn a_connection_that_answers_decides_requests_and_nothing_else() {
        assert!(is_whole(DECIDE, Access::Answer));
        for path in [
            "/api/approvals",
            "/api/approvals/",
            "/api/approvals/3f2a/x",
            "/api/approvals/..",
            "/api/approvals/3f2a?x=1",
            "/api/approvals/%2e%2e",
            "/api/stop",
            "/api/sessions/3f2a/controls/notify",
            "/api/rules",
            "/mcp",
        ] {
            assert!(
                !is_whole(&DECIDE.replace("/api/approvals/3f2a", path), Access::Answer),
                "{path}"
            );
        }
    }

    #[test]
    fn the_daemon_gets_the_request_and_no_other_header() {
        let text = READ.replace(
            "host: localhost",
            "upgrade: websocket\r\nTransfer-Encoding: chunked\r\nauthorization: x",
        );
        let Gathered::Whole(bytes) = gathered(text.as_bytes(), Access::Read) else { panic!() };
        assert_eq!(
            String::from_utf8(bytes).unwrap(),
            "GET /api/sessions?all=true HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\nconnection: close\r\n\r\n"
        );
        let twice = format!("{READ}POST /api/stop HTTP/1.1\r\n\r\n");
        assert_eq!(
            gathered(twice.as_bytes(), Access::Read),
            gathered(READ.as_bytes(), Access::Read)
        );
        for text in [
            READ.replace("/api/sessions?all=true", "/mcp"),
            READ.replace("HTTP/1.1", "HTTP/1.1 x"),
            READ.replace("accept: ", "accept: a\nx: "),
            READ.replace("host", "ho\u{1b}st"),
            READ.replace("\r\n\r\n", "\r\ncontent-length: 4\r\n\r\nabcd"),
            DECIDE.replace("content-length: 2", "content-length: 99999999"),
            DECIDE.replace("content-length: 2", "content-length: -1"),
            "a".repeat(HEAD + 1),
        ] {
            assert!(
                matches!(gathered(text.as_bytes(), Access::Answer), Gathered::Refused(_)),
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn a_request_in_pieces_is_the_same_request(cut in 0..DECIDE.len()) {
            let part = gathered(&DECIDE.as_bytes()[..cut], Access::Answer);
            prop_assert_eq!(part, Gathered::Part);
        }

        #[test]
        fn any_bytes_are_judged(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let judged = gathered(&bytes, Access::Answer);
            prop_assert!(!matches!(judged, Gathered::Whole(_)));
        }
    }
}
