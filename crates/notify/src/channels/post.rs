//! One POST: bounded in time, without redirects, cancelled when the daemon ends.
//!
//! The client uses the machine's certificates and the proxies of the environment. Errors contain
//! neither the URL nor the body of a response: a URL may hold a secret.

use super::webhook::LOOK;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Request, redirect};
use std::error::Error;
use std::io;
use std::iter::successors;
use std::pin::pin;
use std::time::Duration;

const NAME: &str = concat!("taffrail/", env!("CARGO_PKG_VERSION"));
const UNSAFE: &str = "the connection could not be made safe";
const UNSENT: &str = "it could not be sent";

/// Sends a request and returns the status of the response, or why there is none.
pub(super) fn post(
    url: &str,
    headers: Vec<(&'static str, String)>,
    body: String,
    limit: Duration,
    ending: &dyn Fn() -> bool,
) -> Result<u16, &'static str> {
    let client = client(url, limit)?;
    let headers = header_map(headers).ok_or(UNSENT)?;
    let request = client.post(url).headers(headers).body(body).build().map_err(|_| UNSENT)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|_| UNSENT)?;
    let answer = runtime.block_on(answered(&client, request, ending));
    // A DNS server that does not answer blocks a thread: do not wait for it.
    runtime.shutdown_background();
    answer
}

fn client(url: &str, limit: Duration) -> Result<Client, &'static str> {
    // The client uses the provider of the process; an already installed one stays.
    rustls::crypto::ring::default_provider().install_default().ok();
    let client = Client::builder().timeout(limit).redirect(redirect::Policy::none());
    let client = client.user_agent(NAME).http1_title_case_headers();
    // Plain HTTP needs no certificates, and a small container has none.
    let is_plain = url.starts_with("http://");
    let client = if is_plain { client.tls_certs_only([]) } else { client };
    client.build().map_err(|_| UNSAFE)
}

fn header_map(headers: Vec<(&'static str, String)>) -> Option<HeaderMap> {
    let header = |(name, value): (&'static str, String)| {
        let name = HeaderName::try_from(name).ok()?;
        Some((name, HeaderValue::try_from(value).ok()?))
    };
    headers.into_iter().map(header).collect()
}

async fn answered(
    client: &Client,
    request: Request,
    ending: &dyn Fn() -> bool,
) -> Result<u16, &'static str> {
    let mut answer = pin!(client.execute(request));
    loop {
        tokio::select! {
            answer = &mut answer => {
                return answer.map(|it| it.status().as_u16()).map_err(|it| meaning(&it));
            }
            () = tokio::time::sleep(LOOK) => {
                if ending() {
                    return Err("the daemon is ending");
                }
            }
        }
    }
}

/// An error in terms that a person can act on.
fn meaning(error: &reqwest::Error) -> &'static str {
    let causes = || successors(error.source(), |it| cause(*it));
    if error.is_timeout() {
        "it took too long"
    } else if causes().any(|it| it.to_string() == "dns error") {
        "the host is not known"
    } else if causes().any(<dyn Error>::is::<rustls::Error>) {
        UNSAFE
    } else if causes().filter_map(|it| it.downcast_ref()).any(is_unreachable) {
        "nobody listens there"
    } else {
        UNSENT
    }
}

/// The cause of an error; an I/O error has its own where `source` does not show it.
fn cause<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    inner.map(|it| it as &(dyn Error + 'static)).or_else(|| error.source())
}

fn is_unreachable(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionRefused, HostUnreachable, NetworkUnreachable};
    matches!(error.kind(), ConnectionRefused | HostUnreachable | NetworkUnreachable)
}
