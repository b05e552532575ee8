//! Opens a bundle: reads and verifies all of it in a folder of its own before any of it is used.

use super::metadata;
use crate::error::DevicesError;
use crate::error::TeleportError;
use serde::de::DeserializeOwned;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, BufReader, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use taffrail_context::{Settings, TargetError};
use taffrail_model::{RuntimeIdentity, hash};
use taffrail_sync::Roster;
use taffrail_sync::bundle::{Kind, Listed, Manifest, Reader, Unpacked, open};
use taffrail_team::ThisDevice;
use tempfile::TempDir;

/// The size limit of a metadata document.
const PAPER_LIMIT: u64 = 256 * 1024 * 1024;

/// A bundle that was read completely and matches its signature.
pub(super) struct Opened {
    pub(super) manifest: Manifest,
    /// The roster, with the entries from the bundle.
    pub(super) roster: Roster,
    folder: TempDir,
}

/// Reads a bundle into a new folder that only this user can access.
pub(super) fn opened(
    settings: &Settings,
    own: &ThisDevice,
    file: &Path,
) -> Result<Opened, DevicesError> {
    let input = File::open(file).map_err(|error| match error.kind() {
        ErrorKind::NotFound => TargetError::NoFile(file.display().to_string()).into(),
        _ => DevicesError::from(TeleportError::at(file)(error)),
    })?;
    let at = TeleportError::at(&settings.data);
    let folder = tempfile::Builder::new().prefix("unpacking-").tempdir_in(&settings.data);
    let folder = folder.map_err(at)?;
    let (device, identity) = (&own.id, own.secret.identity());
    let reader = Reader { device, identity, roster: &own.roster };
    let bundle = open(BufReader::new(input), &reader).map_err(TeleportError::from)?;
    let taken = bundle.unpack(|listed, bytes| take(folder.path(), listed, bytes));
    let Unpacked { manifest, roster } = taken.map_err(TeleportError::from)?;
    let opened = Opened { manifest, roster, folder };
    opened.check_session()?;
    Ok(opened)
}

fn take(folder: &Path, listed: &Listed, bytes: &mut dyn io::Read) -> io::Result<()> {
    let path = folder.join(&listed.path);
    let parent = path.parent().unwrap_or(folder);
    DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
    io::copy(bytes, &mut file)?;
    Ok(())
}

impl Opened {
    /// Checks that the named session matches the agent's id.
    fn check_session(&self) -> Result<(), TeleportError> {
        let about = &self.manifest.about;
        let id = about.runtime_session.as_str();
        let who = RuntimeIdentity::new(about.agent.clone(), "", id);
        if self.manifest.about.redacted || who.session() == about.session {
            return Ok(());
        }
        Err(TeleportError::Contradicts(
            "its session is not the one its agent's id makes".to_owned(),
        ))
    }

    /// Where an entry was extracted to.
    pub(super) fn path(&self, entry: &str) -> Option<PathBuf> {
        let is_listed = self.manifest.entries.iter().any(|it| it.path == entry);
        is_listed.then(|| self.folder.path().join(entry))
    }

    /// The kind of an entry.
    pub(super) fn kind(&self, entry: &str) -> Option<&Kind> {
        self.manifest.entries.iter().find(|it| it.path == entry).map(|it| &it.kind)
    }

    /// The first entry of a kind.
    pub(super) fn first(&self, kind: &Kind) -> Option<(PathBuf, u64)> {
        let listed = self.manifest.entries.iter().find(|it| it.kind == *kind)?;
        Some((self.folder.path().join(&listed.path), listed.length))
    }

    /// The metadata document of a kind, or why it cannot be used.
    pub(super) fn paper<T: DeserializeOwned>(&self, kind: &Kind) -> Result<T, TeleportError> {
        let broken =
            |why: &str| TeleportError::Contradicts(format!("its paper `{}` {why}", kind.as_str()));
        let (path, length) = self.first(kind).ok_or_else(|| broken("is missing"))?;
        if length > PAPER_LIMIT {
            return Err(broken("is too long"));
        }
        let bytes = std::fs::read(&path).map_err(TeleportError::at(&path))?;
        metadata::read(&bytes).ok_or_else(|| broken("is not understood"))
    }

    /// Identifies this bundle.
    pub(super) fn mark(&self) -> String {
        let manifest = serde_json::to_vec(&self.manifest).unwrap_or_default();
        hash::to_hex(&hash::digest("bundle", &[&manifest]))
    }
}
