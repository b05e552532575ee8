//! Streams of server-sent events, message by message.

use super::ClientError;
use super::body::Body;
use std::io::{BufRead, BufReader, Read};

/// The longest line of a stream.
const LINE: u64 = 64 * 1024 * 1024;

/// One message of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Update {
    /// Its name; empty for an event.
    pub name: String,
    /// The cursor to continue after it, if it has one.
    pub cursor: Option<String>,
    /// A JSON document.
    pub data: String,
}

/// The messages of a stream, as they arrive.
#[derive(Debug)]
pub struct Updates<R = Body> {
    from: BufReader<R>,
}

impl<R: Read> Updates<R> {
    pub(super) fn new(body: R) -> Self {
        Self { from: BufReader::with_capacity(64 * 1024, body) }
    }

    fn next_update(&mut self) -> Result<Option<Update>, ClientError> {
        let mut update = Update::default();
        let mut said = false;
        loop {
            let Some(line) = next_line(&mut self.from)? else { return Ok(None) };
            if line.is_empty() {
                if std::mem::take(&mut said) {
                    return Ok(Some(update));
                }
                update = Update::default();
                continue;
            }
            let (field, value) = line.split_once(':').unwrap_or((&line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "event" => value.clone_into(&mut update.name),
                "id" => update.cursor = Some(value.to_owned()),
                "data" => {
                    if std::mem::replace(&mut said, true) {
                        update.data.push('\n');
                    }
                    update.data += value;
                }
                // A keep-alive, or an unknown field.
                _ => {}
            }
        }
    }
}

impl<R: Read> Iterator for Updates<R> {
    type Item = Result<Update, ClientError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_update().transpose()
    }
}

/// Only the data of a stream: of its events, or its lines.
#[derive(Debug)]
pub struct Lines<R = Body> {
    from: BufReader<R>,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(body: R) -> Self {
        Self { from: BufReader::with_capacity(64 * 1024, body) }
    }

    fn next_data(&mut self) -> Result<Option<String>, ClientError> {
        let mut named = false;
        while let Some(line) = next_line(&mut self.from)? {
            match line.as_bytes() {
                [] => named = false,
                [b'{', ..] => return Ok(Some(line)),
                bytes if bytes.starts_with(b"event:") => named = true,
                bytes if bytes.starts_with(b"data:") && !named => {
                    let data = line.strip_prefix("data:").unwrap_or(&line);
                    return Ok(Some(data.trim_start().to_owned()));
                }
                _ => {}
            }
        }
        Ok(None)
    }
}

impl<R: Read> Iterator for Lines<R> {
    type Item = Result<String, ClientError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_data().transpose()
    }
}

fn next_line(from: &mut impl BufRead) -> Result<Option<String>, ClientError> {
    let mut bytes = Vec::new();
    from.take(LINE).read_until(b'\n', &mut bytes).map_err(ClientError::Broken)?;
    match bytes.pop() {
        None => return Ok(None),
        Some(b'\n') => {}
        Some(other) => bytes.push(other),
    }
    if bytes.last() == Some(&b'\r') {
        bytes.pop();
    }
    String::from_utf8(bytes).map(Some).map_err(|it| ClientError::Garbled(it.to_string()))
}
