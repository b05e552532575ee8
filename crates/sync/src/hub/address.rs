//! The address of a hub: as typed, and parsed.

use std::fmt;
use std::path::{Path, PathBuf};
use url::Url;

/// The default port of NATS.
const NATS_PORT: u16 = 4222;
/// The most streams of each kind that teams share.
const STREAMS_LIMIT: u16 = 256;

/// The engine and location of a hub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HubUrl {
    /// A directory on this machine or on a share: `file:///DIR`.
    Directory(PathBuf),
    /// A bucket: `s3://`, `gs://`, `az://`.
    Bucket(Bucket),
    /// NATS servers: `nats://`, `tls://`.
    Nats(NatsServers),
}

/// A bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bucket {
    /// The provider.
    pub kind: BucketKind,
    /// Its name.
    pub name: String,
    /// The prefix of the hub in it; may be empty.
    pub prefix: String,
    /// The URL of its server, if it is not the provider's own.
    pub endpoint: Option<String>,
    /// Its region.
    pub region: Option<String>,
    /// Its storage account.
    pub account: Option<String>,
    /// A file of certificates (PEM) to trust in addition to the system's.
    pub ca: Option<PathBuf>,
}

/// The provider of a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BucketKind {
    /// S3, and compatible services.
    S3,
    /// Google Cloud Storage.
    Google,
    /// Azure Blob Storage.
    Azure,
}

/// Servers of one NATS cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NatsServers {
    /// The known servers, as `host:port`.
    pub hosts: Vec<String>,
    /// Whether connections are encrypted.
    pub tls: Tls,
    /// The number of replicas; by default three in a cluster and one otherwise.
    pub copies: Option<u8>,
    /// The number of streams of each kind that teams share; reads are then bound to the team. By
    /// default one, read with the fewest requests.
    pub streams: Option<u16>,
    /// The server's HTTP monitoring address, for `doctor`.
    pub monitor: Option<String>,
    /// A file of certificates (PEM) to trust in addition to the system's.
    pub ca: Option<PathBuf>,
    /// The only trusted certificates, by their SHA-256 in hex; empty to trust `ca` and the
    /// system's.
    pub pins: Vec<String>,
}

/// Whether a connection must be encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tls {
    /// Encryption is required.
    Required,
    /// The server decides.
    IfAsked,
}

/// Why an address is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// The scheme is unknown.
    #[error(
        "{0:?} is not a hub. Use file:///DIRECTORY, s3://BUCKET/PREFIX, gs://BUCKET, az://CONTAINER?account=NAME or nats://HOST"
    )]
    Scheme(String),
    /// The path is relative.
    #[error("A directory is named by its whole path: file:///DIRECTORY")]
    Relative,
    /// A part is missing.
    #[error("The address names no {0}")]
    Missing(&'static str),
    /// A password in an address would end up in settings and messages.
    #[error("A password has no place in an address. Take it out and give it as a credential")]
    Secret,
    /// Only an encrypted connection has a certificate.
    #[error("A pin names the certificate of an encrypted way: use tls:// with it")]
    PinWithoutTls,
    /// A setting that is unknown, or not for this engine.
    #[error("{name:?} is not a setting of this hub. There are: {known}")]
    Setting {
        /// The setting as written.
        name: String,
        /// The known settings.
        known: String,
    },
    /// A setting with an invalid value.
    #[error("{value:?} is not a valid {name}")]
    Value {
        /// The setting.
        name: &'static str,
        /// The value as written.
        value: String,
    },
}

type Settings = Vec<(String, String)>;

impl HubUrl {
    /// Parses a typed address. An absolute path means that directory.
    pub fn parse(typed: &str) -> Result<Self, UrlError> {
        let typed = typed.trim();
        if typed.starts_with('/') {
            return Ok(Self::Directory(PathBuf::from(typed)));
        }
        let (scheme, rest) = typed.split_once("://").unwrap_or(("", typed));
        match scheme.to_ascii_lowercase().as_str() {
            "file" => directory(typed, rest),
            "s3" => bucket(BucketKind::S3, rest, &["ca", "endpoint", "region"]).map(Self::Bucket),
            "gs" => bucket(BucketKind::Google, rest, &["ca", "endpoint"]).map(Self::Bucket),
            "az" => {
                bucket(BucketKind::Azure, rest, &["account", "ca", "endpoint"]).map(Self::Bucket)
            }
            "nats" => nats(Tls::IfAsked, rest).map(Self::Nats),
            "tls" => nats(Tls::Required, rest).map(Self::Nats),
            _ if typed.starts_with('.') || typed.starts_with('~') => Err(UrlError::Relative),
            _ => Err(UrlError::Scheme(typed.to_owned())),
        }
    }
}

