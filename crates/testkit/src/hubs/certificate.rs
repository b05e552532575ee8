//! A certificate for loopback that only clients with a copy trust.

use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;

/// A self-signed certificate for `127.0.0.1`, and its key.
#[derive(Debug)]
pub struct Certificate {
    folder: TempDir,
}

impl Certificate {
    /// Creates one with `openssl`.
    #[must_use]
    pub fn new() -> Self {
        Self::with(&["-addext", "basicConstraints=critical,CA:FALSE"])
    }

    /// Creates one with the defaults of `openssl req -x509`, which is a CA certificate.
    #[must_use]
    pub fn plain() -> Self {
        Self::with(&[])
    }

    fn with(more: &[&str]) -> Self {
        let made = Self { folder: TempDir::new().unwrap() };
        let mut openssl = Command::new("openssl");
        openssl.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]);
        openssl.args(["-nodes", "-days", "2", "-subj", "/CN=taffrail"]);
        openssl.args(["-addext", "subjectAltName=IP:127.0.0.1"]);
        openssl.args(more);
        openssl.arg("-out").arg(made.file()).arg("-keyout").arg(made.key());
        let output = openssl.output().expect("`openssl` is there");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "no certificate: {said}");
        made
    }

    /// The path of the certificate, as PEM.
    #[must_use]
    pub fn file(&self) -> PathBuf {
        self.folder.path().join("cert.pem")
    }

    /// The path of its key, as PEM.
    #[must_use]
    pub fn key(&self) -> PathBuf {
        self.folder.path().join("key.pem")
    }
}

impl Default for Certificate {
    fn default() -> Self {
        Self::new()
    }
}
