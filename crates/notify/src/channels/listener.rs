//! A stub server for tests: it answers each request with the next of its answers, and notes what it
//! got. It stands in for push services, ntfy and Telegram, none of which runs here.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread::JoinHandle;

/// A stub on loopback.
pub(crate) struct Listener {
    pub(crate) url: String,
    pub(crate) thread: JoinHandle<Vec<Received>>,
}

/// A request that came.
pub(crate) struct Received {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        let lines = self.head.lines().filter_map(|it| it.split_once(": "));
        let mut found = lines.filter(|(it, _)| it.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.to_owned())
    }

    pub(crate) fn path(&self) -> &str {
        self.head.split(' ').nth(1).unwrap()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

impl Listener {
    /// Answers as many requests as there are answers: a status and a body each.
    pub(crate) fn open(answers: &[(u16, &str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let answers: Vec<(u16, String)> =
            answers.iter().map(|(status, body)| (*status, (*body).to_owned())).collect();
        let thread = std::thread::spawn(move || {
            let answer = |(status, body): &(u16, String)| {
                let (mut stream, _) = listener.accept().unwrap();
                let request = request(&mut stream);
                let length = body.len();
                let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\n\r\n");
                stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
                request
            };
            answers.iter().map(answer).collect()
        });
        Self { url, thread }
    }
}

fn request(stream: &mut impl Read) -> Received {
    let (mut head, mut byte) = (Vec::new(), [0; 1]);
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    let mut it = Received { head: String::from_utf8(head).unwrap(), body: Vec::new() };
    let length = it.header("Content-Length").map_or(0, |it| it.parse().unwrap());
    it.body.resize(length, 0);
    stream.read_exact(&mut it.body).unwrap();
    it
}
