//! Writes a bundle. Each piece is read twice, once for the manifest and once to pack it; only one
//! block is in memory.

use super::blocks::BlockWriter;
use super::manifest::FORMAT;
use super::{About, Kind, LENGTH_AT, Listed, MAGIC, Manifest, Refused, WriteFault, signed};
use super::{MOST_BYTES, MOST_ENTRIES, MOST_MANIFEST_BYTES, MOST_ROSTER_BYTES};
use crate::bytes::Digest;
use crate::header::MOST_RECIPIENTS;
use crate::keys::Recipient;
use crate::roster::{Roster, Signer};
use crate::signing::{Purpose, sign};
use std::fmt;
use std::io::{self, Read, Seek, SeekFrom, Write};
use taffrail_model::DeviceId;

const BUFFER: usize = 64 * 1024;

/// Opens a piece; called twice.
type Open<'a> = Box<dyn Fn() -> io::Result<Box<dyn Read + 'a>> + 'a>;

/// A piece to pack.
pub struct Piece<'a> {
    /// The path.
    pub path: String,
    /// The kind.
    pub kind: Kind,
    /// Opens it from its start.
    pub open: Open<'a>,
}

impl<'a> Piece<'a> {
    /// A piece from bytes in memory.
    #[must_use]
    pub fn of_bytes(path: &str, kind: Kind, bytes: &'a [u8]) -> Self {
        let open: Open<'a> = Box::new(move || Ok(Box::new(bytes)));
        Self { path: path.to_owned(), kind, open }
    }
}

impl fmt::Debug for Piece<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Piece({}, {})", self.path, self.kind.as_str())
    }
}

/// Writes a bundle for the devices in its manifest. A piece that grows meanwhile is packed with its
/// first length.
///
/// # Errors
///
/// A device is not in the team, or something cannot be read, packed or written. The output so far
/// is not a valid bundle.
pub fn write<W: Write + Seek>(
    mut out: W,
    about: &About,
    pieces: &[Piece<'_>],
    roster: &Roster,
    by: &Signer<'_>,
) -> Result<Manifest, WriteFault> {
    let recipients = recipients(&about.to, roster)?;
    current(by.device, roster)?;
    let manifest = manifest(about, pieces, roster, by)?;
    let start = out.stream_position()?;
    out.write_all(MAGIC)?;
    out.write_all(&[FORMAT])?;
    out.write_all(&[0; 8])?;
    let sealer = age::Encryptor::with_recipients(recipients.iter().map(Recipient::as_age));
    let sealer = sealer.map_err(|_| WriteFault::Nobody)?;
    let mut sealed = sealer.wrap_output(&mut out)?;
    write_head(&mut sealed, &manifest, roster, by)?;
    write_entries(sealed, &manifest, pieces)?.finish()?;
    let end = out.stream_position()?;
    out.seek(SeekFrom::Start(start.saturating_add(LENGTH_AT)))?;
    out.write_all(&end.saturating_sub(start).to_le_bytes())?;
    out.seek(SeekFrom::Start(end))?;
    Ok(manifest)
}

fn recipients(to: &[DeviceId], roster: &Roster) -> Result<Vec<Recipient>, WriteFault> {
    to.iter().map(|device| current(device, roster)).collect()
}

fn current(device: &DeviceId, roster: &Roster) -> Result<Recipient, WriteFault> {
    let member = roster.member(device).filter(|member| member.is_current());
    let recipient = member.map(|member| member.device.keys.recipient().clone());
    recipient.ok_or_else(|| WriteFault::NotAMember { device: device.clone() })
}

fn manifest(
    about: &About,
    pieces: &[Piece<'_>],
    roster: &Roster,
    by: &Signer<'_>,
) -> Result<Manifest, WriteFault> {
    if pieces.len() > MOST_ENTRIES || about.to.len() > MOST_RECIPIENTS {
        return Err(WriteFault::TooLarge);
    }
    let (mut entries, mut room) = (Vec::with_capacity(pieces.len()), MOST_BYTES);
    for piece in pieces {
        let entry = listed(piece, room)?;
        room = room.checked_sub(entry.length).ok_or(WriteFault::TooLarge)?;
        entries.push(entry);
    }
    let (about, made_by) = (about.clone(), by.device.clone());
    let manifest = Manifest { format: FORMAT, team: *roster.team(), made_by, about, entries };
    match manifest.check() {
        Ok(()) => Ok(manifest),
        Err(Refused::Path { path, why }) => Err(WriteFault::Path { path, why }),
        Err(_) => Err(WriteFault::TooLarge),
    }
}

fn listed(piece: &Piece<'_>, room: u64) -> Result<Listed, WriteFault> {
    let (length, blake3) = read_through(piece, room.saturating_add(1), |_| Ok(()))?;
    let (path, kind) = (piece.path.clone(), piece.kind.clone());
    Ok(Listed { path, kind, length, blake3 })
}

/// Reads at most this much of a piece, and returns its length and hash.
fn read_through(
    piece: &Piece<'_>,
    most: u64,
    mut with: impl FnMut(&[u8]) -> io::Result<()>,
) -> Result<(u64, Digest), WriteFault> {
    let failed = |error: io::Error| WriteFault::Reading { path: piece.path.clone(), error };
    let mut input = (piece.open)().map_err(failed)?.take(most);
    let (mut buffer, mut length, mut hash) = (vec![0; BUFFER], 0_u64, blake3::Hasher::new());
    loop {
        let got = match input.read(&mut buffer) {
            Ok(got) => buffer.get(..got).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(failed(error)),
        };
        if got.is_empty() {
            return Ok((length, Digest::from_bytes(*hash.finalize().as_bytes())));
        }
        length = length.saturating_add(got.len() as u64);
        hash.update(got);
        with(got)?;
    }
}

fn write_head(
    out: &mut impl Write,
    manifest: &Manifest,
    roster: &Roster,
    by: &Signer<'_>,
) -> Result<(), WriteFault> {
    let roster_json = serde_json::to_vec(roster.entries()).map_err(io::Error::other)?;
    let manifest_json = serde_json::to_vec(manifest).map_err(io::Error::other)?;
    let fields = signed(manifest, &manifest_json, &roster_json);
    let signature = sign(by.secret.signing(), Purpose::Bundle, &[&fields]);
    for (part, most) in [(&roster_json, MOST_ROSTER_BYTES), (&manifest_json, MOST_MANIFEST_BYTES)] {
        let length = u32::try_from(part.len()).ok().filter(|_| part.len() <= most);
        out.write_all(&length.ok_or(WriteFault::TooLarge)?.to_le_bytes())?;
        out.write_all(part)?;
    }
    out.write_all(signature.as_bytes())?;
    Ok(())
}

fn write_entries<W: Write>(
    out: W,
    manifest: &Manifest,
    pieces: &[Piece<'_>],
) -> Result<W, WriteFault> {
    let mut blocks = BlockWriter::new(out);
    for (piece, listed) in pieces.iter().zip(&manifest.entries) {
        let got = read_through(piece, listed.length, |bytes| blocks.put(bytes))?;
        if got != (listed.length, listed.blake3) {
            return Err(WriteFault::Changed { path: piece.path.clone() });
        }
    }
    Ok(blocks.finish()?)
}
