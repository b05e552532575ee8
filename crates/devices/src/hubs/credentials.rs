//! The credentials for a hub: this device's own key, the usual environment variables, or a file
//! that only the user can read.

use crate::error::HubFault;
use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use taffrail_sync::hub::{AzureKey, BucketKind, Credentials, GoogleKey, HubUrl, NatsKey, S3Keys};
use taffrail_sync::keys::DeviceSecret;

/// The size limit of a credentials file.
const LONGEST: u64 = 64 * 1024;

/// The credentials for a hub.
pub(super) fn credentials(
    url: &HubUrl,
    file: Option<&Path>,
    secret: &DeviceSecret,
    variables: &HashMap<String, String>,
) -> Result<Credentials, HubFault> {
    let text = file.map(read).transpose()?;
    let mut out = Credentials::default();
    match url {
        HubUrl::Directory(_) => {}
        HubUrl::Nats(_) => out.nats = nats(text, secret),
        HubUrl::Bucket(bucket) => match bucket.kind {
            BucketKind::S3 => out.s3 = s3(text.as_deref(), variables),
            BucketKind::Google => out.google = text.map(GoogleKey),
            BucketKind::Azure => out.azure = text.map(|it| AzureKey(it.trim().to_owned())),
        },
    }
    Ok(out)
}

/// Reads a file that belongs to the user and is closed to everybody else.
fn read(path: &Path) -> Result<String, HubFault> {
    let fault = |why: String| HubFault::Credentials(path.display().to_string(), why);
    let about = fs::metadata(path).map_err(|error| fault(error.to_string()))?;
    let own = rustix::process::geteuid().as_raw();
    if about.uid() != own || about.mode() & 0o077 != 0 {
        return Err(fault("others can read it; chmod 600 it".to_owned()));
    }
    if !about.is_file() || about.len() > LONGEST {
        return Err(fault("it is not a small file".to_owned()));
    }
    fs::read_to_string(path).map_err(|error| fault(error.to_string()))
}

/// The form of the file determines the kind of key. Without a file, the device uses its own key.
fn nats(text: Option<String>, secret: &DeviceSecret) -> Option<NatsKey> {
    let Some(text) = text else {
        return secret.nats_seed().map(|it| NatsKey::Seed(it.to_string()));
    };
    if text.contains("BEGIN NATS USER JWT") {
        return Some(NatsKey::Creds(text));
    }
    let line = text.trim();
    let is_seed = line.len() == 58 && line.starts_with("SU");
    match line.split_once(':') {
        _ if is_seed => Some(NatsKey::Seed(line.to_owned())),
        Some((user, password)) => {
            Some(NatsKey::Password { user: user.to_owned(), password: password.to_owned() })
        }
        None => Some(NatsKey::Token(line.to_owned())),
    }
}

/// The standard AWS names, from a file of `NAME=value` lines or the environment.
fn s3(text: Option<&str>, variables: &HashMap<String, String>) -> Option<S3Keys> {
    let lines = text.unwrap_or_default().lines().filter_map(|it| it.split_once('='));
    let written: HashMap<String, &str> =
        lines.map(|(name, value)| (name.trim().to_uppercase(), value.trim())).collect();
    let named = |name: &str| {
        let said = written.get(name).map(ToString::to_string);
        said.or_else(|| variables.get(name).cloned()).filter(|it| !it.is_empty())
    };
    Some(S3Keys {
        access_key_id: named("AWS_ACCESS_KEY_ID")?,
        secret_access_key: named("AWS_SECRET_ACCESS_KEY")?,
        session_token: named("AWS_SESSION_TOKEN"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use zeroize::Zeroizing;

    fn secret() -> DeviceSecret {
        DeviceSecret::from_random(&Zeroizing::new([4; 64]))
    }

    #[test]
    fn a_file_says_by_its_form_what_it_is() {
        let seed = secret().nats_seed().unwrap().to_string();
        let creds = "-----BEGIN NATS USER JWT-----\nx\n".to_owned();
        let password = NatsKey::Password { user: "ada".to_owned(), password: "a:b".to_owned() };
        let check = |text: Option<&str>, expected: NatsKey| {
            let got = nats(text.map(str::to_owned), &secret());
            assert!(got == Some(expected), "{text:?}");
        };
        check(None, NatsKey::Seed(seed.clone()));
        check(Some(&seed), NatsKey::Seed(seed.clone()));
        check(Some("ada:a:b\n"), password);
        check(Some("s3cr3t\n"), NatsKey::Token("s3cr3t".to_owned()));
        check(Some(&creds), NatsKey::Creds(creds.clone()));
    }

    #[test]
    fn keys_of_a_bucket_come_from_a_file_or_from_variables() {
        let variables = HashMap::from([
            ("AWS_ACCESS_KEY_ID".to_owned(), "id".to_owned()),
            ("AWS_SECRET_ACCESS_KEY".to_owned(), "secret".to_owned()),
        ]);
        let keys = |id: &str| S3Keys {
            access_key_id: id.to_owned(),
            secret_access_key: "secret".to_owned(),
            session_token: None,
        };
        assert!(s3(None, &variables) == Some(keys("id")));
        assert!(s3(Some("aws_access_key_id = other\n"), &variables) == Some(keys("other")));
        assert!(s3(None, &HashMap::new()).is_none());
    }

    #[test]
    fn a_file_that_others_can_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("creds");
        fs::write(&path, "token").unwrap();
        for (mode, is_fine) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(read(&path).is_ok(), is_fine, "{mode:o}");
        }
        assert!(read(&folder.path().join("none")).is_err());
    }
}
