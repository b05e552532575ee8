//! Where the servers of an agent are.
//!
//! A server is joined only if this user owns it: its socket or its port, and the file that names it.

use crate::process::{Listener, listener_at, listeners_named};
use crate::safe_open::open_below;
use crate::{Home, server_socket};
use serde_json::Value;
use std::fs::File;
use std::io::{self, Read};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use taffrail_adapters::{HttpAddress, Transport};

/// The size limit of a file that names a server.
const FILE_LIMIT: u64 = 64 * 1024;
/// The most servers that a folder may name.
const SERVER_LIMIT: usize = 64;
/// Mode bits that let other users write a file.
const OTHERS_WRITE: u32 = 0o022;

/// The secret that a server asks of its clients. It is never shown.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Token(String);

impl Token {
    /// Keeps a secret.
    #[must_use]
    pub fn new(secret: &str) -> Self {
        Self(secret.to_owned())
    }

    /// The secret, for the server alone.
    #[must_use]
    pub fn secret(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token")
    }
}

/// Where a server is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ServerAddress {
    /// A Unix socket.
    Socket(PathBuf),
    /// A port on loopback that a process of this user listens on.
    Port {
        /// The port and its process.
        listener: Listener,
        /// The path of the address, which a WebSocket needs.
        path: String,
        /// The secret, if the server has one.
        token: Option<Token>,
    },
}

impl std::fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Socket(path) => path.display().fmt(f),
            Self::Port { listener, .. } => listener.address.fmt(f),
        }
    }
}

/// The running servers of an agent in a home.
///
/// # Errors
/// When a file that names a server cannot be trusted or read. An absent one is not an error.
pub fn server_addresses(home: &Home) -> io::Result<Vec<ServerAddress>> {
    let Some(plan) = home.adapter.server_plan().filter(|_| !home.journal) else {
        return Ok(Vec::new());
    };
    match plan.transport {
        Transport::Socket { path } => {
            Ok(server_socket(&home.root, path).map(ServerAddress::Socket).into_iter().collect())
        }
        Transport::WebSocket { file, url, token, pid, .. } => {
            web_socket(&home.root, file, [url, token, pid])
        }
        Transport::Http { address: HttpAddress::Process, .. } => {
            let found = listeners_named(home.adapter.descriptor().processes).into_iter();
            Ok(found.map(|listener| port(listener, "", None)).collect())
        }
        Transport::Http {
            address: HttpAddress::Files { folder, host, port, pid, token }, ..
        } => in_folder(&home.root, (folder, token), [host, port, pid]),
    }
}

fn port(listener: Listener, path: &str, token: Option<Token>) -> ServerAddress {
    ServerAddress::Port { listener, path: path.to_owned(), token }
}

fn web_socket(root: &Path, file: &str, pointers: [&str; 3]) -> io::Result<Vec<ServerAddress>> {
    let Some(document) = document(root, file)? else { return Ok(Vec::new()) };
    let [url, token, pid] = pointers.map(|it| document.pointer(it));
    let url = url.and_then(Value::as_str).unwrap_or_default();
    let Some((address, path)) = loopback(url) else {
        return Err(io::Error::other(format!("{file} names a server that is not on loopback")));
    };
    let token = token.and_then(Value::as_str).map(Token::new);
    // The file outlives its server.
    let listener = pid_in(pid).and_then(|pid| listener_at(address, pid));
    Ok(listener.map(|it| port(it, path, token)).into_iter().collect())
}

/// The address and the path of `ws://HOST:PORT/PATH` on loopback.
fn loopback(url: &str) -> Option<(SocketAddr, &str)> {
    let rest = url.strip_prefix("ws://")?;
    let at = rest.find('/').unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(at)?;
    let (host, port) = authority.rsplit_once(':')?;
    Some((SocketAddr::new(loopback_host(host)?, port.parse().ok()?), path))
}

fn loopback_host(host: &str) -> Option<IpAddr> {
    let bare = host.strip_prefix('[').and_then(|it| it.strip_suffix(']')).unwrap_or(host);
    let ip = match bare {
        "localhost" => Some(IpAddr::V4(Ipv4Addr::LOCALHOST)),
        other => other.parse().ok(),
    };
    ip.filter(IpAddr::is_loopback)
}

fn in_folder(
    root: &Path,
    (folder, token): (&str, &str),
    pointers: [&str; 3],
) -> io::Result<Vec<ServerAddress>> {
    let all = std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
    let names = all.filter_map(|it| it.file_name().into_string().ok());
    let mut found = Vec::new();
    for name in names.filter(|it| it.ends_with(".json")).take(SERVER_LIMIT) {
        let Some(document) = document(root, &format!("{folder}/{name}"))? else { continue };
        let [host, port, pid] = pointers.map(|it| document.pointer(it));
        let ip = host.and_then(Value::as_str).and_then(loopback_host);
        let port = port.and_then(Value::as_u64).and_then(|it| u16::try_from(it).ok());
        let address = ip.zip(port).map(SocketAddr::from);
        found.extend(address.zip(pid_in(pid)).and_then(|(it, pid)| listener_at(it, pid)));
    }
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let token = contents(root, token)?.map(|it| Token::new(it.trim()));
    Ok(found.into_iter().map(|it| port(it, "", token.clone())).collect())
}

fn pid_in(value: Option<&Value>) -> Option<u32> {
    value.and_then(Value::as_u64).and_then(|it| u32::try_from(it).ok())
}

/// A JSON document of this user's; `None` if it is absent, or torn because its agent writes it.
fn document(root: &Path, path: &str) -> io::Result<Option<Value>> {
    Ok(contents(root, path)?.and_then(|it| serde_json::from_str(&it).ok()))
}

/// The contents of a file that only this user can have written.
fn contents(root: &Path, path: &str) -> io::Result<Option<String>> {
    let file = match open_below(root, path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io::Error::other(format!("{path} {error}"))),
    };
    if file.metadata()?.mode() & OTHERS_WRITE != 0 {
        return Err(io::Error::other(format!("{path} can be written by others")));
    }
    text(file)
}

fn text(file: File) -> io::Result<Option<String>> {
    let mut text = String::new();
    let read = file.take(FILE_LIMIT).read_to_string(&mut text);
    Ok(read.is_ok().then_some(text))
}

#[cfg(test)]
#[path = "agent_server_tests.rs"]
mod tests;
