//! The latest release, asked for only when the user says so.
//!
//! A release has a `SHA256SUMS` whose file names carry the version; nothing else is asked or sent.

use reqwest::{Client, redirect};
use std::time::Duration;

const NAME: &str = concat!("taffrail/", env!("CARGO_PKG_VERSION"));
/// How long an answer may take.
const LIMIT: Duration = Duration::from_secs(10);
/// The most redirects that are followed: a forge keeps its files on another host.
const REDIRECTS: usize = 5;
/// The most bytes of a list of checksums.
const MOST: usize = 64 * 1024;

/// The version of the latest release, by its list of checksums at this address.
///
/// # Errors
/// When the address does not answer, or the answer is not a list of ours.
pub fn latest(address: &str) -> Result<String, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let list = runtime.block_on(list(address)).map_err(|error| error.without_url().to_string())?;
    runtime.shutdown_background();
    let list = list.ok_or_else(|| "the answer is too long".to_owned())?;
    version_in(&list).ok_or_else(|| "the answer is not a list of checksums of Taffrail".to_owned())
}

async fn list(address: &str) -> Result<Option<String>, reqwest::Error> {
    // The client uses the provider of the process; an already installed one stays.
    rustls::crypto::ring::default_provider().install_default().ok();
    let client = Client::builder().timeout(LIMIT).user_agent(NAME);
    let client = client.redirect(redirect::Policy::limited(REDIRECTS));
    // Plain HTTP needs no certificates, and a small container has none.
    let is_plain = address.starts_with("http://");
    let client = if is_plain { client.tls_certs_only([]) } else { client };
    let mut answer = client.build()?.get(address).send().await?.error_for_status()?;
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > MOST {
            return Ok(None);
        }
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// The version in the name of the first package: `taffrail-1.2.3-x86_64-unknown-linux-musl.tar.gz`.
fn version_in(list: &str) -> Option<String> {
    let names = list.lines().filter_map(|line| line.split_whitespace().nth(1));
    let mut versions = names.filter_map(|name| {
        let rest = name.trim_start_matches('*').strip_prefix("taffrail-")?;
        let (version, _) = rest.strip_suffix(".tar.gz")?.split_once('-')?;
        let is_version = version.split('.').count() == 3
            && version.chars().all(|it| it.is_ascii_digit() || it == '.');
        is_version.then(|| version.to_owned())
    });
    versions.next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpListener;

    #[test]
    fn a_list_of_checksums_names_its_version() {
        let check = |list: &str, expected: Option<&str>| {
            assert_eq!(version_in(list).as_deref(), expected, "{list}");
        };
        let name = "taffrail-0.12.0-x86_64-unknown-linux-musl.tar.gz";
        check(&format!("00ff  taffrail_0.12.0_amd64.deb\n00ff  {name}\n"), Some("0.12.0"));
        check(&format!("00ff *{name}\n"), Some("0.12.0"));
        check("00ff  taffrail-latest-x86_64.tar.gz\n", None);
        check("<html>sign in</html>", None);
        check("", None);
    }

    /// A release page that answers once.
    fn answering(status: &'static str, body: &'static str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/SHA256SUMS", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut asked = [0; 4096];
            assert!(stream.read(&mut asked).unwrap() > 0, "nothing was asked");
            let length = body.len();
            write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n{body}").unwrap();
        });
        address
    }

    #[test]
    fn the_latest_release_is_asked_for() {
        let list = "00ff  taffrail-9.0.1-aarch64-unknown-linux-musl.tar.gz\n";
        assert_eq!(latest(&answering("200 OK", list)), Ok("9.0.1".to_owned()));
        assert!(latest(&answering("404 Not Found", "")).unwrap_err().contains("404"));
        let odd = latest(&answering("200 OK", "<html>")).unwrap_err();
        assert_eq!(odd, "the answer is not a list of checksums of Taffrail");
        assert!(latest("http://127.0.0.1:1/SHA256SUMS").is_err());
    }
}
