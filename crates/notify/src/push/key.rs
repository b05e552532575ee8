//! Our key for Web Push, by which push services know us (RFC 8292). Its private half stays in a file
//! that only its user can read.

use super::PushError;
use crate::secret_file::secret_in;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::json;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use taffrail_model::Timestamp;

/// The name of the file in the state folder.
const FILE: &str = "push-key";
/// How long a signed claim counts, in seconds; a push service allows a day.
const CLAIM: i64 = 12 * 60 * 60;
/// Whom the operator of a push service may ask about us.
const CONTACT: &str = "https://github.com/taffrail/taffrail";

/// Our key pair.
pub(crate) struct Key(EcdsaKeyPair);

impl Key {
    /// Reads the key, and makes it first if there is none.
    pub(crate) fn open(state: &Path) -> Result<Self, PushError> {
        let path = state.join(FILE);
        match make(&path) {
            Err(PushError::Io(_, error)) if error.kind() == ErrorKind::AlreadyExists => {}
            made => made?,
        }
        let text = secret_in(&path).map_err(PushError::Key)?;
        let bytes = BASE64.decode(text).map_err(|_| unusable(&path))?;
        let random = SystemRandom::new();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &bytes, &random);
        Ok(Self(pair.map_err(|_| unusable(&path))?))
    }

    /// The public half, as an uncompressed point.
    pub(crate) fn public(&self) -> String {
        BASE64.encode(self.0.public_key())
    }

    /// The value of the header that says to a push service who sends.
    pub(crate) fn authorization(&self, origin: &str, now: Timestamp) -> Result<String, PushError> {
        let until = now.as_second().saturating_add(CLAIM);
        let claims = json!({"aud": origin, "exp": until, "sub": CONTACT}).to_string();
        let head = BASE64.encode(r#"{"typ":"JWT","alg":"ES256"}"#);
        let signed = format!("{head}.{}", BASE64.encode(claims));
        let signature = self.0.sign(&SystemRandom::new(), signed.as_bytes());
        let signature = signature.map_err(|_| PushError::Key("signing failed".to_owned()))?;
        Ok(format!("vapid t={signed}.{}, k={}", BASE64.encode(signature), self.public()))
    }
}

fn make(path: &Path) -> Result<(), PushError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let mut file = options.open(path).map_err(PushError::at(path))?;
    let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new());
    let made = made.map_err(|_| PushError::Key("no key could be made".to_owned()))?;
    let text = BASE64.encode(made);
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(PushError::at(path))
}

fn unusable(path: &Path) -> PushError {
    PushError::Key(format!("{}: it is not a key; remove it, and subscribe again", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_claim_is_signed_by_the_key_it_names() {
        let folder = tempfile::tempdir().unwrap();
        let key = Key::open(folder.path()).unwrap();
        let public = key.public();
        assert_eq!(public.len(), 87);
        assert_eq!(Key::open(folder.path()).unwrap().public(), public);
        let now = Timestamp::from_second(1_000_000).unwrap();
        let said = key.authorization("https://push.example", now).unwrap();
        let (token, named) = said.strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
        assert_eq!(named, public);
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let point = BASE64.decode(&public).unwrap();
        let known = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point);
        known.verify(signed.as_bytes(), &BASE64.decode(signature).unwrap()).unwrap();
        let (head, claims) = signed.split_once('.').unwrap();
        assert_eq!(BASE64.decode(head).unwrap(), br#"{"typ":"JWT","alg":"ES256"}"#);
        let claims: serde_json::Value =
            serde_json::from_slice(&BASE64.decode(claims).unwrap()).unwrap();
        let expected = json!({"aud": "https://push.example", "exp": 1_043_200, "sub": CONTACT});
        assert_eq!(claims, expected);
    }

    #[test]
    fn a_key_that_others_could_read_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        Key::open(folder.path()).unwrap();
        let mode = |it: u32| std::fs::Permissions::from_mode(it);
        let is = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(is & 0o777, 0o600);
        std::fs::set_permissions(&path, mode(0o644)).unwrap();
        assert!(matches!(Key::open(folder.path()), Err(PushError::Key(_))));
        std::fs::set_permissions(&path, mode(0o600)).unwrap();
        std::fs::write(&path, "nonsense").unwrap();
        assert!(matches!(Key::open(folder.path()), Err(PushError::Key(_))));
    }
}