fn directory(typed: &str, rest: &str) -> Result<HubUrl, UrlError> {
    if !rest.starts_with('/') {
        return Err(UrlError::Relative);
    }
    let url = Url::parse(typed).map_err(|_| UrlError::Relative)?;
    if let Some((name, _)) = url.query_pairs().next() {
        return Err(UrlError::Setting { name: name.into_owned(), known: "none".to_owned() });
    }
    url.to_file_path().map(HubUrl::Directory).map_err(|()| UrlError::Relative)
}

fn bucket(kind: BucketKind, rest: &str, known: &[&str]) -> Result<Bucket, UrlError> {
    let (place, settings) = split_settings(rest, known)?;
    let (name, prefix) = place.split_once('/').unwrap_or((place, ""));
    let is_odd = |it: char| !(it.is_ascii_alphanumeric() || ".-_/".contains(it));
    if let Some(odd) = [name, prefix].into_iter().find(|it| it.contains(is_odd)) {
        return Err(UrlError::Value { name: "name of a bucket", value: odd.to_owned() });
    }
    if name.is_empty() {
        return Err(UrlError::Missing("bucket"));
    }
    let account = setting(&settings, "account");
    if kind == BucketKind::Azure && account.is_none() {
        return Err(UrlError::Missing("account, as in ?account=NAME"));
    }
    let prefix = prefix.trim_matches('/').to_owned();
    let endpoint = setting(&settings, "endpoint").map(|it| web("endpoint", it)).transpose()?;
    let region = setting(&settings, "region");
    let ca = setting(&settings, "ca").map(whole_path).transpose()?;
    Ok(Bucket { kind, name: name.to_owned(), prefix, endpoint, region, account, ca })
}

fn nats(tls: Tls, rest: &str) -> Result<NatsServers, UrlError> {
    let (place, settings) = split_settings(rest, &["ca", "copies", "monitor", "pin", "streams"])?;
    let hosts = place.trim_end_matches('/').split(',').filter(|it| !it.is_empty());
    let hosts = hosts.map(nats_host).collect::<Result<Vec<_>, _>>()?;
    if hosts.is_empty() {
        return Err(UrlError::Missing("server"));
    }
    let copies = setting(&settings, "copies").map(copies).transpose()?;
    let streams = setting(&settings, "streams").map(streams).transpose()?;
    let monitor = setting(&settings, "monitor").map(|it| web("monitor", it)).transpose()?;
    let ca = setting(&settings, "ca").map(whole_path).transpose()?;
    let pins = setting(&settings, "pin").map(pins).transpose()?.unwrap_or_default();
    if !pins.is_empty() && tls == Tls::IfAsked {
        return Err(UrlError::PinWithoutTls);
    }
    Ok(NatsServers { hosts, tls, copies, streams, monitor, ca, pins })
}

fn nats_host(text: &str) -> Result<String, UrlError> {
    let odd = || UrlError::Value { name: "server", value: text.to_owned() };
    let url = Url::parse(&format!("nats://{text}")).map_err(|_| odd())?;
    let host = url.host_str().filter(|it| !it.is_empty()).ok_or_else(odd)?;
    if !matches!(url.path(), "" | "/") {
        return Err(odd());
    }
    Ok(format!("{host}:{}", url.port().unwrap_or(NATS_PORT)))
}

fn copies(text: String) -> Result<u8, UrlError> {
    let number = text.parse().ok().filter(|it| matches!(it, 1 | 3 | 5));
    number.ok_or(UrlError::Value { name: "number of copies (1, 3 or 5)", value: text })
}

