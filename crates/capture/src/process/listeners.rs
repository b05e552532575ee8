//! TCP sockets that processes of this user listen on.
//!
//! Linux shows which process has which socket. Where the system does not show it, the answer is none.

use super::{FILE_LIMIT, name_of, start_of, system};
use rustix::process::geteuid;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::fs::MetadataExt;
use taffrail_model::process::Process;

/// The kernel's tables of sockets.
const TABLES: [&str; 2] = ["/proc/net/tcp", "/proc/net/tcp6"];
/// The state of a socket that listens.
const LISTENS: &str = "0A";

/// A socket that a process of this user listens on, reachable from this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Listener {
    /// The loopback address to connect to.
    pub address: SocketAddr,
    /// The process that has the socket.
    pub process: Process,
    inode: u64,
}

impl Listener {
    /// Whether the same process still listens there. Checked after connecting, this proves who
    /// accepted the connection: a port that changed hands has another socket.
    #[must_use]
    pub fn is_still_there(&self) -> bool {
        let Process { pid, start } = self.process;
        start_of(pid) == Some(start)
            && own_sockets().contains(&(self.address, self.inode))
            && sockets_of(pid).contains(&self.inode)
    }
}

/// The sockets that processes with one of these names listen on.
pub(crate) fn listeners_named(names: &[&str]) -> Vec<Listener> {
    let sockets = own_sockets();
    if sockets.is_empty() {
        return Vec::new();
    }
    let is_named = |pid: &u32| {
        let stat = system::stat(*pid).filter(|it| !it.is_over);
        stat.is_some_and(|it| names.contains(&name_of(*pid, &it.name).as_str()))
    };
    own_pids().into_iter().filter(is_named).flat_map(|pid| those_of(pid, &sockets)).collect()
}

/// The socket that this process listens on at an address.
#[must_use]
pub fn listener_at(address: SocketAddr, pid: u32) -> Option<Listener> {
    those_of(pid, &own_sockets()).into_iter().find(|it| it.address == address)
}

fn those_of(pid: u32, sockets: &[(SocketAddr, u64)]) -> Vec<Listener> {
    let Some(start) = start_of(pid) else { return Vec::new() };
    let open = sockets_of(pid);
    let of_it = sockets.iter().filter(|(_, inode)| open.contains(inode));
    let process = Process { pid, start };
    of_it.map(|(address, inode)| Listener { address: *address, process, inode: *inode }).collect()
}

/// The processes of this user.
fn own_pids() -> Vec<u32> {
    let ours = geteuid().as_raw();
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let own = all.filter(|it| it.metadata().is_ok_and(|it| it.uid() == ours));
    own.filter_map(|it| it.file_name().to_str()?.parse().ok()).collect()
}

/// The numbers of the sockets that a process has open.
fn sockets_of(pid: u32) -> Vec<u64> {
    let open = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let links = open.take(FILE_LIMIT).filter_map(|it| fs::read_link(it.path()).ok());
    let number = |it: &str| it.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok();
    links.filter_map(|it| number(it.to_str()?)).collect()
}

/// The sockets of this user that listen for connections from this machine, each with its number.
fn own_sockets() -> Vec<(SocketAddr, u64)> {
    let ours = geteuid().as_raw();
    let tables = TABLES.iter().filter_map(|it| fs::read_to_string(it).ok());
    let read = |it: String| it.lines().filter_map(|it| listening(it, ours)).collect::<Vec<_>>();
    tables.flat_map(read).collect()
}

fn listening(line: &str, user: u32) -> Option<(SocketAddr, u64)> {
    let field: Vec<&str> = line.split_ascii_whitespace().collect();
    let is_ours = field.get(7)?.parse() == Ok(user) && *field.get(3)? == LISTENS;
    let address = address(field.get(1)?).filter(|_| is_ours)?;
    Some((address, field.get(9)?.parse().ok()?))
}

/// The address that reaches a socket from this machine; `None` for a socket of another network.
fn address(hex: &str) -> Option<SocketAddr> {
    let (ip, port) = hex.split_once(':')?;
    let ip = match ip.len() {
        8 => IpAddr::V4(Ipv4Addr::from(word(ip)?)),
        32 => IpAddr::V6(Ipv6Addr::from(long(ip)?)),
        _ => return None,
    };
    let reached = match ip {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        other => other,
    };
    let port = u16::from_str_radix(port, 16).ok()?;
    reached.is_loopback().then(|| SocketAddr::new(reached, port))
}

/// The kernel writes an address in words of the machine's byte order.
fn word(hex: &str) -> Option<u32> {
    u32::from_str_radix(hex, 16).ok().map(|it| u32::from_be_bytes(it.to_ne_bytes()))
}

fn long(hex: &str) -> Option<u128> {
    let mut words = (0..4).map(|at| word(hex.get(at * 8..at * 8 + 8)?));
    words.try_fold(0, |all: u128, it| Some((all << 32) | u128::from(it?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn a_line_of_the_table_is_ours_only_if_it_listens_on_this_machine() {
        let check = |address: &str, state: &str, user: u32, expected: Option<&str>| {
            let line = format!(
                "   0: {address} 00000000:0000 {state} 00000000:00000000 00:00000000 00000000  \
                 {user}        0 4711 1 0000000000000000 100 0 0 10 0"
            );
            let expected = expected.map(|it| (it.parse().unwrap(), 4711));
            assert_eq!(listening(&line, 1000), expected, "{line}");
        };
        check("0100007F:11F7", "0A", 1000, Some("127.0.0.1:4599"));
        check("00000000:11F7", "0A", 1000, Some("127.0.0.1:4599"));
        check("00000000000000000000000001000000:11F7", "0A", 1000, Some("[::1]:4599"));
        check("00000000000000000000000000000000:11F7", "0A", 1000, Some("[::1]:4599"));
        check("0100007F:11F7", "01", 1000, None);
        check("0100007F:11F7", "0A", 1001, None);
        check("0101A8C0:11F7", "0A", 1000, None);
        check("0100007F", "0A", 1000, None);
        assert_eq!(listening("  sl  local_address rem_address   st", 1000), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_port_that_changed_hands_is_noticed() {
        let first = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = first.local_addr().unwrap();
        let found = listener_at(address, std::process::id()).unwrap();
        assert!(found.is_still_there());
        assert_eq!(listener_at(address, 1).filter(|_| std::process::id() != 1), None);
        drop(first);
        assert!(!found.is_still_there());
        let _second = TcpListener::bind(address).unwrap();
        assert!(!found.is_still_there(), "another socket at the same address");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn only_processes_with_the_name_are_found() {
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap();
        let pid = std::process::id();
        let name = name_of(pid, &system::stat(pid).unwrap().name);
        let finds = |name: &str| listeners_named(&[name]).iter().any(|it| it.address == address);
        assert!(finds(&name), "{name}");
        assert!(!finds("another"));
    }
}
