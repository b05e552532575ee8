//! Reads a NATS server's HTTP monitoring. Clients cannot learn otherwise how it writes to disk.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// How long the server may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// The most bytes read of an answer.
const LIMIT: u64 = 1024 * 1024;
const PORT: u16 = 8222;

/// When a server flushes to disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sync {
    /// Before it answers.
    Always,
    /// At this interval, in seconds.
    Every(u64),
}

#[derive(Debug, Deserialize)]
struct Answer {
    config: Config,
}

#[derive(Debug, Deserialize)]
struct Readers {
    slow_consumers: u64,
}

#[derive(Debug, Deserialize)]
struct Config {
    #[serde(default)]
    sync_always: bool,
    /// In nanoseconds.
    #[serde(default)]
    sync_interval: u64,
}

/// Queries the server at an address such as `http://HOST:8222`.
pub(super) async fn sync_interval(address: &str) -> Result<Sync, String> {
    asked(address, "/jsz?config=true").await.and_then(|answer| read(&answer))
}

/// How many slow readers the server cut off since its start.
pub(super) async fn slow_consumers(address: &str) -> Result<u64, String> {
    asked(address, "/varz").await.and_then(|answer| counted(&answer))
}

async fn asked(address: &str, page: &str) -> Result<String, String> {
    let body = tokio::time::timeout(PATIENCE, get(address, page)).await;
    body.map_err(|_| "no answer in time".to_owned())?
}

async fn get(address: &str, page: &str) -> Result<String, String> {
    let Some(host) = address.strip_prefix("http://") else {
        return Err("only http:// can be asked".to_owned());
    };
    let host = host.split('/').next().unwrap_or_default();
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    let place = if has_port { host.to_owned() } else { format!("{host}:{PORT}") };
    let mut stream = TcpStream::connect(&place).await.map_err(|error| error.to_string())?;
    let request = format!("GET {page} HTTP/1.0\r\nHost: {host}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.map_err(|error| error.to_string())?;
    let mut answer = Vec::new();
    let read = stream.take(LIMIT).read_to_end(&mut answer).await;
    read.map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

fn parsed<T: DeserializeOwned>(answer: &str) -> Result<T, String> {
    let (_, body) = answer.split_once("\r\n\r\n").ok_or("that is not HTTP")?;
    serde_json::from_str(body).map_err(|error| error.to_string())
}

fn counted(answer: &str) -> Result<u64, String> {
    parsed::<Readers>(answer).map(|it| it.slow_consumers)
}

fn read(answer: &str) -> Result<Sync, String> {
    Ok(match parsed::<Answer>(answer)?.config {
        Config { sync_always: true, .. } => Sync::Always,
        Config { sync_interval, .. } => Sync::Every(sync_interval / 1_000_000_000),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let check = |body: &str, expected: Option<Sync>| {
            let answer = format!("HTTP/1.0 200 OK\r\nX: y\r\n\r\n{body}");
            assert_eq!(read(&answer).ok(), expected, "{body}");
        };
        check(
            r#"{"config":{"sync_interval":120000000000,"sync_always":true}}"#,
            Some(Sync::Always),
        );
        check(r#"{"config":{"sync_interval":120000000000}}"#, Some(Sync::Every(120)));
        check(r#"{"streams":0}"#, None);
        check("<html>", None);
        assert!(read("").is_err());
        assert_eq!(counted("HTTP/1.0 200 OK\r\n\r\n{\"slow_consumers\":3}"), Ok(3));
        assert!(counted("HTTP/1.0 200 OK\r\n\r\n{}").is_err());
    }
}
