//! Credentials for a hub. They are passed as an argument and never printed.

use std::fmt;

/// Credentials for any hub; each engine uses its own.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Credentials {
    /// For `s3://`.
    pub s3: Option<S3Keys>,
    /// For `gs://`.
    pub google: Option<GoogleKey>,
    /// For `az://`.
    pub azure: Option<AzureKey>,
    /// For `nats://` and `tls://`.
    pub nats: Option<NatsKey>,
}

/// Keys for S3 and compatible services.
#[derive(Clone, PartialEq, Eq)]
pub struct S3Keys {
    /// The public half.
    pub access_key_id: String,
    /// The secret half.
    pub secret_access_key: String,
    /// The token of temporary credentials.
    pub session_token: Option<String>,
}

/// A Google service account, as the JSON text of its key.
#[derive(Clone, PartialEq, Eq)]
pub struct GoogleKey(pub String);

/// An access key of an Azure storage account.
#[derive(Clone, PartialEq, Eq)]
pub struct AzureKey(pub String);

/// Credentials for a NATS server.
#[derive(Clone, PartialEq, Eq)]
pub enum NatsKey {
    /// A token.
    Token(String),
    /// A name and a password.
    Password {
        /// The name.
        user: String,
        /// The password.
        password: String,
    },
    /// The seed of an NKey.
    Seed(String),
    /// The text of a `.creds` file.
    Creds(String),
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names = f.debug_list();
        let has = [
            ("s3", self.s3.is_some()),
            ("google", self.google.is_some()),
            ("azure", self.azure.is_some()),
            ("nats", self.nats.is_some()),
        ];
        names.entries(has.iter().filter(|(_, has)| *has).map(|(name, _)| name)).finish()
    }
}

macro_rules! hide {
    ($($type:ident),*) => {$(
        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($type), "(..)"))
            }
        }
    )*};
}

hide!(S3Keys, GoogleKey, AzureKey, NatsKey);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_secret_is_printed() {
        let keys = S3Keys {
            access_key_id: "zqid".to_owned(),
            secret_access_key: "zqsecret".to_owned(),
            session_token: Some("zqtoken".to_owned()),
        };
        let password = NatsKey::Password { user: "zquser".to_owned(), password: "zq".to_owned() };
        let all = Credentials {
            s3: Some(keys.clone()),
            google: Some(GoogleKey("zq".to_owned())),
            azure: Some(AzureKey("zq".to_owned())),
            nats: Some(password.clone()),
        };
        let printed = format!("{all:?} {keys:?} {password:?} {:?} {:?}", all.google, all.azure);
        assert!(!printed.contains("zq"), "{printed}");
        assert!(printed.contains(r#"["s3", "google", "azure", "nats"]"#), "{printed}");
    }
}
