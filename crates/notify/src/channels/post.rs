//! One request: bounded in time and size, without redirects, cancelled when the daemon ends.
//!
//! The client uses the machine's certificates and the proxies of the environment. Errors contain
//! neither the URL nor the body of a response: a URL may hold a secret.

use super::SendError;
use crate::push::PushResolver;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Request, Response, redirect};
use std::error::Error;
use std::io;
use std::iter::successors;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

const NAME: &str = concat!("taffrail/", env!("CARGO_PKG_VERSION"));
const UNSAFE: &str = "the connection could not be made safe";
const UNSENT: &str = "it could not be sent";
/// How often a wait checks whether the daemon ends.
const LOOK: Duration = Duration::from_millis(50);
/// The longest answer that is read.
const ANSWER: usize = 256 * 1024;

/// A request.
pub(crate) struct Post<'a> {
    pub(crate) url: &'a str,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) limit: Duration,
    pub(crate) reach: Reach,
}

/// Where a request may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// To the address that the user wrote, through the proxy of the environment.
    Any,
    /// To the address of a push service, which a browser named: no proxy, and no private address.
    PushService,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// The beginning of the body.
    pub(crate) body: Vec<u8>,
}

/// Whether a retry may help.
pub(super) enum Came {
    Well(Answer),
    Badly(SendError),
    ForNow(SendError),
}

/// Only a 2xx status counts as sent; redirects are not followed.
pub(super) fn came(answer: Result<Answer, &'static str>) -> Came {
    match answer {
        Ok(it) if (200..300).contains(&it.status) => Came::Well(it),
        Ok(Answer { status: code @ (429 | 500..=599), .. }) => {
            Came::ForNow(SendError::Refused(code))
        }
        Ok(it) => Came::Badly(SendError::Refused(it.status)),
        Err(why) => Came::ForNow(SendError::Unreached(why)),
    }
}

/// Tries, and after each of these pauses once more.
pub(super) fn retried(
    pauses: &[Duration],
    ending: &dyn Fn() -> bool,
    mut attempt: impl FnMut() -> Result<Came, SendError>,
) -> Result<Answer, SendError> {
    let mut pauses = pauses.iter();
    loop {
        let why = match attempt()? {
            Came::Well(answer) => return Ok(answer),
            Came::Badly(why) => return Err(why),
            Came::ForNow(why) => why,
        };
        let Some(pause) = pauses.next().filter(|_| !ending()) else { return Err(why) };
        rest(*pause, ending);
    }
}

/// Waits, unless the daemon ends.
pub(crate) fn rest(pause: Duration, ending: &dyn Fn() -> bool) {
    let end = Instant::now() + pause;
    while !ending() {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        std::thread::park_timeout(left.min(LOOK));
    }
}

/// Sends a request and returns the response, or why there is none.
pub(crate) fn post(what: &Post<'_>, ending: &dyn Fn() -> bool) -> Result<Answer, &'static str> {
    let client = client(what)?;
    let headers = header_map(&what.headers).ok_or(UNSENT)?;
    let request = client.post(what.url).headers(headers).body(what.body.clone());
    let request = request.build().map_err(|_| UNSENT)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|_| UNSENT)?;
    let answer = runtime.block_on(answered(&client, request, ending));
    // A DNS server that does not answer blocks a thread: do not wait for it.
    runtime.shutdown_background();
    answer
}

fn client(what: &Post<'_>) -> Result<Client, &'static str> {
    // The client uses the provider of the process; an already installed one stays.
    rustls::crypto::ring::default_provider().install_default().ok();
    let client = Client::builder().timeout(what.limit).redirect(redirect::Policy::none());
    let client = client.user_agent(NAME).http1_title_case_headers();
    // Plain HTTP needs no certificates, and a small container has none.
    let is_plain = what.url.starts_with("http://");
    let client = if is_plain { client.tls_certs_only([]) } else { client };
    let client = match what.reach {
        Reach::Any => client,
        Reach::PushService => {
            let resolver = PushResolver::of(what.url).map_err(|_| UNSENT)?;
            client.no_proxy().dns_resolver(Arc::new(resolver))
        }
    };
    client.build().map_err(|_| UNSAFE)
}

fn header_map(headers: &[(&'static str, String)]) -> Option<HeaderMap> {
    let header = |(name, value): &(&'static str, String)| {
        let name = HeaderName::try_from(*name).ok()?;
        Some((name, HeaderValue::try_from(value).ok()?))
    };
    headers.iter().map(header).collect()
}

async fn answered(
    client: &Client,
    request: Request,
    ending: &dyn Fn() -> bool,
) -> Result<Answer, &'static str> {
    let mut answer = pin!(async { read(client.execute(request).await?).await });
    loop {
        tokio::select! {
            answer = &mut answer => return answer.map_err(|it: reqwest::Error| meaning(&it)),
            () = tokio::time::sleep(LOOK) => {
                if ending() {
                    return Err("the daemon is ending");
                }
            }
        }
    }
}

async fn read(mut response: Response) -> Result<Answer, reqwest::Error> {
    let (status, mut body) = (response.status().as_u16(), Vec::new());
    while let Some(piece) = response.chunk().await? {
        body.extend_from_slice(&piece);
        if body.len() > ANSWER {
            body.truncate(ANSWER);
            break;
        }
    }
    Ok(Answer { status, body })
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
