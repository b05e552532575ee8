//! Sends spans to the collector that the user names, and to nobody else.

use reqwest::{Client, Url, redirect};
use serde_json::Value;
use std::net::IpAddr;
use std::str::FromStr;
use std::time::Duration;

const NAME: &str = concat!("taffrail/", env!("CARGO_PKG_VERSION"));
/// How long one request may take.
const LIMIT: Duration = Duration::from_secs(30);
/// The most bytes of an answer that are read.
const MOST: usize = 64 * 1024;
/// The path of spans below the address of a collector.
const PATH: &str = "/v1/traces";

/// The address of a collector: HTTPS, or plain HTTP on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address(Url);

impl FromStr for Address {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let wrong = "a collector is an https:// address, or an http:// address of this machine";
        traces_url(text).map(Self).ok_or(wrong)
    }
}

/// Why spans were not accepted.
#[derive(Debug, thiserror::Error)]
pub enum CollectorError {
    /// The collector refused a request.
    #[error("the collector refused the spans: it answered with {0}")]
    Refused(u16),
    /// The collector took a request and dropped spans of it.
    #[error("the collector rejected {0} of the spans")]
    Rejected(u64),
    /// The collector did not answer.
    #[error("the collector could not be reached: {0}")]
    Unreached(String),
}

/// Sends requests in order, up to the first one that the collector does not accept.
///
/// # Errors
/// When the collector does not accept everything.
pub fn send(Address(url): &Address, requests: &[String]) -> Result<(), CollectorError> {
    let unreached = |error: std::io::Error| CollectorError::Unreached(error.to_string());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(unreached)?;
    let sent = runtime.block_on(send_all(url, requests));
    // A DNS server that does not answer blocks a thread: do not wait for it.
    runtime.shutdown_background();
    sent
}

async fn send_all(url: &Url, requests: &[String]) -> Result<(), CollectorError> {
    let client = client(url).map_err(|it| unreached(&it))?;
    for body in requests {
        let request = client.post(url.clone()).header("Content-Type", "application/json");
        let mut answer =
            request.body(body.clone()).send().await.map_err(|error| unreached(&error))?;
        if !answer.status().is_success() {
            return Err(CollectorError::Refused(answer.status().as_u16()));
        }
        let mut bytes = Vec::new();
        // An answer that breaks off after its status rejects nothing.
        while let Ok(Some(chunk)) = answer.chunk().await {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > MOST {
                break;
            }
        }
        match rejected(&bytes) {
            0 => {}
            spans => return Err(CollectorError::Rejected(spans)),
        }
    }
    Ok(())
}

/// The client follows no redirect, and reaches this machine without a proxy.
fn client(url: &Url) -> Result<Client, reqwest::Error> {
    // The client uses the provider of the process; an already installed one stays.
    rustls::crypto::ring::default_provider().install_default().ok();
    let client = Client::builder().timeout(LIMIT).user_agent(NAME);
    let client = client.redirect(redirect::Policy::none());
    // Plain HTTP needs no certificates, and a small container has none.
    let is_plain = url.scheme() == "http";
    let client = if is_plain { client.no_proxy().tls_certs_only([]) } else { client };
    client.build()
}

/// An error without the address, which may hold a secret.
fn unreached(error: &reqwest::Error) -> CollectorError {
    let word = if error.is_timeout() {
        "it took too long"
    } else if error.is_connect() {
        "no connection could be made"
    } else {
        "the request could not be sent"
    };
    CollectorError::Unreached(word.to_owned())
}

fn traces_url(address: &str) -> Option<Url> {
    let url = Url::parse(&format!("{}{PATH}", address.trim_end_matches('/'))).ok()?;
    let host = url.host_str()?.trim_matches(['[', ']']);
    let is_ours = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|it| it.is_loopback());
    let is_safe = match url.scheme() {
        "https" => true,
        "http" => is_ours,
        _ => false,
    };
    (is_safe && url.query().is_none() && url.fragment().is_none()).then_some(url)
}

/// How many spans the answer says were rejected.
fn rejected(answer: &[u8]) -> u64 {
    let Ok(answer) = serde_json::from_slice::<Value>(answer) else { return 0 };
    let count = answer.get("partialSuccess").and_then(|it| it.get("rejectedSpans"));
    match count {
        Some(Value::String(text)) => text.parse().unwrap_or_default(),
        Some(count) => count.as_u64().unwrap_or_default(),
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::thread::JoinHandle;

    /// A collector that takes one request, and gives it back when it is over.
    fn collector(status: &'static str, body: &'static str) -> (String, JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/", listener.local_addr().unwrap());
        let taken = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut asked = Vec::new();
            while !asked.ends_with(b"{\"spans\":1}") {
                let mut piece = [0; 4096];
                let count = stream.read(&mut piece).unwrap();
                assert!(count > 0, "the request broke off");
                asked.extend_from_slice(&piece[..count]);
            }
            let length = body.len();
            write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n{body}").unwrap();
            String::from_utf8(asked).unwrap()
        });
        (address, taken)
    }

    #[test]
    fn what_a_collector_does_not_accept_is_an_error() {
        let check = |status, body, expected: Result<(), &str>| {
            let (address, taken) = collector(status, body);
            let got = send(&address.parse().unwrap(), &["{\"spans\":1}".to_owned()]);
            let got = got.map_err(|error| error.to_string());
            assert_eq!(got, expected.map_err(str::to_owned), "{status} {body}");
            let asked = taken.join().unwrap();
            assert!(asked.starts_with("POST /v1/traces HTTP/1.1\r\n"), "{asked}");
            assert!(asked.to_lowercase().contains("content-type: application/json\r\n"), "{asked}");
        };
        check("200 OK", "{}", Ok(()));
        check("204 No Content", "", Ok(()));
        check("200 OK", "{\"partialSuccess\":{\"rejectedSpans\":\"0\"}}", Ok(()));
        let rejected = Err("the collector rejected 2 of the spans");
        check("200 OK", "{\"partialSuccess\":{\"rejectedSpans\":\"2\"}}", rejected);
        let refused = Err("the collector refused the spans: it answered with 400");
        check("400 Bad Request", "no", refused);
        let moved = Err("the collector refused the spans: it answered with 307");
        check("307 Temporary Redirect\r\nLocation: http://127.0.0.1:1/", "", moved);
        let nobody = "http://127.0.0.1:1".parse().unwrap();
        let gone = send(&nobody, &["{}".to_owned()]).unwrap_err().to_string();
        assert_eq!(gone, "the collector could not be reached: no connection could be made");
    }

    #[test]
    fn plain_http_reaches_this_machine_only() {
        let check = |address: &str, expected: Option<&str>| {
            assert_eq!(traces_url(address).as_ref().map(Url::as_str), expected, "{address}");
        };
        check("http://127.0.0.1:4318", Some("http://127.0.0.1:4318/v1/traces"));
        check("http://localhost:4318/", Some("http://localhost:4318/v1/traces"));
        check("http://[::1]:4318", Some("http://[::1]:4318/v1/traces"));
        check("https://otel.example/in", Some("https://otel.example/in/v1/traces"));
        check("http://otel.example:4318", None);
        check("http://10.0.0.7:4318", None);
        check("http://127.0.0.1.example", None);
        check("ftp://127.0.0.1", None);
        check("https://otel.example?key=1", None);
        check("127.0.0.1:4318", None);
        check("", None);
    }
}
