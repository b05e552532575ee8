//! The addresses of push services. A browser names one, so it must not lead into the user's own
//! network: only `https` to public addresses, or `http` to this machine, for tests.

use super::PushError;
use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The longest address.
const BYTES: usize = 1024;
/// What is refused, in a person's words.
const REFUSED: PushError = PushError::Endpoint(
    "the address of a push service is https:// and public, or http:// on this machine",
);

/// Where an address may lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Allowed {
    /// To addresses that everybody can reach.
    Public,
    /// To this machine.
    Here,
}

/// Checks the address of a push service.
pub(super) fn check(text: &str) -> Result<(), PushError> {
    allowed(text).map(|_| ())
}

fn allowed(text: &str) -> Result<Allowed, PushError> {
    let url = parsed(text)?;
    let host = url.host_str().unwrap_or_default();
    let literal = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().ok();
    let is_plain =
        url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
    let found = match (url.scheme(), literal) {
        ("https", Some(it)) if is_public(it) => Some(Allowed::Public),
        ("https", None) if host.contains('.') && !host.ends_with('.') => Some(Allowed::Public),
        ("http", Some(it)) if it.is_loopback() => Some(Allowed::Here),
        ("http", None) if host == "localhost" => Some(Allowed::Here),
        _ => None,
    };
    found.filter(|_| is_plain).ok_or(REFUSED)
}

/// The origin of an address, which a claim is for.
pub(crate) fn origin(text: &str) -> Result<String, PushError> {
    Ok(parsed(text)?.origin().ascii_serialization())
}

fn parsed(text: &str) -> Result<Url, PushError> {
    Url::parse(text).ok().filter(|_| text.len() <= BYTES).ok_or(REFUSED)
}

/// Resolves the name of a push service, and leaves out the addresses that it must not lead to.
/// Checking when connecting is what counts: a name may lead elsewhere a moment later.
#[derive(Debug)]
pub(crate) struct PushResolver(Allowed);

impl PushResolver {
    /// The resolver for an address, which is checked again.
    pub(crate) fn of(endpoint: &str) -> Result<Self, PushError> {
        allowed(endpoint).map(Self)
    }
}

impl Resolve for PushResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let allowed = self.0;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let may = |it: &SocketAddr| match allowed {
                Allowed::Public => is_public(it.ip()),
                Allowed::Here => it.ip().is_loopback(),
            };
            let all: Vec<SocketAddr> = found.filter(may).collect();
            if all.is_empty() {
                return Err("the name leads to no address that may be used".into());
            }
            let all: Addrs = Box::new(all.into_iter());
            Ok(all)
        })
    }
}

/// Whether everybody can reach an address: it is in no private, local or special range.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(it) => is_public_v4(it),
        IpAddr::V6(it) => is_public_v6(it),
    }
}

fn is_public_v4(it: Ipv4Addr) -> bool {
    let [a, b, c, _] = it.octets();
    let is_special = match (a, b) {
        // This network, shared by carriers, protocol assignments, benchmarks, reserved.
        (0 | 240..=255, _) | (198, 18 | 19) => true,
        (100, b) => (64..128).contains(&b),
        (192, 0) => c == 0,
        _ => false,
    };
    !(is_special
        || it.is_private()
        || it.is_loopback()
        || it.is_link_local()
        || it.is_multicast()
        || it.is_documentation())
}

fn is_public_v6(it: Ipv6Addr) -> bool {
    let [first, second, ..] = it.segments();
    // A translated address is as public as the one inside it.
    if let Some(inside) = it.to_ipv4_mapped() {
        return is_public_v4(inside);
    }
    if let [0x64, 0xff9b, 0, 0, 0, 0, high, low] = it.segments() {
        let [[a, b], [c, d]] = [high.to_be_bytes(), low.to_be_bytes()];
        return is_public_v4(Ipv4Addr::new(a, b, c, d));
    }
    // Of what is assigned to everybody, tunnels and documentation are left out.
    let is_global = (0x2000..0x4000).contains(&first);
    let is_special = matches!((first, second), (0x2001, 0..=0x1ff | 0xdb8) | (0x2002, _));
    is_global && !is_special
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_leads_to_everybodys_network_or_to_this_machine() {
        let check = |text: &str, expected: Option<Allowed>| {
            assert_eq!(allowed(text).ok(), expected, "{text}");
        };
        let (public, here) = (Some(Allowed::Public), Some(Allowed::Here));
        check("https://fcm.googleapis.com/fcm/send/abc", public);
        check("https://updates.push.services.mozilla.com/wpush/v2/x", public);
        check("https://web.push.apple.com/x", public);
        check("https://1.1.1.1/x", public);
        check("https://[2606:4700::1111]/x", public);
        check("http://127.0.0.1:8990/notify/x", here);
        check("http://[::1]:8990/x", here);
        check("http://localhost:8990/x", here);
        for bad in [
            "http://push.example/x",
            "https://localhost/x",
            "https://127.0.0.1/x",
            "https://router/x",
            "https://10.0.0.1/x",
            "https://192.168.1.1/x",
            "https://172.16.0.1/x",
            "https://0.0.0.0/",
            "https://169.254.169.254/latest",
            "https://100.100.100.100/x",
            "https://[::1]/x",
            "https://[fd00::1]/x",
            "https://[fe80::1]/x",
            "https://[::ffff:10.0.0.1]/x",
            "https://[64:ff9b::a00:1]/x",
            "https://[2002:a00:1::]/x",
            "https://0x7f000001/x",
            "https://2130706433/x",
            "https://127.1/x",
            "https://a@push.example/x",
            "https://push.example/x#y",
            "https://push.example./x",
            "ftp://push.example",
            "file:///etc",
            "http://localhost.evil.example/x",
            "not an address",
            "",
        ] {
            check(bad, None);
        }
        check(&format!("https://push.example/{}", "x".repeat(BYTES)), None);
    }

    #[test]
    fn a_name_that_leads_to_this_machine_is_not_public() {
        let resolve = |allowed: Allowed| {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let name = "localhost".parse().unwrap();
            let found = runtime.block_on(PushResolver(allowed).resolve(name));
            found.is_ok_and(|mut all| all.next().is_some())
        };
        assert!(resolve(Allowed::Here));
        assert!(!resolve(Allowed::Public));
    }

    #[test]
    fn a_claim_is_for_the_origin_of_the_address() {
        assert_eq!(origin("https://push.example:443/a/b?c").unwrap(), "https://push.example");
        assert_eq!(origin("http://127.0.0.1:8990/a").unwrap(), "http://127.0.0.1:8990");
    }
}
