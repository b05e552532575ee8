//! Opens a bundle: first its author, then its manifest, and only then its content.

use super::blocks::BlockReader;
use super::manifest::FORMAT;
use super::meter::{Meter, Metered};
use super::{Listed, MAGIC, MOST_MANIFEST_BYTES, MOST_ROSTER_BYTES, Manifest, Refused, signed};
use crate::bytes::{Digest, Signature};
use crate::header::WholeHeader;
use crate::keys::Identity;
use crate::roster::{Entry, Roster};
use crate::signing::{Purpose, verify};
use age::stream::StreamReader;
use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;
use taffrail_model::DeviceId;

/// The reading device.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    /// The device.
    pub device: &'a DeviceId,
    /// Its identity.
    pub identity: &'a Identity,
    /// The roster known here; the bundle's roster must follow from it.
    pub roster: &'a Roster,
}

/// A bundle with a verified author and manifest. Its entries are still unread.
pub struct Opened<R: Read> {
    manifest: Manifest,
    roster: Roster,
    sealed: Inside<R>,
}

/// The result of reading a bundle completely.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unpacked {
    /// The manifest.
    pub manifest: Manifest,
    /// The roster with the entries of the bundle; pin it.
    pub roster: Roster,
}

/// Opens a bundle up to its manifest.
///
/// # Errors
///
/// Returns the reason for a refusal: nothing in the bundle can be trusted then.
pub fn open<R: Read>(mut input: R, reader: &Reader<'_>) -> Result<Opened<R>, Refused> {
    let expected = read_front(&mut input)?;
    let meter = Meter::new(FRONT);
    let input = WholeHeader::new(Metered { inner: input, meter: Arc::clone(&meter) });
    let file = File { meter, expected };
    let opener = age::Decryptor::new_buffered(input).map_err(|fault| file.of_age(&fault))?;
    let opened = opener.decrypt(std::iter::once(reader.identity.as_age()));
    let stream = opened.map_err(|fault| file.of_age(&fault))?;
    let mut sealed = Inside { stream, file };
    let roster_json = sealed.part(MOST_ROSTER_BYTES)?;
    let manifest_json = sealed.part(MOST_MANIFEST_BYTES)?;
    let mut signature = [0; 64];
    sealed.fill(&mut signature)?;
    let signature = Signature::from_bytes(signature);
    let (manifest, roster) = judge(&manifest_json, &roster_json, &signature, reader)?;
    Ok(Opened { manifest, roster, sealed })
}

/// Magic, version and length.
const FRONT: u64 = 25;

fn read_front(input: &mut impl Read) -> Result<u64, Refused> {
    let mut front = Vec::new();
    input.take(FRONT).read_to_end(&mut front).map_err(|error| reading(&error))?;
    let rest = front.strip_prefix(MAGIC).ok_or(Refused::NotABundle)?;
    match rest {
        [FORMAT, length @ ..] => {
            let length: Result<[u8; 8], _> = length.try_into();
            let got = front.len() as u64;
            length.map(u64::from_le_bytes).map_err(|_| Refused::Truncated { expected: FRONT, got })
        }
        [version, ..] => Err(Refused::Newer { version: *version }),
        [] => Err(Refused::Truncated { expected: FRONT, got: front.len() as u64 }),
    }
}

/// The manifest, if a device of the team made it for us, and the roster that proves it.
fn judge(
    manifest_json: &[u8],
    roster_json: &[u8],
    signature: &Signature,
    reader: &Reader<'_>,
) -> Result<(Manifest, Roster), Refused> {
    let not = |_| Refused::NotUnderstood;
    let entries: Vec<Entry> = serde_json::from_slice(roster_json).map_err(not)?;
    let manifest: Manifest = serde_json::from_slice(manifest_json).map_err(not)?;
    let roster = reader.roster.extended(entries)?;
    let maker = roster.member(&manifest.made_by).filter(|maker| maker.is_current());
    let maker = maker.ok_or(Refused::Stranger { device: manifest.made_by.clone() })?;
    let fields = signed(&manifest, manifest_json, roster_json);
    verify(maker.device.keys.signing(), Purpose::Bundle, &[&fields], signature)
        .map_err(|_| Refused::Forged)?;
    manifest.check()?;
    if manifest.team != *roster.team() {
        return Err(Refused::NotUnderstood);
    }
    // A recipient could reseal the bundle to another device, which its author did not intend.
    if !manifest.about.to.contains(reader.device) {
        return Err(Refused::NotForUs);
    }
    Ok((manifest, roster))
}

impl<R: Read> Opened<R> {
    /// The manifest, signed by the author.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The roster with the entries of the bundle.
    #[must_use]
    pub fn roster(&self) -> &Roster {
        &self.roster
    }

