//! The streams and subjects of a team on NATS servers.
//!
//! The teams of a server share its streams by a hash of their ids, so that the number of streams does
//! not follow the number of teams. Teams whose data came with an earlier version keep three streams of
//! their own.

use crate::hub::Team;

/// The first part of the subjects of shared streams. A team's own subjects begin with `taffrail.`.
const ROOT: &str = "taffrail_hub";

/// Where a team's data is: the names of streams, and the beginnings of subjects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    /// The stream of logs.
    pub(super) log_stream: String,
    /// The stream of keys.
    pub(super) key_stream: String,
    /// The stream of blobs.
    pub(super) blob_stream: String,
    /// The prefix of the subjects of logs.
    pub(super) log_root: String,
    /// The prefix of the subjects of keys.
    pub(super) key_root: String,
    /// The prefix of the subjects of pointers to blobs.
    pub(super) blob_root: String,
    /// The prefix of the subjects of the bytes of blobs.
    pub(super) piece_root: String,
    /// The prefix of the subjects of beats. No stream has them: the server stores none.
    pub(super) beat_root: String,
    /// The subjects of the three streams.
    pub(super) subjects: [Vec<String>; 3],
}

impl Layout {
    /// Three streams of the team alone.
    pub(super) fn own(team: &Team) -> Self {
        let team = team.as_str();
        let (log_root, beat_root) =
            (format!("taffrail.{team}.log."), format!("taffrail.{team}.beat."));
        let keys = format!("$KV.taffrail_{team}.");
        let (blob_root, piece_root) =
            (format!("$O.taffrail_{team}.M."), format!("$O.taffrail_{team}.C."));
        let below = |root: &str| format!("{root}>");
        let blobs = vec![below(&piece_root), below(&blob_root)];
        Self {
            log_stream: format!("TAFFRAIL_{team}"),
            key_stream: format!("KV_taffrail_{team}"),
            blob_stream: format!("OBJ_taffrail_{team}"),
            subjects: [vec![below(&log_root)], vec![below(&keys)], blobs],
            key_root: format!("{keys}key."),
            log_root,
            blob_root,
            piece_root,
            beat_root,
        }
    }

    /// The streams that the team shares with others, of this many of each kind.
    pub(super) fn shared(team: &Team, of: u16) -> Self {
        let mut layout = Self::shard(shard_of(team, of), of);
        let team = team.as_str();
        let roots = [
            &mut layout.log_root,
            &mut layout.key_root,
            &mut layout.blob_root,
            &mut layout.piece_root,
            &mut layout.beat_root,
        ];
        for (root, kind) in roots.into_iter().zip(["", "", "M.", "C.", ""]) {
            *root = format!("{root}{team}.{kind}");
        }
        layout
    }

    /// All shared streams of a server, of this many of each kind.
    pub(super) fn cell(of: u16) -> impl Iterator<Item = Self> {
        (0..of.max(1)).map(move |shard| Self::shard(shard, of))
    }

    /// The number of streams of each kind is in the names, so that addresses with different numbers
    /// never mix.
    fn shard(shard: u16, of: u16) -> Self {
        let root = |kind: &str| format!("{ROOT}.{of}-{shard}.{kind}.");
        let stream = |kind: &str| format!("TAFFRAIL_HUB_{of}_{shard}_{kind}");
        let [log_root, key_root, blob_root, beat_root] = ["log", "key", "blob", "beat"].map(root);
        let subjects = [&log_root, &key_root, &blob_root].map(|it| vec![format!("{it}>")]);
        let (log_stream, key_stream, blob_stream) = (stream("LOG"), stream("KEY"), stream("BLOB"));
        let piece_root = blob_root.clone();
        Self {
            log_stream,
            key_stream,
            blob_stream,
            log_root,
            key_root,
            blob_root,
            piece_root,
            beat_root,
            subjects,
        }
    }

    /// The names of the three streams.
    pub(super) fn streams(&self) -> [&str; 3] {
        [&self.log_stream, &self.key_stream, &self.blob_stream]
    }
}

/// The shared streams of a team.
fn shard_of(team: &Team, of: u16) -> u16 {
    let hash = blake3::hash(team.as_str().as_bytes());
    let number = hash.as_bytes().first_chunk::<8>().map_or(0, |it| u64::from_le_bytes(*it));
    u16::try_from(number % u64::from(of.max(1))).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn teams_share_streams_and_no_subject() {
        let (one, other) = (Team::new("one").unwrap(), Team::new("other").unwrap());
        let (a, b) = (Layout::shared(&one, 1), Layout::shared(&other, 1));
        assert_eq!(a.streams(), b.streams());
        assert_eq!(a.log_root, "taffrail_hub.1-0.log.one.");
        assert_eq!(b.piece_root, "taffrail_hub.1-0.blob.other.C.");
        assert_eq!(a.subjects[2], ["taffrail_hub.1-0.blob.>"]);
        let own = Layout::own(&one);
        assert_eq!(own.streams(), ["TAFFRAIL_one", "KV_taffrail_one", "OBJ_taffrail_one"]);
        assert_eq!(own.key_root, "$KV.taffrail_one.key.");
    }

    #[test]
    fn many_teams_fill_a_fixed_number_of_streams() {
        let teams = (0..1_000).map(|it| Team::new(format!("team-{it}")).unwrap());
        let mut counts = [0; 16];
        for team in teams {
            counts[usize::from(shard_of(&team, 16))] += 1;
        }
        assert!(counts.iter().all(|it| (30..110).contains(it)), "{counts:?}");
        assert_eq!(Layout::cell(16).count(), 16);
    }
}
