//! Whether the index has everything that is on disk. Finding out takes no lock and changes no database.

use crate::looked::{Against, Note};
use crate::planned::planned;
use crate::retention::leave_out_old;
use crate::scope::Scope;
use crate::tombstones::is_to_forget;
use crate::uncaptured::leave_out_uncaptured;
use taffrail_capture::{Discovery, Listing, Look, Plan, discover, is_spooled};
use taffrail_context::{Error, Settings};
use taffrail_store::search::Stand;
use taffrail_store::{IndexReader, Ledger};

/// A state of the index that has everything on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Current {
    born: String,
    batch: i64,
}

impl Current {
    /// Whether a search index that has come so far has everything, too.
    #[must_use]
    pub fn is_searched(&self, stand: &Stand) -> bool {
        (&self.born, self.batch) == (&stand.born, stand.change)
    }
}

/// The state of the index, if nothing on disk is newer and no work is left to finish. It looks at every file.
///
/// # Errors
/// When our own files cannot be read.
pub fn current(settings: &Settings) -> Result<Option<Current>, Error> {
    let Some(index) = IndexReader::open(&settings.data)? else { return Ok(None) };
    let ledger = Ledger::open_read_only(&settings.data)?;
    if has_work(settings, &index, ledger.as_ref())? {
        return Ok(None);
    }
    let against = Against::of(settings, &index)?;
    let noted = Note::read(&settings.data);
    let listing = noted.clone().and_then(|it| it.into_listing(&against));
    if !listing.is_some_and(|it| it.holds(&settings.watched_outside_projects()))
        && !is_quiet(settings, (&index, ledger.as_ref()), (&against, noted))?
    {
        return Ok(None);
    }
    // Last: a batch that another process writes meanwhile must not count as compared.
    Ok(Some(Current { born: index.born()?, batch: index.last_batch()? }))
}

/// A look that found nothing new in this state of the index.
#[derive(Debug)]
pub struct LastLook {
    state: Current,
    listing: Listing,
}

impl LastLook {
    /// The last look, if it was in the present state of this index, no work is left to finish, and all was at rest.
    ///
    /// # Errors
    /// When our own files cannot be read.
    pub fn read(settings: &Settings, index: &IndexReader) -> Result<Option<Self>, Error> {
        let ledger = Ledger::open_read_only(&settings.data)?;
        if has_work(settings, index, ledger.as_ref())? {
            return Ok(None);
        }
        let against = Against::of(settings, index)?;
        let listing = Note::read(&settings.data).and_then(|it| it.into_listing(&against));
        let state = Current { born: against.born, batch: against.batch };
        Ok(listing.map(|listing| Self { state, listing }))
    }

    /// That state of the index, if every file and folder is as it was. It reads no database.
    #[must_use]
    pub fn still(self, settings: &Settings) -> Option<Current> {
        self.listing.holds(&settings.watched_outside_projects()).then_some(self.state)
    }
}

/// Whether the spool or the index itself has work to finish, whatever else is on disk.
fn has_work(
    settings: &Settings,
    index: &IndexReader,
    ledger: Option<&Ledger>,
) -> Result<bool, Error> {
    Ok(is_spooled(&settings.data)
        || !index.is_settled()?
        || is_to_forget(index, ledger)?
        || (settings.archive.enabled && !index.is_mended(&settings.boot_id)?)
        || !index.is_priced(&settings.prices.stamp())?
        || ledger.map(Ledger::bound).transpose()? != Some(index.bound()?))
}

/// Whether the disk has nothing new; then that is noted.
fn is_quiet(
    settings: &Settings,
    (index, ledger): (&IndexReader, Option<&Ledger>),
    (against, noted): (&Against, Option<Note>),
) -> Result<bool, Error> {
    let began = (settings.now)();
    let homes = settings.watched_homes_in(index);
    let discovery = discover(&homes);
    let line = against.line(&discovery);
    let is_noted = noted.as_ref().zip(line.as_ref()).is_some_and(|(it, line)| it.has(line));
    let quiet = match is_noted {
        true => Quiet::Settled,
        false => compared(settings, (index, ledger), &discovery)?,
    };
    if let (Quiet::Settled, Some(line)) = (quiet, line) {
        let usual = settings.watched_outside_projects();
        let places = settings.places_in_projects(index);
        let (usual, homes, places, discovery) = (&usual[..], &homes[..], &places[..], &discovery);
        let listing = Listing::of(&Look { usual, homes, places, discovery, began });
        let note = Note::new(line, against, listing);
        if noted.as_ref() != Some(&note) {
            note.write(&settings.data);
        }
    }
    Ok(quiet != Quiet::No)
}

/// Whether a look found nothing new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quiet {
    No,
    /// Only what is left out is new, or not all sources could be compared.
    Yes,
    /// The same again will be quiet, too.
    Settled,
}

/// Compares what was found with every known source.
fn compared(
    settings: &Settings,
    (index, ledger): (&IndexReader, Option<&Ledger>),
    discovery: &Discovery,
) -> Result<Quiet, Error> {
    let mut plan = planned(discovery.clone(), index.sources()?, &Scope::All);
    leave_out_old(settings, &mut plan);
    if has_nothing(&plan) {
        return Ok(if plan.unsettled == 0 { Quiet::Settled } else { Quiet::Yes });
    }
    let uncaptured = ledger.map(Ledger::uncaptured).transpose()?.unwrap_or_default();
    leave_out_uncaptured(&mut plan, &uncaptured, || index.uncaptured_files())?;
    Ok(if has_nothing(&plan) { Quiet::Yes } else { Quiet::No })
}

