//! A collector of OpenTelemetry that prints what it receives.

use crate::hubs::port;
use crate::process::until;
use crate::python::environment_with;
use std::fs::{self, File};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

const CACHE: &str = "taffrail-validators";
const PACKAGE: &str = "rotel==0.0.1a15";

/// A span as the collector prints it.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReceivedSpan {
    /// The id.
    pub id: String,
    /// The id of the span above; empty for a root.
    pub parent: String,
    /// The name.
    pub name: String,
    /// The kind, as `SPAN_KIND_CLIENT`.
    pub kind: String,
    /// The attributes with their types, as `gen_ai.tool.name: Str(Bash)`.
    pub attributes: Vec<String>,
}

/// A collector on loopback. It ends with the test.
#[derive(Debug)]
pub struct Collector {
    port: u16,
    child: Child,
    folder: TempDir,
}

impl Collector {
    /// Starts one, and waits until it listens.
    #[must_use]
    pub fn start() -> Self {
        let folder = TempDir::new().unwrap();
        let (port, other) = (port::free(), port::free());
        let (http, grpc) = (format!("127.0.0.1:{port}"), format!("127.0.0.1:{other}"));
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "--"]).arg(program()).arg("start");
        command.args(["--otlp-http-endpoint", &http, "--otlp-grpc-endpoint", &grpc]);
        command.args(["--exporter", "blackhole", "--debug-log", "traces"]);
        command.args(["--debug-log-verbosity", "detailed"]).current_dir(folder.path());
        let said = File::create(folder.path().join("said")).unwrap();
        command.stdin(Stdio::null()).stdout(said).stderr(Stdio::null());
        let child = command.spawn().unwrap();
        until("the collector", || TcpStream::connect(&http).ok());
        Self { port, child, folder }
    }

    /// Its address.
    #[must_use]
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The spans that it received, once there are so many.
    #[must_use]
    pub fn spans(&self, count: usize) -> Vec<ReceivedSpan> {
        until("the spans", || {
            let said = fs::read_to_string(self.folder.path().join("said")).unwrap();
            // The last span may be half written.
            let is_whole = said.ends_with('\n');
            Some(parsed(&said)).filter(|it| is_whole && it.len() >= count)
        })
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        // It may have ended already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// The collector in the package, whose own launcher would start it as a service.
fn program() -> PathBuf {
    let folder = environment_with(CACHE, &[PACKAGE]).join("lib");
    let python = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    python.join("site-packages/rotel/rotel-agent")
}

fn parsed(said: &str) -> Vec<ReceivedSpan> {
    let mut out: Vec<ReceivedSpan> = Vec::new();
    for line in said.lines().map(str::trim) {
        if line.starts_with("Span #") {
            out.push(ReceivedSpan::default());
        } else if line.starts_with("ResourceSpans #") {
            out.push(ReceivedSpan { id: "resource".to_owned(), ..ReceivedSpan::default() });
        } else if let Some(span) = out.last_mut() {
            span.add(line);
        }
    }
    out.retain(|it| it.id != "resource");
    out
}

impl ReceivedSpan {
    fn add(&mut self, line: &str) {
        if let Some(attribute) = line.strip_prefix("-> ") {
            self.attributes.push(attribute.to_owned());
        } else if let Some((name, value)) = line.split_once(':') {
            let value = value.trim().to_owned();
            match name.trim() {
                "ID" => self.id = value,
                "Parent ID" => self.parent = value,
                "Name" => self.name = value,
                "Kind" => self.kind = value,
                // Times and the status are compared where they are made.
                _ => {}
            }
        }
    }
}
