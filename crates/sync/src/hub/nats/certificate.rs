//! Server certificates: generating one, and pinning one by its hash.
//!
//! A team's own server needs no certificate authority: the address that its devices use names the
//! one certificate they accept.

use async_nats::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use async_nats::rustls::crypto::{
    CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature,
};
use async_nats::rustls::pki_types::pem::PemObject;
use async_nats::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use async_nats::rustls::{ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::sync::Arc;
use zeroize::Zeroizing;

/// A certificate for a server, and its key, as PEM.
#[derive(Debug)]
pub struct ServerCertificate {
    /// The server's certificate.
    pub certificate: String,
    /// The server's private key.
    pub key: Zeroizing<String>,
}

impl ServerCertificate {
    /// Generates a self-signed certificate for a server with these names and addresses.
    ///
    /// # Errors
    /// A name is invalid.
    pub fn made(names: Vec<String>) -> Result<Self, String> {
        let odd = |error: rcgen::Error| error.to_string();
        let made = rcgen::generate_simple_self_signed(names).map_err(odd)?;
        let key = Zeroizing::new(made.signing_key.serialize_pem());
        Ok(Self { certificate: made.cert.pem(), key })
    }
}

/// The pin of a certificate (PEM) in an address: its SHA-256 in hex; `None` if it is not a
/// certificate.
#[must_use]
pub fn pin_of(pem: &[u8]) -> Option<String> {
    CertificateDer::from_pem_slice(pem).ok().map(|it| pin(&it))
}

fn pin(certificate: &CertificateDer<'_>) -> String {
    let mut out = String::with_capacity(64);
    for byte in Sha256::digest(certificate) {
        // Writing to a String cannot fail.
        write!(out, "{byte:02x}").ok();
    }
    out
}

/// Accepts only these certificates, whatever their names and issuers.
pub(super) fn pinned(pins: &[String]) -> Result<ClientConfig, Error> {
    let provider = Arc::new(ring::default_provider());
    let verifier = Arc::new(Pinned { pins: pins.to_vec(), provider: Arc::clone(&provider) });
    let config =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(config.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth())
}

#[derive(Debug)]
struct Pinned {
    pins: Vec<String>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.pins.contains(&pin(end_entity)) {
            return Ok(ServerCertVerified::assertion());
        }
        Err(Error::General(OTHER.to_owned()))
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

const OTHER: &str = "the server shows another certificate than the address names (pin)";

/// The problem with a server's certificate and the next step, from a TLS error; `None` for other
/// errors.
pub(super) fn trouble(said: &str) -> Option<String> {
    let said_of = |words: &str| said.contains(words);
    let why = if said_of(OTHER) {
        format!(
            "{OTHER}. If the server got a new one, use the address that `taffrail hub config` printed"
        )
    } else if said_of("CaUsedAsEndEntity") {
        "the server's certificate is that of an authority (CA:TRUE), which is not taken for a server. Name it \
         by its hash, ?pin=SHA256 in the address (`openssl x509 -noout -fingerprint -sha256 -in FILE`), or make \
         one with `-addext basicConstraints=critical,CA:FALSE`"
            .to_owned()
    } else if said_of("UnknownIssuer") {
        "nobody this machine trusts vouches for the server's certificate. Name the certificate with ?pin=SHA256 \
         in the address, as `taffrail hub config` printed it, or its authority with ?ca=/FILE"
            .to_owned()
    } else if said_of("NotValidForName") {
        "the server's certificate is for another name. Use that name in the address, or name the certificate \
         with ?pin=SHA256"
            .to_owned()
    } else if said_of("Expired") || said_of("NotValidYet") {
        "the server's certificate has run out, or does not count yet: make a new one, or check the clocks"
            .to_owned()
    } else {
        return None;
    };
    Some(why)
}