fn streams(text: String) -> Result<u16, UrlError> {
    let number = text.parse().ok().filter(|it| (1..=STREAMS_LIMIT).contains(it));
    number.ok_or(UrlError::Value { name: "number of streams (1 to 256)", value: text })
}

/// SHA-256 in hex, several separated by commas; also in the form of `openssl x509 -fingerprint`.
fn pins(text: String) -> Result<Vec<String>, UrlError> {
    let plain = |it: &str| it.replace(':', "").to_ascii_lowercase();
    let pins: Vec<String> = text.split(',').map(plain).collect();
    let is_pin = |it: &String| it.len() == 64 && it.bytes().all(|it| it.is_ascii_hexdigit());
    match pins.iter().all(is_pin) {
        true => Ok(pins),
        false => Err(UrlError::Value { name: "SHA-256 of a certificate (pin)", value: text }),
    }
}

fn whole_path(text: String) -> Result<PathBuf, UrlError> {
    let path = PathBuf::from(&text);
    if path.is_absolute() {
        return Ok(path);
    }
    Err(UrlError::Value { name: "whole path of a file (ca)", value: text })
}

fn web(name: &'static str, text: String) -> Result<String, UrlError> {
    let url = Url::parse(&text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let Some(url) = url else {
        return Err(UrlError::Value { name, value: text });
    };
    if !url.username().is_empty() || url.password().is_some() {
        return Err(UrlError::Secret);
    }
    Ok(text.trim_end_matches('/').to_owned())
}

fn split_settings<'a>(rest: &'a str, known: &[&str]) -> Result<(&'a str, Settings), UrlError> {
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    if place.contains('@') {
        return Err(UrlError::Secret);
    }
    let settings: Settings = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let odd = settings.iter().find(|(name, _)| !known.contains(&name.as_str()));
    match odd {
        Some((name, _)) => Err(UrlError::Setting { name: name.clone(), known: known.join(", ") }),
        None => Ok((place, settings)),
    }
}

fn setting(settings: &Settings, name: &str) -> Option<String> {
    settings.iter().find(|(it, _)| it == name).map(|(_, value)| value.clone())
}

impl fmt::Display for HubUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Directory(path) => f.write_str(&file_url(path)),
            Self::Bucket(bucket) => write!(f, "{bucket}"),
            Self::Nats(servers) => write!(f, "{servers}"),
        }
    }
}

fn file_url(path: &Path) -> String {
    let url = Url::from_file_path(path);
    url.map_or_else(|()| format!("file://{}", path.display()), |url| url.to_string())
}

impl fmt::Display for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.kind {
            BucketKind::S3 => "s3",
            BucketKind::Google => "gs",
            BucketKind::Azure => "az",
        };
        let slash = if self.prefix.is_empty() { "" } else { "/" };
        write!(f, "{scheme}://{}{slash}{}", self.name, self.prefix)?;
        let settings = [
            ("account", self.account.clone()),
            ("ca", written(self.ca.as_ref())),
            ("endpoint", self.endpoint.clone()),
            ("region", self.region.clone()),
        ];
        write_settings(f, settings)
    }
}

impl fmt::Display for NatsServers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.tls {
            Tls::Required => "tls",
            Tls::IfAsked => "nats",
        };
        write!(f, "{scheme}://{}", self.hosts.join(","))?;
        let copies = self.copies.map(|it| it.to_string());
        let ca = written(self.ca.as_ref());
        let pin = (!self.pins.is_empty()).then(|| self.pins.join(","));
        let (monitor, streams) = (self.monitor.clone(), self.streams.map(|it| it.to_string()));
        let settings = [
            ("ca", ca),
            ("copies", copies),
            ("monitor", monitor),
            ("pin", pin),
            ("streams", streams),
        ];
        write_settings(f, settings)
    }
}

fn written(path: Option<&PathBuf>) -> Option<String> {
    path.map(|path| path.display().to_string())
}

