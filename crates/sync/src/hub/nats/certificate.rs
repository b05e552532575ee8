//! Certificates of servers: one is made, and one is known by its hash.
//!
//! A server that a team runs for itself needs nobody to vouch for it: the address its devices use
//! names the one certificate they take.

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
    /// What the server shows.
    pub certificate: String,
    /// What only the server has.
    pub key: Zeroizing<String>,
}

impl ServerCertificate {
    /// Makes one that vouches for itself, for a server of these names and addresses.
    ///
    /// # Errors
    /// When a name cannot be one.
    pub fn made(names: Vec<String>) -> Result<Self, String> {
        let odd = |error: rcgen::Error| error.to_string();
        let made = rcgen::generate_simple_self_signed(names).map_err(odd)?;
        let key = Zeroizing::new(made.signing_key.serialize_pem());
        Ok(Self { certificate: made.cert.pem(), key })
    }
}

/// What an address names a certificate (PEM) by: its SHA-256 in hex; nothing if it is none.
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

/// Takes these certificates and no other, whatever names they have and whoever vouches for them.
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

/// What is wrong with a server's certificate and what to do, by what TLS said; nothing if it was not that.
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
