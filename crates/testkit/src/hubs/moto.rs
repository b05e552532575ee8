//! An S3 server, in memory.

use super::{CACHE, Certificate, port, spawn};
use crate::process::until;
use crate::python::environment_with;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command};

const PACKAGE: &str = "moto[s3,server]==5.2.5";

/// An S3 server. Its content is lost when it ends.
#[derive(Debug)]
pub struct Moto {
    port: u16,
    child: Child,
    scheme: &'static str,
}

impl Moto {
    /// Starts one with an empty bucket.
    #[must_use]
    pub fn start(bucket: &str) -> Self {
        let port = port::free();
        let moto = Self { port, child: run(port, &[]), scheme: "http" };
        moto.make(bucket);
        moto
    }

    /// Starts one with TLS only and an empty bucket.
    #[must_use]
    pub fn start_encrypted(bucket: &str, certificate: &Certificate) -> Self {
        let port = port::free();
        let word = |path: PathBuf| path.to_str().unwrap().to_owned();
        let (file, key) = (word(certificate.file()), word(certificate.key()));
        let child = run(port, &["-s", "-c", &file, "-k", &key]);
        let moto = Self { port, child, scheme: "https" };
        until("a bucket", || put_by_curl(&moto.endpoint(), bucket, &file));
        moto
    }

    /// Its address.
    #[must_use]
    pub fn endpoint(&self) -> String {
        format!("{}://127.0.0.1:{}", self.scheme, self.port)
    }

    /// Kills it with `SIGKILL`.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts it again, with an empty bucket.
    pub fn start_again(&mut self, bucket: &str) {
        self.child = run(self.port, &[]);
        self.make(bucket);
    }

    fn make(&self, bucket: &str) {
        until("a bucket", || put(self.port, bucket));
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        // The server may have ended already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn run(port: u16, more: &[&str]) -> Child {
    let python = environment_with(CACHE, &[PACKAGE]).join("bin/python");
    let port = port.to_string();
    let arguments = ["-m", "moto.server", "-H", "127.0.0.1", "-p", &port];
    let arguments: Vec<_> = arguments.iter().chain(more).map(ToString::to_string).collect();
    spawn::tied(python.to_str().unwrap(), &arguments)
}

fn put_by_curl(endpoint: &str, bucket: &str, certificate: &str) -> Option<()> {
    let mut curl = Command::new("curl");
    curl.args(["--silent", "--fail", "-X", "PUT", "--cacert", certificate]);
    curl.arg(format!("{endpoint}/{bucket}"));
    curl.output().expect("`curl` is there").status.success().then_some(())
}

fn put(port: u16, bucket: &str) -> Option<()> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    let head = format!("PUT /{bucket} HTTP/1.0\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n");
    stream.write_all(head.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    answer.lines().next()?.contains(" 200 ").then_some(())
}
