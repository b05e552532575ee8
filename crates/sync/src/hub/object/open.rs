//! Opening a directory or a bucket.

use super::copied::copied_by;
use super::{ObjectHub, Place, meant};
use crate::hub::{Bucket, BucketKind, Credentials, HubError, Result, Team};
use object_store::aws::{AmazonS3Builder, S3ConditionalPut};
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::local::LocalFileSystem;
use object_store::{BackoffConfig, Certificate, ClientOptions, ObjectStore, RetryConfig};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The version of the layout; another one gets another folder.
const LAYOUT: &str = "taffrail-v1";
const CONNECT: Duration = Duration::from_secs(5);
const REQUEST: Duration = Duration::from_secs(60);
/// How long a request is retried before the caller gets an error.
const PATIENCE: Duration = Duration::from_secs(10);
/// The default region of S3 and compatible services.
const REGION: &str = "us-east-1";

impl ObjectHub {
    /// Opens a hub in an existing directory.
    pub fn directory(path: &Path, team: &Team) -> Result<Self> {
        if !path.is_dir() {
            return Err(no_directory(path));
        }
        let store = LocalFileSystem::new_with_prefix(path).map_err(meant)?.with_fsync(true);
        let place = copied_by(path).map_or(Place::Directory, Place::Copied);
        let hub = Self::of(Arc::new(store), "", place, team);
        Ok(Self { folder: Some(path.to_owned()), ..hub })
    }

    /// Opens a hub in an existing bucket. Sends no request.
    pub fn bucket(bucket: &Bucket, team: &Team, credentials: &Credentials) -> Result<Self> {
        let store = match bucket.kind {
            BucketKind::S3 => s3(bucket, credentials)?,
            BucketKind::Google => google(bucket, credentials)?,
            BucketKind::Azure => azure(bucket, credentials)?,
        };
        let place = if is_plain(bucket) { Place::PlainBucket } else { Place::EncryptedBucket };
        Ok(Self::of(store, &bucket.prefix, place, team))
    }

    fn of(store: Arc<dyn ObjectStore>, prefix: &str, place: Place, team: &Team) -> Self {
        let slash = if prefix.is_empty() { "" } else { "/" };
        let root = format!("{prefix}{slash}{LAYOUT}/{}", team.as_str());
        Self { store, root, place, folder: None, revisions: Arc::default() }
    }
}

/// The error for a missing directory.
pub(super) fn no_directory(path: &Path) -> HubError {
    let path = path.display();
    HubError::Unreachable(format!("{path} is not a directory. Make it, or mount what it is on"))
}

fn s3(bucket: &Bucket, credentials: &Credentials) -> Result<Arc<dyn ObjectStore>> {
    let keys = credentials.s3.as_ref().ok_or_else(|| missing(S3_KEYS))?;
    let mut builder = AmazonS3Builder::new()
        .with_bucket_name(&bucket.name)
        .with_region(bucket.region.as_deref().unwrap_or(REGION))
        .with_access_key_id(&keys.access_key_id)
        .with_secret_access_key(&keys.secret_access_key)
        .with_conditional_put(S3ConditionalPut::ETagMatch)
        .with_client_options(client(bucket)?)
        .with_retry(retry());
    if let Some(token) = &keys.session_token {
        builder = builder.with_token(token);
    }
    if let Some(endpoint) = &bucket.endpoint {
        builder = builder.with_endpoint(endpoint).with_virtual_hosted_style_request(false);
    }
    Ok(Arc::new(builder.build().map_err(meant)?))
}

fn google(bucket: &Bucket, credentials: &Credentials) -> Result<Arc<dyn ObjectStore>> {
    let key = credentials.google.as_ref();
    let key = key.ok_or_else(|| missing(GOOGLE_KEY))?;
    let mut builder = GoogleCloudStorageBuilder::new()
        .with_bucket_name(&bucket.name)
        .with_service_account_key(&key.0)
        .with_client_options(client(bucket)?)
        .with_retry(retry());
    if let Some(endpoint) = &bucket.endpoint {
        builder = builder.with_url(endpoint);
    }
    Ok(Arc::new(builder.build().map_err(meant)?))
}

fn azure(bucket: &Bucket, credentials: &Credentials) -> Result<Arc<dyn ObjectStore>> {
    let key = credentials.azure.as_ref();
    let key = key.ok_or_else(|| missing(AZURE_KEY))?;
    let mut builder = MicrosoftAzureBuilder::new()
        .with_container_name(&bucket.name)
        .with_account(bucket.account.as_deref().unwrap_or_default())
        .with_access_key(&key.0)
        .with_client_options(client(bucket)?)
        .with_retry(retry());
    if let Some(endpoint) = &bucket.endpoint {
        builder = builder.with_endpoint(endpoint.clone());
    }
    Ok(Arc::new(builder.build().map_err(meant)?))
}

fn client(bucket: &Bucket) -> Result<ClientOptions> {
    // The HTTP client uses the provider of the process; if one is already installed, it stays.
    rustls::crypto::ring::default_provider().install_default().ok();
    let options = ClientOptions::new().with_connect_timeout(CONNECT).with_timeout(REQUEST);
    let options = options.with_allow_http(is_plain(bucket));
    let Some(ca) = &bucket.ca else { return Ok(options) };
    let odd = |why: String| HubError::Refused(format!("{}: {why}", ca.display()));
    let text = std::fs::read(ca).map_err(|error| odd(error.to_string()))?;
    let trusted = Certificate::from_pem_bundle(&text).map_err(|error| odd(error.to_string()))?;
    Ok(trusted.into_iter().fold(options, ClientOptions::with_root_certificate))
}

fn retry() -> RetryConfig {
    RetryConfig { backoff: BackoffConfig::default(), max_retries: 3, retry_timeout: PATIENCE }
}

fn is_plain(bucket: &Bucket) -> bool {
    bucket.endpoint.as_ref().is_some_and(|it| it.starts_with("http://"))
}

const S3_KEYS: &str = "an S3 bucket needs keys. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write both as \
     NAME=value lines into a file of mode 0600 that `hub.credentials` names; a daemon that runs as a service \
     has the file only";
const GOOGLE_KEY: &str = "a Google bucket needs the key of a service account. Name its JSON file (mode 0600) with \
     `hub.credentials`";
const AZURE_KEY: &str = "an Azure container needs an access key. Write it into a file of mode 0600 that \
     `hub.credentials` names";

fn missing(what: &str) -> HubError {
    HubError::Refused(what.to_owned())
}