fn has_nothing(plan: &Plan) -> bool {
    plan.jobs.is_empty() && plan.vanished.is_empty() && plan.returned.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Budget, index};
    use std::fs;
    use std::path::PathBuf;
    use taffrail_model::Timestamp;

    /// A home with two transcripts and a sub-agent, and a data folder of ours.
    struct World(tempfile::TempDir);

    impl World {
        fn new() -> Self {
            let world = Self(tempfile::tempdir().unwrap());
            for name in ["a", "b", "a/subagents/agent-c"] {
                world.write(name, 1);
            }
            world
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().join(format!("home/.claude/projects/-w-app/{name}.jsonl"))
        }

        fn write(&self, name: &str, lines: usize) {
            let line = |at: usize| {
                format!(
                    r#"{{"type":"user","uuid":"{name}{at}","sessionId":"a","timestamp":"2026-11-14T23:00:0{at}Z","message":{{"role":"user","content":"hello"}}}}"#
                )
            };
            let text: String = (0..lines).map(|at| line(at) + "\n").collect();
            fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
            fs::write(self.path(name), text).unwrap();
        }

        fn settings(&self) -> Settings {
            // Long after every change of a test: its folders are at rest.
            let now = || Timestamp::from_second(4_000_000_000).unwrap();
            Settings::in_folder(self.0.path(), now)
        }

        fn index(&self) {
            index(&self.settings(), &Scope::All, Budget::Whole, &mut |_| {}).unwrap();
        }

        fn is_current(&self) -> bool {
            current(&self.settings()).unwrap().is_some()
        }

        fn sql(&self, text: &str) {
            let database = self.settings().data.join("index.db");
            rusqlite::Connection::open(database).unwrap().execute_batch(text).unwrap();
        }
    }

    #[test]
    fn a_quiet_disk_is_compared_once_and_then_no_row_of_a_source_is_read() {
        let world = World::new();
        assert!(!world.is_current(), "without an index");
        world.index();
        assert!(world.is_current());
        world.sql("DROP TABLE sources; CREATE TABLE sources (unreadable)");
        assert!(world.is_current());
        fs::remove_file(world.settings().data.join("looked")).unwrap();
        assert!(current(&world.settings()).is_err(), "a comparison reads sources");
    }

    #[test]
    fn while_every_file_and_folder_is_as_listed_no_folder_is_read() {
        let world = World::new();
        world.index();
        assert!(world.is_current());
        let note = world.settings().data.join("looked");
        let mut bytes = fs::read(&note).unwrap();
        let end = bytes.iter().position(|it| *it == b'\n').unwrap();
        // No walk has this digest, and no comparison is possible.
        bytes[end - 32..end].fill(b'0');
        fs::write(&note, bytes).unwrap();
        world.sql("DROP TABLE sources; CREATE TABLE sources (unreadable)");
        assert!(world.is_current());
        world.write("a", 2);
        assert!(current(&world.settings()).is_err(), "a change leads to a walk and a comparison");
    }

    #[test]
    fn every_change_on_disk_counts_after_a_quiet_look() {
        type Change = fn(&World);
        let changes: [(&str, Change); 7] = [
            ("grown", |world| world.write("a", 2)),
            ("written again at the same size", |world| {
                let later = std::time::UNIX_EPOCH + std::time::Duration::from_secs(2_000_000_000);
                fs::File::options()
                    .append(true)
                    .open(world.path("a"))
                    .unwrap()
                    .set_modified(later)
                    .unwrap();
            }),
            ("new", |world| world.write("d", 1)),
            ("new in a new folder", |world| world.write("b/subagents/agent-e", 1)),
            ("gone", |world| fs::remove_file(world.path("b")).unwrap()),
            ("renamed", |world| fs::rename(world.path("b"), world.path("f")).unwrap()),
            ("replaced", |world| {
                fs::copy(world.path("b"), world.path("g")).unwrap();
                fs::rename(world.path("g"), world.path("b")).unwrap();
            }),
        ];
        for (what, change) in changes {
            let world = World::new();
            world.index();
            assert!(world.is_current() && world.is_current(), "before: {what}");
            change(&world);
            assert!(!world.is_current(), "{what}");
            world.index();
            assert!(world.is_current() && world.is_current(), "after: {what}");
        }
    }

    #[test]
    fn every_change_of_the_index_counts_after_a_quiet_look() {
        for change in [
            "UPDATE sources SET again = 1 WHERE id = 1",
            "UPDATE sources SET present = 0 WHERE id = 1",
            "DELETE FROM sources WHERE id = 1",
            "UPDATE meta SET value = '0' WHERE name = 'clean'",
        ] {
            let world = World::new();
            world.index();
            assert!(world.is_current() && world.is_current(), "before: {change}");
            world.sql(change);
            assert!(!world.is_current(), "{change}");
        }
    }

    #[test]
    fn a_note_that_is_torn_or_cannot_be_written_only_costs_a_comparison() {
        let world = World::new();
        world.index();
        let note = world.settings().data.join("looked");
        assert!(world.is_current());
        let whole = fs::read(&note).unwrap();
        fs::write(&note, &whole[..whole.len() / 2]).unwrap();
        assert!(world.is_current());
        assert_eq!(fs::read(&note).unwrap(), whole);
        fs::remove_file(&note).unwrap();
        fs::create_dir(&note).unwrap();
        assert!(world.is_current() && world.is_current());
    }
}
