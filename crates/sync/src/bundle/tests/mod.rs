//! A bundle arrives complete and from its stated author, or not at all.

mod fuzz;
mod hostile;
mod whole;

use super::*;
use crate::bytes::TeamId;
use crate::roster::tests::{Own, at, team_of};
use crate::roster::{Entry, Op, Roster};
use std::io::{Cursor, Write};
use taffrail_model::{AgentId, DeviceId, RuntimeSessionId, SessionId};

fn about(to: &[&Own]) -> About {
    About {
        session: SessionId::from_bytes([3; 16]),
        runtime_session: RuntimeSessionId::new("0198-abc"),
        agent: AgentId::new("toy"),
        project: "app".to_owned(),
        redacted: false,
        git: Some(GitFacts {
            remote: None,
            branch: Some("main".to_owned()),
            commit: Some("c0ffee".to_owned()),
            dirty: true,
        }),
        made_at: at(100),
        to: to.iter().map(|own| own.id.clone()).collect(),
    }
}

/// A bundle with these entries, from one device to another.
fn packed(entries: &[(&str, &[u8])], roster: &Roster, from: &Own, to: &[&Own]) -> Vec<u8> {
    let pieces: Vec<_> =
        entries.iter().map(|(path, bytes)| Piece::of_bytes(path, Kind::Source, bytes)).collect();
    let mut out = Cursor::new(Vec::new());
    write(&mut out, &about(to), &pieces, roster, &from.signer()).unwrap();
    out.into_inner()
}

type Entries = Vec<(String, Vec<u8>)>;

/// All entries, as one device receives them.
fn unpacked(file: &[u8], roster: &Roster, own: &Own) -> Result<(Entries, Unpacked), Refused> {
    let reader = Reader { device: &own.id, identity: own.secret.identity(), roster };
    let mut out = Vec::new();
    let unpacked = open(file, &reader)?.unpack(|listed, input| {
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes)?;
        out.push((listed.path.clone(), bytes));
        Ok(())
    })?;
    Ok((out, unpacked))
}

/// A bundle made by hand, with arbitrary parts.
struct Forgery<'a> {
    manifest: serde_json::Value,
    roster: &'a [Entry],
    blocks: Vec<u8>,
    by: &'a Own,
    to: &'a Own,
}

impl<'a> Forgery<'a> {
    /// A forgery that is accepted unless it is changed.
    fn new(entries: &[(&str, &[u8])], roster: &'a Roster, by: &'a Own, to: &'a Own) -> Self {
        let listed = entries.iter().map(|(path, bytes)| Listed {
            path: (*path).to_owned(),
            kind: Kind::Source,
            length: bytes.len() as u64,
            blake3: Digest::from_bytes(*blake3::hash(bytes).as_bytes()),
        });
        let manifest = Manifest {
            format: FORMAT,
            team: *roster.team(),
            made_by: by.id.clone(),
            about: about(&[to]),
            entries: listed.collect(),
        };
        let mut blocks = blocks::BlockWriter::new(Vec::new());
        entries.iter().for_each(|(_, bytes)| blocks.put(bytes).unwrap());
        let manifest = serde_json::to_value(manifest).unwrap();
        Self { manifest, roster: roster.entries(), blocks: blocks.finish().unwrap(), by, to }
    }

    /// The signed and sealed file.
    fn file(&self) -> Vec<u8> {
        let manifest_json = serde_json::to_vec(&self.manifest).unwrap();
        let roster_json = serde_json::to_vec(self.roster).unwrap();
        let signature = match serde_json::from_value::<Manifest>(self.manifest.clone()) {
            Ok(manifest) => {
                let fields = signed(&manifest, &manifest_json, &roster_json);
                crate::signing::sign(self.by.secret.signing(), Purpose::Bundle, &[&fields])
            }
            Err(_) => crate::Signature::from_bytes([0; 64]),
        };
        let mut inside = Vec::new();
        for part in [&roster_json, &manifest_json] {
            inside.extend_from_slice(&u32::try_from(part.len()).unwrap().to_le_bytes());
            inside.extend_from_slice(part);
        }
        inside.extend_from_slice(signature.as_bytes());
        inside.extend_from_slice(&self.blocks);
        sealed_file(&inside, self.to)
    }
}

/// Arbitrary bytes under a seal that opens.
fn sealed_file(inside: &[u8], to: &Own) -> Vec<u8> {
    let keys = to.secret.keys();
    let sealer = age::Encryptor::with_recipients(std::iter::once(keys.recipient().as_age()));
    let mut out = [MAGIC.as_slice(), &[FORMAT], &[0; 8]].concat();
    let mut writer = sealer.unwrap().wrap_output(&mut out).unwrap();
    writer.write_all(inside).unwrap();
    writer.finish().unwrap();
    let length = (out.len() as u64).to_le_bytes();
    out[17..25].copy_from_slice(&length);
    out
}
