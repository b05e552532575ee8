//! The subset of HTTP that agents use with their model: one request, one response, then close.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// A request.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Request {
    /// `GET`, `POST`.
    pub method: String,
    /// The path, without its query.
    pub path: String,
    /// The body, if it is JSON.
    pub body: Value,
}

/// Reads one request; `None` when the client has gone away.
pub(super) fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let first = line(&mut reader)?;
    let mut words = first.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?);
    let path = target.split('?').next()?.to_owned();
    let (mut length, mut chunked, mut encoding) = (0, false, String::new());
    loop {
        let header = line(&mut reader)?;
        let Some((name, value)) = header.split_once(':') else { break };
        match (name.to_lowercase().as_str(), value.trim()) {
            ("content-length", value) => length = value.parse().ok()?,
            ("transfer-encoding", value) => chunked = value.eq_ignore_ascii_case("chunked"),
            ("content-encoding", value) => value.clone_into(&mut encoding),
            _ => {}
        }
    }
    let bytes = if chunked { chunks(&mut reader)? } else { exactly(&mut reader, length)? };
    let bytes = decoded(bytes, &encoding);
    Some(Request { method, path, body: serde_json::from_slice(&bytes).unwrap_or(Value::Null) })
}

fn decoded(bytes: Vec<u8>, encoding: &str) -> Vec<u8> {
    match encoding {
        "" => bytes,
        "zstd" => zstd::decode_all(bytes.as_slice()).expect("what is called zstd is zstd"),
        other => panic!("the scripted model does not read {other}"),
    }
}

fn line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    let read = reader.read_line(&mut line).ok()?;
    (read > 0).then(|| line.trim_end().to_owned())
}

fn exactly(reader: &mut impl Read, length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; length];
    reader.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

fn chunks(reader: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut whole = Vec::new();
    loop {
        let size = line(reader)?;
        let length = usize::from_str_radix(size.split(';').next()?, 16).ok()?;
        whole.extend(exactly(reader, length)?);
        line(reader);
        if length == 0 {
            return Some(whole);
        }
    }
}

/// Responds with one document, after these lines of headers.
pub(super) fn answer(
    stream: &mut TcpStream,
    (status, headers): (u16, &str),
    body: &Value,
) -> Option<()> {
    let body = body.to_string();
    let head = format!(
        "HTTP/1.1 {status} Scripted\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
         {headers}connection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes()).ok()
}

/// Starts a stream of events for the request with this number, after these lines of headers.
pub(super) fn begin_stream(stream: &mut TcpStream, number: usize, headers: &str) -> Option<()> {
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\n\
         request-id: req_scripted{number:06}\r\n{headers}connection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    fn check(sent: &str, expected: Option<Value>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        client.write_all(sent.as_bytes()).unwrap();
        drop(client);
        let (server, _) = listener.accept().unwrap();
        let expected = expected.map(|body| Request {
            method: "POST".to_owned(),
            path: "/v1/messages".to_owned(),
            body,
        });
        assert_eq!(read(&server), expected, "{sent}");
    }

    #[test]
    fn a_request_is_read_however_it_is_cut() {
        let head = "POST /v1/messages?beta=true HTTP/1.1\r\n";
        let one = Some(serde_json::json!({"a": 1}));
        check(&format!("{head}Content-Length: 7\r\n\r\n{{\"a\":1}}"), one.clone());
        let chunked = "transfer-encoding: chunked\r\n\r\n3\r\n{\"a\r\n4\r\n\":1}\r\n0\r\n\r\n";
        check(&format!("{head}{chunked}"), one);
        check(&format!("{head}\r\n"), Some(Value::Null));
        check(&format!("{head}content-length: 9\r\n\r\n{{}}"), None);
        check("", None);
    }
}