    /// Passes every entry to the callback, in the manifest's order. The callback must not use any
    /// of them before this returns `Ok`: only then is the bundle known to be complete.
    ///
    /// # Errors
    ///
    /// Returns the reason for a refusal, or the error of the callback.
    pub fn unpack(
        self,
        mut take: impl FnMut(&Listed, &mut dyn Read) -> io::Result<()>,
    ) -> Result<Unpacked, Refused> {
        let Self { manifest, roster, sealed: Inside { stream, file } } = self;
        let mut blocks = BlockReader::new(stream);
        for listed in &manifest.entries {
            unpack_entry(&mut blocks, &file, listed, &mut take)?;
        }
        if !blocks.is_at_end().map_err(|error| file.of_blocks(&error, blocks.refused.take()))? {
            return Err(Refused::Unlisted);
        }
        let mut end = Inside { stream: blocks.into_inner(), file };
        end.check_end()?;
        Ok(Unpacked { manifest, roster })
    }
}

impl<R: Read> fmt::Debug for Opened<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opened").field("manifest", &self.manifest).finish_non_exhaustive()
    }
}

fn unpack_entry<S: Read>(
    blocks: &mut BlockReader<S>,
    file: &File,
    listed: &Listed,
    take: &mut impl FnMut(&Listed, &mut dyn Read) -> io::Result<()>,
) -> Result<(), Refused> {
    let mut part =
        Part { input: blocks, left: listed.length, hash: blake3::Hasher::new(), failed: None };
    let taken = take(listed, &mut part);
    let drained = io::copy(&mut part, &mut io::sink());
    let (left, hash, failed) = (part.left, part.hash.finalize(), part.failed.take());
    if let Some(error) = failed.or(drained.err()) {
        return Err(file.of_blocks(&error, blocks.refused.take()));
    }
    let path = listed.path.clone();
    if let Err(error) = taken {
        return Err(Refused::Taking { path, kind: error.kind(), message: error.to_string() });
    }
    if left > 0 || Digest::from_bytes(*hash.as_bytes()) != listed.blake3 {
        return Err(Refused::NotAsListed { path });
    }
    Ok(())
}

/// The bytes of one entry.
struct Part<'b, S> {
    input: &'b mut BlockReader<S>,
    left: u64,
    hash: blake3::Hasher,
    /// The first failure, because the callback may have hidden it.
    failed: Option<io::Error>,
}

impl<S: Read> Read for Part<'_, S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.input.take(self.left).read(buffer);
        let got = got.map_err(|error| {
            let told = io::Error::new(error.kind(), error.to_string());
            self.failed.get_or_insert(error);
            told
        })?;
        self.hash.update(buffer.get(..got).unwrap_or_default());
        self.left = self.left.saturating_sub(got as u64);
        Ok(got)
    }
}

/// The file's measured state, to explain a failure.
struct File {
    meter: Arc<Meter>,
    expected: u64,
}

impl File {
    fn of_age(&self, fault: &age::DecryptError) -> Refused {
        match fault {
            age::DecryptError::NoMatchingKeys => Refused::NotForUs,
            age::DecryptError::Io(error) => self.of_stream(error),
            _ => self.broken(),
        }
    }

    fn of_stream(&self, error: &io::Error) -> Refused {
        match error.kind() {
            io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData => self.broken(),
            _ => reading(error),
        }
    }

    fn of_blocks(&self, error: &io::Error, refused: Option<Refused>) -> Refused {
        refused.unwrap_or_else(|| self.of_stream(error))
    }

    /// Why the file does not open: it is truncated, or something else is wrong.
    fn broken(&self) -> Refused {
        let (expected, got) = (self.expected, self.meter.read());
        if self.meter.has_ended() && got < expected {
            Refused::Truncated { expected, got }
        } else {
            Refused::Damaged
        }
    }
}

fn reading(error: &io::Error) -> Refused {
    Refused::Reading { kind: error.kind(), message: error.to_string() }
}

/// The content of the seal.
struct Inside<R: Read> {
    stream: StreamReader<WholeHeader<Metered<R>>>,
    file: File,
}

impl<R: Read> Inside<R> {
    fn fill(&mut self, buffer: &mut [u8]) -> Result<(), Refused> {
        self.stream.read_exact(buffer).map_err(|error| self.file.of_stream(&error))
    }

    /// Reads a part after its length.
    fn part(&mut self, most: usize) -> Result<Vec<u8>, Refused> {
        let mut length = [0; 4];
        self.fill(&mut length)?;
        let length = u32::from_le_bytes(length);
        if length as usize > most {
            return Err(Refused::TooLarge);
        }
        let mut out = Vec::new();
        let got = (&mut self.stream).take(length.into()).read_to_end(&mut out);
        let got = got.map_err(|error| self.file.of_stream(&error))?;
        if got == length as usize { Ok(out) } else { Err(self.file.broken()) }
    }

    /// Checks that nothing follows, inside the seal or after it.
    fn check_end(&mut self) -> Result<(), Refused> {
        let more = self.stream.read(&mut [0]).map_err(|error| self.file.of_stream(&error))?;
        if more > 0 {
            return Err(Refused::Unlisted);
        }
        if self.file.meter.read() == self.file.expected { Ok(()) } else { Err(Refused::Damaged) }
    }
}
