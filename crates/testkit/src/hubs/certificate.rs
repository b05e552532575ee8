//! A certificate for loopback that only those trust who are given it.

use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;

/// A certificate for `127.0.0.1`, signed by itself, and its key.
#[derive(Debug)]
pub struct Certificate {
    folder: TempDir,
}

impl Certificate {
    /// Makes one with `openssl`.
    #[must_use]
    pub fn new() -> Self {
        Self::with(&["-addext", "basicConstraints=critical,CA:FALSE"])
    }

    /// Makes one as `openssl req -x509` does without being told more: that of an authority.
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

    /// The certificate, as PEM.
    #[must_use]
    pub fn file(&self) -> PathBuf {
        self.folder.path().join("cert.pem")
    }

    /// Its key, as PEM.
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
