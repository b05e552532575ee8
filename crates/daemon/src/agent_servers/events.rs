//! A stream of server-sent events.

use super::MESSAGE;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use std::io;

/// The events of a reply that does not end.
#[derive(Debug)]
pub(super) struct Events {
    body: Incoming,
    buffer: Buffer,
}

impl Events {
    pub(super) fn new(body: Incoming) -> Self {
        Self { body, buffer: Buffer::default() }
    }

    /// The text of the next event; `None` when the server is gone.
    pub(super) async fn next(&mut self) -> io::Result<Option<String>> {
        loop {
            if let Some(text) = self.buffer.next() {
                return Ok(Some(text));
            }
            let frame = match self.body.frame().await {
                // A killed server closes without a goodbye, which is not an error.
                None | Some(Err(_)) => return Ok(None),
                Some(Ok(frame)) => frame,
            };
            self.buffer.add(frame.data_ref().map(AsRef::as_ref).unwrap_or_default())?;
        }
    }
}

/// The lines that have arrived, and the text of the event they are part of.
#[derive(Debug, Default)]
struct Buffer {
    bytes: Vec<u8>,
    /// How many of the bytes are known to hold no end of a line.
    searched: usize,
    text: String,
}

impl Buffer {
    fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes.extend_from_slice(bytes);
        match self.bytes.len() + self.text.len() > MESSAGE {
            true => Err(io::Error::other("the server sent too long an event")),
            false => Ok(()),
        }
    }

    /// The next whole event. An empty line ends an event, and only its data counts.
    fn next(&mut self) -> Option<String> {
        while let Some(end) = self.line_end() {
            let line: Vec<u8> = self.bytes.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end_matches(['\n', '\r']);
            if line.is_empty() && !self.text.is_empty() {
                return Some(std::mem::take(&mut self.text));
            }
            if let Some(data) = line.strip_prefix("data:") {
                self.text.push_str(data.strip_prefix(' ').unwrap_or(data));
            }
        }
        None
    }

    fn line_end(&mut self) -> Option<usize> {
        let found = self.bytes.iter().skip(self.searched).position(|it| *it == b'\n');
        let end = found.map(|it| it + self.searched);
        self.searched = if end.is_some() { 0 } else { self.bytes.len() };
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_its_data_however_it_arrives() {
        let stream =
            ": comment\n\ndata: {\"a\":1}\n\nid: 7\r\ndata:{\"b\":\r\ndata: 2}\r\n\r\ndata: torn";
        for size in 1..stream.len() {
            let mut buffer = Buffer::default();
            let mut events = Vec::new();
            for part in stream.as_bytes().chunks(size) {
                buffer.add(part).unwrap();
                while let Some(it) = buffer.next() {
                    events.push(it);
                }
            }
            assert_eq!(events, [r#"{"a":1}"#, r#"{"b":2}"#], "in parts of {size}");
        }
    }

    #[test]
    fn an_endless_event_ends_the_stream() {
        let mut buffer = Buffer::default();
        assert!(buffer.add(&vec![b'x'; MESSAGE]).is_ok());
        assert!(buffer.add(b"x").is_err());
    }
}