fn write_settings<const N: usize>(
    f: &mut fmt::Formatter<'_>,
    settings: [(&str, Option<String>); N],
) -> fmt::Result {
    let set = settings.into_iter().filter_map(|(name, value)| Some((name, value?)));
    for ((name, value), mark) in set.zip(std::iter::once('?').chain(std::iter::repeat('&'))) {
        let value: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
        write!(f, "{mark}{name}={value}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_typed_is_read_as_it_is_meant() {
        let check = |typed: &str, meant: &str| {
            let url = HubUrl::parse(typed).unwrap();
            assert_eq!(url.to_string(), meant, "{typed}");
            assert_eq!(HubUrl::parse(meant), Ok(url), "{meant}");
        };
        check("/mnt/hub", "file:///mnt/hub");
        check(" file:///mnt/a%20b ", "file:///mnt/a%20b");
        check("s3://team-hub", "s3://team-hub");
        check("S3://team-hub/a/b/", "s3://team-hub/a/b");
        check(
            "s3://hub?region=eu-west-1&endpoint=http://127.0.0.1:9/",
            "s3://hub?endpoint=http%3A%2F%2F127.0.0.1%3A9&region=eu-west-1",
        );
        check("gs://hub/x", "gs://hub/x");
        check("az://hub?account=me", "az://hub?account=me");
        check("nats://10.0.0.1", "nats://10.0.0.1:4222");
        check("tls://a,b:99/", "tls://a:4222,b:99");
        check("tls://a?ca=/etc/ca.pem", "tls://a:4222?ca=%2Fetc%2Fca.pem");
        let pin = "ab".repeat(32);
        check(&format!("tls://a?pin={pin}"), &format!("tls://a:4222?pin={pin}"));
        let spaced = vec!["AB"; 32].join(":");
        check(&format!("tls://a?pin={spaced}"), &format!("tls://a:4222?pin={pin}"));
        check("nats://[::1]:7?copies=3", "nats://[::1]:7?copies=3");
        check("nats://a?streams=16&copies=3", "nats://a:4222?copies=3&streams=16");
        check("nats://a?monitor=http://a:8222", "nats://a:4222?monitor=http%3A%2F%2Fa%3A8222");
    }

    proptest! {
        #[test]
        fn whatever_is_typed_is_refused_or_means_the_same_again(
            typed in "(file|s3|gs|az|nats|tls|S3|http|)(://)?[ -~é]{0,12}(/|,|:1|@|\\?(ca|account|endpoint|region|copies|monitor|pin)=)?[ -~]{0,12}",
        ) {
            if let Ok(url) = HubUrl::parse(&typed) {
                let written = url.to_string();
                prop_assert_eq!(HubUrl::parse(&written), Ok(url), "{}", written);
            }
        }
    }

    #[test]
    fn what_is_no_hub_says_what_to_do() {
        let check = |typed: &str, expected: &str| {
            let error = HubUrl::parse(typed).map(|url| url.to_string()).unwrap_err();
            assert!(error.to_string().contains(expected), "{typed}: {error}");
        };
        check("hub.example:4222", "Use file:///DIRECTORY");
        check("https://bucket.example", "s3://BUCKET/PREFIX");
        check("redis://x", "is not a hub");
        check("", "is not a hub");
        check("./hub", "whole path");
        check("~/hub", "whole path");
        check("file://hub/x", "whole path");
        check("file:///x?y=1", "\"y\" is not a setting");
        check("s3://", "names no bucket");
        check("s3:///x", "names no bucket");
        check("s3://a b", "is not a valid name of a bucket");
        check("s3://hub?endpont=x", "There are: ca, endpoint, region");
        check("s3://hub?endpoint=ftp://x", "is not a valid endpoint");
        check("s3://key:secret@hub", "give it as a credential");
        check("az://hub", "?account=NAME");
        check("nats://", "names no server");
        check("nats://u:p@host", "give it as a credential");
        check("nats://a?monitor=http://u:p@a", "give it as a credential");
        check("nats://a/b", "is not a valid server");
        check("tls://a?ca=ca.pem", "whole path");
        check("nats://a?copies=2", "1, 3 or 5");
        check("nats://a?streams=0", "1 to 256");
        check("tls://a?pin=abc", "is not a valid SHA-256 of a certificate");
        check(&format!("nats://a?pin={}", "ab".repeat(32)), "use tls://");
    }
}
